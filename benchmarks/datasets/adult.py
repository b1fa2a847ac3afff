"""Census income: who earns more than 50,000 dollars a year."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, Route, Source, parsed, uci, uci_file

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
    table = np.concatenate([_read(train, skiprows=0), _read(test, skiprows=1)])
    labels = np.char.rstrip(np.char.strip(table[:, -1]), ".")
    return parsed(table[:, :-1].astype(np.float64), labels == ">50K", list(_COLUMNS.values()))


def _read(file: BinaryIO, *, skiprows: int) -> Any:
    columns = [*_COLUMNS, _LABEL]
    return np.loadtxt(file, dtype="U16", delimiter=",", usecols=columns, skiprows=skiprows)


SOURCE = Source(
    name="adult",
    counts=(48842, 6, 11687),
    anomaly_percent=23.9,
    anomaly_class="class >50K",
    **uci("Adult", "Becker, B., Kohavi, R.", 1996, "C5XW20"),
    original=Route(
        files=(
            uci_file("adult", "adult.data",
                     "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
            uci_file("adult", "adult.test",
                     "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
        ),
        parse=parse,
    ),
)  # fmt: skip
