"""ARFF, the format of Weka, by way of scipy. It is read whole: scipy knows no blocks."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from scipy.io import arff

from oddrank.datasets.tables.compressed import open_unpacked
from oddrank.datasets.tables.raw_table import RawColumn, RawTable, Request, numbers_or_text


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
