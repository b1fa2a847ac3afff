"""Means over fits and their errors: a slow second computation, and a simulated null."""

import numpy as np
import pytest
from scipy.stats import t as student

from oddrank.criteria import AREA_PRIOR, FitPrior, combine_fits


def test_the_formula_step_by_step():
    values, variances = np.array([0.10, 0.14, 0.09]), np.array([1e-4, 2e-4, 3e-4])
    prior = FitPrior(freedom=5.0, scale=4.0, floor=2e-5)
    explained = (1e-4 + 2e-4 + 3e-4) / 3
    mean = (0.10 + 0.14 + 0.09) / 3
    seen = ((0.10 - mean) ** 2 + (0.14 - mean) ** 2 + (0.09 - mean) ** 2) / 2
    moderated = (5 * (4 * explained + 2e-5) + 2 * seen) / 7
    value, error, freedom = combine_fits(values, variances, prior)
    assert value == pytest.approx(mean)
    assert freedom == 7
    assert error**2 == pytest.approx(explained / 3 + (moderated - explained) / 2)


def test_the_error_is_never_below_what_rows_and_points_explain():
    weak = FitPrior(freedom=5.0, scale=0.0, floor=0.0)
    _, error, _ = combine_fits(np.array([1.0, 1.0]), np.array([0.02, 0.02]), weak)
    assert error == pytest.approx(np.sqrt(0.02 / 2))


def test_one_fit_has_its_own_error_and_no_other():
    value, error, freedom = combine_fits(np.array([0.3]), np.array([0.04]))
    assert (value, error, freedom) == (0.3, 0.2, np.inf)


@pytest.mark.parametrize("extra", [0.0, 1.0, 3.0])
def test_equal_figures_are_told_apart_in_at_most_5_percent_where_the_prior_is_wide_enough(extra):
    """Fits differ by `extra` times what rows explain: up to the prior's 3 the level is kept."""
    random, n_runs, explained = np.random.default_rng(7), 4000, 1e-3
    spread = np.sqrt(explained * (1.0 + extra))
    apart = 0
    for _ in range(n_runs):
        values = random.normal(0.0, spread, 2)
        value, error, freedom = combine_fits(values, np.full(2, explained), AREA_PRIOR)
        apart += 2.0 * student.sf(abs(value) / error, freedom) < 0.05
    rate, error_of_rate = apart / n_runs, np.sqrt(0.05 * 0.95 / n_runs)
    assert rate <= 0.05 + 3.0 * error_of_rate


def test_a_clear_difference_is_seen():
    value, error, freedom = combine_fits(np.array([0.1, 0.11]), np.full(2, 1e-5))
    assert 2.0 * student.sf(value / error, freedom) < 1e-4
