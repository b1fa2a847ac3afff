"""Random numbers that belong to the number of a row: the same in any chunks, on any machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank._typing import FloatArray

__all__ = ["folds_of_numbers", "halves_of_numbers", "sample_numbers"]

# Every block of rows has streams of its own.
BLOCK_ROWS = 2**16
_KEYS, _FOLDS, _HALVES = range(3)

RowNumbers = npt.NDArray[np.int64]


def sample_numbers(n_rows: int, size: int, root: np.random.SeedSequence) -> RowNumbers:
    """Return the numbers of a uniform sample of the rows, in ascending order.

    Every row has a random key, and the smallest keys are the sample: no list of all rows is held.

    Examples
    --------
    >>> sample_numbers(10**6, 3, np.random.SeedSequence(0)).tolist()
    [177353, 689359, 791231]
    """
    if size >= n_rows:
        return np.arange(n_rows)
    keys, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    bound = np.inf
    for start in range(0, n_rows, BLOCK_ROWS):
        drawn = _keys(root, start, min(BLOCK_ROWS, n_rows - start))
        chosen = np.flatnonzero(drawn < bound)
        keys = np.concatenate((keys, drawn[chosen]))
        numbers = np.concatenate((numbers, start + chosen))
        if len(keys) > size:
            kept = np.argpartition(keys, size - 1)[:size]
            keys, numbers = keys[kept], numbers[kept]
            bound = float(keys.max())
    return np.sort(numbers)


def folds_of_numbers(
    start: int, n_rows: int, n_folds: int, root: np.random.SeedSequence
) -> npt.NDArray[np.intp]:
    """Return the fold that tests each of these rows, if no fold was fitted on any of them."""

    def draw(block: int) -> npt.NDArray[np.intp]:
        drawn = stream(root, "sample", _FOLDS, block)
        return drawn.integers(n_folds, size=BLOCK_ROWS, dtype=np.intp)

    found: npt.NDArray[np.intp] = _by_block(start, n_rows, draw)
    return found


def halves_of_numbers(
    start: int, n_rows: int, n_halves: int, root: np.random.SeedSequence
) -> npt.NDArray[np.uint8]:
    """Return, for each of these rows, which random halves of all rows it is in.

    Returns
    -------
    array of shape (n_rows, n_halves), of 0 and 1
    """

    def draw(block: int) -> npt.NDArray[np.uint8]:
        width = -(-n_halves // 8)
        drawn = stream(root, "sample", _HALVES, block).bytes(BLOCK_ROWS * width)
        bits = np.frombuffer(drawn, dtype=np.uint8).reshape(BLOCK_ROWS, width)
        return np.unpackbits(bits, axis=1, count=n_halves)

    found: npt.NDArray[np.uint8] = _by_block(start, n_rows, draw)
    return found


def _keys(root: np.random.SeedSequence, start: int, n_rows: int) -> FloatArray:
    def draw(block: int) -> FloatArray:
        return stream(root, "sample", _KEYS, block).random(BLOCK_ROWS)

    found: FloatArray = _by_block(start, n_rows, draw)
    return found


def _by_block(start: int, n_rows: int, draw: Callable[[int], Any]) -> Any:
    first, last = start // BLOCK_ROWS, (start + n_rows - 1) // BLOCK_ROWS
    drawn = [draw(block) for block in range(first, last + 1)]
    inside = start - first * BLOCK_ROWS
    return np.concatenate(drawn)[inside : inside + n_rows]
