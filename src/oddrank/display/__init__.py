"""Pictures in scikit-learn's manner; they need the extra `plot`.

=============================  ===========================================================
`MassVolumeDisplay`            mass-volume curves with error bands: lower is better
`ExcessMassDisplay`            excess-mass curves with error bands: higher is better
`RankingDisplay`               detectors with their intervals
`FeatureImportanceDisplay`     which features help, with intervals
`LevelSetDisplay`              the level sets of a detector over two features
=============================  ===========================================================

Every display is made by a class method, drawn by `plot(ax=None)`, and has its numbers in `frame()`.

Guide: :doc:`/displays`.

>>> from oddrank import display
>>> sorted(name for name in display.__all__ if name.endswith("Display"))[:2]
['ExcessMassDisplay', 'FeatureImportanceDisplay']
"""

from oddrank.display.curve_display import ExcessMassDisplay, MassVolumeDisplay, draw_bands
from oddrank.display.feature_importance_display import FeatureImportanceDisplay
from oddrank.display.level_set_display import LevelSetDisplay
from oddrank.display.ranking_display import RankingDisplay

__all__ = [
    "ExcessMassDisplay",
    "FeatureImportanceDisplay",
    "LevelSetDisplay",
    "MassVolumeDisplay",
    "RankingDisplay",
    "draw_bands",
]
