"""Rows that repeat an earlier row, found without comparing every row with every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import BoolArray
from oddrank.datasets.tables.raw_table import Column, TextCells

_FIRST_ROWS = 10_000
_ODD = np.uint64(0x9E3779B97F4A7C15)


def repeated_rows(columns: Sequence[Column]) -> BoolArray:
    """Tell which rows are equal to an earlier one in all columns; gaps are equal to gaps."""
    cells = [_as_integers(column) for column in columns]
    n_rows = len(cells[0])
    most_varied = max(cells, key=lambda values: np.unique(values[:_FIRST_ROWS]).size)
    repeated = np.zeros(n_rows, dtype=bool)
    # Usually one column alone shows that all rows differ; otherwise a hash of each row does.
    if _all_differ(most_varied):
        return repeated
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for values in cells:
        hashes = (hashes ^ values) * _ODD
        hashes ^= hashes >> np.uint64(29)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    earlier = first[group]
    repeated = earlier != np.arange(n_rows)
    suspects = np.flatnonzero(repeated)
    # Equal hashes are no proof, so the rows themselves are compared.
    for values in cells:
        repeated[suspects] &= values[suspects] == values[earlier[suspects]]
    return repeated


def _all_differ(values: npt.NDArray[np.uint64]) -> bool:
    ordered = np.sort(values)
    return not bool((ordered[1:] == ordered[:-1]).any())


def _as_integers(column: Column) -> npt.NDArray[np.uint64]:
    values: Any = column.values
    if isinstance(values, TextCells):
        return values.codes.astype(np.int64).view(np.uint64)
    if column.kind == "date":
        return np.ascontiguousarray(values).view(np.uint64)
    # Adding 0 makes -0 and 0 the same; all kinds of NaN become one.
    same = np.ascontiguousarray(values + 0.0)
    missing = np.isnan(same)
    if missing.any():
        same[missing] = np.nan
    return same.view(np.uint64)
