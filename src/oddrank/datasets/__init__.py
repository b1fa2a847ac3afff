"""Labelled datasets, any table a user has, and data that needs no download.

======================  ======================================================================
`load`                  a dataset of the paper or of the verdict benchmark, exactly as published
`list_datasets`         the facts of these datasets
`prepare`               what the authors did next, step by step
`read_table`            any table a user has: text, workbooks, Parquet, numpy's, ARFF, frames
`load_embedded`         datasets that scikit-learn ships
`make_known_density`    rows from a density that is known
`data_folder`           where files already on this machine are looked for
`cache_folder`          where downloads are kept
======================  ======================================================================

This package imports with oddrank's own dependencies; downloads and file formats need the
extra `datasets`, and say so if it is missing.

Guide: :doc:`/datasets`.

>>> from oddrank import datasets
>>> datasets.load_embedded("wine").X.shape
(178, 13)
"""

from oddrank.datasets import prepare
from oddrank.datasets.catalogue import Catalogue, DatasetFacts, list_datasets
from oddrank.datasets.dataset import Dataset
from oddrank.datasets.embedded import load_embedded
from oddrank.datasets.folders import cache_folder, data_folder
from oddrank.datasets.known_density import KnownDensitySample, make_known_density
from oddrank.datasets.load import load
from oddrank.datasets.tables import LeftOut, UserTable, is_parquet, original_rows, read_table

__all__ = [
    "Catalogue",
    "Dataset",
    "DatasetFacts",
    "KnownDensitySample",
    "LeftOut",
    "UserTable",
    "cache_folder",
    "data_folder",
    "is_parquet",
    "list_datasets",
    "load",
    "load_embedded",
    "make_known_density",
    "original_rows",
    "prepare",
    "read_table",
]
