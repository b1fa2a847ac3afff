"""The user's rows: the table, the box around it, training and test rows, draws of features."""

from oddrank.rows.bounding_box import BoundingBox
from oddrank.rows.feature_subsampling import (
    DIRECT_FEATURES,
    Draw,
    FeatureSubsampling,
    balanced_draws,
    check_draws_of_folds,
    choose_subsampling,
    random_draws,
)
from oddrank.rows.folds import Folds, Scaling, folds_of, natural_order
from oddrank.rows.table import (
    CHUNK_ROWS,
    FEW_DISTINCT,
    Table,
    as_table,
    check_same_features,
    few_valued_features,
)

__all__ = [
    "CHUNK_ROWS",
    "DIRECT_FEATURES",
    "FEW_DISTINCT",
    "BoundingBox",
    "Draw",
    "FeatureSubsampling",
    "Folds",
    "Scaling",
    "Table",
    "as_table",
    "balanced_draws",
    "check_draws_of_folds",
    "check_same_features",
    "choose_subsampling",
    "few_valued_features",
    "folds_of",
    "natural_order",
    "random_draws",
]
