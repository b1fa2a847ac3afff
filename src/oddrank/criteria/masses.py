"""How far towards 1 masses reach with a number of rows: the one place that knows."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from oddrank._validation import check_mass_range

__all__ = ["check_masses", "masses_for", "rows_needed"]

# The paper's masses, and lower upper ends for fewer rows.
LOWER = 0.9
UPPER = (0.999, 0.99)
LOWEST_UPPER = 0.95


def rows_needed(mass: float) -> int:
    """Return how many rows a mass needs so that at least one row lies beyond it.

    Examples
    --------
    >>> rows_needed(0.999)
    1000
    """
    return int(np.ceil(round(1.0 / (1.0 - mass), 6))) if mass < 1.0 else sys.maxsize


def masses_for(n_rows: int) -> tuple[float, float]:
    """Return the masses between which volumes are measured, as wide as this many rows allow.

    Examples
    --------
    >>> masses_for(5000), masses_for(300), masses_for(40)
    ((0.9, 0.999), (0.9, 0.99), (0.9, 0.95))
    """
    reached = [mass for mass in UPPER if n_rows >= rows_needed(mass)]
    return LOWER, reached[0] if reached else LOWEST_UPPER


def check_masses(mass_range: Any, n_rows: int, owner: str) -> tuple[float, float]:
    """Return the masses that were given, or those that suit the number of rows."""
    if isinstance(mass_range, str) and mass_range == "auto":
        return masses_for(n_rows)
    return check_mass_range(mass_range, "mass_range", owner)
