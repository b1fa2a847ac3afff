"""Cardiac arrhythmia, from electrocardiograms."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import (
    Parsed,
    Route,
    Source,
    column_names,
    continuous_columns,
    parsed,
    uci,
    uci_file,
)

_LABEL = 279
_WITH_MISSING = range(10, 15)


def parse(file: BinaryIO) -> Parsed:
    """Drop the five columns with missing values, then those with fewer than 10 distinct ones."""
    columns = [j for j in range(_LABEL) if j not in _WITH_MISSING]
    table = np.loadtxt(file, delimiter=",", usecols=[*columns, _LABEL])
    keep = continuous_columns(table[:, :-1])
    return parsed(table[:, keep], table[:, -1] != 1, column_names([columns[j] for j in keep]))


SOURCE = Source(
    name="arrhythmia",
    counts=(452, 164, 207),
    anomaly_percent=45.8,
    anomaly_class="classes other than 1 (features 10-14 removed)",
    **uci("Arrhythmia", "Guvenir, H., Acar, B., Muderrisoglu, H., Quinlan, R.", 1997, "C5BS32"),
    original=Route(
        files=(
            uci_file("arrhythmia", "arrhythmia.data",
                     "a7f0f4ca289a4c58b5ed85a9adb793189acd38425828ce3dfbb70adb45f30169"),
        ),
        parse=parse,
    ),
)  # fmt: skip
