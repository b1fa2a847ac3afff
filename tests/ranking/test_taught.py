"""Answers teach the committee: new rows, the list and the verdict follow."""

import json

import numpy as np
import pandas as pd
import polars as pl
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


def test_answers_tell_how_many_rows_are_odd_and_which(ranking):
    taught = asked(ranking, 30, lambda row: row in ODD)
    count, chances = taught.odd_row_count, taught.row_chances
    n_yes = sum(answer is True for answer in taught.answers.values())
    assert n_yes <= count.low <= len(ODD) <= count.high
    assert chances.shape == (400,)
    assert {chances[row] for row, answer in taught.answers.items() if answer} == {1.0}
    left = np.setdiff1d(np.arange(400), list(taught.answers))
    assert chances[left][np.isin(left, ODD)].mean() > 5.0 * chances[left][left >= len(ODD)].mean()
    frame = taught.odd_rows().frame()
    assert list(frame)[:4] == ["oddness", "chance", "steady", "reasons"]
    np.testing.assert_array_equal(frame["chance"].sort_index(), chances)
    assert f"between {count.low} and {count.high}" in str(taught.odd_rows()).replace("\n", " ")


def test_answers_by_tosses_of_a_coin_are_called_so(ranking):
    told = 0
    for seed in range(4):
        tossed = np.random.default_rng(seed)
        taught = asked(ranking, 40, lambda _, tossed=tossed: bool(tossed.random() < 0.5))
        told += "no better than tosses of a coin" in taught.verdict
        assert max(taught.chances.values()) < 0.5
    assert told >= 2  # 17 in 20 on the tables of the study
    meant = asked(ranking, 40, lambda row: row in ODD)
    assert "tosses of a coin" not in meant.verdict


def test_further_answers_change_little_once_enough_is_known(ranking):
    few = asked(ranking, 4, lambda row: row in ODD)
    many = few.tell({row: row in ODD for row in few.ask(120)})
    assert many.expected_change().n_replaced < 4.0
    assert many.expected_change().n_replaced <= few.expected_change().n_replaced
    assert many.expected_change(5).n_answers == 5


def test_columns_of_the_table_are_no_answers():
    frame = pd.DataFrame(rows(), columns=["answer", "reasons", "row", "x"])
    questions = rank_detectors("fast", frame, random_state=0).ask(3)
    shown = questions.frame()
    assert list(shown)[:3] == ["answer", "found_odd_by", "reasons"]
    assert list(shown)[3:] == ["answer_", "reasons_", "row", "x"]
    assert shown["answer"].isna().all()


def test_when_all_rows_are_answered_there_are_no_questions():
    small = rank_detectors("fast", rows(n_rows=60), random_state=0)
    done = small.tell({row: row in ODD for row in range(60)})
    assert len(done.ask(3)) == len(done.ask(3).frame()) == 0
    assert "Is this row odd" in done.ask(3)._repr_html_()
    assert done.tell(done.ask(3).frame()).answers == done.answers
    assert done.odd_row_count.low == done.odd_row_count.high == len(ODD)
    assert "24 rows are odd" in done.odd_rows().verdict


def test_numbers_of_an_index_are_never_taken_for_row_numbers():
    numbers = pd.Index([np.int64(k) for k in range(1, 401)], dtype=object)
    for index in (numbers, pd.Index(np.arange(1.0, 401.0))):
        frame = pd.DataFrame(rows(), index=index, columns=list("abcd"))
        given = rank_detectors("fast", frame, random_state=0)
        with pytest.raises(InvalidParameterError, match="row number or a label"):
            given.tell({37: True})
        assert given.tell({37: True}, by="index").answers == {36: True}
    with pytest.raises(InvalidParameterError, match="is no row"):
        given.tell({True: True}, by="row")


def test_a_shuffled_column_of_labels_is_refused(ranking):
    labels = pd.Series(gapped()).sample(frac=1.0, random_state=0)
    with pytest.raises(InvalidParameterError, match="in another order"):
        ranking.tell(labels, asked=False)
    by_row = ranking.tell(labels, asked=False, by="row")
    assert by_row.answers == ranking.tell(gapped(), asked=False).answers


def test_a_taught_committee_is_not_fitted(ranking):
    taught = ranking.tell({0: True}).committee
    with pytest.raises(InvalidParameterError, match="cannot be fitted"):
        taught.fit(rows())


def test_before_the_first_answer_nothing_is_estimated(ranking):
    for known in (ranking, ranking.tell({3: True}, asked=False)):
        with pytest.raises(InvalidDataError, match=r"Call ranking\.ask\(\)"):
            _ = known.odd_row_count
        assert known.odd_rows().chances is None
        assert known.to_dict()["odd_row_count"] is None


def gapped(odd=(0, 1, 2), ordinary=(30, 31), n_rows=400):
    """A column of labels with gaps."""
    labels = np.full(n_rows, np.nan)
    labels[list(odd)], labels[list(ordinary)] = 1.0, 0.0
    return labels


def test_known_labels_teach_as_answers_do(ranking):
    known = ranking.tell(gapped(), asked=False)
    answers = {0: True, 1: True, 2: True, 30: False, 31: False}
    told = ranking.tell(answers)
    np.testing.assert_array_equal(known.odd_rows().oddness, told.odd_rows().oddness)
    assert known.chances == told.chances
    assert (known.answers, known.asked_answers) == (answers, {})
    assert (told.answers, told.asked_answers) == (answers, answers)


def test_rows_without_a_label_stay_open_to_be_asked(ranking):
    first = list(ranking.ask(3))
    labels = pd.Series([None] * 400, dtype=object)
    labels[[0, first[0]]] = [True, False]
    told = ranking.tell(labels, asked=False)
    assert told.answers == {0: True, first[0]: False}
    everything = set(told.ask(400))
    assert everything == set(range(400)) - {0, first[0]}


def test_known_labels_come_in_every_form(ranking):
    expected = ranking.tell(gapped(), asked=False).answers
    texts = {1.0: "yes", 0.0: "no"}
    as_list = [texts.get(label) for label in gapped().tolist()]
    for labels in (
        as_list,
        tuple(as_list),
        np.ma.masked_invalid(gapped()),
        np.ma.masked_array(np.nan_to_num(gapped()).astype(int), np.isnan(gapped())),
        gapped().astype(np.float32),
        pd.Series(gapped()),
        pd.Series(gapped()).astype("boolean"),
        pd.Series(as_list, dtype="string").fillna(""),
        pl.Series(as_list),
        pd.DataFrame({"answer": gapped()}),
        dict(enumerate(as_list)),
        {7: None, **expected},
    ):
        assert ranking.tell(labels, asked=False).answers == expected


def test_labels_of_a_series_follow_its_index(labelled):
    labels = pd.Series([True, pd.NA, False], index=["key 3", "key 9", "key 5"], dtype="boolean")
    assert labelled.tell(labels, asked=False).answers == {3: True, 5: False}


def test_a_row_is_asked_or_known_as_it_was_told_last(ranking):
    known = ranking.tell({0: True, 1: True}, asked=False)
    asked = known.tell({0: False, 1: None})
    assert asked.asked_answers == {0: False, 1: None}
    again = asked.tell({0: True}, asked=False)
    assert (again.answers, again.asked_answers) == ({0: True, 1: None}, {1: None})


def cases():
    """A second group of odd rows, none of which is in the table, and ordinary ones."""
    random = np.random.default_rng(5)
    odd = random.normal([2.2, 2.2, 0.0, 0.0], 0.3, size=(6, 4))
    return np.concatenate([odd, random.normal(size=(6, 4))]), np.arange(12) < 6


def test_known_cases_teach_what_is_odd(ranking):
    X, odd = cases()
    told = ranking.tell(odd, rows=X)
    labels = np.isin(np.arange(400), ODD)
    before, after = (roc_auc_score(labels, each.odd_rows().oddness) for each in (ranking, told))
    assert after > before + 0.02
    new = [roc_auc_score(labels, -each.score_samples(rows(seed=7))) for each in (ranking, told)]
    assert new[1] > new[0] + 0.02
    assert told.best == max(told.chances, key=told.chances.get)
    assert told.answers == {}
    assert set(told.ask(400)) == set(range(400))


def test_a_row_like_a_known_case_says_so():
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[:3] = [6.0, 6.0, 6.0] + 0.05 * X[:3]
    X[3:6] = [-6.0, -6.0, 6.0] + 0.05 * X[3:6]
    ranking = rank_detectors("fast", X, random_state=0)
    odd = ranking.tell({0: True}).tell([True], rows=X[3:4] + 0.01).odd_rows()
    assert "like row 0, which you called odd" in odd.why(1)
    assert "like a known case, which you called odd" in odd.why(4)


def test_the_order_in_which_cases_are_told_does_not_matter(ranking):
    X, odd = cases()
    together = ranking.tell(odd, rows=X)
    shuffled = np.random.default_rng(0).permutation(12)
    for other in (
        ranking.tell(odd[shuffled], rows=X[shuffled]),
        ranking.tell(odd[:5], rows=X[:5]).tell(odd[5:], rows=X[5:]),
        ranking.tell(odd[5:], rows=X[5:]).tell(odd[:5], rows=X[:5]),
        ranking.tell([*odd, None], rows=[*X, np.full(4, 9.0)]),  # a gap is no label
    ):
        np.testing.assert_allclose(other.odd_rows().oddness, together.odd_rows().oddness, rtol=1e-9)
        np.testing.assert_allclose(
            other.score_samples(rows(3)), together.score_samples(rows(3)), rtol=1e-9
        )
        assert list(other.ask(5)) == list(together.ask(5))
    mixed = ranking.tell({0: True}).tell(odd, rows=X), together.tell({0: True})
    np.testing.assert_array_equal(*(each.odd_rows().oddness for each in mixed))


def test_a_committee_that_knows_cases_is_stored_and_read_again(ranking, tmp_path):
    X, odd = cases()
    taught = ranking.tell({0: True, 30: False}).tell(odd, rows=X)
    path = str(tmp_path / "model.skops")
    model = taught.committee
    model.random_state = None
    save_model(model, path)
    again = load_model(path, trusted=(), allow_pickle=False)
    np.testing.assert_allclose(again.score_samples(rows(9)), taught.score_samples(rows(9)))
    assert len(again.memory_["answers"]) == 14


def test_cases_may_hold_categories_and_gaps():
    frame = pd.DataFrame(rows(), columns=list("abcd")).assign(kind=["x", "y"] * 200)
    frame["flag"] = frame["a"] > 1.0
    frame.loc[50, "a"] = np.nan
    ranking = rank_detectors("fast", frame, random_state=0)
    some = frame.iloc[[0, 1, 50, 60, 70]].copy()
    some["b"] += 0.1
    some.loc[60, "kind"] = "z"
    labels = pd.Series([True, True, False, False, None], index=some.index)
    told = ranking.tell(labels, rows=some)
    assert len(told.teaching.cases) == 4
    assert np.isfinite(told.score_samples(frame)).all()
    shuffled = some.sample(frac=1.0, random_state=0)
    other = ranking.tell(labels.loc[shuffled.index], rows=shuffled)
    np.testing.assert_allclose(other.odd_rows().oddness, told.odd_rows().oddness, rtol=1e-9)


def test_known_labels_do_not_count_as_found_by_asking(ranking):
    answers = {0: True, 30: False, 31: False}
    asked = ranking.tell(answers)
    assert asked.teaching.asked_model is asked.teaching.model
    alone = asked.teaching.odd_row_count
    X, odd = cases()
    with_cases = asked.tell(odd, rows=X)
    assert with_cases.teaching.odd_row_count == alone
    known = with_cases.tell(dict.fromkeys(range(1, 12), True), asked=False)
    assert known.teaching.model.n_yes == 1 + 6 + 11
    np.testing.assert_array_equal(known.teaching.asked_model.answers, [True, False, False])
    left = known.teaching.odd_row_count
    assert 1.0 <= left.estimate < alone.estimate
    assert left.high <= alone.high


def test_only_rows_of_the_table_are_certain_where_detectors_are_compared(ranking):
    X, odd = cases()
    told = ranking.tell({0: True, 30: False}).tell(odd, rows=X)
    assert sum(told.chances.values()) == pytest.approx(1.0)
    assert len(told.teaching.model.answers) == 14
    assert told.teaching.agreement.n_yes == 7


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        ([True] * 399, {"asked": False}, "399 labels for the 400 rows of the ranking"),
        ("yes", {"asked": False}, "one label for each row of the ranking.*Got str"),
        ([[True]] * 400, {"asked": False}, "must be yes or no"),
        (np.ones((400, 1)), {"asked": False}, "one label for each row of the ranking"),
        (["fraud"] * 400, {"asked": False}, "row 0 of the ranking must be yes or no"),
        ([True] * 400, {}, "go with asked=False"),
        ({0: True}, {"asked": "no"}, "'asked' parameter of tell"),
        ([True], {"rows": rows()[:2]}, "1 labels for the 2 rows of 'rows'"),
        ({0: True}, {"rows": rows()[:1]}, "one label for each row of 'rows'"),
        ([True], {"rows": rows()[:1], "by": "row"}, "'by' parameter of tell is about rows of the"),
        ([True], {"rows": rows()[:1, :3]}, "has 4 features but rows has 3"),
        ([True], {"rows": [[1.0, 2.0, 3.0, np.nan]]}, "ranked table holds numbers without gaps"),
        (
            pd.Series([True, False], index=[1, 0]),
            {"rows": pd.DataFrame(rows()[:2])},
            "in another order",
        ),
    ],
)
def test_bad_known_labels_get_a_sentence(ranking, labels, options, sentence):
    with pytest.raises((InvalidParameterError, InvalidDataError), match=sentence):
        ranking.tell(labels, **options)


def test_so_many_labels_are_for_a_classifier(ranking, monkeypatch):
    monkeypatch.setattr("oddrank.ranking.taught.MOST_LABELS", 10)
    told = ranking.tell(gapped(), asked=False).tell({50: None})
    X, odd = cases()
    assert len(told.tell(odd[:5], rows=X[:5]).teaching.model.answers) == 10
    with pytest.raises(InvalidDataError, match="17 answers and labels are too many"):
        told.tell(odd, rows=X)
    with pytest.raises(InvalidDataError, match="supervised classifier"):
        told.tell(dict.fromkeys(range(100, 106), False))


def test_the_verdict_tells_answers_labels_and_cases_apart(ranking):
    X, odd = cases()
    told = ranking.tell(gapped(), asked=False)
    assert "taught by 5 known labels, 3 of them odd (" in told.verdict
    told = told.tell({50: False, 51: False, 52: None})
    assert "by 2 answers, none of them yes, and 5 known labels, 3 of them odd (" in told.verdict
    assert "None of the" not in told.verdict
    told = told.tell(odd, rows=X)
    assert "5 known labels, 3 of them odd, and 12 known cases, 6 of them odd (" in told.verdict
    assert "your answers and known labels" in told.verdict
    for nothing in (ranking.tell([None] * 400, asked=False), ranking.tell([None], rows=X[:1])):
        assert "taught by" not in nothing.verdict
        assert nothing.answers == {}
    noes = ranking.tell(gapped(odd=()), asked=False)
    assert "None of the known rows is odd" in noes.verdict
    assert "None of the 1 row that you answered" in noes.tell({50: False}).verdict


def test_known_labels_are_counted_apart_and_not_saved_as_answers(ranking, tmp_path):
    X, odd = cases()
    told = ranking.tell(gapped(), asked=False).tell(odd, rows=X).tell({50: True, 51: None})
    found = told.to_dict()
    assert (found["n_answers"], found["n_called_odd"]) == (2, 1)
    assert (found["n_known_labels"], found["n_known_labels_odd"]) == (5, 3)
    assert (found["n_known_cases"], found["n_known_cases_odd"]) == (12, 6)
    told.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    form = page.partition('id="answers-form">')[2].partition("</script>")[0]
    assert json.loads(form)["answers"] == [[50, "yes"], [51, "cannot say"]]
