"""A prior that the fits contradict loses its say, and its scale comes from their disagreement."""

import numpy as np
import pytest
from scipy.stats import t as student

from oddrank.criteria import COMPARED_PRIOR, FitPrior, combine_fits, variance_between_fits
from oddrank.criteria.fits import BETWEEN_MEASURES, BEYOND_CHANCE, REGIONS

PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2e-5)


def rate_of_equals(ratio, n_runs=4000, n_folds=2):
    """Tell how often equal figures are told apart; their spread is a multiple of the prior's."""
    random, explained = np.random.default_rng(3), 1e-3
    expected = PRIOR.scale * explained + PRIOR.floor
    apart = 0
    for values in random.normal(0.0, np.sqrt(ratio * expected), (n_runs, n_folds)):
        value, error, freedom = combine_fits(values, np.full(n_folds, explained), PRIOR)
        apart += 2.0 * student.sf(abs(value) / error, freedom) < 0.05
    return apart / n_runs


def test_a_contradicted_prior_step_by_step():
    values, variances = np.array([0.1, 0.5, 0.3]), np.full(3, 1e-3)
    expected, seen = 4.0 * 1e-3 + 2e-5, 0.04
    believed = 5.0 * 2.0 * expected / seen
    moderated = (believed * expected + 2.0 * seen) / (believed + 2.0)
    value, error, freedom = combine_fits(values, variances, PRIOR)
    assert value == pytest.approx(0.3)
    assert freedom == pytest.approx(believed + 2.0)
    assert error**2 == pytest.approx(1e-3 / 3 + (moderated - 1e-3) / 2)


def test_where_fits_differ_without_limit_a_plain_student_t_is_left():
    values = np.array([0.0, 1e6])
    value, error, freedom = combine_fits(values, np.full(2, 1e-3), PRIOR)
    assert freedom == pytest.approx(1.0)
    assert value / error == pytest.approx(1.0)


def test_equal_figures_whose_fits_differ_too_much_are_told_apart_less_and_less():
    """Two values alone cannot do better: points that all fits score are there for that."""
    rates = [rate_of_equals(ratio) for ratio in (1.0, 16.0, 1e5)]
    assert rates[0] <= 0.05
    assert rates[1] <= 0.26  # 0.35 if the prior kept its say
    assert rates[2] <= 0.06  # 0.5 if the prior kept its say


def test_more_folds_have_more_freedom():
    for n_folds in (2, 3, 5):
        values = np.linspace(0.0, 0.01, n_folds)
        *_, freedom = combine_fits(values, np.full(n_folds, 1e-3), PRIOR)
        assert freedom == PRIOR.freedom + n_folds - 1
    assert rate_of_equals(16.0, n_folds=5) < rate_of_equals(16.0) / 1.5


def test_what_fits_disagree_about_is_added():
    values, variances = np.array([0.1, 0.12]), np.full(2, 1e-4)
    _, without, _ = combine_fits(values, variances, COMPARED_PRIOR)
    _, error, freedom = combine_fits(values, variances, COMPARED_PRIOR, 1e-3)
    # the prior has 8 of 9 parts, and differences average out over two halves
    assert error**2 - without**2 == pytest.approx(8 / 9 * 1e-3 / 2)
    assert freedom == 9.0


def places_of(random, *, scatter=0.0, shift=0.0, n_measures=3, n_points=32):
    middle = random.uniform(0.2, 0.8, (n_measures, n_points))
    own = scatter * random.normal(size=(2, n_measures, n_points))
    return middle + own + shift * random.normal(size=(2, n_measures, 1))


def test_disagreement_by_a_double_loop():
    random = np.random.default_rng(0)
    places, chances = random.uniform(size=(3, 2, 4)), random.uniform(0.0, 1e-3, size=(3, 2))
    scattered, shifted = [], []
    for measure in range(2):
        for point in range(4):
            scattered.append(np.var([places[fit][measure][point] for fit in range(3)], ddof=1))
        shifted.append(np.var([np.mean(places[fit][measure]) for fit in range(3)], ddof=1))
    beyond = np.mean(shifted) - BEYOND_CHANCE * np.mean(chances)
    expected = (np.mean(scattered) / REGIONS + beyond) * (1.0 + BETWEEN_MEASURES) / 2.0
    assert beyond > 0.0
    assert variance_between_fits(places, chances) == pytest.approx(expected)


def test_what_moves_all_points_counts_in_full_and_single_regions_do_not():
    none = np.zeros((2, 1))
    of_one = {"n_measures": 1, "n_points": 4096}
    random = np.random.default_rng(0)
    regions = variance_between_fits(places_of(random, scatter=0.1, **of_one), none)
    assert regions == pytest.approx(0.01 / REGIONS, rel=0.1)
    together = [
        variance_between_fits(places_of(random, shift=0.1, **of_one), none) for _ in range(2000)
    ]
    assert np.mean(together) == pytest.approx(0.01 * (1.0 + 1.0 / REGIONS), rel=0.1)


def test_what_held_out_rows_explain_is_not_blamed_on_the_fits():
    random, n_rows = np.random.default_rng(0), 100
    found = []
    for _ in range(300):
        points = random.uniform(size=(3, 32))
        rows = random.uniform(size=(2, n_rows))  # the score is the value: fits agree
        places = np.array([[np.mean(each < point) for point in points.ravel()] for each in rows])
        shares = [[np.mean(of < each[:, None], axis=1) for of in points] for each in rows]
        chances = np.var(shares, axis=2, ddof=1) / n_rows
        found.append(variance_between_fits(places.reshape(2, 3, 32), chances))
    # small against the variance of an area, about 1 / (12 n)
    assert np.mean(found) < 0.1 / (12 * n_rows)


def test_what_changes_both_detectors_alike_cancels():
    random = np.random.default_rng(0)
    first = places_of(random, scatter=0.1, shift=0.1)
    assert variance_between_fits(first - first, np.zeros((2, 3))) == 0.0
