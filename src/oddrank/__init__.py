"""Which of my anomaly detectors is best, when I have no labels? oddrank answers that."""

from oddrank import datasets, errors, reference
from oddrank.bounding_box import BoundingBox
from oddrank.comparison import Comparison
from oddrank.detector_check import DetectorCheck, check_detector
from oddrank.detector_evaluation import evaluate_detector
from oddrank.evaluation import Evaluation, evaluate_scores
from oddrank.excess_mass import ExcessMassCurve, excess_mass_curve
from oddrank.feature_importance import FeatureImportance, feature_importance
from oddrank.feature_subsampling import FeatureSubsampling
from oddrank.label_free_search import LabelFreeSearchCV
from oddrank.level_set_counts import LevelSetCounts, count_level_sets
from oddrank.level_sets import LevelSets, level_sets
from oddrank.mass_volume import MassVolumeCurve, mass_volume_curve
from oddrank.normality import normality_function
from oddrank.ranking import rank_detectors
from oddrank.ranking_result import Ranking
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
    "FeatureImportance",
    "FeatureSubsampling",
    "LabelFreeScorer",
    "LabelFreeSearchCV",
    "LevelSetCounts",
    "LevelSets",
    "MassVolumeCurve",
    "Ranking",
    "check_detector",
    "count_level_sets",
    "datasets",
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
]
