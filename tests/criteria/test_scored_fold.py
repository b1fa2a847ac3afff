"""What a fit says can be stored without pickle; criteria of counts are those of scores."""

import numpy as np
import pytest

from oddrank.criteria import (
    CriteriaOptions,
    FailedFold,
    ScoredFold,
    counted_criteria,
    fit_criteria,
    share_tied,
)
from oddrank.reference import ScoredPoints


def points(random, n_replicates=4, n_points=400, *, weighted):
    weights = -np.log(n_points) + 0.5 * random.normal(size=(n_replicates, n_points))
    return ScoredPoints(
        scores=tuple(random.normal(-1.0, 2.0, size=(n_replicates, n_points))),
        log_weights=tuple(weights) if weighted else (),
        movement=0.5,
    )


@pytest.mark.parametrize("weighted", [True, False])
def test_everything_is_the_same_after_a_file(weighted, tmp_path):
    random = np.random.default_rng(0)
    fold = ScoredFold(
        row_scores=random.normal(size=30),
        points={name: points(random, weighted=weighted) for name in ("one", "two, with a comma")},
        log_volume=1.5,
        common_scores=random.normal(size=(2, 5)),
        fit_seconds=0.25,
        seconds=0.5,
    )
    np.savez(tmp_path / "fold.npz", **fold.to_arrays())
    with np.load(tmp_path / "fold.npz", allow_pickle=False) as arrays:
        again = ScoredFold.from_arrays(dict(arrays))
    np.testing.assert_array_equal(again.row_scores, fold.row_scores)
    np.testing.assert_array_equal(again.common_scores, fold.common_scores)
    assert list(again.points) == list(fold.points)
    for name, each in fold.points.items():
        np.testing.assert_equal(again.points[name].scores, each.scores)
        np.testing.assert_equal(again.points[name].log_weights, each.log_weights)
        assert again.points[name].movement == each.movement
    assert (again.log_volume, again.fit_seconds, again.seconds) == (1.5, 0.25, 0.5)


def test_a_failure_has_a_reason_and_nothing_to_store():
    failed = FailedFold(failure="it could not be fitted")
    assert failed.failure
    assert not failed.to_arrays()
    assert ScoredFold(row_scores=np.zeros(2), points={}).failure == ""


@pytest.mark.parametrize("weighted", [True, False])
def test_counts_of_chunks_give_the_criteria_that_scores_give(weighted):
    random = np.random.default_rng(1)
    scores, reference = random.normal(size=5000).round(3), points(random, weighted=weighted)
    options = CriteriaOptions()
    at_once = fit_criteria(
        scores, reference, log_volume=2.0, options=options, random=np.random.default_rng(0)
    )
    counted = counted_criteria(
        np.array_split(scores, 7),
        reference,
        log_volume=2.0,
        options=options,
        share_tied=share_tied(scores),
        random=np.random.default_rng(0),
    )
    for criterion, expected in at_once.criteria.items():
        found = counted.criteria[criterion]
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_allclose(found.leave_one_out, expected.leave_one_out, rtol=1e-12)
        # halves are others: their spread is the same up to its own error
        assert np.log(found.half_values).std() == pytest.approx(
            np.log(expected.half_values).std(), rel=0.5
        )
    assert counted.inside_floor == at_once.inside_floor


def test_the_error_of_counted_rows_is_the_spread_over_samples():
    values, errors = [], []
    reference = points(np.random.default_rng(0), weighted=False)
    for seed in range(60):
        random = np.random.default_rng(seed + 1)
        found = counted_criteria(
            [random.normal(size=500) for _ in range(4)],
            reference,
            log_volume=0.0,
            options=CriteriaOptions(),
            share_tied=0.0,
            random=random,
        ).criteria
        volumes = [each for criterion, each in found.items() if criterion.name == "mass_volume"]
        values.append(volumes[0].log_value)
        errors.append(np.log(volumes[0].half_values).std(ddof=1))
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(values, ddof=1)
    assert 0.7 < ratio < 1.4
