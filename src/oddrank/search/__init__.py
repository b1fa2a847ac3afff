"""Detectors and settings chosen without labels: `LabelFreeSearchCV`, scorers for scikit-learn."""

from oddrank.search.label_free_search import LabelFreeSearchCV
from oddrank.search.scorer import LabelFreeScorer, make_label_free_scorer

__all__ = ["LabelFreeScorer", "LabelFreeSearchCV", "make_label_free_scorer"]
