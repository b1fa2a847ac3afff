"""The area under the ROC curve of data against reference points, and its error.

It is the probability that a row has a higher score than a reference point, ties counting half. It
is a mean over rows of shares of points, and a mean over points of shares of rows; the spread of
both gives its error and, for two detectors on the same rows and points, the error of their
difference (DeLong, DeLong and Clarke-Pearson 1988).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria.estimate import Estimate

__all__ = ["MeasuredAreas", "RocArea", "roc_area"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RocArea:
    """The area, row by row and point by point.

    Attributes
    ----------
    value : float
    row_shares : array of shape (n_rows,)
        Share of the points that score below each row.
    point_shares : array of shape (n_points,)
        Share of the rows that score above each point.
    """

    value: float
    row_shares: FloatArray
    point_shares: FloatArray

    def estimate(self, confidence_level: float = 0.95) -> Estimate:
        """Return the area with its error."""
        return _estimate(self.value, self.row_shares, self.point_shares, confidence_level)

    def difference(self, other: RocArea, confidence_level: float = 0.95) -> Estimate:
        """Return how much larger this area is, with the error of a paired difference.

        Examples
        --------
        >>> import numpy as np
        >>> random = np.random.default_rng(0)
        >>> rows, points = random.normal(1.0, 1.0, 2000), random.normal(0.0, 1.0, 2000)
        >>> first = roc_area(rows, points)
        >>> second = roc_area(rows + random.normal(0, 0.1, 2000), points)
        >>> first.difference(second).standard_error < first.estimate().standard_error / 3
        True
        """
        return _estimate(
            self.value - other.value,
            self.row_shares - other.row_shares,
            self.point_shares - other.point_shares,
            confidence_level,
        )


def roc_area(row_scores: FloatArray, point_scores: FloatArray) -> RocArea:
    """Return the area under the ROC curve of rows (higher) against points (lower).

    Examples
    --------
    >>> import numpy as np
    >>> roc_area(np.array([3.0, 2.0]), np.array([2.0, 1.0])).value
    0.875
    """
    twice = _twice_below(np.sort(point_scores), row_scores)
    n_rows, n_points = len(row_scores), len(point_scores)
    point_shares = 1.0 - _twice_below(np.sort(row_scores), point_scores) / (2.0 * n_rows)
    return RocArea(
        # a sum of whole numbers: the same however rows are counted
        value=int(twice.sum()) / (2.0 * n_rows * n_points),
        row_shares=twice / (2.0 * n_points),
        point_shares=point_shares,
    )


def _twice_below(ascending: FloatArray, scores: FloatArray) -> npt.NDArray[np.intp]:
    """Return twice how many lie below each score, those of the same score counting half."""
    below = np.searchsorted(ascending, scores, side="left")
    return below + np.searchsorted(ascending, scores, side="right")


def _estimate(
    value: float, row_shares: FloatArray, point_shares: FloatArray, confidence_level: float
) -> Estimate:
    variance = row_shares.var(ddof=1) / len(row_shares) + point_shares.var(ddof=1) / len(
        point_shares
    )
    return Estimate.normal(value, float(np.sqrt(variance)), confidence_level)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredAreas:
    """One detector's ROC areas against several reference measures, which a judge compares.

    Attributes
    ----------
    areas : array of shape (n_measures,)
        From all rows.
    row_shares : array of shape (n_measures, n_kept)
        What single rows add, for a part of the rows: all of them would be much to send.
    point_shares : array of shape (n_measures, n_points)
        What single points add.
    n_rows : int
        Rows that the areas are of.
    common_places : array of shape (n_measures, n_common)
        Share of the rows that score below each of the points that the fits of all folds score;
        empty where there are none.
    """

    areas: FloatArray
    row_shares: npt.NDArray[np.float32]
    point_shares: npt.NDArray[np.float32]
    n_rows: int
    common_places: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(
        cls,
        row_scores: FloatArray,
        point_scores: FloatArray,
        kept: npt.NDArray[np.intp],
        common_scores: FloatArray | None = None,
    ) -> MeasuredAreas:
        """Measure the areas of rows against the points of every measure.

        Parameters
        ----------
        row_scores : array of shape (n_rows,)
        point_scores : array of shape (n_measures, n_points)
        kept : array of int
            The rows whose share in errors is kept.
        common_scores : array of shape (n_measures, n_common), optional
            Of the points that the fits of all folds score.
        """
        common = np.empty((0, 0)) if common_scores is None else common_scores
        found = [roc_area(row_scores, scores) for scores in point_scores]
        return cls(
            areas=np.array([area.value for area in found]),
            row_shares=np.array([area.row_shares[kept] for area in found], dtype=np.float32),
            point_shares=np.array([area.point_shares for area in found], dtype=np.float32),
            n_rows=len(row_scores),
            common_places=_twice_below(np.sort(row_scores), common) / (2.0 * len(row_scores)),
        )
