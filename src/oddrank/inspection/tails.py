"""How surprising a distance from the middle is: minus the logarithm of a tail probability.

Most of a tail is counted. Beyond that a power law continues it, because a table has no rows there.
The exponent comes from three distances on the same side. So a column of incomes and one of ages are
judged by the same measure, though ten times the usual distance is nothing special for an income.
"""

from __future__ import annotations

import numpy as np

from oddrank._typing import FloatArray

__all__ = ["Tails"]

# Shares of the rows on one side of the middle that lie beyond the three distances. Odd rows may be
# among the last ones, and then make the tail heavier: the larger of two exponents counts.
_SHARES = np.array([0.4, 0.06, 0.006])
# A distance is read off the table only where at least this many rows lie beyond.
_FEWEST_BEYOND = 3.0
_LARGEST_EXPONENT = 15.0
_MOST_SURPRISING = 40.0


class Tails:
    """The two tails of every column of a matrix of signed distances from the middle.

    Parameters
    ----------
    distances : array of shape (n_rows, n_columns)
        NaN for gaps.

    Examples
    --------
    >>> distances = np.random.default_rng(0).normal(size=(2000, 1))
    >>> Tails(distances).surprise(np.array([[0.5], [-3.0], [6.0]])).round(1).ravel()
    array([ 0.7,  5.8, 10.7])
    """

    def __init__(self, distances: FloatArray) -> None:
        sides = [self._fit(np.nan_to_num(side * distances)) for side in (-1.0, 1.0)]
        # share of rows on the side, the second of the three distances, the exponent: by side
        self.share, self.knee, self.exponent = (
            np.stack([side[part] for side in sides]) for part in range(3)
        )

    @staticmethod
    def _fit(beyond: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        n_rows = len(beyond)
        n_side = np.maximum((beyond > 0.0).sum(axis=0), 1)
        ordered = np.sort(beyond, axis=0)
        n_beyond = np.clip(_SHARES[:, None] * n_side, _FEWEST_BEYOND, None)
        places = np.clip(n_rows - np.rint(n_beyond).astype(int), 0, n_rows - 1)
        low, knee, high = np.maximum(np.take_along_axis(ordered, places, axis=0), 1e-300)
        with np.errstate(divide="ignore", invalid="ignore"):
            body = np.log(n_beyond[0] / n_beyond[1]) / np.log(knee / low)
            tail = np.log(n_beyond[1] / n_beyond[2]) / np.log(high / knee)
        exponent = np.fmax(np.nan_to_num(body, nan=0.0), np.nan_to_num(tail, nan=0.0))
        share = n_side / n_rows
        return share, knee, np.clip(exponent, 1.0, _LARGEST_EXPONENT)

    def surprise(self, distances: FloatArray) -> FloatArray:
        """Return minus the log tail probability of each distance; 0 for gaps."""
        side = (distances > 0.0).astype(np.intp)
        share, knee, exponent = (
            np.take_along_axis(each, side, axis=0)
            for each in (self.share, self.knee, self.exponent)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            rarer = exponent * np.log(np.abs(distances) / knee)
        found = -np.log(share) + np.maximum(rarer - np.log(_SHARES[1]), 0.0)
        found = np.where(distances == 0.0, 0.0, found)
        return np.asarray(np.nan_to_num(np.clip(found, 0.0, _MOST_SURPRISING), nan=0.0))
