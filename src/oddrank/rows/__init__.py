"""The user's rows: the table, the box around it, training and test rows, draws of features."""

from oddrank.rows.bounding_box import BoundingBox, scaling_spreads
from oddrank.rows.chunks import (
    PART_ROWS,
    Chunk,
    ChunkedTable,
    as_chunks,
    in_memory_chunks,
)
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
from oddrank.rows.folds import (
    Folds,
    Scaling,
    folds_of,
    is_in_memory,
    natural_order,
    rows_at_hand,
)
from oddrank.rows.joint_tables import (
    check_columns,
    check_continuous,
    comparable_values,
    joint_tables,
)
from oddrank.rows.part_tables import part_table
from oddrank.rows.row_numbers import folds_of_numbers, halves_of_numbers, sample_numbers
from oddrank.rows.sampled_rows import PreparedSample, SampledTable, draw_sample
from oddrank.rows.settled_types import floats_of, spans_of, stamps_of
from oddrank.rows.table import (
    CHUNK_ROWS,
    Table,
    as_table,
    check_same_features,
    is_frame,
)

__all__ = [
    "CHUNK_ROWS",
    "DIRECT_FEATURES",
    "FEW_DISTINCT",
    "PART_ROWS",
    "BoundingBox",
    "Chunk",
    "ChunkedTable",
    "Column",
    "Draw",
    "FeatureSubsampling",
    "Folds",
    "PreparedSample",
    "SampledTable",
    "Scaling",
    "Table",
    "TableEncoder",
    "as_chunks",
    "as_table",
    "balanced_draws",
    "check_columns",
    "check_continuous",
    "check_draws_of_folds",
    "check_same_features",
    "choose_subsampling",
    "comparable_values",
    "draw_sample",
    "few_valued_features",
    "floats_of",
    "folds_of",
    "folds_of_numbers",
    "halves_of_numbers",
    "in_memory_chunks",
    "is_frame",
    "is_in_memory",
    "joint_tables",
    "natural_order",
    "part_table",
    "random_draws",
    "rows_at_hand",
    "sample_numbers",
    "scaling_spreads",
    "spans_of",
    "stamps_of",
]
