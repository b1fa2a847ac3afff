"""Random splits of one table: the same for all candidates, and smaller ones inside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank.errors import InvalidDataError

__all__ = ["SearchSplits", "make_splits"]

RowIndex = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchSplits:
    """Which rows a search trains on, tests on and calibrates on.

    Attributes
    ----------
    calibration : array of int
        Rows that no split trains or tests on; empty where none were put aside.
    orders : tuple of arrays of int
        One random order of the other rows per split: test rows come first.
    n_test : int
        Test rows of each split.
    """

    calibration: RowIndex
    orders: tuple[RowIndex, ...]
    n_test: int

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def n_train(self) -> int:
        """Training rows of each split."""
        return len(self.orders[0]) - self.n_test

    @property
    def test_per_train(self) -> float:
        """Test rows per training row: how much splits overlap."""
        return self.n_test / self.n_train

    def rows(self, split: int, test_share: float = 1.0) -> tuple[RowIndex, RowIndex]:
        """Return the training rows of a split, and its test rows or the first of them."""
        order = self.orders[split]
        n_test = max(2, round(test_share * self.n_test))
        return np.sort(order[self.n_test :]), np.sort(order[:n_test])


def make_splits(
    n_rows: int,
    n_splits: int,
    *,
    test_size: float,
    calibration_size: float | None,
    root: np.random.SeedSequence,
) -> SearchSplits:
    """Put calibration rows aside, if any, and split the others at random, `n_splits` times.

    Test rows of successive splits are disjoint as long as there are rows left, and then start again
    (repeated K-fold). Most of the noise comes from the test rows, so as many as possible are used.
    """
    n_calibration = 0
    if calibration_size is not None:
        n_calibration = max(1, round(calibration_size * n_rows))
    n_test = max(2, round(test_size * (n_rows - n_calibration)))
    if n_rows - n_calibration - n_test < 2:
        raise InvalidDataError(
            f"{n_rows} rows cannot be split into training and test rows of at least 2 each"
            f"{' and a calibration row' if n_calibration else ''}. "
            "Give more data, or lower test_size and calibration_size."
        )
    order = stream(root, "search", 0).permutation(n_rows)
    others = np.sort(order[n_calibration:])
    return SearchSplits(
        calibration=np.sort(order[:n_calibration]),
        orders=tuple(_order(others, n_test, split, root) for split in range(n_splits)),
        n_test=n_test,
    )


def _order(others: RowIndex, n_test: int, split: int, root: np.random.SeedSequence) -> RowIndex:
    round_of_splits, block = divmod(split, len(others) // n_test)
    shuffled = stream(root, "split", round_of_splits).permutation(others)
    return np.roll(shuffled, -block * n_test)
