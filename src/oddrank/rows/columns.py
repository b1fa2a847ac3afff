"""Columns of any type as numbers, and back to the types of the user's frame.

A category is the position of its level, a date the microseconds since 1970, a gap NaN. So folds,
reference points, workers and checkpoints handle arrays of numbers only, and a detector gets frames
with the user's own types. narwhals reads frames of any library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError

__all__ = [
    "Column",
    "common_column",
    "names_of",
    "number_column",
    "read_column",
    "recode",
    "typed_frame",
]

FEW_DISTINCT = 10
# The first rows are enough to decide for almost every continuous column.
_FIRST_ROWS = 1000


@dataclass(frozen=True, kw_only=True)
class Column:
    """What the numbers of a column stand for.

    Attributes
    ----------
    kind : "number", "boolean", "category", "date" or "duration"
    levels : tuple
        Of a category: what each position stands for, in an order that does not depend on the rows.
    is_integer : bool
        Whether all numbers are whole; reference points are then rounded.
    is_discrete : bool
        Whether a number has so few values that reference points take one of them.
    """

    kind: str
    levels: tuple[Any, ...] = ()
    is_integer: bool = False
    is_discrete: bool = False

    @property
    def is_continuous(self) -> bool:
        """Whether any value between two others makes sense."""
        return self.kind in ("number", "date", "duration") and not self.is_discrete

    def decode(self, values: FloatArray) -> Any:
        """Return what the user's frame would hold."""
        missing = np.isnan(values)
        if self.kind in ("date", "duration"):
            kind = np.dtype("datetime64[us]" if self.kind == "date" else "timedelta64[us]")
            whole = np.rint(np.where(missing, 0.0, values)).astype(np.int64).view(kind)
            whole[missing] = np.array("NaT", dtype=kind)
            return whole
        if self.kind == "number":
            whole = np.rint(values) if self.is_integer else values
            return whole.astype(np.int64) if self.is_integer and not missing.any() else whole.copy()
        if self.kind == "boolean" and not missing.any():
            return values.astype(bool)
        return self.decode_list(values)

    def decode_list(self, values: FloatArray) -> list[Any]:
        """Return what the numbers stand for as a list, None for gaps."""
        if self.kind not in ("boolean", "category"):
            content = self.decode(values).tolist()
            return [None if gap else v for v, gap in zip(content, np.isnan(values), strict=True)]
        levels = (False, True) if self.kind == "boolean" else self.levels
        codes = np.where(np.isnan(values), len(levels), values).astype(np.intp)
        decoded = np.empty(len(levels) + 1, dtype=object)
        decoded[:-1] = levels
        return list(decoded[codes])


def names_of(X: Any) -> list[str]:
    """Return the names of a frame's columns, also where two are alike; arrays have none."""
    # Arrow keeps its data in `columns`, and a column of pandas may be called "column_names"
    of_arrow = () if hasattr(X, "iloc") else getattr(X, "column_names", ())
    names = of_arrow or getattr(X, "columns", ())
    return [str(name) for name in names if not callable(name)]


def read_column(series: Any, name: str, what: str) -> tuple[FloatArray, Column]:
    """Turn a narwhals series into numbers, NaN for gaps."""
    kind = series.dtype
    missing = series.is_null().to_numpy().astype(bool)
    if kind.is_numeric():
        values = _numbers(series, missing)
        return values, number_column(values)
    if kind == nw.Boolean:
        return _floats(series, missing), Column(kind="boolean")
    if kind in (nw.Datetime, nw.Date):
        if kind == nw.Datetime and kind.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        instants = series.cast(nw.Datetime("us")).to_numpy().astype("datetime64[us]")
        return _floats(instants.view(np.int64), missing), Column(kind="date")
    if kind == nw.Duration:
        spans = series.cast(nw.Duration("us")).to_numpy().astype("timedelta64[us]")
        return _floats(spans.view(np.int64), missing), Column(kind="duration")
    return _read_levels(series.to_list(), missing, name, what)


def number_column(values: FloatArray) -> Column:
    """Return the column of these numbers."""
    present = values[np.isfinite(values)]
    whole = bool((present == np.rint(present)).all()) and bool((np.abs(present) < 2.0**53).all())
    few = len(np.unique(present[:_FIRST_ROWS])) < FEW_DISTINCT
    few = few and len(np.unique(present)) < FEW_DISTINCT
    return Column(kind="number", is_integer=whole, is_discrete=few)


def _numbers(series: Any, missing: Any) -> FloatArray:
    try:
        return _floats(series.cast(nw.Float64()), missing)
    except ValueError:  # Arrow casts no whole number beyond 2^53; its last digits do not matter
        return _floats(series, missing)


def _floats(series: Any, missing: Any) -> FloatArray:
    raw = series.to_numpy() if hasattr(series, "to_numpy") else series
    values = np.empty(len(raw))
    values[missing] = np.nan
    values[~missing] = np.asarray(raw)[~missing].astype(np.float64)
    return values


def _read_levels(
    content: list[Any], missing: Any, name: str, what: str
) -> tuple[FloatArray, Column]:
    present = [value for value, gap in zip(content, missing, strict=True) if not gap]
    try:
        levels = sorted(set(present), key=_by_type_and_text)
        position = {level: code for code, level in enumerate(levels)}
        codes = [np.nan if gap else position[v] for v, gap in zip(content, missing, strict=True)]
    except TypeError:
        found = next((value for value in present if not _can_be_hashed(value)), present[0])
        raise InvalidDataError(
            f"Column {name!r} of {what} holds {type(found).__name__} values, such as {found!r:.40},"
            " but a cell must hold a single value. Drop the column, or split it into several."
        ) from None
    return np.array(codes, dtype=np.float64), Column(kind="category", levels=tuple(levels))


def _can_be_hashed(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _by_type_and_text(level: Any) -> tuple[str, str]:
    return type(level).__name__, str(level)


def common_column(first: Column, second: Column, name: str, names: tuple[str, str]) -> Column:
    """Return the type of a column in two tables, or refuse if their types differ."""
    if first.kind != second.kind:
        raise InvalidDataError(
            f"Column {name!r} holds {_KINDS[first.kind]} in {names[0]} but {_KINDS[second.kind]} "
            f"in {names[1]}. Give both the same types."
        )
    levels = sorted({*first.levels, *second.levels}, key=_by_type_and_text)
    return replace(
        first,
        levels=tuple(levels),
        is_integer=first.is_integer and second.is_integer,
        is_discrete=first.is_discrete and second.is_discrete,
    )


_KINDS = {
    "number": "numbers",
    "boolean": "yes and no",
    "category": "texts or categories",
    "date": "dates",
    "duration": "durations",
}


def recode(values: FloatArray, old: Column, new: Column) -> FloatArray:
    """Return the numbers that stand for the same in another column of levels."""
    if old.levels == new.levels:
        return values
    position = {level: code for code, level in enumerate(new.levels)}
    codes = np.array([*(position[level] for level in old.levels), np.nan])
    missing = np.isnan(values)
    return codes[np.where(missing, len(old.levels), values).astype(np.intp)]


def typed_frame(template: Any, columns: Sequence[Column], values: FloatArray) -> Any:
    """Return a frame like `template`, a frame without rows, that holds what `values` stand for."""
    like = _with_room(nw.from_native(template, eager_only=True), values)
    template = like.to_native()
    schema = {str(name): kind for name, kind in like.schema.items()}
    decoded = {
        name: column.decode(np.rint(values[:, j]) if schema[name].is_integer() else values[:, j])
        for j, (name, column) in enumerate(zip(schema, columns, strict=True))
    }
    backend = like.implementation
    if not backend.is_pandas_like():
        plain = {name: _naive(kind) for name, kind in schema.items()}
        decoded = {name: _with_nulls(content) for name, content in decoded.items()}
        return _with_zones(nw.from_dict(decoded, schema=plain, backend=backend), schema).to_native()
    frame = nw.from_dict(decoded, backend=backend)
    zones = _with_zones(frame, schema).to_native()
    for j, column in enumerate(columns):
        name, kind = zones.columns[j], template.dtypes.iloc[j]
        if hasattr(kind, "categories"):
            known = set(kind.categories)
            if new := [level for level in column.levels if level not in known]:
                kind = type(kind)([*kind.categories, *new], ordered=kind.ordered)
        if zones[name].dtype != kind:
            zones[name] = zones[name].astype(kind)
    zones.columns = template.columns
    return zones


def _with_room(like: Any, values: FloatArray) -> Any:
    """Return a frame of wider types where whole numbers need them.

    Reference points may lie beyond the values of a small type: they would wrap around in it.
    """
    wider = [
        like[:, j].cast(room)
        for j, kind in enumerate(like.schema.values())
        if kind in _INTEGERS and (room := _room_for(values[:, j], kind)) != kind
    ]
    return like.with_columns(*wider) if wider else like


_INTEGERS = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64),
    *(nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
)


def _room_for(values: FloatArray, kind: Any) -> Any:
    whole = np.rint(values[~np.isnan(values)])
    for wide in (kind, nw.Int64()):
        limits = np.iinfo(str(wide).lower())
        # as numbers with a point the highest limits are rounded up, to one that does not fit
        if ((whole >= limits.min) & (whole < limits.max + 1)).all():
            return wide
    return nw.Float64()


def _with_nulls(content: Any) -> Any:
    # polars and Arrow count NaN as a number: a gap is a null there
    if isinstance(content, np.ndarray) and content.dtype.kind == "f" and np.isnan(content).any():
        whole = bool((np.isnan(content) | (content == np.rint(content))).all())
        return [None if np.isnan(v) else int(v) if whole else v for v in content.tolist()]
    return content


def _naive(kind: Any) -> Any:
    if kind == nw.Datetime and kind.time_zone is not None:
        return nw.Datetime("us")
    return kind


def _with_zones(frame: Any, schema: Any) -> Any:
    zoned = {n: k for n, k in schema.items() if k == nw.Datetime and k.time_zone is not None}
    if not zoned:
        return frame
    return frame.with_columns(
        **{
            name: nw.col(name)
            .cast(nw.Datetime("us"))
            .dt.replace_time_zone("UTC")
            .dt.convert_time_zone(kind.time_zone)
            for name, kind in zoned.items()
        }
    )
