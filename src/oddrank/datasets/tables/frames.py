"""pandas and polars frames that are already in memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from oddrank.datasets.tables.raw_table import RawColumn, RawTable, Request, numbers_or_text


def is_frame(source: Any) -> bool:
    """Whether `source` is a pandas or polars frame; neither library is imported to tell."""
    return _library(source) is not None


def _library(source: Any) -> str | None:
    for name in ("pandas", "polars"):
        module = sys.modules.get(name)
        if module is not None and isinstance(source, module.DataFrame):
            return name
    return None


def read_frame(frame: Any, request: Request) -> RawTable:
    """Take the numeric columns of a frame."""
    names = [str(name) for name in frame.columns]
    request.check_names(names)
    pandas = _library(frame) == "pandas"
    columns, labels = [], None
    for j, name in enumerate(names):
        series = frame.iloc[:, j] if pandas else frame.to_series(j)
        if name == request.label:
            labels = numbers_or_text(np.asarray(series.to_numpy(), dtype=object))
        elif request.wants(name):
            columns.append(_from_pandas(name, series) if pandas else _from_polars(name, series))
    return RawTable(n_rows=len(frame), columns=columns, labels=labels)


def _from_pandas(name: str, series: Any) -> RawColumn:
    types = sys.modules["pandas"].api.types
    kind = series.dtype
    if types.is_datetime64_any_dtype(kind) or types.is_timedelta64_dtype(kind):
        return RawColumn(name=name, not_numeric=f"dates or times ({kind})")
    if types.is_numeric_dtype(kind) and not types.is_complex_dtype(kind):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return RawColumn(name=name, values=np.array(values))
    if types.is_object_dtype(kind):
        return _from_objects(name, series)
    return RawColumn(name=name, not_numeric=f"text or categories ({kind})")


def _from_objects(name: str, series: Any) -> RawColumn:
    missing = sys.modules["pandas"].isna(series).to_numpy()
    values = np.full(len(series), np.nan)
    for row, value in enumerate(series):
        if missing[row]:
            continue
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            values[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            kind = "text" if isinstance(value, str | bytes) else "not a number"
            return RawColumn(name=name, not_numeric=f"{kind}: {value!r:.40} in row {row:,}")
    return RawColumn(name=name, values=values)


def _from_polars(name: str, series: Any) -> RawColumn:
    polars = sys.modules["polars"]
    if series.dtype.is_numeric() or series.dtype == polars.Boolean:
        values = series.cast(polars.Float64).to_numpy()
        return RawColumn(name=name, values=np.array(values, dtype=np.float64))
    if series.dtype.is_temporal():
        return RawColumn(name=name, not_numeric=f"dates or times ({series.dtype})")
    return RawColumn(name=name, not_numeric=f"text or categories ({series.dtype})")
