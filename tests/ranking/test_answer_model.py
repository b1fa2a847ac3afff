"""What answers teach: facts with made rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oddrank.ranking.answer_findings import (
    agreement_with_answers,
    estimate_odd_rows,
    odd_probability,
)
from oddrank.ranking.answer_model import AnswerModel, Describer, RowDescription, learn
from oddrank.ranking.questions import expected_change, next_questions

N_ROWS, N_PLANTED = 300, 15


@pytest.fixture(scope="module")
def table() -> np.ndarray[Any, Any]:
    random = np.random.default_rng(0)
    rows = random.normal(size=(N_ROWS, 3))
    # a cluster that the committee below does not see: it lies between the others
    rows[:N_PLANTED] = random.normal([1.5, -1.5, 1.5], 0.15, size=(N_PLANTED, 3))
    return rows


@pytest.fixture(scope="module")
def described(table: np.ndarray[Any, Any]) -> RowDescription:
    return _described(table)


def _described(table: np.ndarray[Any, Any]) -> RowDescription:
    radius = np.sqrt((table**2).sum(axis=1))
    votes = np.column_stack([radius, np.abs(table[:, 0]), -radius])
    return Describer.fit(table, seed=0).describe(table, votes=votes, oddness=2.0 * radius)


def _planted_first(model: AnswerModel, described: RowDescription) -> int:
    first = np.argsort(-model.oddness(described))[:N_PLANTED]
    return int((first < N_PLANTED).sum())


def test_a_planted_cluster_is_found_by_few_answers(described: RowDescription) -> None:
    before = learn(described.rows([]), [])
    after = learn(described.rows([0, 1, 2, 50, 60]), [True, True, True, False, False])
    assert _planted_first(before, described) < N_PLANTED // 2
    assert _planted_first(after, described) >= N_PLANTED - 2


def test_without_answers_and_without_a_yes_the_order_is_the_committee_s(
    described: RowDescription,
) -> None:
    none = learn(described.rows([]), [])
    noes = learn(described.rows(range(20, 30)), [False] * 10)
    np.testing.assert_array_equal(none.oddness(described), described.oddness)
    np.testing.assert_array_equal(noes.oddness(described), described.oddness)


def test_noes_make_odd_rows_rarer(described: RowDescription) -> None:
    none = learn(described.rows([]), [])
    noes = learn(described.rows(range(20, 30)), [False] * 10)
    chances = [odd_probability(each, described).sum() for each in (none, noes)]
    assert chances[1] < chances[0]


def test_tosses_of_a_coin_are_not_trusted(described: RowDescription) -> None:
    random = np.random.default_rng(1)
    asked = random.permutation(N_ROWS)[:60]
    tossed = learn(described.rows(asked), random.random(60) < 0.5)
    meant = learn(described.rows(asked), asked < N_PLANTED)
    assert tossed.trust < 0.3
    assert meant.trust > 0.95


@pytest.mark.parametrize(
    "answers", [[True], [False], [True] * 5, [False] * 5, [True, False] * 3], ids=str
)
def test_any_answers_give_finite_scores(described: RowDescription, answers: list[bool]) -> None:
    model = learn(described.rows(np.arange(len(answers))), answers)
    mean, spread = model.log_odds_and_spread(described)
    assert np.isfinite(mean).all()
    assert (spread > 0.0).all()
    assert np.isfinite(model.oddness(described)).all()
    chances = odd_probability(model, described)
    assert (chances >= 0.0).all()
    assert (chances <= 1.0).all()


def test_contradicting_answers_about_one_row_cancel(described: RowDescription) -> None:
    both = learn(described.rows([0, 0]), [True, False])
    yes = learn(described.rows([0]), [True])
    row = described.rows([0])
    assert both.log_odds(row)[0] < yes.log_odds(row)[0]
    assert abs(both.log_odds(row)[0]) < 1.0


def test_fast_and_exact_log_odds_agree(described: RowDescription) -> None:
    model = learn(described.rows([0, 1, 40, 41]), [True, True, False, False])
    exact, _ = model.log_odds_and_spread(described)
    np.testing.assert_allclose(model.log_odds(described), exact, atol=1e-2)


def test_the_nearest_answer_is_of_the_same_kind(described: RowDescription) -> None:
    model = learn(described.rows([0, 50, 60]), [True, False, False])
    nearest = model.nearest_answer(described.rows([3, 50]))
    assert nearest.positions.tolist() == [0, 1]
    assert ((nearest.shares > 0.0) & (nearest.shares <= 1.0)).all()
    assert nearest.likeness[1] == pytest.approx(1.0)


def test_a_stored_model_is_the_same_model(described: RowDescription) -> None:
    model = learn(described.rows([0, 1, 50]), [True, True, False])
    again = AnswerModel.from_arrays(model.arrays())
    np.testing.assert_array_equal(again.oddness(described), model.oddness(described))


def test_the_order_of_rows_does_not_matter(table: np.ndarray[Any, Any]) -> None:
    shuffled = np.random.default_rng(3).permutation(N_ROWS)
    one, other = _described(table), _described(table[shuffled])
    np.testing.assert_allclose(other.features, one.features[shuffled])
    np.testing.assert_array_equal(other.leaves, one.leaves[shuffled])


def test_features_are_described_whatever_their_scale() -> None:
    random = np.random.default_rng(0)
    rows = np.column_stack(
        [random.lognormal(sigma=5.0, size=200), np.ones(200), np.arange(200) % 2]
    )
    describer = Describer.fit(rows, seed=0)
    new = describer.describe(np.array([[1e300, 2.0, 0.5], [-1e300, 1.0, -7.0]]))
    assert np.isfinite(new.features).all()
    assert np.abs(new.features).max() < 5.0


def test_questions_are_new_and_differ(described: RowDescription) -> None:
    model = learn(described.rows([]), [])
    asked = np.zeros(N_ROWS, dtype=bool)
    asked[100:] = True
    random = np.random.default_rng(0)
    chosen = next_questions(model, described, asked=asked, n_questions=10, random=random)
    assert len(set(chosen.tolist())) == 10
    assert not asked[chosen].any()
    # of the planted cluster, whose rows are alike, hardly more than one is asked at once
    assert (chosen < N_PLANTED).sum() <= 2
    everything = next_questions(model, described, asked=asked, n_questions=500, random=random)
    assert sorted(everything) == list(range(100))


def test_equal_rows_are_chosen_by_the_seed() -> None:
    described = _described(np.repeat([[0.0, 0.0], [3.0, 3.0]], 20, axis=0))
    model, asked = learn(described.rows([]), []), np.zeros(40, dtype=bool)

    def first(seed: int) -> int:
        random = np.random.default_rng(seed)
        return int(next_questions(model, described, asked=asked, random=random)[0])

    assert first(0) == first(0)
    assert len({first(seed) for seed in range(10)}) > 1


def test_chances_follow_answers_and_sum_to_one(described: RowDescription) -> None:
    # the second vote is the first feature's; the third is the opposite of the first
    far = np.argsort(-described.oddness)[:8]
    near = np.argsort(described.oddness)[:8]
    positions = np.concatenate([far, near])
    model = learn(described.rows(positions), np.arange(16) < 8)
    found = agreement_with_answers(model, described, positions=positions)
    assert found.chances.sum() == pytest.approx(1.0)
    assert np.argmax(found.chances) == 0
    assert found.how_sure(0, 2) > 0.8
    assert found.how_sure(0, 2) == pytest.approx(1.0 - found.how_sure(2, 0))


def test_without_a_yes_all_detectors_have_the_same_chance(described: RowDescription) -> None:
    model = learn(described.rows([40, 41]), [False, False])
    found = agreement_with_answers(model, described, positions=np.array([40, 41]))
    np.testing.assert_allclose(found.chances, 1.0 / 3.0)
    assert found.how_sure(0, 1) == 0.5


def test_the_number_of_odd_rows_counts_those_found(described: RowDescription) -> None:
    positions = np.arange(20)
    model = learn(described.rows(positions), positions < N_PLANTED)
    count = estimate_odd_rows(model, described, positions=positions)
    assert count.low >= N_PLANTED
    assert count.low <= count.estimate <= count.high <= N_ROWS - 5


def test_more_answers_change_less_once_the_cluster_is_known(described: RowDescription) -> None:
    few, many = np.array([0, 50]), np.concatenate([np.arange(12), np.arange(50, 80)])
    changes = []
    for positions in (few, many):
        model = learn(described.rows(positions), positions < N_PLANTED)
        asked = np.isin(np.arange(N_ROWS), positions)
        random = np.random.default_rng(0)
        changes.append(expected_change(model, described, asked=asked, random=random).n_replaced)
    assert changes[1] <= changes[0]
