"""Answers teach the committee: new rows, the list and the verdict follow."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from oddrank import rank_detectors
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io import load_model, save_model

ODD = np.arange(24)


def rows(seed=0, n_rows=400):
    """A group of odd rows near the others: detectors hardly see it."""
    X = np.random.default_rng(seed).normal(size=(n_rows, 4))
    X[ODD] = np.random.default_rng(seed + 1).normal([2.2, 2.2, 0.0, 0.0], 0.3, size=(24, 4))
    return X


@pytest.fixture(scope="module")
def ranking():
    return rank_detectors("fast", rows(), random_state=0)


def asked(ranking, n_questions, answer):
    for _ in range(n_questions):
        (question,) = ranking.ask(1)
        ranking = ranking.tell({question: answer(question)})
    return ranking


def test_answers_teach_the_committee_what_is_odd(ranking):
    taught = asked(ranking, 40, lambda row: row in ODD)
    fresh, labels = rows(seed=7), np.isin(np.arange(400), ODD)
    before, after = (
        roc_auc_score(labels, -each.score_samples(fresh)) for each in (ranking, taught)
    )
    assert after > max(before + 0.02, 0.95)
    assert set(taught.odd_rows().order[:15]) <= set(ODD)
    assert taught.committee.predict(fresh).shape == (400,)


def test_a_row_is_not_asked_twice_and_cannot_say_is_an_answer(ranking):
    first = list(ranking.ask(10))
    assert len(set(first)) == 10
    told = ranking.tell(dict.fromkeys(first))
    assert not set(told.ask(10)) & set(first)
    assert told.answers == dict.fromkeys(first)
    np.testing.assert_array_equal(told.odd_rows().oddness, ranking.odd_rows().oddness)


def test_noes_alone_leave_the_order_and_do_not_call_rows_clean(ranking):
    told = ranking.tell(dict.fromkeys(ranking.ask(10), False))
    np.testing.assert_array_equal(told.odd_rows().order, ranking.odd_rows().order)
    assert "None of the 10 rows that you answered is odd" in told.verdict
    assert "does not make the rows clean" in told.verdict


def test_telling_keeps_the_old_ranking_and_adds_up(ranking):
    once = ranking.tell({0: True})
    twice = once.tell({1: False})
    assert ranking.answers == {}
    assert once.answers == {0: True}
    assert twice.answers == {0: True, 1: False}
    assert twice.tell({0: False}).answers == {0: False, 1: False}
    together = ranking.tell({0: True, 1: False})
    np.testing.assert_allclose(together.odd_rows().oddness, twice.odd_rows().oddness)


def test_all_yes_is_a_result(ranking):
    told = ranking.tell(dict.fromkeys(ranking.ask(8), True))
    assert np.isfinite(told.score_samples(rows(3))).all()


def test_chances_sum_to_one_and_name_the_best(ranking):
    assert sum(ranking.chances.values()) == pytest.approx(1.0)
    taught = asked(ranking, 10, lambda row: row in ODD)
    assert sum(taught.chances.values()) == pytest.approx(1.0)
    assert taught.best == max(taught.chances, key=taught.chances.get)
    assert set(taught.chances) == set(ranking.order)
    first, second = ranking.order[:2]
    assert 0.0 < taught.how_sure(first, second).probability < 1.0


def test_questions_show_values_reasons_and_who_finds_them_odd(ranking):
    questions = ranking.ask(3)
    frame = questions.frame()
    assert list(frame.index) == list(questions)
    assert list(frame)[:3] == ["answer", "found_odd_by", "reasons"]
    assert list(frame)[3:] == ["x0", "x1", "x2", "x3"]
    assert "<td>" in questions._repr_html_()
    assert str(next(iter(questions))) in str(questions)


def test_the_same_seed_asks_the_same_questions():
    X = rows()
    first, second = (
        list(rank_detectors("fast", X, random_state=0, n_jobs=n).ask(5)) for n in (1, 2)
    )
    assert first == second
    shuffled = np.random.default_rng(0).permutation(len(X))
    other = rank_detectors("fast", X[shuffled], random_state=0).ask(5)
    assert [int(shuffled[place]) for place in other] == first


def test_a_row_like_an_answered_one_says_so():
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[:3] = [6.0, 6.0, 6.0] + 0.05 * X[:3]
    told = rank_detectors("fast", X, random_state=0).tell({0: True})
    assert told.odd_rows().why(0).startswith("you called it odd")
    assert "like row 0, which you called odd" in told.odd_rows().why(1)


@pytest.fixture(scope="module")
def labelled():
    frame = pd.DataFrame(rows(), index=[f"key {k}" for k in range(400)])
    return rank_detectors("fast", frame.rename(columns=str), random_state=0)


def test_answers_may_be_told_by_label_series_and_frame(labelled):
    expected = {3: True, 5: False}
    for answers in (
        {"key 3": True, "key 5": False},
        {3: True, 5: False},
        pd.Series({"key 3": True, "key 5": False}),
        pd.DataFrame({"answer": [True, False]}, index=["key 3", "key 5"]),
    ):
        assert labelled.tell(answers).answers == expected


def test_numbers_that_may_mean_two_rows_are_refused():
    frame = pd.DataFrame(rows()[::-1]).rename(columns=str)
    frame.index = np.arange(400)[::-1]
    ranking = rank_detectors("fast", frame, random_state=0)
    with pytest.raises(InvalidParameterError, match="may be a row number or a label"):
        ranking.tell({3: True})
    assert ranking.tell({3: True}, by="row").answers == {3: True}
    assert ranking.tell({3: True}, by="index").answers == {396: True}


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({400: True}, "There is no row 400"),
        ({"seven": True}, "There is no row 'seven'"),
        ({1: "maybe"}, "must be yes or no"),
        ([1, 2], "must be a mapping"),
        (pd.DataFrame({"said": [True]}), "a column 'answer'"),
    ],
)
def test_bad_answers_get_a_sentence(ranking, answers, sentence):
    with pytest.raises(InvalidParameterError, match=sentence):
        ranking.tell(answers)


def test_rows_that_were_not_ranked_on_cannot_be_asked():
    X = rows()
    with pytest.raises(InvalidDataError, match="Rank without X_test"):
        rank_detectors("fast", X[:300], X[300:], random_state=0).ask()


def test_frames_with_categories_and_gaps_can_be_taught():
    frame = pd.DataFrame(rows(), columns=list("abcd")).assign(kind=["x", "y"] * 200)
    frame.loc[50, "a"] = np.nan
    ranking = rank_detectors("fast", frame, random_state=0)
    taught = ranking.tell({row: row in ODD for row in ranking.ask(6)})
    assert np.isfinite(taught.committee.score_samples(frame)).all()


def test_a_taught_committee_is_stored_and_read_again(ranking, tmp_path):
    taught = ranking.tell({0: True, 1: True, 30: False})
    path = str(tmp_path / "model.skops")
    model = taught.committee
    model.random_state = None
    save_model(model, path)
    again = load_model(path, trusted=(), allow_pickle=False)
    fresh = rows(seed=9)
    np.testing.assert_allclose(again.score_samples(fresh), taught.score_samples(fresh))
    np.testing.assert_allclose(again.p_values(fresh), taught.p_values(fresh))


def test_json_page_and_screen_follow_answers(ranking, tmp_path):
    taught = ranking.tell({0: True, 1: False, 2: None})
    found = taught.to_dict()
    assert (found["n_answers"], found["n_called_odd"]) == (3, 1)
    assert "taught by 2 answers, 1 of them yes" in " ".join(str(taught).split())
    taught.to_html(tmp_path / "page.html")
    assert "taught by 2 answers" in (tmp_path / "page.html").read_text(encoding="utf-8")
