"""numpy's files, and ARFF, the format of Weka. Pickled objects are never loaded."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import arff

from oddrank.errors import InvalidDataError
from oddrank.io.tables.compressed import check_unpacked_size, open_unpacked
from oddrank.io.tables.raw_table import (
    RawColumn,
    RawTable,
    Request,
    TextCells,
    listed,
)


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
    columns = [_attribute(name, array[:, j]) for j, name in enumerate(names) if request.wants(name)]
    if labels is not None:
        columns += [_attribute(name, labels) for name in apart]
    return RawTable(n_rows=len(array), columns=columns)


def read_arff(path: Path, request: Request) -> RawTable:
    """Read numeric attributes as numbers and nominal ones as text."""
    with open_unpacked(path, request.what, request.max_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace")
        data, attributes = arff.loadarff(text)
    names = [str(name) for name in attributes.names()]
    request.check_names(names)
    columns = [_attribute(name, data[name]) for name in names if request.wants(name)]
    return RawTable(n_rows=len(data), columns=columns)


def _attribute(name: str, values: npt.NDArray[Any]) -> RawColumn:
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    if values.dtype.kind == "U":
        cells = TextCells.of_values(values.tolist())
        return RawColumn(name=name, kind="text", content=cells, shown="nominal")
    if values.dtype.kind == "M":
        return RawColumn(name=name, kind="date", content=values.astype("datetime64[us]"))
    return RawColumn(name=name, kind="number", content=np.array(values, dtype=np.float64))
