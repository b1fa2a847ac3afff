"""Both curves of a cell on fixed grids, small enough to store in its row.

Levels and volumes are relative to the box: levels are `t` times its volume, volumes are shares of
it. So curves of different draws of features can be averaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import SampledCriteria
from oddrank.curves import LevelSets, excess_mass_curve
from oddrank.evaluation import best_pair, pair_at

__all__ = ["RELATIVE_LEVELS", "STORED_MASSES", "curves_of"]

RELATIVE_LEVELS: FloatArray = np.concatenate(([0.0], np.geomspace(1e-2, 1e6, 49)))
STORED_MASSES: FloatArray = np.round(np.linspace(0.9, 0.999, 34), 3)


def curves_of(criteria: SampledCriteria, log_volume: float, n_rows: int) -> dict[str, Any]:
    """Return EM at the relative levels and MV at the masses, with standard errors.

    Errors come from the rows (binomial, at the best level set of each level) and from the
    replicates of the reference points.
    """
    levels = criteria.level_sets
    relative = LevelSets(
        thresholds=levels.thresholds, mass=levels.mass, log_volume=levels.log_volume - log_volume
    )
    pair = pair_at(levels, STORED_MASSES)
    share = relative.volume
    points = np.nan_to_num(criteria.log_volume_error)
    em = excess_mass_curve(relative)(RELATIVE_LEVELS)
    best = best_pair(relative, RELATIVE_LEVELS)
    row_error = np.sqrt(levels.mass * (1.0 - levels.mass) / n_rows)
    em_error = np.hypot(row_error[best], RELATIVE_LEVELS * share[best] * points[best])
    reach = np.sqrt(STORED_MASSES * (1.0 - STORED_MASSES) / n_rows)
    mv = share[pair]
    outer = share[pair_at(levels, STORED_MASSES + reach)]
    inner = share[pair_at(levels, STORED_MASSES - reach)]
    mv_error = np.hypot((outer - inner) / 2.0, mv * points[pair])
    return {
        "em": _short(em),
        "em_error": _short(em_error),
        "mv": _short(mv),
        "mv_error": _short(mv_error),
    }


def _short(values: FloatArray) -> list[float]:
    # four digits: more than any plot shows
    return [float(f"{value:.4g}") for value in values]
