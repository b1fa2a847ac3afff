"""Thyroid disease, the version made for neural networks."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_COLUMNS = {0: "age", 16: "TSH", 17: "T3", 18: "TT4", 19: "T4U", 20: "FTI"}


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Join both files; columns 1-15 are binary and go; classes other than 3 are anomalies."""
    table = np.concatenate([np.loadtxt(train), np.loadtxt(test)])
    return parsed(table[:, list(_COLUMNS)], table[:, 21] != 3, list(_COLUMNS.values()))
