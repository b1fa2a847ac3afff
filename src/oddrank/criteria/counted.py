"""Both criteria of rows that are not in memory, from counts of rows between reference points.

Rows are scored chunk by chunk and counted against the same points; counts add up exactly, so that
no score has to be kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria.sampled import (
    CriteriaOptions,
    FitCriteria,
    areas_of_all,
    inside_floor,
    log_error_of_mean,
    sampled_criteria,
    shares_at,
    steps_of,
)
from oddrank.curves import LevelSetCounts, count_level_sets
from oddrank.reference import ScoredPoints

__all__ = ["counted_criteria"]

# Rows are counted in this many random parts. Halves of the rows are made of halves of the parts.
PARTS = 16


def counted_criteria(
    chunks: Iterable[FloatArray],
    points: ScoredPoints,
    *,
    log_volume: float,
    options: CriteriaOptions,
    share_tied: float,
    random: np.random.Generator,
) -> FitCriteria:
    """Return both criteria of all rows, with their resamples.

    Parameters
    ----------
    chunks : iterable of arrays
        Scores of the rows.
    points : ScoredPoints
    log_volume : float
        Logarithm of the volume of the box.
    options : CriteriaOptions
    share_tied : float
        Share of the rows whose score another row has too, in a sample: counts cannot tell.
    random : numpy Generator
        Divides the rows into parts, and parts into halves.
    """
    parts = _counted_parts(chunks, points, log_volume, random)
    total = reduce(add, parts)
    held = np.flatnonzero(total.counts)[::-1]
    thresholds, counted = total.lowest[held], np.cumsum(total.counts[held])
    mass = counted / total.n_rows
    shares = shares_at(points, thresholds)
    pooled = shares.mean(axis=0)
    steps = steps_of(counted - 1, pooled, total.n_rows, options)
    of_parts = np.array([np.cumsum(part.counts[held]) for part in parts])
    halves = _halves(of_parts, random)
    inside, effective = inside_floor(points, thresholds, mass, options.excess_mass_floor)
    return FitCriteria(
        criteria=sampled_criteria(
            mass,
            shares,
            areas_of_all(halves[:, steps] / halves[:, -1:], pooled[steps], options),
            log_volume,
            options,
        ),
        n_rows=total.n_rows,
        level_sets=total.level_sets(),
        log_volume_error=log_error_of_mean(shares, pooled),
        inside_floor=inside,
        inside_effective=effective,
        share_tied=share_tied,
        movement=points.movement,
    )


def _counted_parts(
    chunks: Iterable[FloatArray],
    points: ScoredPoints,
    log_volume: float,
    random: np.random.Generator,
) -> list[LevelSetCounts]:
    scores = np.concatenate(points.scores)
    # every replicate stands for the whole volume
    log_weights = np.concatenate(points.log_weights) if points.log_weights else None
    if log_weights is not None:
        log_weights = log_weights - np.log(len(points))
    parts: dict[int, LevelSetCounts] = {}
    for chunk in chunks:
        chosen = random.integers(PARTS, size=len(chunk))
        for part in np.unique(chosen).tolist():
            counts = count_level_sets(
                chunk[chosen == part], scores, log_volume=log_volume, log_weights=log_weights
            )
            parts[part] = parts[part] + counts if part in parts else counts
    return list(parts.values())


def _halves(of_parts: npt.NDArray[np.int64], random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the counts of random halves of the parts; each half comes with its complement."""
    whole, halves = of_parts.sum(axis=0), []
    for _ in range(len(of_parts)):
        chosen = random.permutation(len(of_parts))[: len(of_parts) // 2]
        half = of_parts[chosen].sum(axis=0)
        halves += [half, whole - half]
    return np.array(halves)
