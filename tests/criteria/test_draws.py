"""Averages over draws of features: the textbook's errors, pairs, and what is left out."""

import numpy as np
import pytest

from oddrank.criteria import (
    CRITERIA,
    EXCESS_MASS,
    MASS_VOLUME,
    SampledCriterion,
    average_draws,
    criteria_in_draws,
)


def single(value, halves=None, criterion=MASS_VOLUME, log_unit=0.0):
    """A criterion in one draw, without an error of the rows unless halves are given."""
    halves = np.full(10, value) if halves is None else halves
    return SampledCriterion.of_replicates(criterion, value, np.full(4, value), halves, log_unit)


def average(values, aggregation="mean", halves=None, criterion=MASS_VOLUME, chosen=None):
    rows = [None] * len(values) if halves is None else halves
    draws = [single(v, h, criterion) for v, h in zip(values, rows, strict=True)]
    shared = np.array([draw.resolved for draw in draws])
    return average_draws(draws, shared, aggregation, chosen)


def test_mean_and_its_textbook_error():
    values = 100 + np.array([1.0, -2.0, 3.0, 0.0, -2.0])
    estimate = average(values).estimate(0.95)
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(5), rel=1e-3)


def test_geometric_average():
    estimate = average([1.0, 4.0, 16.0], "geometric").estimate(0.95)
    assert estimate.value == pytest.approx(4.0)
    error = np.std(np.log([1.0, 4.0, 16.0]), ddof=1) / np.sqrt(3)
    assert estimate.standard_error == pytest.approx(4.0 * error)


def test_draws_in_other_units_are_brought_to_one():
    draws = [single(1.0, log_unit=np.log(2.0)), single(1.0, log_unit=np.log(6.0))]
    assert average_draws(draws, np.ones(2, dtype=bool), "mean").value == pytest.approx(4.0)


@pytest.mark.parametrize("aggregation", ["mean", "geometric"])
def test_what_moves_both_alike_cancels(aggregation):
    values = np.random.default_rng(0).lognormal(size=30)
    ratio = average(3 * values, aggregation).log_ratio(average(values, aggregation), 0.95)
    assert ratio.value == pytest.approx(np.log(3.0))
    assert ratio.standard_error == pytest.approx(0.0, abs=1e-7)


def test_degrees_of_freedom_are_those_of_the_draws_where_only_they_matter():
    random = np.random.default_rng(0)
    first, second = average(random.lognormal(size=30)), average(random.lognormal(size=30))
    assert first.log_ratio(second, 0.95).degrees_of_freedom == pytest.approx(29)


@pytest.mark.parametrize("aggregation", ["mean", "geometric"])
def test_rows_that_all_draws_share_have_an_error_that_no_number_of_draws_removes(aggregation):
    random = np.random.default_rng(0)
    moved = 1 + 0.1 * random.normal(size=200)
    for n_draws in (20, 2000):
        values = np.full(n_draws, 3.0)
        estimate = average(values, aggregation, halves=np.outer(values, moved)).estimate(0.95)
        assert estimate.relative_error == pytest.approx(np.log(moved).std(ddof=1), rel=1e-6)


def test_bias_of_a_maximum_is_removed():
    values = np.full(10, 2.0 * np.exp(0.1))
    halves = np.full((10, 20), 2.0 * np.exp(0.1 * 2 ** (2 / 3)))
    found = average(values, halves=halves, criterion=EXCESS_MASS)
    assert found.estimate(0.95).value == pytest.approx(2.0)
    assert found.value == pytest.approx(values[0])


def test_unresolved_draws_are_left_out_up_to_half_of_them():
    assert average([1.0, np.nan, 3.0, 2.0]).estimate(0.95).value == pytest.approx(2.0)
    assert not average([1.0, np.nan, np.nan, 0.0]).estimate(0.95).resolved
    assert not average([np.nan] * 3).log_ratio(average([1.0, 2.0, 3.0]), 0.95).resolved


def test_a_draw_counts_only_where_every_detector_is_resolved():
    found = criteria_in_draws(
        {
            "first": [dict.fromkeys(CRITERIA, single(v)) for v in (1.0, 2.0, 3.0)],
            "second": [dict.fromkeys(CRITERIA, single(v)) for v in (5.0, np.nan, 7.0)],
        },
        [(0, 1), (0, 2), (1, 2)],
        "mean",
    )
    assert found["first"].criteria[MASS_VOLUME].value == pytest.approx(2.0)
    assert found["second"].criteria[MASS_VOLUME].value == pytest.approx(6.0)
    assert found["first"].shared[MASS_VOLUME].tolist() == [True, False, True]


def test_a_choice_of_draws_is_compared_with_all_of_them():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    others = average(values, chosen=np.array([True, True, False, False]))
    gain = average(values).log_ratio(others, 0.95, corrected=False)
    assert gain.value == pytest.approx(np.log(2.5 / 1.5))
    without = [
        np.log(np.delete(values, i).mean() / values[:2][np.arange(2) != i].mean()) for i in range(4)
    ]
    assert gain.standard_error == pytest.approx(np.sqrt(3 * np.var(without)))
