"""Both criteria and ROC areas from counts of rows between reference points.

Rows are scored chunk by chunk and counted against the same points; counts add up, so that no score
has to be kept, and rows may be counted in any chunks and on any machine with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from oddrank._typing import FloatArray
from oddrank.criteria.criterion import EXCESS_MASS, MASS_VOLUME
from oddrank.criteria.roc import MeasuredAreas
from oddrank.criteria.sampled import (
    CriteriaOptions,
    SampledCriteria,
    areas_of,
    areas_of_all,
    inside_floor,
    log_error_of_mean,
    replicate_shares,
    sampled_criterion,
    steps_of,
    without_each,
)
from oddrank.curves import LevelSetCounts
from oddrank.reference import ScoredReference

__all__ = ["ScoreCounts", "counted_areas", "counted_criteria"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreCounts:
    """Numbers of rows between consecutive reference scores; parts add up with `+`.

    Attributes
    ----------
    counts : array of shape (n_points + 1,)
        Rows that score above as many of the points as the place says.
    equal : array of shape (n_points + 1,)
        Those of them that score the same as the next point.
    lowest : array of shape (n_points + 1,)
        The lowest score of each gap; `inf` where it has none.
    halves : array of shape (n_halves, n_points + 1)
        How many of the rows are in each random half of all rows.
    """

    counts: Counts
    equal: Counts
    lowest: FloatArray
    halves: Counts

    @classmethod
    def nothing(cls, n_points: int, n_halves: int) -> ScoreCounts:
        """Return the counts of no rows."""
        zeros = np.zeros(n_points + 1, dtype=np.int64)
        return cls(
            counts=zeros,
            equal=zeros,
            lowest=np.full(n_points + 1, np.inf),
            halves=np.zeros((n_halves, n_points + 1), dtype=np.int64),
        )

    @classmethod
    def of(
        cls, scores: FloatArray, points: FloatArray, halves: npt.NDArray[np.uint8]
    ) -> ScoreCounts:
        """Count some rows.

        Parameters
        ----------
        scores : array of shape (n_rows,)
        points : array, sorted upwards
        halves : array of shape (n_rows, n_halves), of 0 and 1

        Examples
        --------
        >>> halves = np.array([[1], [0], [1]], dtype=np.uint8)
        >>> counts = ScoreCounts.of(np.array([0.5, 2.0, 9.0]), np.array([1.0, 2.0]), halves)
        >>> counts.counts.tolist(), counts.equal.tolist(), counts.halves.tolist()
        ([1, 1, 1], [0, 1, 0], [[1, 0, 1]])
        """
        # neighbours in a sorted array are found from memory that was just read
        order = np.argsort(scores)
        ascending = scores[order]
        gap = np.searchsorted(points, ascending, side="left")
        counts = np.bincount(gap, minlength=len(points) + 1)
        firsts = np.flatnonzero(counts)
        lowest = np.full(len(points) + 1, np.inf)
        lowest[firsts] = ascending[np.cumsum(counts)[firsts] - counts[firsts]]
        ties = np.append(points, np.nan)[gap] == ascending
        chosen = csr_array(
            (np.ones(len(gap), dtype=np.int32), gap, np.arange(len(gap) + 1)),
            shape=(len(gap), len(points) + 1),
        )
        return cls(
            counts=counts,
            equal=np.bincount(gap[ties], minlength=len(points) + 1),
            lowest=lowest,
            halves=np.asarray((chosen.T @ halves[order].astype(np.int32)).T, dtype=np.int64),
        )

    @property
    def n_rows(self) -> int:
        """Number of rows counted so far."""
        return int(self.counts.sum())

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        return ScoreCounts(
            counts=self.counts + other.counts,
            equal=self.equal + other.equal,
            lowest=np.minimum(self.lowest, other.lowest),
            halves=self.halves + other.halves,
        )

    def rows_up_to(self, points: FloatArray, scores: FloatArray) -> tuple[Counts, Counts]:
        """Return how many rows score below each of these points, and how many at most as high."""
        place = np.searchsorted(points, scores, side="left")
        up_to = np.cumsum(self.counts)[place]
        return up_to - self.equal[place], up_to


def counted_areas(
    counts: ScoreCounts, points: FloatArray, point_scores: FloatArray, of_rows: Any
) -> MeasuredAreas:
    """Return the ROC areas of all rows counted against the points of every measure.

    Parameters
    ----------
    counts : ScoreCounts
    points : array, sorted upwards
        What the rows were counted against.
    point_scores : array of shape (n_measures, n_points)
        Of the points of every measure; they are among `points`.
    of_rows : array of shape (n_measures, n_kept)
        What single rows add, for a sample of the rows.
    """
    below, up_to = counts.rows_up_to(points, point_scores)
    n_rows, n_points = counts.n_rows, point_scores.shape[1]
    twice = 2 * n_rows - below - up_to
    return MeasuredAreas(
        areas=twice.sum(axis=1) / (2.0 * n_rows * n_points),
        of_rows=of_rows,
        of_points=(1.0 - (below + up_to) / (2.0 * n_rows)).astype(np.float32),
        n_rows=n_rows,
    )


def counted_criteria(
    counts: ScoreCounts,
    points: FloatArray,
    replicates: list[ScoredReference],
    *,
    log_volume: float,
    options: CriteriaOptions,
    of_volume: bool,
    share_tied: float,
) -> SampledCriteria:
    """Return both criteria of all rows counted, with their resamples.

    Parameters
    ----------
    counts : ScoreCounts
    points : array, sorted upwards
        What the rows were counted against; the points of the replicates are among them.
    replicates : list of ScoredReference
    log_volume : float
        Logarithm of the volume of the box.
    options : CriteriaOptions
    of_volume : bool
        Whether the points stand for volume; otherwise there is an area under the ROC curve too.
    share_tied : float
        Share of the rows whose score another row has too, in a sample: counts cannot tell.
    """
    held = np.flatnonzero(counts.counts)[::-1]
    thresholds, counted = counts.lowest[held], np.cumsum(counts.counts[held])
    mass = counted / counts.n_rows
    shares = np.array([replicate_shares(each, thresholds) for each in replicates])
    pooled = shares.mean(axis=0)
    excess, volume = areas_of(mass, pooled, options)
    without = [areas_of(mass, rest, options) for rest in without_each(shares)]
    steps = steps_of(counted - 1, pooled, counts.n_rows, options)
    # each half comes with its complement
    chosen = np.cumsum(counts.halves[:, held], axis=1)
    both = np.stack((chosen, counted - chosen), axis=1).reshape(-1, len(held))
    halves = areas_of_all(both[:, steps] / both[:, -1:], pooled[steps], options)
    inside, effective = inside_floor(replicates, thresholds, mass, options.excess_mass_floor)
    levels = LevelSetCounts(
        reference_scores=points,
        shares=_at_places(pooled, held, len(points) + 1),
        counts=counts.counts,
        lowest=counts.lowest,
        log_volume=log_volume,
    ).level_sets()
    roc_value, roc_error = np.nan, np.nan
    if not of_volume:
        roc_value, roc_error = _roc_area(counts, points, replicates)
    return SampledCriteria(
        excess_mass=sampled_criterion(EXCESS_MASS, excess, without, halves, -log_volume),
        mass_volume=sampled_criterion(MASS_VOLUME, volume, without, halves, log_volume),
        level_sets=levels,
        log_volume_error=log_error_of_mean(shares, pooled),
        inside_floor=inside,
        inside_effective=effective,
        share_tied=share_tied,
        movement=min(replicate.movement for replicate in replicates),
        roc_value=roc_value,
        roc_error=roc_error,
    )


def _at_places(values: FloatArray, places: npt.NDArray[np.intp], size: int) -> FloatArray:
    whole = np.zeros(size)
    whole[places] = values
    return whole


def _roc_area(
    counts: ScoreCounts, points: FloatArray, replicates: list[ScoredReference]
) -> tuple[float, float]:
    """Return the area against all points, which have equal weights, and its error."""
    scores = np.sort(np.concatenate([each.scores for each in replicates]))
    below, up_to = counts.rows_up_to(points, scores)
    n_rows, n_points = counts.n_rows, len(scores)
    of_points = 1.0 - (below + up_to) / (2.0 * n_rows)
    # rows of one gap have the same share of points below them, and half of those they tie with
    next_points = np.append(points, np.inf)
    left = np.searchsorted(scores, next_points, side="left")
    right = np.searchsorted(scores, next_points, side="right")
    shares = np.stack((left, (left + right) / 2.0)) / n_points
    of_gaps = np.stack((counts.counts - counts.equal, counts.equal))
    value = float((shares * of_gaps).sum() / n_rows)
    variance = float((of_gaps * (shares - value) ** 2).sum()) / (n_rows - 1.0) / n_rows
    variance += float(of_points.var(ddof=1)) / n_points
    return value, float(np.sqrt(variance))
