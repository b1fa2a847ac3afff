"""How surprising a distance from the middle is: minus the logarithm of a tail probability.

Two estimates are made, and the larger one counts. One is a power law: its exponent comes from four
distances on the same side. So a column of incomes and one of ages are judged by the same measure,
though ten times the usual distance is nothing special for an income. The other counts the rows that
lie nearly as far: behind a hard limit, such as zero, there are none.
"""

from __future__ import annotations

import numpy as np

from oddrank._typing import FloatArray

__all__ = ["Tails"]

# Shares of the rows on one side of the middle that lie beyond four distances. The second is the
# knee, where the power law starts. Odd rows may lie beyond it, and make that part heavy: the
# largest of the exponents between the knee and another distance counts.
_SHARES = np.array([0.4, 0.15, 0.06, 0.006])
_KNEE = 1
_LARGEST_EXPONENTS = np.array([15.0, 8.0, 15.0])[:, None]
# A distance is read off the table only where at least this many rows lie beyond.
_FEWEST_BEYOND = 3.0
# Rows are counted that lie beyond the distance divided by this: the last row of a tail is no
# surprise if others are close behind.
_NEARLY = 1.3
_LEAST_RATIO = 1.9
# Where few rows are on a side, or all of them lie at one distance.
_USUAL_EXPONENT = 10.0
_NOTHING, _MOST_SURPRISING = 1e-300, 40.0


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
    array([1.4, 5.8, 9.8])
    """

    def __init__(self, distances: FloatArray) -> None:
        sides = [self._fit(np.nan_to_num(side * distances)) for side in (-1.0, 1.0)]
        # by side: the share of the rows beyond the knee, its distance, the exponent
        self.share, self.knee, self.exponent, self.last = (
            np.stack([side[part] for side in sides], axis=-2) for part in range(4)
        )
        self.n_rows = len(distances)

    @staticmethod
    def _fit(beyond: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        n_rows = len(beyond)
        n_side = np.maximum((beyond > 0.0).sum(axis=0), 1)
        ordered = np.sort(beyond, axis=0)
        wanted = np.rint(np.maximum(_SHARES[:, None] * n_side, _FEWEST_BEYOND)).astype(int)
        places = np.clip(n_rows - wanted, 0, n_rows - 1)
        at = np.maximum(np.take_along_axis(ordered, places, axis=0), _NOTHING)
        # many rows may lie at one distance
        n_beyond = np.array([(beyond >= distance).sum(axis=0) for distance in at], dtype=float)
        n_beyond = np.maximum(n_beyond, 1.0)
        others = [each for each in range(len(_SHARES)) if each != _KNEE]
        with np.errstate(divide="ignore", invalid="ignore"):
            exponents = np.log(n_beyond[others] / n_beyond[_KNEE]) / np.log(at[_KNEE] / at[others])
        # too few rows lie between two distances to tell an exponent
        ratio = n_beyond[others] / n_beyond[_KNEE]
        exponents[np.maximum(ratio, 1.0 / ratio) < _LEAST_RATIO] = np.nan
        exponents = np.minimum(exponents, _LARGEST_EXPONENTS)
        known = ~np.isnan(exponents)
        largest = np.where(known, exponents, 1.0).max(axis=0)
        exponent = np.where(known.any(axis=0), largest, _USUAL_EXPONENT)
        # the distances of the farthest row, of the second, the fourth, the eighth, …
        last = ordered[-(2 ** np.arange(int(np.log2(n_rows)) + 1))]
        return n_beyond[_KNEE] / n_rows, at[_KNEE], np.maximum(exponent, 1.0), last

    def surprise(self, distances: FloatArray) -> FloatArray:
        """Return minus the log tail probability of each distance; 0 for gaps."""
        side = (distances > 0.0).astype(np.intp)
        share, knee, exponent = (
            np.take_along_axis(each, side, axis=0)
            for each in (self.share, self.knee, self.exponent)
        )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            rarer = exponent * np.log(np.abs(distances) / knee) - np.log(share)
        counted = np.zeros(distances.shape)
        for power, last in enumerate(self.last):
            at = np.take_along_axis(last, side, axis=0)
            counted[at >= np.abs(distances) / _NEARLY] = 2.0**power
        # a side without rows has no scale
        rarer = np.where(knee > _NOTHING, rarer, 0.0)
        found = np.maximum(rarer, np.log(self.n_rows / (counted + 1.0)))
        found = np.where(np.isnan(distances) | (distances == 0.0), 0.0, found)
        return np.clip(found, 0.0, _MOST_SURPRISING)

    def column(self, place: int) -> Tails:
        """Return the tails of one column."""
        chosen = object.__new__(Tails)
        chosen.n_rows = self.n_rows
        chosen.share, chosen.knee, chosen.exponent, chosen.last = (
            each[..., [place]] for each in (self.share, self.knee, self.exponent, self.last)
        )
        return chosen
