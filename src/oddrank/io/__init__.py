"""Any table a user has, and data that needs no download.

======================  ======================================================================
`read_table`            any table a user has: text, workbooks, Parquet, numpy's, ARFF, frames
`load_embedded`         datasets that scikit-learn ships
`make_known_density`    rows from a density that is known
======================  ======================================================================

This package imports with oddrank's own dependencies; file formats need the extra `datasets`, and
say so if it is missing.

>>> from oddrank import io
>>> io.load_embedded("wine").X.shape
(178, 13)
"""

from oddrank.io.dataset import Dataset
from oddrank.io.embedded import load_embedded
from oddrank.io.known_density import KnownDensitySample, make_known_density
from oddrank.io.tables import LeftOut, UserTable, is_parquet, original_rows, read_table

__all__ = [
    "Dataset",
    "KnownDensitySample",
    "LeftOut",
    "UserTable",
    "is_parquet",
    "load_embedded",
    "make_known_density",
    "original_rows",
    "read_table",
]
