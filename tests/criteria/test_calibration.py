"""Tail probabilities and thresholds from held-out scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddrank.criteria import ScoreTail

SCORES = np.random.default_rng(0).normal(size=400)


def test_rows_are_counted_above_the_border():
    tail = ScoreTail.of(SCORES)
    for score in np.quantile(SCORES, [0.51, 0.7, 0.9]):
        counted = (1 + (score >= SCORES).sum()) / 401
        assert np.exp(tail.log_probability(np.array([score])))[0] == pytest.approx(counted)


def test_exponential_scores_have_their_own_tail():
    """Scores that are minus exponential: the probability of a lower one is exp(-oddness)."""
    oddness = np.random.default_rng(1).exponential(size=20_000)
    tail = ScoreTail.of(-oddness)
    wanted = np.array([4.0, 6.0, 8.0])
    assert tail.log_probability(-wanted) == pytest.approx(-wanted, rel=0.06)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30, unique=True))
def test_lower_scores_are_never_more_likely(values):
    scores = np.sort(np.array(values))
    found = ScoreTail.of(SCORES).log_probability(scores)
    assert (np.diff(found) >= -1e-12).all()


def test_scores_beyond_all_others_keep_their_order_and_are_bounded():
    tail = ScoreTail.of(SCORES)
    far = tail.log_probability(np.array([-1e10, -100.0, -50.0, -10.0, -np.inf]))
    assert far[4] <= far[0] <= far[1] < far[2] < far[3]
    assert far.min() >= -np.log(401) - 3.0


def test_constant_and_few_scores_are_counted():
    assert np.isfinite(ScoreTail.of(np.zeros(50)).log_probability(np.array([-1.0, 0.0]))).all()
    assert np.isfinite(ScoreTail.of(np.array([1.0, 2.0])).log_probability(np.array([0.0]))).all()


def test_own_scores_are_compared_with_the_others_alone():
    """The tail without one score, computed again from the others."""
    scores = np.random.default_rng(2).normal(size=60)
    ordered = np.sort(scores)
    found = ScoreTail.of(scores).log_probability_of_own()
    alone = np.array([
        ScoreTail.of(np.delete(ordered, place)).log_probability(ordered[place : place + 1])[0]
        for place in range(60)
    ])  # fmt: skip
    # the median moves by less than a rank when one score is left out
    np.testing.assert_allclose(found, alone, atol=0.12)
    above = ordered > np.quantile(scores, 0.55)
    np.testing.assert_allclose(found[above], alone[above], atol=1e-12)
