"""From scores to the two criteria and all their resamples, in one pass over sorted scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria.criterion import EXCESS_MASS, MASS_VOLUME, Criterion
from oddrank.criteria.estimate import SampledCriterion
from oddrank.criteria.fits import VOLUME_PRIOR, FitPrior
from oddrank.curves import (
    LevelSets,
    excess_mass_area,
    excess_mass_areas,
    log_of_shares,
    mass_volume_area,
    mass_volume_areas,
    sort_reference,
)
from oddrank.reference import ScoredPoints

__all__ = ["CriteriaOptions", "FitCriteria", "fit_criteria", "innermost_threshold", "share_tied"]


# Numbers of halves times level sets that are handled at a time: what fits into a cache.
HALVES_AT_A_TIME = 2**16


@dataclass(frozen=True, kw_only=True)
class CriteriaOptions:
    """Options of the criteria.

    Attributes
    ----------
    mass_range : (float, float)
        Masses between which the area below the mass-volume curve is taken.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.
    n_halves : int
        Random halves of the rows, an even number: each half comes with its complement.
    """

    mass_range: tuple[float, float] = (0.9, 0.999)
    excess_mass_floor: float = 0.9
    n_halves: int = 200


@dataclass(frozen=True, kw_only=True, eq=False)
class FitCriteria:
    """The criteria of one fit with their resamples, and what they came from.

    Attributes
    ----------
    criteria : mapping of Criterion to SampledCriterion
    n_rows : int
        Rows that they are of.
    level_sets : LevelSets
        From all reference points together; one pair for each volume.
    log_volume_error : array, one number per level set
        Standard error of `level_sets.log_volume` over the replicates; NaN where the volume is 0.
    inside_floor : int
        Reference points in the smallest level set of mass `excess_mass_floor`.
    inside_effective : float
        Their effective number, `(Σw)² / Σw²`: equal to `inside_floor` for equal weights.
    share_tied : float
        Share of the rows whose score another row has too.
    movement : float
        Share of accepted moves at the level set where chains move least; 1 where there are none.
    """

    prior: ClassVar[FitPrior] = VOLUME_PRIOR

    criteria: Mapping[Criterion, SampledCriterion]
    n_rows: int
    level_sets: LevelSets
    log_volume_error: FloatArray
    inside_floor: int
    inside_effective: float
    share_tied: float
    movement: float

    @property
    def n_replicates(self) -> int:
        """Replicates of the reference points that they rest on."""
        return len(self.criteria[EXCESS_MASS].leave_one_out)

    @property
    def points_error(self) -> float:
        """The largest of the relative standard errors that reference points bring to them."""
        return max(each.points_error for each in self.criteria.values())


def fit_criteria(
    row_scores: FloatArray,
    points: ScoredPoints,
    *,
    log_volume: float,
    options: CriteriaOptions,
    random: np.random.Generator,
) -> FitCriteria:
    """Compute both criteria on everything, without each replicate, and on halves of the rows.

    Parameters
    ----------
    row_scores : array of shape (n_rows,)
    points : ScoredPoints
    log_volume : float
        Logarithm of the volume of the box.
    options : CriteriaOptions
    random : numpy Generator
        Draws the halves: the same state gives the same halves to every detector.
    """
    order = np.argsort(-row_scores, kind="stable")
    scores = row_scores[order]
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    thresholds, mass = scores[ends], (ends + 1) / len(scores)
    shares = shares_at(points, thresholds)
    pooled = shares.mean(axis=0)
    halves = _areas_of_halves(order, ends, pooled, options, random)
    inside, effective = inside_floor(points, thresholds, mass, options.excess_mass_floor)
    steps = _volume_steps(pooled)
    return FitCriteria(
        criteria=sampled_criteria(mass, shares, halves, log_volume, options),
        n_rows=len(row_scores),
        level_sets=LevelSets(
            thresholds=thresholds[steps],
            mass=mass[steps],
            log_volume=log_of_shares(pooled[steps], log_volume),
        ),
        log_volume_error=log_error_of_mean(shares[:, steps], pooled[steps]),
        inside_floor=inside,
        inside_effective=effective,
        share_tied=share_tied(row_scores),
        movement=points.movement,
    )


def sampled_criteria(
    mass: FloatArray,
    shares: FloatArray,
    halves: Sequence[tuple[float, float]],
    log_volume: float,
    options: CriteriaOptions,
) -> dict[Criterion, SampledCriterion]:
    """Return both criteria from masses, and the volumes of every replicate as shares of the box."""
    values = _areas(mass, shares.mean(axis=0), options)
    # A sum of the others, not the total less one: sums of monotone arrays stay monotone in floating
    # point, and volumes of 0 stay 0.
    without = [
        _areas(mass, np.delete(shares, index, axis=0).mean(axis=0), options)
        for index in range(len(shares))
    ]
    units = (-log_volume, log_volume)
    return {
        criterion: SampledCriterion.of_replicates(
            criterion,
            values[place],
            np.array([pair[place] for pair in without]),
            np.array([pair[place] for pair in halves]),
            units[place],
        )
        for place, criterion in enumerate((EXCESS_MASS, MASS_VOLUME))
    }


def share_tied(row_scores: FloatArray) -> float:
    """Return the share of the rows whose score another row has too.

    Examples
    --------
    >>> share_tied(np.array([1.0, 2.0, 2.0, 3.0]))
    0.5
    """
    _, counts = np.unique(row_scores, return_counts=True)
    return float(counts[counts > 1].sum() / len(row_scores))


def innermost_threshold(data_scores: FloatArray, options: CriteriaOptions) -> float:
    """Return the highest score whose level set still holds the lowest mass that is needed."""
    lowest = min(options.excess_mass_floor, options.mass_range[0])
    # The same sums as in `fit_criteria`: a mass of exactly the lowest one is enough.
    n_rows = len(data_scores)
    first = int(np.searchsorted(np.arange(1, n_rows + 1) / n_rows, lowest, side="left"))
    return float(np.sort(data_scores)[n_rows - 1 - first])


def shares_at(points: ScoredPoints, thresholds: FloatArray) -> FloatArray:
    """Return the share of the volume above each threshold, replicate by replicate."""
    found = []
    for scores, log_weights in points.replicates():
        ascending, sums = sort_reference(scores, log_weights)
        found.append(sums[np.searchsorted(ascending, thresholds, side="left")])
    return np.array(found)


def log_error_of_mean(shares: FloatArray, pooled: FloatArray) -> FloatArray:
    """Return the standard error of the logarithm of a mean over replicates; NaN where it is 0."""
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(pooled > 0.0, error / pooled, np.nan))


def _areas_of_halves(
    order: npt.NDArray[np.intp],
    ends: npt.NDArray[np.intp],
    pooled: FloatArray,
    options: CriteriaOptions,
    random: np.random.Generator,
) -> list[tuple[float, float]]:
    n_rows = len(order)
    steps = steps_of(ends, pooled, n_rows, options)
    shares, counted = pooled[steps], ends[steps] + 1
    outer_rows, beyond_first = order[counted[0] :], counted - counted[0]
    areas: list[tuple[float, float]] = []
    # each half comes with its complement, and many halves at a time
    at_a_time = max(1, HALVES_AT_A_TIME // len(counted))
    n_pairs = options.n_halves // 2
    for start in range(0, n_pairs, at_a_time):
        masses = np.empty((2 * min(at_a_time, n_pairs - start), len(counted)))
        for place in range(0, len(masses), 2):
            half = _half(n_rows, random)
            total = np.count_nonzero(half)
            outer = np.concatenate(([0], half[outer_rows].cumsum(dtype=np.int64)))
            chosen = (total - outer[-1]) + outer[beyond_first]
            np.divide(chosen, total, out=masses[place])
            np.divide(counted - chosen, n_rows - total, out=masses[place + 1])
        areas += areas_of_all(masses, shares, options)
    return areas


def _volume_steps(pooled: FloatArray) -> npt.NDArray[np.intp]:
    """Return the outermost pair of each volume: it stands for all of them in either curve."""
    return np.flatnonzero(np.append(pooled[1:] > pooled[:-1], True))


def steps_of(
    ends: npt.NDArray[np.intp], pooled: FloatArray, n_rows: int, options: CriteriaOptions
) -> npt.NDArray[np.intp]:
    """Return the places of the level sets that the areas of halves need.

    Only masses above the lowest one that is needed matter. The mass of a half differs from that of
    all rows by at most 0.5 / sqrt(n), one standard deviation: twelve of them are kept.
    """
    steps = _volume_steps(pooled)
    lowest = min(options.excess_mass_floor, options.mass_range[0]) - 6.0 / np.sqrt(n_rows)
    return steps[np.searchsorted((ends[steps] + 1) / n_rows, lowest) :]


def _half(n_rows: int, random: np.random.Generator) -> npt.NDArray[np.uint8]:
    while True:
        drawn = np.frombuffer(random.bytes(n_rows // 8 + 1), dtype=np.uint8)
        half = np.unpackbits(drawn, count=n_rows)
        if 0 < np.count_nonzero(half) < n_rows:
            return half


def areas_of_all(
    masses: FloatArray, share: FloatArray, options: CriteriaOptions
) -> list[tuple[float, float]]:
    """Return both areas of every row of masses, with the same shares."""
    excess = excess_mass_areas(masses, share, options.excess_mass_floor)
    volume = mass_volume_areas(masses, share, *options.mass_range)
    return list(zip(excess, volume, strict=True))


def _areas(mass: FloatArray, share: FloatArray, options: CriteriaOptions) -> tuple[float, float]:
    return (
        excess_mass_area(mass, share, options.excess_mass_floor),
        mass_volume_area(mass, share, *options.mass_range),
    )


def inside_floor(
    points: ScoredPoints, thresholds: FloatArray, mass: FloatArray, floor: float
) -> tuple[int, float]:
    """Return how many points the level set of this mass holds, and what they are worth."""
    threshold = thresholds[np.searchsorted(mass, floor, side="left")]
    inside = [scores >= threshold for scores in points.scores]
    n_inside = int(sum(map(np.count_nonzero, inside)))
    if n_inside == 0 or not points.log_weights:
        return n_inside, float(n_inside)
    pooled = np.concatenate(
        [weights[within] for weights, within in zip(points.log_weights, inside, strict=True)]
    )
    weights = np.exp(pooled - pooled.max())
    return n_inside, float(weights.sum() ** 2 / (weights**2).sum())
