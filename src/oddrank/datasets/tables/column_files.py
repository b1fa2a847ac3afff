"""Parquet and Feather: one column at a time, and only those that are numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.datasets.optional_libraries import require
from oddrank.datasets.tables.raw_table import RawColumn, RawTable, Request, numbers_or_text


def read_parquet(path: Path, request: Request) -> RawTable:
    """Read a Parquet file; columns of text stay on disk."""
    parquet = require("pyarrow.parquet", "Reading Parquet files")
    with parquet.ParquetFile(path) as file:
        return _read_columns(
            file.schema_arrow,
            file.metadata.num_rows,
            lambda j: file.read(columns=[file.schema_arrow.names[j]]).column(0),
            request,
        )


def read_feather(path: Path, request: Request) -> RawTable:
    """Read a Feather (Arrow) file; columns of text stay on disk."""
    pyarrow = require("pyarrow", "Reading Feather files")
    ipc = require("pyarrow.ipc", "Reading Feather files")

    def read(j: int) -> Any:
        options = ipc.IpcReadOptions(included_fields=[j])
        with pyarrow.OSFile(str(path)) as file:
            return ipc.open_file(file, options=options).read_all().column(0)

    with pyarrow.OSFile(str(path)) as file:
        reader = ipc.open_file(file)
        schema = reader.schema
        n_rows = len(read(0)) if len(schema) else 0
    return _read_columns(schema, n_rows, read, request)


def _read_columns(
    schema: Any, n_rows: int, read: Callable[[int], Any], request: Request
) -> RawTable:
    names = [str(name) for name in schema.names]
    request.check_names(names)
    columns, labels = [], None
    for j, name in enumerate(names):
        if name == request.label:
            labels = numbers_or_text(np.array(read(j).to_pylist(), dtype=object))
        elif request.wants(name):
            reason = _not_numeric(schema.field(j).type)
            values = None if reason else _as_floats(read(j))
            columns.append(RawColumn(name=name, values=values, not_numeric=reason))
    return RawTable(n_rows=n_rows, columns=columns, labels=labels)


def _not_numeric(kind: Any) -> str:
    types = require("pyarrow", "Reading Parquet and Feather files").types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return ""
    if types.is_decimal(kind):
        return ""
    if types.is_temporal(kind):
        return f"dates or times ({kind})"
    if types.is_nested(kind):
        return f"nested values ({kind})"
    if types.is_null(kind):
        return "no values"
    return f"text ({kind})"


def _as_floats(column: Any) -> FloatArray:
    float64 = require("pyarrow", "Reading Parquet and Feather files").float64()
    # Integers beyond 2^53 lose their last digits: as features, that is what they would do anyway.
    return np.asarray(column.cast(float64, safe=False).to_numpy(), dtype=np.float64)
