"""Thyroid disease, the version made for neural networks."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, Route, Source, parsed, uci, uci_file

_COLUMNS = {0: "age", 16: "TSH", 17: "T3", 18: "TT4", 19: "T4U", 20: "FTI"}


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Join both files; columns 1-15 are binary and go; classes other than 3 are anomalies."""
    table = np.concatenate([np.loadtxt(train), np.loadtxt(test)])
    return parsed(table[:, list(_COLUMNS)], table[:, 21] != 3, list(_COLUMNS.values()))


SOURCE = Source(
    name="annthyroid",
    counts=(7200, 6, 534),
    anomaly_percent=7.42,
    anomaly_class="classes other than 3",
    **uci("Thyroid Disease", "Quinlan, R.", 1986, "C5D010"),
    original=Route(
        files=(
            uci_file("annthyroid", "ann-train.data",
                     "3da53a156bda36cb0c97e9f4b6b111c9226c54c4aa00230de5604b787c47e3a6",
                     "thyroid-disease"),
            uci_file("annthyroid", "ann-test.data",
                     "c649ea19416e78c7996cfaaa2a9e281cb597d4b075aaa68c494fc3e4ee3aa30b",
                     "thyroid-disease"),
        ),
        parse=parse,
    ),
    family="thyroid",
)  # fmt: skip
