"""The fast path against a double loop written from equations 3 and 4."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oddrank import excess_mass_curve, level_sets, mass_volume_curve
from oddrank.curves.excess_mass import excess_mass_area
from tests import oracles

SCORES = st.one_of(
    st.integers(-3, 3).map(float),  # many ties
    st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False),
)


@st.composite
def problems(draw):
    data = draw(arrays(float, st.integers(1, 25), elements=SCORES))
    reference = draw(arrays(float, st.integers(1, 25), elements=SCORES))
    weights = draw(
        st.one_of(
            st.just(np.full(len(reference), 1 / len(reference))),
            arrays(float, len(reference), elements=st.floats(1e-3, 2.0)),
        )
    )
    return data, reference, weights


@given(problems(), st.floats(0.05, 0.6), st.floats(0.61, 1.0))
def test_mass_volume_area(problem, lower, upper):
    data, reference, weights = problem
    pairs = oracles.slow_pairs(data, reference, weights)
    curve = mass_volume_curve(level_sets(data, reference, log_weights=np.log(weights)))
    expected = oracles.slow_mass_volume_area(pairs, lower, upper)
    assert curve.area(lower, upper) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    for mass in (lower, upper):
        expected = oracles.slow_mass_volume(pairs, mass)
        assert curve(mass) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(problems(), st.floats(0.3, 0.97), st.floats(0.0, 100.0))
def test_excess_mass_area(problem, floor, t):
    data, reference, weights = problem
    pairs = oracles.slow_pairs(data, reference, weights)
    curve = excess_mass_curve(level_sets(data, reference, log_weights=np.log(weights)))
    expected = oracles.slow_excess_mass_area(pairs, floor)
    assert curve(t) == pytest.approx(oracles.slow_excess_mass(pairs, t), rel=1e-12, abs=1e-12)
    assert curve.resolves(floor) == (expected is not None)
    fast = excess_mass_area(*(np.array(each) for each in zip(*pairs, strict=True)), floor)
    if expected is None:
        assert np.isnan(fast)
    else:
        assert curve.area(floor) == pytest.approx(expected, rel=1e-12)
        assert fast == pytest.approx(expected, rel=1e-12)
