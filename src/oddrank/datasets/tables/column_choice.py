"""Which columns become features, and why the others do not."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray
from oddrank.datasets.tables.raw_table import RawColumn, RawTable, Request, listed
from oddrank.errors import InvalidDataError

_IDENTIFIER = re.compile(r"(^|[_\W])(id|ids|index|key|nr|no|number|rownum|row|uid|uuid)$", re.I)
_FIRST_ROWS = 10_000


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A column that is not used, and why."""

    column: str
    reason: str

    def __str__(self) -> str:
        return f"{self.column!r} ({self.reason})"


def choose_columns(
    table: RawTable, request: Request, min_distinct: int
) -> tuple[list[RawColumn], list[LeftOut]]:
    """Return the columns to use and those left out; the table's own list is emptied.

    Columns that were asked for by name are used if they hold numbers, whatever numbers these are.
    """
    kept: list[RawColumn] = []
    left_out: list[LeftOut] = []
    while table.columns:
        column = table.columns.pop(0)
        reason = column.not_numeric or (
            "" if request.columns is not None else _why_not(column, min_distinct)
        )
        if reason:
            left_out.append(LeftOut(column=column.name, reason=reason))
        else:
            kept.append(column)
    if request.columns is not None:
        _check_asked_for(left_out, request)
        kept.sort(key=lambda column: (request.columns or ()).index(column.name))
    if not kept:
        reasons = listed([str(column) for column in left_out]) or "it has no columns"
        raise InvalidDataError(
            f"{request.what} has no numeric column that can be a feature: {reasons}. "
            "Name columns with columns=, or lower min_distinct=."
        )
    return kept, left_out


def _check_asked_for(left_out: list[LeftOut], request: Request) -> None:
    if left_out:
        raise InvalidDataError(
            f"Column {left_out[0]} of {request.what} was asked for, but it does not hold numbers. "
            "Encode it as numbers, or leave it out of columns=."
        )


def _why_not(column: RawColumn, min_distinct: int) -> str:
    values = column.values
    if values is None:
        return column.not_numeric
    present = values[np.isfinite(values)]
    if present.size == 0:
        return "no values"
    distinct = _distinct_up_to(present, max(min_distinct, 2))
    if distinct == 1:
        return f"constant: always {present[0]:g}"
    if distinct < min_distinct:
        return f"only {distinct} distinct values, fewer than {min_distinct}"
    return _why_identifier(column.name, values, present)


def _distinct_up_to(values: FloatArray, enough: int) -> int:
    """Return the number of distinct values; once there are enough the rest is not looked at."""
    first = np.unique(values[:_FIRST_ROWS]).size
    return int(first if first >= enough else np.unique(values).size)


def _why_identifier(name: str, values: FloatArray, present: FloatArray) -> str:
    if present.size < values.size or not (present == np.floor(present)).all():
        return ""
    smallest, largest = present.min(), present.max()
    consecutive = largest - smallest + 1 == present.size
    named = _IDENTIFIER.search(name) is not None
    if not (consecutive or named) or np.unique(present).size < present.size:
        return ""
    if consecutive:
        return "row numbers: consecutive integers, each once"
    return "identifier: by its name, and every value is another integer"
