"""Files that are no plain text: numpy's, ARFF, Parquet and Feather.

Pickled objects are never loaded. Parquet and Feather are read one column at a time, and only those
that are numbers. ARFF, the format of Weka, is read whole: scipy knows no blocks.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import arff

from oddrank._typing import FloatArray
from oddrank.datasets.optional_libraries import require
from oddrank.datasets.tables.compressed import check_unpacked_size, open_unpacked
from oddrank.datasets.tables.raw_table import (
    RawColumn,
    RawTable,
    Request,
    listed,
    numbers_or_text,
)
from oddrank.errors import InvalidDataError


def read_npy(path: Path, request: Request) -> RawTable:
    """Read a two-dimensional array of numbers; columns are copied out of the mapped file."""
    return _as_raw_table(np.load(path, mmap_mode="r", allow_pickle=False), request)


def read_npz(path: Path, request: Request) -> RawTable:
    """Read the array `X`, or the only two-dimensional one; labels may be another array."""
    with zipfile.ZipFile(path) as archive:
        check_unpacked_size(archive, request.what, request.max_bytes)
    with np.load(path, allow_pickle=False) as arrays:
        names = list(arrays.files)
        label = request.label if request.label in names else None
        candidates = ["X"] if "X" in names else [n for n in names if arrays[n].ndim == 2]
        if len(candidates) != 1:
            raise InvalidDataError(
                f"{request.what} holds {len(names)} arrays "
                f"({listed([repr(name) for name in names])}), and it is not clear which is the "
                "table. Save the table under the name 'X'."
            )
        return _as_raw_table(
            arrays[candidates[0]], request, arrays[label] if label is not None else None
        )


def _as_raw_table(
    array: npt.NDArray[Any], request: Request, labels: npt.NDArray[Any] | None = None
) -> RawTable:
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"{request.what} holds an array of shape {array.shape} and type {array.dtype}, and a "
            "table needs rows and columns of real numbers. Save a two-dimensional numeric array."
        )
    if labels is not None and labels.shape != array.shape[:1]:
        raise InvalidDataError(
            f"{request.what} has labels {request.label!r} of shape {labels.shape} for "
            f"{len(array)} rows. Save one label per row."
        )
    names = [f"x{j}" for j in range(array.shape[1])]
    apart = [request.label] if labels is not None and request.label is not None else []
    request.check_names([*names, *apart])
    columns = []
    for j, name in enumerate(names):
        if labels is None and name == request.label:
            labels = np.array(array[:, j])
        elif request.wants(name):
            columns.append(RawColumn(name=name, values=np.array(array[:, j], dtype=np.float64)))
    return RawTable(n_rows=len(array), columns=columns, labels=labels)


def read_arff(path: Path, request: Request) -> RawTable:
    """Read numeric attributes; nominal ones are text."""
    with open_unpacked(path, request.what, request.max_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace")
        data, attributes = arff.loadarff(text)
    names = [str(name) for name in attributes.names()]
    request.check_names(names)
    columns, labels = [], None
    for name, kind in zip(names, attributes.types(), strict=True):
        if name == request.label:
            values = data[name]
            labels = np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values
            labels = numbers_or_text(labels)
        elif request.wants(name):
            numeric = kind == "numeric"
            columns.append(
                RawColumn(
                    name=name,
                    values=np.array(data[name], dtype=np.float64) if numeric else None,
                    not_numeric="" if numeric else f"{kind} values",
                )
            )
    return RawTable(n_rows=len(data), columns=columns, labels=labels)


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
