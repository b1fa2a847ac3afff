"""Averages over draws of features: the textbook's errors, pairs, and what is left out."""

from dataclasses import replace

import numpy as np
import pytest

from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, DrawnCriterion


def _criterion(values, aggregation="mean", halves=None, criterion=MASS_VOLUME):
    """A criterion without an error of the rows, unless halves are given."""
    values = np.asarray(values, dtype=float)
    plain = DrawnCriterion(
        values=values,
        on_fewer_points=values,
        points_share=0.5,
        on_halves=np.column_stack([values] * 10) if halves is None else halves,
        criterion=criterion,
        aggregation=aggregation,
        shared=np.ones(len(values), dtype=bool),
    )
    return replace(plain, shared=plain.in_draws)


def test_mean_and_its_textbook_error():
    values = 100 + np.array([1.0, -2.0, 3.0, 0.0, -2.0])
    estimate = _criterion(values).estimate(0.95)
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(5), rel=1e-3)


def test_geometric_average():
    estimate = _criterion([1.0, 4.0, 16.0], "geometric").estimate(0.95)
    assert estimate.value == pytest.approx(4.0)
    error = np.std(np.log([1.0, 4.0, 16.0]), ddof=1) / np.sqrt(3)
    assert estimate.standard_error == pytest.approx(4.0 * error)


@pytest.mark.parametrize("aggregation", ["mean", "geometric"])
def test_what_moves_both_alike_cancels(aggregation):
    values = np.random.default_rng(0).lognormal(size=30)
    ratio = _criterion(3 * values, aggregation).log_ratio(_criterion(values, aggregation), 0.95)
    assert ratio.value == pytest.approx(np.log(3.0))
    assert ratio.standard_error == pytest.approx(0.0, abs=1e-7)


def test_degrees_of_freedom_are_those_of_the_draws_where_only_they_matter():
    random = np.random.default_rng(0)
    first, second = _criterion(random.lognormal(size=30)), _criterion(random.lognormal(size=30))
    assert first.log_ratio(second, 0.95).degrees_of_freedom == pytest.approx(29)


@pytest.mark.parametrize("aggregation", ["mean", "geometric"])
def test_rows_that_all_draws_share_have_an_error_that_no_number_of_draws_removes(aggregation):
    random = np.random.default_rng(0)
    moved = 1 + 0.1 * random.normal(size=200)
    for n_draws in (20, 2000):
        values = np.full(n_draws, 3.0)
        criterion = _criterion(values, aggregation, halves=np.outer(values, moved))
        estimate = criterion.estimate(0.95)
        assert estimate.relative_error == pytest.approx(np.log(moved).std(ddof=1), rel=1e-6)


def test_bias_of_a_maximum_is_removed():
    values = np.full(10, 2.0 * np.exp(0.1))
    halves = np.full((10, 20), 2.0 * np.exp(0.1 * 2 ** (2 / 3)))
    criterion = _criterion(values, halves=halves, criterion=EXCESS_MASS)
    assert criterion.estimate(0.95).value == pytest.approx(2.0)
    assert np.exp(criterion.log_average) == pytest.approx(values[0])


def test_unresolved_draws_are_left_out_up_to_half_of_them():
    assert _criterion([1.0, np.nan, 3.0, 2.0]).estimate(0.95).value == pytest.approx(2.0)
    assert not _criterion([1.0, np.nan, np.nan, 0.0]).estimate(0.95).resolved
    unresolved = _criterion([np.nan] * 3)
    assert not unresolved.log_ratio(_criterion([1.0, 2.0, 3.0]), 0.95).resolved


def test_gain_is_the_average_over_all_less_that_over_the_others():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    drawn = np.array([False, False, True, True])
    gain = _criterion(values).gain_from(drawn, 0.95)
    assert gain.value == pytest.approx(np.log(2.5 / 1.5))
    without = [
        np.log(np.delete(values, i).mean() / values[:2][np.arange(2) != i].mean()) for i in range(4)
    ]
    assert gain.standard_error == pytest.approx(np.sqrt(3 * np.var(without)))
