"""Pictures in scikit-learn's manner; they need the extra `plot`.

=============================  ===========================================================
`MassVolumeDisplay`            mass-volume curves with error bands: lower is better
`ExcessMassDisplay`            excess-mass curves with error bands: higher is better
`RankingDisplay`               detectors with their intervals
`FeatureImportanceDisplay`     which features help, with intervals
`LevelSetDisplay`              the level sets of a detector over two features
=============================  ===========================================================

Every display is made by a class method, drawn by `plot(ax=None)`, and has its numbers in `frame()`.
"""

from oddrank.plots.curves import ExcessMassDisplay, MassVolumeDisplay, draw_bands
from oddrank.plots.importances import FeatureImportanceDisplay
from oddrank.plots.level_sets import LevelSetDisplay
from oddrank.plots.rankings import RankingDisplay

__all__ = [
    "ExcessMassDisplay",
    "FeatureImportanceDisplay",
    "LevelSetDisplay",
    "MassVolumeDisplay",
    "RankingDisplay",
    "draw_bands",
]
