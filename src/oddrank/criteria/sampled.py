"""From scores to the two criteria and all their resamples, in one pass over sorted scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria.criterion import EXCESS_MASS, MASS_VOLUME, Criterion
from oddrank.criteria.estimate import SampledCriterion
from oddrank.curves import (
    LevelSets,
    excess_mass_area,
    excess_mass_areas,
    log_of_shares,
    mass_volume_area,
    mass_volume_areas,
    sort_reference,
)
from oddrank.reference import ScoredReference

__all__ = ["CriteriaOptions", "SampledCriteria", "innermost_threshold", "sample_criteria"]


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
class SampledCriteria:
    """Both criteria of one scoring function with their resamples, and what they came from.

    Attributes
    ----------
    excess_mass, mass_volume : SampledCriterion
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
    roc_value, roc_error : float
        Area under the ROC curve of rows against points, and its standard error; NaN for volumes.
    """

    excess_mass: SampledCriterion
    mass_volume: SampledCriterion
    level_sets: LevelSets
    log_volume_error: FloatArray
    inside_floor: int
    inside_effective: float
    share_tied: float
    movement: float = 1.0
    roc_value: float = np.nan
    roc_error: float = np.nan

    def __getitem__(self, criterion: Criterion) -> SampledCriterion:
        return {EXCESS_MASS: self.excess_mass, MASS_VOLUME: self.mass_volume}[criterion]

    @property
    def n_replicates(self) -> int:
        """Replicates of the reference points that both rest on."""
        return len(self.excess_mass.without_replicate)

    @property
    def points_error(self) -> float:
        """The larger of the relative standard errors that reference points bring to EM and MV."""
        return max(self.excess_mass.points_error, self.mass_volume.points_error)


def sample_criteria(
    data_scores: FloatArray,
    replicates: list[ScoredReference],
    *,
    log_volume: float,
    options: CriteriaOptions,
    random: np.random.Generator,
) -> SampledCriteria:
    """Compute both criteria on everything, without each replicate, and on halves of the rows.

    Parameters
    ----------
    data_scores : array of shape (n_rows,)
    replicates : list of ScoredReference
    log_volume : float
        Logarithm of the volume of the box.
    options : CriteriaOptions
    random : numpy Generator
        Draws the halves: the same state gives the same halves to every detector.
    """
    order = np.argsort(-data_scores, kind="stable")
    scores = data_scores[order]
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    thresholds, mass = scores[ends], (ends + 1) / len(scores)
    shares = np.array([replicate_shares(replicate, thresholds) for replicate in replicates])
    pooled = shares.mean(axis=0)
    excess, volume = areas_of(mass, pooled, options)
    without = [areas_of(mass, rest, options) for rest in without_each(shares)]
    halves = _areas_of_halves(order, ends, pooled, options, random)
    inside, effective = inside_floor(replicates, thresholds, mass, options.excess_mass_floor)
    steps = _volume_steps(pooled)
    return SampledCriteria(
        excess_mass=sampled_criterion(EXCESS_MASS, excess, without, halves, -log_volume),
        mass_volume=sampled_criterion(MASS_VOLUME, volume, without, halves, log_volume),
        level_sets=LevelSets(
            thresholds=thresholds[steps],
            mass=mass[steps],
            log_volume=log_of_shares(pooled[steps], log_volume),
        ),
        log_volume_error=log_error_of_mean(shares[:, steps], pooled[steps]),
        inside_floor=inside,
        inside_effective=effective,
        share_tied=_share_tied(ends),
        movement=min(replicate.movement for replicate in replicates),
    )


def _share_tied(ends: npt.NDArray[np.intp]) -> float:
    counts = np.diff(ends, prepend=-1)
    return float(counts[counts > 1].sum() / counts.sum())


def innermost_threshold(data_scores: FloatArray, options: CriteriaOptions) -> float:
    """Return the highest score whose level set still holds the lowest mass that is needed."""
    lowest = min(options.excess_mass_floor, options.mass_range[0])
    # The same sums as in `sample_criteria`: a mass of exactly the lowest one is enough.
    n_rows = len(data_scores)
    first = int(np.searchsorted(np.arange(1, n_rows + 1) / n_rows, lowest, side="left"))
    return float(np.sort(data_scores)[n_rows - 1 - first])


def replicate_shares(replicate: ScoredReference, thresholds: FloatArray) -> FloatArray:
    scores, shares = sort_reference(replicate.scores, replicate.log_weights)
    return shares[np.searchsorted(scores, thresholds, side="left")]


def log_error_of_mean(shares: FloatArray, pooled: FloatArray) -> FloatArray:
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(pooled > 0.0, error / pooled, np.nan))


def without_each(shares: FloatArray) -> list[FloatArray]:
    # A sum of the others, not the total less one: sums of monotone arrays stay monotone in floating
    # point, and volumes of 0 stay 0.
    return [np.delete(shares, index, axis=0).mean(axis=0) for index in range(len(shares))]


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

    Only masses above the lowest one that is needed matter. No half moves it by twelve of its
    standard deviations, 6 / sqrt(n).
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


def areas_of(mass: FloatArray, share: FloatArray, options: CriteriaOptions) -> tuple[float, float]:
    return (
        excess_mass_area(mass, share, options.excess_mass_floor),
        mass_volume_area(mass, share, *options.mass_range),
    )


def sampled_criterion(
    criterion: Criterion,
    value: float,
    without: list[tuple[float, float]],
    halves: list[tuple[float, float]],
    log_unit: float,
) -> SampledCriterion:
    position = (EXCESS_MASS, MASS_VOLUME).index(criterion)
    return SampledCriterion(
        value=value,
        without_replicate=np.array([pair[position] for pair in without]),
        on_halves=np.array([pair[position] for pair in halves]),
        criterion=criterion,
        log_unit=log_unit,
    )


def inside_floor(
    replicates: list[ScoredReference], thresholds: FloatArray, mass: FloatArray, floor: float
) -> tuple[int, float]:
    threshold = thresholds[np.searchsorted(mass, floor, side="left")]
    inside = [replicate.scores >= threshold for replicate in replicates]
    n_inside = int(sum(map(np.count_nonzero, inside)))
    log_weights = [
        replicate.log_weights[within]
        for replicate, within in zip(replicates, inside, strict=True)
        if replicate.log_weights is not None
    ]
    if n_inside == 0 or not log_weights:
        return n_inside, float(n_inside)
    pooled = np.concatenate(log_weights)
    weights = np.exp(pooled - pooled.max())
    return n_inside, float(weights.sum() ** 2 / (weights**2).sum())
