"""Columns whose type says less than their values: objects, decimals, times of day, sparse numbers.

They are read as `oddrank.io.read_table` reads them. A time of the day is the duration since
midnight here: the user's model must know that raw rows hold times, and not take them for numbers.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError

__all__ = [
    "check_not_all_sparse",
    "floats_of",
    "settled",
    "settled_template",
    "spans_of",
    "stamps_of",
]


def settled(series: Any) -> Any:
    """Return a series in a type that says what its values are; others as they are.

    Numbers and decimals become numbers, dates dates, times of the day durations since midnight.
    Objects that are not all alike become levels.
    """
    kind = series.dtype
    if kind == nw.Unknown and _is_sparse(series.to_native()):
        return settled(nw.from_native(series.to_native().sparse.to_dense(), series_only=True))
    if not (kind.is_decimal() or kind in (nw.Object, nw.Time)):
        return series
    missing = series.is_null().to_list()
    values = [None if gap else v for v, gap in zip(series.to_list(), missing, strict=True)]
    present = [value for value in values if value is not None]
    for types, wanted, convert in _CONVERSIONS:
        if present and all(isinstance(v, types) and not isinstance(v, bool) for v in present):
            content, backend = convert(values), series.implementation
            return nw.new_series(series.name, content, wanted, backend=backend)
    return series if all(isinstance(value, str) for value in present) else _as_levels(series)


def _as_levels(series: Any) -> Any:
    """Return levels by type: a part of the rows may hold numbers alone, and would be taken so."""
    try:
        return series.cast(nw.Categorical())
    except Exception:  # lists, and polars' own objects
        return series


def check_not_all_sparse(frame: Any, name: str) -> None:
    """Refuse a frame that scikit-learn would take for a sparse matrix, as such matrices are."""
    kinds = [*frame.schema.values()]
    if kinds and all(kind == nw.Unknown for kind in kinds):
        native = frame.to_native()
        if all(_is_sparse(native.iloc[:, j]) for j in range(len(kinds))):
            raise InvalidDataError(
                f"All columns of {name} are sparse, and volumes need every value. "
                f"Pass {name}.sparse.to_dense()."
            )


def settled_template(frame: Any, columns: Sequence[Any]) -> Any:
    """Return a frame without rows that has the types of the settled columns."""
    changed = [
        column.head(0)
        for column, kind in zip(columns, frame.schema.values(), strict=True)
        if column.dtype != kind
    ]
    empty = frame.head(0)
    return (empty.with_columns(*changed) if changed else empty).to_native()


def _is_sparse(native: Any) -> bool:
    return type(getattr(native, "dtype", None)).__name__ == "SparseDtype"


def floats_of(values: list[Any]) -> FloatArray:
    """Return numbers of any kind as floats, NaN for None."""
    return np.array([np.nan if value is None else _float(value) for value in values])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 300 digits
        return np.inf if value > 0 else -np.inf


def stamps_of(values: list[Any]) -> npt.NDArray[np.datetime64]:
    """Return dates as microseconds, those with a zone in UTC, NaT for None."""
    return np.array([_stamp(value) for value in values], dtype="datetime64[us]")


def _stamp(value: Any) -> Any:
    if getattr(value, "tzinfo", None) is None:
        return value
    # numpy goes beyond the first and the last year of Python
    naive = np.datetime64(value.replace(tzinfo=None), "us")
    return naive - np.timedelta64(value.utcoffset(), "us")


def spans_of(values: list[Any]) -> npt.NDArray[np.timedelta64]:
    """Return durations, and times of the day since midnight, as microseconds, NaT for None."""
    return np.array([_span(value) for value in values], dtype="timedelta64[us]")


def _span(value: Any) -> Any:
    if not isinstance(value, datetime.time):
        return value
    return datetime.timedelta(
        hours=value.hour,
        minutes=value.minute,
        seconds=value.second,
        microseconds=value.microsecond,
    )


_CONVERSIONS: tuple[tuple[Any, Any, Callable[[list[Any]], Any]], ...] = (
    ((Real, Decimal), nw.Float64(), floats_of),
    (datetime.date, nw.Datetime("us"), stamps_of),
    ((datetime.timedelta, datetime.time), nw.Duration("us"), spans_of),
)
