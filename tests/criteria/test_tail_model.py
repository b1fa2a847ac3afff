"""How far ordinary rows reach: a model of the tail, and when it is not believed."""

import numpy as np
import pytest
from scipy.stats import genpareto

from oddrank.criteria import model_tail
from oddrank.criteria.tail_model import _log_survival


def exponential(seed, n_rows=1000):
    return np.random.default_rng(seed).exponential(size=n_rows)


def test_p_values_of_a_known_tail():
    found = [model_tail(exponential(seed), 0.1) for seed in range(20)]
    for level in (0.1, 0.01):
        shares = [(tail.p_values <= level).mean() for tail in found]
        assert np.mean(shares) == pytest.approx(level, rel=0.25)


def test_nothing_stands_out_where_nothing_is_odd():
    flagged = [model_tail(exponential(seed), 0.1).flagged.any() for seed in range(40)]
    assert np.mean(flagged) <= 0.25


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
def test_planted_rows_stand_out(share):
    powers, false = [], []
    for seed in range(10):
        n_odd = int(1000 * share)
        oddness = np.r_[exponential(seed), 15.0 + exponential(seed + 100, n_odd)]
        flagged = model_tail(oddness, 0.1).flagged
        powers.append(flagged[1000:].mean())
        false.append(flagged[:1000].sum() / max(1, flagged.sum()))
    assert np.mean(powers) > 0.8
    assert np.mean(false) < 0.2


@pytest.mark.parametrize("shape", [-0.2, 0.0, 0.2])
def test_tails_of_other_shapes(shape):
    oddness = genpareto.rvs(shape, size=2000, random_state=0)
    tail = model_tail(oddness, 0.1)
    assert not tail.problem
    assert (tail.p_values <= 0.01).mean() == pytest.approx(0.01, abs=0.008)


LARGE = 200_000
LAWS = {
    "Gaussian": lambda random: random.normal(size=LARGE),
    "exponential": lambda random: random.exponential(size=LARGE),
    "gamma": lambda random: random.gamma(5.0, size=LARGE),
    "beta": lambda random: random.beta(2.0, 5.0, size=LARGE),
    "log-normal": lambda random: np.exp(random.normal(size=LARGE)),
}


@pytest.mark.parametrize("law", LAWS)
def test_large_tables_have_a_model_that_flags_what_is_odd_and_little_else(law):
    """Enough rows show that no law is exactly the model's, and reach beyond a light tail."""
    false, found, problems = [], [], 0
    for seed in range(4):
        oddness = LAWS[law](np.random.default_rng(seed))
        alone = model_tail(oddness, 0.1)
        planted = 2.0 * oddness.max() - np.median(oddness) + np.arange(20)
        both = model_tail(np.r_[oddness, planted], 0.1)
        problems += bool(alone.problem) + bool(both.problem)
        false.append(alone.flagged.sum())
        found.append(both.flagged[LARGE:].mean())
    assert problems == 0
    assert max(false) <= 2
    assert np.mean(found) > 0.9


def test_units_do_not_matter():
    oddness = exponential(0)
    first, second = model_tail(oddness, 0.1), model_tail(1e6 * oddness - 3e7, 0.1)
    assert first.p_values == pytest.approx(second.p_values, rel=1e-3)


def test_a_tail_that_does_not_follow_the_model_flags_nothing():
    coarse = np.round(8.0 * exponential(0)) / 8.0
    tail = model_tail(np.r_[coarse, [500.0]], 0.1)
    assert "does not fit these scores" in tail.problem
    assert not tail.flagged.any()
    assert np.isnan(tail.p_values).all()


def test_lumps_where_the_tail_should_be_flag_nothing():
    lumps = [4.0 + 0.01 * exponential(1, 150), 9.0 + 0.01 * exponential(2, 150)]
    tail = model_tail(np.r_[exponential(0, 700), *lumps, [500.0]], 0.1)
    assert "of the rows would stand out" in tail.problem
    assert not tail.flagged.any()


def test_too_few_rows_or_values_flag_nothing():
    assert "50 rows are too few" in model_tail(exponential(0, 50), 0.1).problem
    assert "share the same score" in model_tail(np.r_[np.zeros(400), np.ones(200)], 0.1).problem


def test_adjusted_p_values_are_those_of_benjamini_and_hochberg():
    tail = model_tail(np.r_[exponential(0), [30.0, 31.0]], 0.1)
    order = np.argsort(tail.p_values)
    n_rows = len(order)
    by_hand = np.minimum.accumulate(
        (n_rows / np.arange(n_rows, 0, -1)) * tail.p_values[order][::-1]
    )
    assert tail.adjusted_p_values[order][::-1] == pytest.approx(np.minimum(by_hand, 1.0))


@pytest.mark.parametrize("far", [1e10, 1e200, 1e308])
def test_rows_beyond_all_measure_raise_no_warning(far):
    oddness = exponential(0)
    oddness[:3] = far
    tail = model_tail(oddness, 0.1)
    assert tail.flagged[:3].all()
    assert _log_survival(np.array([far]), 1e-200, 0.0)[0] == -np.inf or far < 1e200


def test_rows_that_repeat_are_said_and_not_modelled():
    random = np.random.default_rng(0)
    for share in (0.01, 0.05, 0.1):
        oddness = np.where(random.random(1000) < share, random.exponential(size=1000), 0.0)
        tail = model_tail(oddness, 0.1)
        assert "share the same score" in tail.problem
        assert not tail.flagged.any()
