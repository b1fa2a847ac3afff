"""Wilt: diseased trees among other land cover, in satellite images."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_NAMES = ["GLCM_pan", "Mean_Green", "Mean_Red", "Mean_NIR", "SD_pan"]


def parse(training: BinaryIO, testing: BinaryIO) -> Parsed:
    """Join both files; class `w` is the anomaly."""
    rows = [
        np.loadtxt(file, dtype="U24", delimiter=",", skiprows=1) for file in (training, testing)
    ]
    table = np.concatenate(rows)
    return parsed(table[:, 1:].astype(np.float64), table[:, 0] == "w", _NAMES)
