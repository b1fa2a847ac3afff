"""A scoring function as its list of (mass, volume) pairs: the centre of the design.

At a threshold `u` the level set `{s >= u}` has a mass `P(s(X) >= u)`, counted on data, and a volume
`Leb(s >= u)`, summed over weighted reference points. The pairs at the distinct data scores are all
that the mass-volume and excess-mass curves need: between two data scores the mass stays and the
volume can only grow, so no other threshold is ever better (equations 3 and 4 of Goix, 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank._validation import check_finite
from oddrank.errors import InvalidDataError, InvalidParameterError

__all__ = ["LevelSetCounts", "LevelSets", "count_level_sets", "level_sets"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelSets:
    """Pairs of mass and volume, from the innermost level set outwards.

    Attributes
    ----------
    thresholds : array, strictly decreasing
        The distinct data scores.
    mass : array, strictly increasing, last value 1
        Share of the data rows with a score of at least the threshold.
    log_volume : array, not decreasing
        Logarithm of the volume of the level set; `-inf` where no reference point lies inside.

    Examples
    --------
    >>> from oddrank import level_sets
    >>> levels = level_sets([3.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> levels.mass, levels.volume
    (array([0.33333333, 0.66666667, 1.        ]), array([0.  , 0.25, 0.5 ]))
    """

    thresholds: FloatArray
    mass: FloatArray
    log_volume: FloatArray

    @property
    def volume(self) -> FloatArray:
        """Volumes; `inf` where the volume is too large for a float (use `log_volume` there)."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_volume)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"<LevelSets: {len(self.mass):,} pairs of mass and volume>"

    def __str__(self) -> str:
        resolved = np.flatnonzero(np.isfinite(self.log_volume))
        inner = f"{self.mass[resolved[0]]:.4g}" if len(resolved) else "1"
        return (
            f"{len(self)} level sets, thresholds {self.thresholds[-1]:.4g} to "
            f"{self.thresholds[0]:.4g}; the smallest one with a volume has mass {inner}"
        )


def level_sets(
    data_scores: npt.ArrayLike,
    reference_scores: npt.ArrayLike,
    *,
    log_volume: float = 0.0,
    log_weights: npt.ArrayLike | None = None,
) -> LevelSets:
    """Pair the mass of every level set with its volume.

    Parameters
    ----------
    data_scores : array of shape (n_rows,)
        Scores of the data, higher = more normal.
    reference_scores : array of shape (n_points,)
        Scores of the reference points.
    log_volume : float
        Logarithm of the volume that the reference points stand for: the volume of the box.
    log_weights : array of shape (n_points,), optional
        Logarithm of the share of that volume each point carries. By default all carry `1/n_points`.

    Returns
    -------
    LevelSets

    Examples
    --------
    >>> levels = level_sets([3.0, 2.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> levels.mass
    array([0.25, 0.75, 1.  ])
    >>> levels.volume
    array([0.  , 0.25, 0.5 ])
    """
    data = check_scores(data_scores, "data_scores")
    reference = check_scores(reference_scores, "reference_scores")
    weights = check_log_weights(log_weights, len(reference))
    log_volume = check_finite(log_volume, "log_volume", "level_sets")
    thresholds, mass = _distinct_levels(data)
    sorted_reference, shares = sort_reference(reference, weights)
    inside = np.searchsorted(sorted_reference, thresholds, side="left")
    return LevelSets(
        thresholds=thresholds, mass=mass, log_volume=log_of_shares(shares[inside], log_volume)
    )


def check_scores(scores: npt.ArrayLike, name: str) -> FloatArray:
    """Return one-dimensional scores without NaN, or refuse them."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(f"{name} must be numbers, one per row.") from None
    if values.ndim != 1 or len(values) == 0:
        raise InvalidDataError(
            f"{name} must be a one-dimensional array with at least one score. "
            f"Got an array of shape {values.shape}."
        )
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        raise InvalidDataError(
            f"{name} holds {n_missing} NaN, which cannot be ordered. Correct the scoring function."
        )
    return values


def check_log_weights(log_weights: npt.ArrayLike | None, n_points: int) -> FloatArray | None:
    """Return one logarithm of a share per reference point, None for equal shares."""
    if log_weights is None:
        return None
    try:
        weights = np.asarray(log_weights, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (n_points,) or np.isnan(weights).any() or np.isposinf(weights).any():
        raise InvalidParameterError(
            f"The 'log_weights' parameter of level_sets must hold {n_points} numbers, one per "
            f"reference score, none NaN or +inf. Got an array of shape {weights.shape}."
        )
    return weights


def sort_reference(
    scores: FloatArray, log_weights: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Sort reference scores upwards; sum the shares from each rank to the highest score.

    There is one sum more than there are scores: the last, for no point at all, is exactly 0, since
    an empty level set has no volume. Equal shares are counted, not summed, so that nothing is lost
    to rounding.
    """
    n_points = len(scores)
    if log_weights is None:
        return np.sort(scores), np.arange(n_points, -1, -1) / n_points
    order = np.argsort(scores)
    sums = np.zeros(n_points + 1)
    sums[:-1] = np.cumsum(np.exp(log_weights[order])[::-1])[::-1]
    return scores[order], sums


def increments(values: FloatArray, start: float) -> FloatArray:
    """Return what each value adds to the one before, the first to `start`.

    `np.diff` with `prepend` does the same at three times the cost, and resampling calls it often.
    """
    added = np.empty(len(values))
    added[:1] = values[:1] - start
    np.subtract(values[1:], values[:-1], out=added[1:])
    return added


def log_of_shares(shares: FloatArray, log_volume: Any) -> FloatArray:
    """Turn shares of the reference volume into log volumes."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares) + float(log_volume), dtype=np.float64)


def _distinct_levels(data: FloatArray) -> tuple[FloatArray, FloatArray]:
    distinct, counts = np.unique(data, return_counts=True)
    return distinct[::-1].copy(), np.cumsum(counts[::-1]) / len(data)


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

    Examples
    --------
    >>> from oddrank import count_level_sets
    >>> reference = [2.5, 1.5, 0.5, 0.0]
    >>> parts = count_level_sets([3.0, 2.0], reference) + count_level_sets([1.0], reference)
    >>> parts.n_rows, parts.level_sets().mass
    (3, array([0.33333333, 0.66666667, 1.        ]))
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
    log_volume = check_finite(log_volume, "log_volume", "count_level_sets")
    reference, shares = sort_reference(reference, weights)
    gap = np.searchsorted(reference, data, side="left")
    lowest = np.full(len(reference) + 1, np.inf)
    np.minimum.at(lowest, gap, data)
    return LevelSetCounts(
        reference_scores=reference,
        shares=shares,
        counts=np.bincount(gap, minlength=len(reference) + 1),
        lowest=lowest,
        log_volume=log_volume,
    )
