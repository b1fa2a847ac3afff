"""Space shuttle radiator positions.

The paper's 85,849 rows are `shuttle.trn` **plus** the 58,000 rows of both files, less class 4:
every training row occurs twice. `preset="clean"` has every row once. With doubled rows a random
training half and the test half share rows, which favours detectors that memorise them.
`preset="paper"` keeps the doubled rows, because the paper's numbers rest on them.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank._typing import FloatArray
from oddrank.datasets.sources.parsed import Parsed, column_names, parsed


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Take the training file, then both files: the paper's rows."""
    first, second = np.loadtxt(train), np.loadtxt(test)
    return _select(np.concatenate([first, first, second]))


def parse_clean(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Take both files once."""
    return _select(np.concatenate([np.loadtxt(train), np.loadtxt(test)]))


def _select(table: FloatArray) -> Parsed:
    """Drop class 4; classes other than 1 are anomalies."""
    table = table[table[:, 9] != 4]
    return parsed(table[:, :9], table[:, 9] != 1, column_names(range(9)))
