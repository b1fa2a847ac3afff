"""Cardiac arrhythmia, from electrocardiograms."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.continuous import continuous_columns
from oddrank.datasets.sources.parsed import Parsed, column_names, parsed

_LABEL = 279
_WITH_MISSING = range(10, 15)


def parse(file: BinaryIO) -> Parsed:
    """Drop the five columns with missing values, then those with fewer than 10 distinct ones."""
    columns = [j for j in range(_LABEL) if j not in _WITH_MISSING]
    table = np.loadtxt(file, delimiter=",", usecols=[*columns, _LABEL])
    keep = continuous_columns(table[:, :-1])
    return parsed(table[:, keep], table[:, -1] != 1, column_names([columns[j] for j in keep]))
