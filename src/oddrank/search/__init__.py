"""A grid is a pool: settings chosen without labels, and scorers for scikit-learn's searches."""

from oddrank.search.label_free_search import LabelFreeSearchCV
from oddrank.search.scorer import LabelFreeScorer, make_label_free_scorer

__all__ = ["LabelFreeScorer", "LabelFreeSearchCV", "make_label_free_scorer"]
