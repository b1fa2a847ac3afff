"""Estimates, their errors, and the errors of comparisons."""

import numpy as np
import pytest

from oddrank import Estimate, evaluate_scores
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, SampledCriterion
from oddrank.reference import UniformBox

MILLION = 1_000_000


def _criterion(value, points, rows, criterion=MASS_VOLUME):
    points, rows = np.asarray(points, dtype=float), np.asarray(rows, dtype=float)
    return SampledCriterion.of_replicates(criterion, value, points, rows)


def test_jackknife_error_of_a_mean_is_the_textbook_one():
    values = np.array([9.0, 10.0, 12.0, 11.0])
    without = [np.delete(values, i).mean() for i in range(4)]
    estimate = _criterion(values.mean(), without, [values.mean()] * 10).estimate(0.95)
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) / 2, rel=2e-3)
    assert estimate.value == pytest.approx(values.mean())
    low, high = estimate.interval
    assert 0 < low < estimate.value < high


def test_bias_of_a_maximum_is_removed_at_cube_root_rate():
    truth, n_replicates = 5.0, 8
    bias = 0.1  # of the logarithm, with all points; n^(-2/3) otherwise
    fewer = truth * np.exp(bias * (n_replicates / (n_replicates - 1)) ** (2 / 3))
    halved = truth * np.exp(bias)
    points = _criterion(truth * np.exp(bias), [fewer] * 8, [halved] * 10, EXCESS_MASS)
    assert points.estimate(0.95).value == pytest.approx(truth)
    rows = _criterion(
        truth * np.exp(bias), [halved] * 8, [truth * np.exp(bias * 2 ** (2 / 3))] * 10, EXCESS_MASS
    )
    assert rows.estimate(0.95).value == pytest.approx(truth)


def test_what_moves_both_alike_cancels_in_a_comparison():
    random = np.random.default_rng(0)
    points, rows = 1 + 0.05 * random.normal(size=8), 1 + 0.2 * random.normal(size=100)
    first, second = _criterion(2.0, 2 * points, 2 * rows), _criterion(1.0, points, rows)
    ratio = first.log_ratio(second, 0.95)
    assert ratio.value == pytest.approx(np.log(2.0))
    assert ratio.standard_error == pytest.approx(0.0, abs=1e-12)
    assert first.estimate(0.95).standard_error > 0.1


def test_unresolved_is_visible_and_not_a_number():
    estimate = _criterion(1.0, [1.0, np.nan], [1.0, 1.0]).estimate(0.95)
    assert not estimate.resolved
    assert str(estimate) == "unresolved"
    assert estimate.to_dict()["value"] is None
    other = _criterion(1.0, [1.0, 1.0], [1.0, 1.0])
    assert not other.log_ratio(_criterion(1.0, [1.0, np.nan], [1.0, 1.0]), 0.95).resolved


def test_estimate_prints_its_error():
    estimate = Estimate(value=2.0, standard_error=0.1, interval=(1.8, 2.2))
    assert str(estimate) == "2 ± 0.1 [1.8, 2.2]"
    assert estimate.relative_error == pytest.approx(0.05)
    assert estimate.to_dict() == {"value": 2.0, "standard_error": 0.1, "interval": [1.8, 2.2]}


def test_reported_errors_match_the_spread_over_repetitions():
    values, errors = [], []
    for seed in range(60):
        X = np.random.default_rng(seed).normal(size=(800, 2))
        evaluation = evaluate_scores(
            lambda X: -(X**2).sum(axis=1),
            X,
            mass_range=(0.9, 0.99),
            reference=UniformBox(n_points=256, n_replicates=4),
            random_state=seed,
        )
        estimates = (evaluation.excess_mass, evaluation.mass_volume)
        values.append([np.log(estimate.value) for estimate in estimates])
        errors.append([estimate.relative_error for estimate in estimates])
    spread, reported = np.std(values, axis=0, ddof=1), np.sqrt(np.mean(np.square(errors), axis=0))
    # the spread of 60 repetitions is itself known to about 1 / sqrt(120)
    np.testing.assert_allclose(spread / reported, 1.0, atol=3 / np.sqrt(120))
