"""Rows that repeat an earlier row, found without comparing every row with every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import BoolArray
from oddrank.io.tables.raw_table import RawColumn, TextCells

_FIRST_ROWS = 1_000
_ODD = np.uint64(0x9E3779B97F4A7C15)


def repeated_rows(columns: Sequence[RawColumn]) -> BoolArray:
    """Return which rows are equal to an earlier one in all columns; gaps are equal to gaps."""
    varied = sorted(columns, key=_n_distinct_first, reverse=True)
    hashes = _as_integers(varied[0]) * _ODD
    n_rows = len(hashes)
    # Usually the two columns that vary most are enough to show that all rows differ.
    for position, column in enumerate(varied[1:], 1):
        hashes ^= hashes >> np.uint64(29)
        hashes ^= _as_integers(column)
        hashes *= _ODD
        if position in (1, len(varied) - 1) and _all_differ(hashes):
            return np.zeros(n_rows, dtype=bool)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    earlier = first[group]
    repeated: BoolArray = np.asarray(earlier != np.arange(n_rows))
    suspects = np.flatnonzero(repeated)
    # Equal hashes are no proof, so the rows themselves are compared.
    for column in columns:
        cells = _as_integers(column)
        repeated[suspects] &= cells[suspects] == cells[earlier[suspects]]
    return repeated


def _n_distinct_first(column: RawColumn) -> int:
    text = isinstance(column.content, TextCells)
    return np.unique(column.content.codes[:_FIRST_ROWS] if text else column.first(_FIRST_ROWS)).size


def _all_differ(values: npt.NDArray[np.uint64]) -> bool:
    ordered = np.sort(values)
    return not bool((ordered[1:] == ordered[:-1]).any())


def _as_integers(column: RawColumn) -> npt.NDArray[np.uint64]:
    values: Any = column.values
    if isinstance(values, TextCells):
        return values.codes.astype(np.int64).view(np.uint64)
    if column.kind == "date":
        return np.ascontiguousarray(values).view(np.uint64)
    # Adding 0 makes -0 and 0 the same; all kinds of NaN become one.
    same = np.ascontiguousarray(values + 0.0)
    if not column.all_finite():
        same[np.isnan(same)] = np.nan
    return same.view(np.uint64)
