"""The choice of a search, on tables made by hand."""

import numpy as np
import pytest

from oddrank.search.rounds import RoundScores, kept_after, shares_of_rounds, survivors
from oddrank.search.selection import paired_deficits, select, shared_means

NAN = np.nan
LAST = np.zeros(3, dtype=int)


def chosen(scores, rounds=LAST, simplicity=(0, 1, 2), **options):
    options = {"test_per_train": 0.25, "confidence_level": 0.95, **options}
    seconds = np.array(options.pop("seconds", np.zeros(len(scores))))
    return select(np.array(scores), np.array(rounds), list(simplicity), seconds, **options)


def seen_in_a_round(scores, failures=None):
    times = np.zeros(scores.shape)
    return RoundScores(
        scores=scores,
        failures=failures or {},
        n_scored=1,
        fit_seconds=times,
        score_seconds=times,
    )


def test_errors_count_the_overlap_of_splits():
    scores = np.array([[3.0, 5.0, 4.0, 4.0], [2.0, 2.0, 2.0, 3.0]])
    deficits, errors = paired_deficits(scores, 0, 0.25)
    differences = np.array([1.0, 3.0, 2.0, 1.0])
    assert deficits[1] == differences.mean()
    # Nadeau and Bengio (2003): 1/4 + 1/4 instead of 1/4
    assert errors[1] == pytest.approx(np.sqrt(0.5 * differences.var(ddof=1)))
    assert errors[1] == pytest.approx(np.sqrt(2.0) * differences.std(ddof=1) / 2.0)


def test_paired_differences_separate_what_moves_together():
    # Splits differ by far more than candidates, but candidates differ in the same way in each.
    splits = np.array([0.0, 10.0, -10.0, 5.0, 3.0])
    small = np.array([0.0, 0.01, -0.01, 0.02, 0.0])
    selection = chosen([splits, splits - 1.0 + small, splits - 0.001 + small])
    assert selection.top in (0, 2)
    assert selection.inseparable == (0, 2)
    assert selection.ranks[1] == 3


def test_the_simplest_is_within_one_error_not_only_inseparable():
    noise = np.array([0.5, -0.5, 0.4, -0.4])
    behind = np.zeros(4) - 0.5 + noise  # more than one error behind, less than three
    selection = chosen([behind, np.zeros(4), np.zeros(4) - 0.01 + noise])
    assert selection.inseparable == (0, 1, 2)
    assert selection.simplest == 1
    assert chosen([behind, np.zeros(4), noise - 0.01], simplicity=(2, 0, 1)).simplest == 2


def test_the_cheapest_is_the_fastest_within_one_error():
    noise = np.array([0.5, -0.5, 0.4, -0.4])
    behind = np.zeros(4) - 0.5 + noise
    scores = [behind, np.zeros(4), np.zeros(4) - 0.01 + noise]
    assert chosen(scores, seconds=[1.0, 3.0, 2.0]).cheapest == 2
    assert chosen(scores, seconds=[1.0, 2.0, 3.0]).cheapest == 1
    assert chosen(scores, seconds=[0.0, np.nan, 3.0]).cheapest == 2


def test_equal_candidates_share_their_rank():
    selection = chosen(np.ones((3, 4)))
    assert selection.ranks.tolist() == [1, 1, 1]
    assert selection.inseparable == (0, 1, 2)
    assert selection.simplest == 0


def test_means_are_over_splits_in_which_all_are_resolved():
    means, shared = shared_means(np.array([[1.0, 2.0, 9.0, 3.0], [1.0, 1.0, NAN, 1.0]]))
    assert shared.tolist() == [True, True, False, True]
    assert means.tolist() == [2.0, 1.0]
    means, shared = shared_means(np.array([[1.0, 2.0, 9.0, 3.0], [1.0, NAN, NAN, NAN]]))
    assert shared.all()
    assert means[0] == 3.75
    assert np.isnan(means[1])


def test_candidates_of_earlier_rounds_rank_later_and_are_not_chosen():
    scores = [[9.0, 9.0], [1.0, 2.0], [0.0, 1.0]]
    selection = chosen(scores, rounds=[0, 1, 1])
    assert selection.top == 1
    assert selection.ranks.tolist() == [3, 1, 2]
    assert 0 not in selection.inseparable
    assert np.isnan(selection.deficits[0])


def test_unresolved_candidates_go_on_and_failed_ones_do_not():
    scores = np.array([[1.0, 1.0], [2.0, 2.0], [NAN, NAN], [NAN, NAN]])
    seen = seen_in_a_round(scores, failures={3: "broken"})
    assert survivors(seen, 1, 1, 0.25).tolist() == [1, 2]


def test_candidates_go_on_unless_they_are_clearly_behind_or_too_many():
    noise = np.array([0.3, -0.3, 0.2, -0.2])
    scores = np.array([np.zeros(4), -0.1 + noise, -0.2 + noise, -5.0 + noise, -0.15 + noise])
    seen = seen_in_a_round(scores)
    assert survivors(seen, 1, 5, 0.25).tolist() == [0, 1, 2, 4]  # the fourth is far behind
    assert survivors(seen, 1, 3, 0.25).tolist() == [0, 1, 4]  # and of the others the three best
    assert survivors(seen, 5, 5, 0.25).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_candidates", [12, 30, 100])
def test_rounds_cost_less_than_a_third_of_the_grid(n_candidates):
    shares = shares_of_rounds(n_candidates)
    most = [n_candidates, *(kept_after(i, 3, n_candidates)[1] for i in range(2))]
    assert 3.0 * np.dot(shares, most) < n_candidates


@pytest.mark.parametrize(
    ("n_candidates", "shares"),
    [(1, [1.0]), (3, [0.25, 1.0]), (12, [0.0625, 0.25, 1.0]), (100, [0.0625, 0.25, 1.0])],
)
def test_rounds(n_candidates, shares):
    assert shares_of_rounds(n_candidates) == shares
