"""Detectors and settings chosen without labels: `LabelFreeSearchCV`, scorers for scikit-learn."""

from oddrank.search.label_free_search import LabelFreeSearchCV
from oddrank.search.minimum_volume_set import averaged_level_sets
from oddrank.search.scorer import LabelFreeScorer, make_label_free_scorer
from oddrank.search.splits import make_splits

__all__ = [
    "LabelFreeScorer",
    "LabelFreeSearchCV",
    "averaged_level_sets",
    "make_label_free_scorer",
    "make_splits",
]
