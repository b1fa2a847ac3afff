"""Handwritten digits as eight points of the pen's path."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_NAMES = [f"{axis}{point}" for point in range(1, 9) for axis in "xy"]


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Join both files; the digit 4 is the anomaly."""
    table = np.concatenate([np.loadtxt(file, delimiter=",") for file in (train, test)])
    return parsed(table[:, :16], table[:, 16] == 4, _NAMES)
