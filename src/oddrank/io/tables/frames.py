"""Frames in memory and Arrow files: their columns have types, and are read through narwhals."""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require
from oddrank.io.tables.raw_table import ArrowSource, RawColumn, RawTable, Request, TextCells
from oddrank.rows import floats_of, spans_of, stamps_of


def as_frame(source: Any) -> nw.DataFrame[Any] | None:
    """Return `source` as a narwhals frame, or None if it is not a frame."""
    try:
        frame = nw.from_native(source, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        names = [str(name) for name in source.columns]
        repeated = next(name for name in names if names.count(name) > 1)
        raise InvalidDataError(
            f"The frame has more than one column called {repeated!r}, so a name does not say "
            "which is meant. Rename the copies."
        ) from error
    return frame if isinstance(frame, nw.DataFrame) else None


def read_frame(frame: nw.DataFrame[Any], request: Request) -> RawTable:
    """Take the columns of any frame that narwhals knows."""
    names = [str(name) for name in frame.columns]
    request.check_names(names)
    return _read_columns(names, len(frame), lambda j: frame[:, j], request)


def read_parquet(path: Path, request: Request) -> RawTable:
    """Read a Parquet file, one column at a time."""
    parquet = require("pyarrow.parquet", "Reading Parquet files")
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        table = _read_arrow(
            schema,
            file.metadata.num_rows,
            lambda j: file.read(columns=[schema.names[j]]).column(0),
            request,
        )
    return replace(table, origin=ArrowSource(path=path, is_parquet=True))


def read_feather(path: Path, request: Request) -> RawTable:
    """Read a Feather (Arrow) file, one column at a time."""
    pyarrow = require("pyarrow", "Reading Feather files")
    ipc = require("pyarrow.ipc", "Reading Feather files")

    def read(j: int) -> Any:
        options = ipc.IpcReadOptions(included_fields=[j])
        with pyarrow.OSFile(str(path)) as file:
            return ipc.open_file(file, options=options).read_all().column(0)

    with pyarrow.OSFile(str(path)) as file:
        schema = ipc.open_file(file).schema
        n_rows = len(read(0)) if len(schema) else 0
    table = _read_arrow(schema, n_rows, read, request)
    return replace(table, origin=ArrowSource(path=path, is_parquet=False))


def _read_arrow(schema: Any, n_rows: int, read: Callable[[int], Any], request: Request) -> RawTable:
    names = [str(name) for name in schema.names]
    request.check_names(names)
    index = _index_columns(schema)
    table = _read_columns(
        names, n_rows, lambda j: nw.from_native(read(j), series_only=True), request
    )
    if request.columns is None:
        table.columns[:] = [
            RawColumn(name=column.name, kind="unusable", reason="the frame's index")
            if column.name in index - {request.label}
            else column
            for column in table.columns
        ]
    return table


def _index_columns(schema: Any) -> set[str]:
    """Return the columns that pandas wrote because they were the frame's index."""
    metadata = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    return {name for name in metadata.get("index_columns", []) if isinstance(name, str)}


def _read_columns(
    names: list[str], n_rows: int, read: Callable[[int], nw.Series[Any]], request: Request
) -> RawTable:
    columns = [_column(name, read(j)) for j, name in enumerate(names) if request.wants(name)]
    return RawTable(n_rows=n_rows, columns=columns)


def _column(name: str, series: nw.Series[Any]) -> RawColumn:
    kind = series.dtype
    shown = str(getattr(series.to_native(), "type", None) or series.to_native().dtype)
    if kind.is_numeric() or kind == nw.Boolean:
        which = "boolean" if kind == nw.Boolean else "number"
        return RawColumn(name=name, kind=which, content=_as_floats(series), shown=shown)
    if kind in (nw.Datetime, nw.Date):
        return RawColumn(name=name, kind="date", content=_as_dates(series, kind), shown=shown)
    if kind.is_nested():
        return RawColumn(name=name, kind="unusable", reason=f"nested values ({shown})")
    if kind in (nw.String, nw.Categorical, nw.Enum):
        texts = (None if _is_nothing(value) else str(value) for value in series.to_list())
        shown = "" if kind == nw.String else shown
        return RawColumn(name=name, kind="text", content=TextCells.of_values(texts), shown=shown)
    return column_of_values(name, series.to_list(), shown)


def _as_floats(series: nw.Series[Any]) -> Any:
    if series.dtype.is_integer() and not series.is_null().any():
        # Beyond 2^53 the last digits are lost, which does no harm to a feature.
        return series.to_numpy().astype(np.float64)
    if series.dtype.is_decimal():
        return floats_of(series.to_list())
    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _as_dates(series: nw.Series[Any], kind: Any) -> Any:
    if kind == nw.Datetime and kind.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if kind == nw.Date:
        series = series.cast(nw.Datetime("us"))
    return np.asarray(series.to_numpy()).astype("datetime64[us]")


def column_of_values(name: str, values: Iterable[Any], shown: str = "") -> RawColumn:
    """Make a column from Python values, such as those of sheets and columns of objects."""
    values = [None if _is_nothing(value) else value for value in values]
    present = [value for value in values if value is not None]
    if not present:
        return RawColumn(name=name, kind="number", content=np.full(len(values), np.nan))
    for kind, types, convert in _TYPES:
        if all(isinstance(value, types) for value in present):
            return RawColumn(name=name, kind=kind, content=convert(values), shown=shown)
    plain = (str, bytes, bool, Real, decimal.Decimal, datetime.date, datetime.time)
    odd = next((value for value in present if not isinstance(value, plain)), None)
    if odd is not None:
        row = next(row for row, value in enumerate(values) if value is odd)
        return RawColumn(
            name=name, kind="unusable", reason=f"not a number: {odd!r:.40} in row {row:,}"
        )
    return RawColumn(name=name, kind="text", content=TextCells.of_values(map(_as_text, values)))


def _is_nothing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _seconds(values: list[Any]) -> Any:
    return spans_of(values) / np.timedelta64(1, "s")


_TYPES: tuple[tuple[str, Any, Callable[[list[Any]], Any]], ...] = (
    ("boolean", (bool, np.bool_), floats_of),
    ("number", (Real, decimal.Decimal, np.bool_), floats_of),
    ("date", datetime.date, stamps_of),
    ("number", (datetime.time, datetime.timedelta), _seconds),
)
