"""Both curves on hand-made tables, and EM where it has no value."""

import warnings

import numpy as np
import pytest

from oddrank import excess_mass_curve, level_sets, mass_volume_curve
from oddrank.curves import (
    excess_mass_area,
    excess_mass_areas,
    mass_volume_area,
    mass_volume_areas,
)
from oddrank.errors import InvalidParameterError, UnresolvedWarning


@pytest.fixture
def levels():
    # masses 0.5, 1 with volumes 0.25, 0.75 of a box of volume 4
    return level_sets([3.0, 1.0], [4.0, 2.0, 1.5, 0.0], log_volume=np.log(4.0))


def test_mass_volume_is_a_step_function(levels):
    curve = mass_volume_curve(levels)
    np.testing.assert_allclose(curve([0.1, 0.5, 0.50001, 1.0]), [1.0, 1.0, 3.0, 3.0])
    assert curve.area(0.4, 0.6) == pytest.approx(0.1 * 1.0 + 0.1 * 3.0)


def test_excess_mass_is_the_envelope_of_two_lines(levels):
    curve = excess_mass_curve(levels)
    np.testing.assert_allclose(curve.breakpoints, [0.25, 0.5])
    np.testing.assert_allclose(curve([0.0, 0.1, 0.25, 0.4, 0.5, 9.0]), [1, 0.7, 0.25, 0.1, 0, 0])
    assert curve.inverse(0.7) == pytest.approx(0.1)
    assert curve.area(0.7) == pytest.approx(0.1 * 0.85)
    assert curve.area(0.1) == pytest.approx(0.25 * 0.625 + 0.15 * 0.175)


def test_pairs_below_the_hull_do_not_matter():
    # the middle pair lies below the line from (0, 0) to the last one
    curve = excess_mass_curve(level_sets([3.0, 2.0, 1.0], [5.0, 5.0, 5.0, 0.0]))
    assert len(curve.breakpoints) == 1


def test_excess_mass_without_a_volume_is_unresolved_and_says_so():
    curve = excess_mass_curve(level_sets([2.0] * 19 + [0.0], [1.0, 1.0]))
    assert not curve.resolves(0.9)
    assert curve.resolves(0.96)
    for question in (curve.area, curve.inverse, curve.log_area):
        with pytest.warns(UnresolvedWarning, match=r"mass 0\.95 holds no reference point"):
            assert np.isnan(question(0.9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert curve.area(0.96) == pytest.approx(0.04 * 0.98)


def test_no_volume_at_all():
    levels = level_sets([2.0, 1.0], [0.0])
    assert mass_volume_curve(levels).area(0.1, 0.9) == 0.0
    assert not excess_mass_curve(levels).resolves(0.9)
    assert excess_mass_curve(levels)(3.0) == 1.0


@pytest.mark.parametrize("mass", [0.0, 1.1, [0.5, -1.0]])
def test_masses_outside_the_range_are_refused(levels, mass):
    with pytest.raises(InvalidParameterError, match="masses in the range"):
        mass_volume_curve(levels)(mass)


def test_negative_levels_are_refused(levels):
    with pytest.raises(InvalidParameterError, match="levels t >= 0"):
        excess_mass_curve(levels)(-1.0)


@pytest.mark.parametrize("log_volume", [5000.0, 700.0, 0.0, -700.0, -5000.0])
def test_excess_mass_at_zero_is_all_of_the_mass_whatever_the_volume(log_volume):
    curve = excess_mass_curve(level_sets([3.0, 1.0], [4.0, 2.0, 0.0], log_volume=log_volume))
    assert curve(0.0) == 1.0
    np.testing.assert_array_equal(curve([0.0, 0.0]), [1.0, 1.0])
    assert 0.0 <= curve(1.0) <= 1.0


@pytest.mark.parametrize("n_pairs", [1, 3, 60])
def test_areas_of_many_masses_are_those_of_each(n_pairs):
    random = np.random.default_rng(n_pairs)
    volume = np.sort(random.random(n_pairs))
    if n_pairs == 3:
        volume[0] = 0.0  # where it holds the floor, a row is unresolved
    masses = random.beta(5.0, 1.0, size=(40, n_pairs))
    masses[:5, 0], masses[:, -1] = 0.9, 1.0  # exactly the floor, and always everything
    masses.sort(axis=1)
    excess, under = (
        excess_mass_areas(masses, volume, 0.9),
        mass_volume_areas(masses, volume, 0.9, 0.99),
    )
    np.testing.assert_allclose(excess, [excess_mass_area(each, volume, 0.9) for each in masses])
    one_by_one = [mass_volume_area(each, volume, 0.9, 0.99) for each in masses]
    np.testing.assert_allclose(under, one_by_one, atol=1e-15)
    assert np.isnan(excess).any() == (n_pairs == 3)
