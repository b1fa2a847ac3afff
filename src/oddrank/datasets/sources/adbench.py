"""Arrays of the ADBench collection: `X` (numbers) and `y` (1 = anomaly), as they are published."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, column_names, parsed


def parse(file: BinaryIO) -> Parsed:
    """Read rows and labels; the files have no names for their columns."""
    with np.load(file, allow_pickle=False) as arrays:
        X = arrays["X"]
        return parsed(X, arrays["y"] == 1, column_names(range(X.shape[1])))
