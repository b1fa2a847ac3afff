"""Criteria that look at the set of one mass."""

import numpy as np
import pytest
from scipy.special import gamma
from scipy.stats import chi2

from oddrank import excess_mass_curve, level_sets
from oddrank.search.options import criteria_around, gaussian_excess_mass


@pytest.mark.parametrize("d", [1, 2, 5, 8])
@pytest.mark.parametrize("mass", [0.5, 0.9, 0.95, 0.99])
def test_excess_mass_of_a_gaussian_in_closed_form(d, mass):
    squared_radius = chi2.ppf(mass, d)
    volume = np.pi ** (d / 2) / gamma(d / 2 + 1) * squared_radius ** (d / 2)
    border = np.exp(-squared_radius / 2) / (2 * np.pi) ** (d / 2)
    assert gaussian_excess_mass(mass, d) == pytest.approx(mass - border * volume)


def test_the_curve_of_a_gaussian_falls_to_its_floor_at_the_level_of_the_target_mass():
    random = np.random.default_rng(0)
    n_rows, mass, half_width = 100_000, 0.95, 5.0
    rows = random.normal(size=(n_rows, 2))
    grid = (np.arange(1000) + 0.5) / 1000 * 2 * half_width - half_width
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    curve = excess_mass_curve(
        level_sets(
            -(rows**2).sum(axis=1),
            -(points**2).sum(axis=1),
            log_volume=2.0 * np.log(2.0 * half_width),
        )
    )
    level = curve.inverse(gaussian_excess_mass(mass, 2))
    # the density at the border of the set of mass 0.95
    assert level == pytest.approx((1.0 - mass) / (2.0 * np.pi), rel=0.03)


def test_what_is_asked_for_is_taken():
    around = criteria_around(0.95, 2, None, None, "a search")
    assert around.mass_range == pytest.approx((0.925, 0.975))
    assert around.excess_mass_floor == pytest.approx(0.8002, abs=1e-4)
    given = criteria_around(0.95, 2, (0.9, 0.999), 0.9, "a search")
    assert given.mass_range == (0.9, 0.999)
    assert given.excess_mass_floor == 0.9
    for mass in (0.01, 0.5, 0.999):
        for d in (1, 2, 30):
            assert 0.0 < criteria_around(mass, d, None, None, "a search").excess_mass_floor < mass
