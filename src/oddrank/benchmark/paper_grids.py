"""EM and MV as the authors' code computed them: on grids, by the trapezoid rule.

For the `paper` preset only, so that its figures can be held against the printed ones. The grids and
inequalities are those that the authors' scripts have; `oddrank.excess_mass` and
`oddrank.mass_volume` are exact.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import trapezoid

from oddrank._typing import FloatArray
from oddrank.curves import LevelSets, excess_mass_curve, log_of_shares

__all__ = ["paper_excess_mass", "paper_mass_volume"]

FLOOR = 0.9


def paper_excess_mass(
    data_scores: FloatArray, reference_scores: FloatArray, log_volume: float, *, step: float
) -> float:
    """Return the area below EM on t = 0, step/volume, … up to 100/volume, to the first EM <= 0.9.

    Level sets are `score > u` here; where 0.9 is not reached, the whole grid is taken.
    """
    grid = np.arange(0.0, 100.0, step)
    thresholds = np.unique(data_scores)[::-1]
    mass = _shares_above(data_scores, thresholds)
    share = _shares_above(reference_scores, thresholds)
    heights = np.zeros(len(grid))
    if mass[-1] > 0.0:
        held = mass > 0.0
        levels = LevelSets(
            thresholds=thresholds[held],
            mass=mass[held],
            log_volume=log_of_shares(share[held], 0.0),
        )
        heights = excess_mass_curve(levels)(grid)
    heights[0] = 1.0
    end = int(np.argmax(heights <= FLOOR)) + 1
    if end == 1:
        end = len(grid)
    return float(trapezoid(heights[:end], grid[:end]) * np.exp(-log_volume))


def paper_mass_volume(
    data_scores: FloatArray, reference_scores: FloatArray, log_volume: float, *, step: float
) -> float:
    """Return the area below MV on masses 0.9, 0.9 + step, … below 0.999, with `score >= u`."""
    masses = np.arange(0.9, 0.999, step)
    descending = np.sort(data_scores)[::-1]
    steps = np.arange(1, len(descending) + 1) / len(descending)
    thresholds = descending[np.searchsorted(steps, masses, side="left")]
    ascending = np.sort(reference_scores)
    inside = len(ascending) - np.searchsorted(ascending, thresholds, side="left")
    return float(trapezoid(inside / len(ascending), masses) * np.exp(log_volume))


def _shares_above(scores: FloatArray, thresholds: FloatArray) -> FloatArray:
    ascending = np.sort(scores)
    return (len(scores) - np.searchsorted(ascending, thresholds, side="right")) / len(scores)
