"""Which part of the two criteria speaks of the level set of one mass.

Over the paper's range the mass-volume area is that of all sets from 0.9 on, and most of it is the
volume of the outermost. Down to the paper's floor of 0.9 the excess-mass area sees outer sets only:
in the plane those of a Gaussian have a mass of at least 0.98 there. Who wants one set compares
sets near it (Thomas et al., 2016).
"""

from __future__ import annotations

from typing import Any

from scipy.stats import chi2

from oddrank.criteria import CriteriaOptions
from oddrank.evaluation_inputs import criteria_options

__all__ = ["criteria_around", "gaussian_excess_mass"]


def criteria_around(
    mass: float, n_features: int, mass_range: Any, excess_mass_floor: Any, owner: str
) -> CriteriaOptions:
    """Return the criteria that look at the target mass, unless others are asked for.

    The mass-volume area goes half of what the mass leaves out to either side, the excess-mass area
    to where the curve of a Gaussian reaches the set of that mass.
    """
    half = min(1.0 - mass, mass) / 2.0
    if mass_range is None:
        mass_range = (mass - half, mass + half)
    if excess_mass_floor is None:
        excess_mass_floor = gaussian_excess_mass(mass, n_features)
    return criteria_options(mass_range, excess_mass_floor, owner)


def gaussian_excess_mass(mass: float, n_features: int) -> float:
    """Return `EM(t) = mass - t · volume` at the level set of this mass of a Gaussian.

    With `x` the squared radius of the set, its density at the border times its volume is
    `exp(-x/2) (x/2)^(d/2) / Γ(d/2 + 1)`, that is `2x/d` times the density of a chi-squared of `d`
    degrees of freedom.

    Examples
    --------
    >>> round(gaussian_excess_mass(0.95, 2), 4)  # 0.95 - 0.05 log(1 / 0.05)
    0.8002
    >>> round(gaussian_excess_mass(0.95, 5), 4)
    0.8644
    """
    squared_radius = chi2.ppf(mass, n_features)
    density = chi2.pdf(squared_radius, n_features)
    return float(mass - 2.0 * squared_radius / n_features * density)
