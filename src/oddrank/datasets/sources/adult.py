"""Census income: who earns more than 50,000 dollars a year."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_COLUMNS = {
    0: "age",
    2: "fnlwgt",
    4: "education_num",
    10: "capital_gain",
    11: "capital_loss",
    12: "hours_per_week",
}
_LABEL = 14


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Join both files. Rows with `?` stay: none is missing in the six columns kept."""
    # The test file opens with a comment line, and its labels end in a full stop.
    rows = [_read(train, skiprows=0), _read(test, skiprows=1)]
    table = np.concatenate(rows)
    labels = np.char.rstrip(np.char.strip(table[:, -1]), ".")
    return parsed(table[:, :-1].astype(np.float64), labels == ">50K", list(_COLUMNS.values()))


def _read(file: BinaryIO, *, skiprows: int) -> np.ndarray[tuple[int, int], np.dtype[np.str_]]:
    return np.loadtxt(
        file, dtype="U16", delimiter=",", usecols=[*_COLUMNS, _LABEL], skiprows=skiprows
    )
