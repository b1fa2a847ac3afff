"""Level sets from hand-made tables, and in parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oddrank import count_level_sets, excess_mass_curve, level_sets, mass_volume_curve
from oddrank.errors import InvalidParameterError


def test_hand_made_table():
    levels = level_sets([3.0, 2.0, 2.0, 1.0], [2.5, 2.0, 1.5, 0.5], log_volume=np.log(8.0))
    np.testing.assert_array_equal(levels.thresholds, [3.0, 2.0, 1.0])
    np.testing.assert_array_equal(levels.mass, [0.25, 0.75, 1.0])
    np.testing.assert_allclose(levels.volume, [0.0, 4.0, 6.0])
    assert len(levels) == 3
    assert "3 level sets" in str(levels)


def test_ties_count_on_both_sides():
    levels = level_sets([1.0, 1.0], [1.0, 0.0])
    np.testing.assert_array_equal(levels.mass, [1.0])
    np.testing.assert_array_equal(levels.volume, [0.5])


def test_weights_are_shares_of_the_volume():
    log_weights = np.log([0.5, 0.3, 0.2])
    levels = level_sets([2.0, 1.0], [2.5, 1.5, 0.5], log_weights=log_weights)
    np.testing.assert_allclose(levels.volume, [0.5, 0.8])


def test_many_features_neither_overflow_nor_underflow():
    levels = level_sets([2.0, 1.0], [1.5, 0.5], log_volume=2000.0)
    assert levels.log_volume[1] == pytest.approx(2000.0 + np.log(0.5))
    assert mass_volume_curve(levels).log_area(0.4, 1.0) == pytest.approx(2000.0 + np.log(0.25))
    tiny = level_sets([2.0, 1.0], [2.5, 1.5], log_volume=-2000.0)
    assert excess_mass_curve(tiny).log_area(0.5) > 1990.0


def test_infinite_scores_have_their_place():
    levels = level_sets([np.inf, 0.0, -np.inf], [1.0, 0.0, -np.inf])
    np.testing.assert_allclose(levels.volume, [0.0, 2 / 3, 1.0])


scores = st.integers(-5, 5).map(float)


@given(
    data=arrays(float, st.integers(1, 40), elements=scores),
    reference=arrays(float, st.integers(1, 40), elements=scores),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    seed=st.integers(0, 99),
)
def test_chunks_merge_to_the_same_curves(data, reference, cuts, seed):
    log_weights = np.log(np.random.default_rng(seed).dirichlet(np.ones(len(reference))))
    options = {"log_volume": 1.5, "log_weights": log_weights}
    at_once = level_sets(data, reference, **options)
    chunks = [
        chunk for chunk in np.split(data, sorted(min(c, len(data)) for c in cuts)) if len(chunk)
    ]
    parts = [count_level_sets(chunk, reference, **options) for chunk in chunks]
    merged = sum(parts[1:], parts[0])
    assert merged.n_rows == len(data)
    levels = merged.level_sets()
    area, expected = (mass_volume_curve(each).area(0.2, 0.95) for each in (levels, at_once))
    assert area == pytest.approx(expected, rel=1e-12, abs=1e-300)
    curve, at_once_curve = excess_mass_curve(levels), excess_mass_curve(at_once)
    assert curve.resolves(0.5) == at_once_curve.resolves(0.5)
    if curve.resolves(0.5):
        assert curve.area(0.5) == pytest.approx(at_once_curve.area(0.5), rel=1e-12)


@pytest.mark.parametrize("log_volume", [np.nan, np.inf, -np.inf, "0", None, True])
@pytest.mark.parametrize("make", [level_sets, count_level_sets])
def test_volumes_that_are_not_finite_are_refused(make, log_volume):
    with pytest.raises(InvalidParameterError) as caught:
        make([1.0, 2.0], [0.5], log_volume=log_volume)
    assert str(caught.value) == (
        f"The 'log_volume' parameter of {make.__name__} must be a finite number. "
        f"Got {log_volume!r} instead."
    )
