"""Radar returns from the ionosphere: good ones show structure, bad ones pass through."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, column_names, parsed

_COLUMNS = list(range(2, 34))


def parse(file: BinaryIO) -> Parsed:
    """Columns 0 and 1 (2 and 1 distinct values) go; label `b` is the anomaly."""
    table = np.loadtxt(file, dtype="U16", delimiter=",", usecols=[*_COLUMNS, 34])
    return parsed(table[:, :-1].astype(np.float64), table[:, -1] == "b", column_names(_COLUMNS))
