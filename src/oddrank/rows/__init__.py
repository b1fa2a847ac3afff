"""The user's rows: the table, the box around it, training and test rows, draws of features."""

from oddrank.rows.bounding_box import BoundingBox
from oddrank.rows.columns import FEW_DISTINCT, Column
from oddrank.rows.encoding import TableEncoder
from oddrank.rows.feature_subsampling import (
    DIRECT_FEATURES,
    Draw,
    FeatureSubsampling,
    balanced_draws,
    check_draws_of_folds,
    choose_subsampling,
    few_valued_features,
    random_draws,
)
from oddrank.rows.folds import Folds, folds_of, natural_order
from oddrank.rows.joint_tables import (
    check_columns,
    check_continuous,
    comparable_values,
    joint_tables,
)
from oddrank.rows.large_tables import (
    RowSample,
    is_in_memory,
    large_table,
    rows_at_hand,
    sampled_groups,
)
from oddrank.rows.scaling import Scaling
from oddrank.rows.settled_types import floats_of, spans_of, stamps_of
from oddrank.rows.table import (
    CHUNK_ROWS,
    Table,
    as_table,
    check_same_features,
    index_of,
    is_frame,
)

__all__ = [
    "CHUNK_ROWS",
    "DIRECT_FEATURES",
    "FEW_DISTINCT",
    "BoundingBox",
    "Column",
    "Draw",
    "FeatureSubsampling",
    "Folds",
    "RowSample",
    "Scaling",
    "Table",
    "TableEncoder",
    "as_table",
    "balanced_draws",
    "check_columns",
    "check_continuous",
    "check_draws_of_folds",
    "check_same_features",
    "choose_subsampling",
    "comparable_values",
    "few_valued_features",
    "floats_of",
    "folds_of",
    "index_of",
    "is_frame",
    "is_in_memory",
    "joint_tables",
    "large_table",
    "natural_order",
    "random_draws",
    "rows_at_hand",
    "sampled_groups",
    "spans_of",
    "stamps_of",
]
