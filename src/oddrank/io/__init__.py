"""Any table a user has, and data that needs no download.

======================  ======================================================================
`read_table`            any table a user has: text, workbooks, Parquet, numpy's, ARFF, frames
`Reading`               how a file was understood, or is to be
`save_model`            fitted models in files that run no code when they are read
`load_embedded`         datasets that scikit-learn ships
`make_known_density`    rows from a density that is known
======================  ======================================================================

This package imports with oddrank's own dependencies; file formats need the extra `datasets`, and
say so if it is missing.

>>> from oddrank import io
>>> io.load_embedded("wine").X.shape
(178, 13)
"""

from oddrank.io.column_choice import LeftOut
from oddrank.io.dataset import Dataset
from oddrank.io.embedded import load_embedded
from oddrank.io.known_density import KnownDensitySample, make_known_density
from oddrank.io.model_files import TRUSTED, load_model, save_model
from oddrank.io.reading import ColumnReading, Reading
from oddrank.io.tables import UserTable, is_parquet, parquet_cells, parquet_names, read_table

__all__ = [
    "TRUSTED",
    "ColumnReading",
    "Dataset",
    "KnownDensitySample",
    "LeftOut",
    "Reading",
    "UserTable",
    "is_parquet",
    "load_embedded",
    "load_model",
    "make_known_density",
    "parquet_cells",
    "parquet_names",
    "read_table",
    "save_model",
]
