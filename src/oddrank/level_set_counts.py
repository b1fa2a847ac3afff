"""Level sets in parts, for data that comes in chunks or from several workers.

Sorted reference scores cut the line into gaps; all thresholds of one gap have the same volume, so
the number of data rows per gap decides both curves exactly. Counts add up: parts that were counted
against the same reference points merge into the level sets of all their rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank.errors import InvalidDataError
from oddrank.level_sets import (
    LevelSets,
    check_log_weights,
    check_scores,
    log_of_shares,
    sort_reference,
)
from oddrank.table import FloatArray

__all__ = ["LevelSetCounts", "count_level_sets"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelSetCounts:
    """Numbers of data rows between consecutive reference scores; parts add up with `+`.

    Attributes
    ----------
    reference_scores : array, sorted upwards
    shares : array of shape (n_points + 1,)
        Share of the reference volume at thresholds inside each gap.
    counts : array of shape (n_points + 1,)
        Data rows whose score lies in each gap.
    lowest : array of shape (n_points + 1,)
        The lowest data score of each gap; `inf` where it has none.
    log_volume : float
    """

    reference_scores: FloatArray
    shares: FloatArray
    counts: npt.NDArray[np.int64]
    lowest: FloatArray
    log_volume: float

    @property
    def n_rows(self) -> int:
        """Number of data rows counted so far."""
        return int(self.counts.sum())

    def __add__(self, other: LevelSetCounts) -> LevelSetCounts:
        if (
            not np.array_equal(self.reference_scores, other.reference_scores)
            or not np.array_equal(self.shares, other.shares)
            or self.log_volume != other.log_volume
        ):
            raise InvalidDataError(
                "These parts were counted against different reference points, so their volumes "
                "cannot be merged. Count every chunk against the same scores and weights."
            )
        return LevelSetCounts(
            reference_scores=self.reference_scores,
            shares=self.shares,
            counts=self.counts + other.counts,
            lowest=np.minimum(self.lowest, other.lowest),
            log_volume=self.log_volume,
        )

    def level_sets(self) -> LevelSets:
        """Return the level sets of all rows counted: one per gap that holds data.

        They have fewer pairs than `oddrank.level_sets` makes at once, and the same two curves.
        """
        held = np.flatnonzero(self.counts)[::-1]
        return LevelSets(
            thresholds=self.lowest[held],
            mass=np.cumsum(self.counts[held]) / self.n_rows,
            log_volume=log_of_shares(self.shares[held], self.log_volume),
        )


def count_level_sets(
    data_scores: npt.ArrayLike,
    reference_scores: npt.ArrayLike,
    *,
    log_volume: float = 0.0,
    log_weights: npt.ArrayLike | None = None,
) -> LevelSetCounts:
    """Count one chunk of data scores against the reference scores.

    Parameters are those of `oddrank.level_sets`; give every chunk the same reference.

    Examples
    --------
    >>> from oddrank import mass_volume_curve
    >>> reference = [2.5, 1.5, 0.5, 0.0]
    >>> parts = count_level_sets([3.0, 1.0], reference) + count_level_sets([2.0, 2.0], reference)
    >>> mass_volume_curve(parts.level_sets()).area(0.5, 1.0)
    0.1875
    """
    data = check_scores(data_scores, "data_scores")
    reference = check_scores(reference_scores, "reference_scores")
    weights = check_log_weights(log_weights, len(reference))
    reference, shares = sort_reference(reference, weights)
    gap = np.searchsorted(reference, data, side="left")
    lowest = np.full(len(reference) + 1, np.inf)
    np.minimum.at(lowest, gap, data)
    return LevelSetCounts(
        reference_scores=reference,
        shares=shares,
        counts=np.bincount(gap, minlength=len(reference) + 1),
        lowest=lowest,
        log_volume=float(log_volume),
    )
