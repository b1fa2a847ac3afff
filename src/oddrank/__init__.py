"""Which of my anomaly detectors is best, when I have no labels? oddrank answers that.

Names are imported when they are first used, so that `import oddrank` and `oddrank --help` are
quick: scikit-learn alone takes longer than either.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oddrank import datasets, display, errors, reference, report
    from oddrank.bounding_box import BoundingBox
    from oddrank.comparison import Comparison
    from oddrank.consensus import consensus
    from oddrank.detector_check import DetectorCheck, check_detector
    from oddrank.detector_evaluation import evaluate_detector
    from oddrank.display import (
        ExcessMassDisplay,
        FeatureImportanceDisplay,
        LevelSetDisplay,
        MassVolumeDisplay,
        RankingDisplay,
    )
    from oddrank.evaluation import Evaluation, evaluate_scores
    from oddrank.excess_mass import ExcessMassCurve, excess_mass_curve
    from oddrank.feature_importance import FeatureImportance, feature_importance
    from oddrank.feature_subsampling import FeatureSubsampling
    from oddrank.judged_comparison import JudgedComparison
    from oddrank.judgement import Judgement
    from oddrank.label_check import LabelCheck, check_against_labels
    from oddrank.label_free_search import LabelFreeSearchCV
    from oddrank.level_set_counts import LevelSetCounts, count_level_sets
    from oddrank.level_sets import LevelSets, level_sets
    from oddrank.mass_volume import MassVolumeCurve, mass_volume_curve
    from oddrank.normality import normality_function
    from oddrank.ranking import rank_detectors
    from oddrank.ranking_result import Ranking
    from oddrank.sureness import Sureness
    from oddrank.tuning import LabelFreeScorer, make_label_free_scorer
    from oddrank.uncertainty import Estimate

__version__ = "0.1.0"

__all__ = [
    "BoundingBox",
    "Comparison",
    "DetectorCheck",
    "Estimate",
    "Evaluation",
    "ExcessMassCurve",
    "ExcessMassDisplay",
    "FeatureImportance",
    "FeatureImportanceDisplay",
    "FeatureSubsampling",
    "JudgedComparison",
    "Judgement",
    "LabelCheck",
    "LabelFreeScorer",
    "LabelFreeSearchCV",
    "LevelSetCounts",
    "LevelSetDisplay",
    "LevelSets",
    "MassVolumeCurve",
    "MassVolumeDisplay",
    "Ranking",
    "RankingDisplay",
    "Sureness",
    "check_against_labels",
    "check_detector",
    "consensus",
    "count_level_sets",
    "datasets",
    "display",
    "errors",
    "evaluate_detector",
    "evaluate_scores",
    "excess_mass_curve",
    "feature_importance",
    "level_sets",
    "make_label_free_scorer",
    "mass_volume_curve",
    "normality_function",
    "rank_detectors",
    "reference",
    "report",
]

_SUBPACKAGES = ("datasets", "display", "errors", "reference", "report")

_MODULE_OF = {
    "BoundingBox": "bounding_box",
    "Comparison": "comparison",
    "DetectorCheck": "detector_check",
    "Estimate": "uncertainty",
    "Evaluation": "evaluation",
    "ExcessMassCurve": "excess_mass",
    "ExcessMassDisplay": "display",
    "FeatureImportance": "feature_importance",
    "FeatureImportanceDisplay": "display",
    "FeatureSubsampling": "feature_subsampling",
    "LabelCheck": "label_check",
    "LabelFreeScorer": "tuning",
    "LabelFreeSearchCV": "label_free_search",
    "LevelSetCounts": "level_set_counts",
    "LevelSetDisplay": "display",
    "LevelSets": "level_sets",
    "MassVolumeCurve": "mass_volume",
    "MassVolumeDisplay": "display",
    "Ranking": "ranking_result",
    "RankingDisplay": "display",
    "check_against_labels": "label_check",
    "check_detector": "detector_check",
    "count_level_sets": "level_set_counts",
    "evaluate_detector": "detector_evaluation",
    "evaluate_scores": "evaluation",
    "excess_mass_curve": "excess_mass",
    "feature_importance": "feature_importance",
    "level_sets": "level_sets",
    "make_label_free_scorer": "tuning",
    "mass_volume_curve": "mass_volume",
    "normality_function": "normality",
    "rank_detectors": "ranking",
    "Judgement": "judgement",
    "JudgedComparison": "judged_comparison",
    "Sureness": "sureness",
    "consensus": "consensus",
}


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"oddrank.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'oddrank' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"oddrank.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


class _Package(ModuleType):
    """Keeps a function apart from the module of the same name.

    Importing `oddrank.level_sets` makes Python set `oddrank.level_sets` to that module. The public
    name is the function in it, whatever was imported first.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _MODULE_OF.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
