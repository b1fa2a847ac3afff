"""Labels beside the verdict."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from oddrank import check_against_labels
from oddrank.errors import InvalidDataError, OddrankWarning
from oddrank.inspection import anomaly_labels
from oddrank.inspection.labels import _pr_lead, _precision_recall_areas, _roc_lead
from tests.small_ranking import DETECTORS, Fails, small_ranking


def test_areas_agree_with_the_definition():
    ranking = small_ranking()
    rows = ranking.refit.rows
    oddness = ranking.odd_rows().oddness
    odd = oddness >= np.sort(oddness)[-20]  # the committee is right about all of them
    check = check_against_labels(ranking, rows, odd)
    assert check.pick == "the committee"
    assert check.roc_areas[check.pick] == check.precision_recall_areas[check.pick] == 1.0
    roc, pr = check.places
    assert (roc.rank, pr.rank) == (1, 1)
    assert check.outcome == ("agree" if roc.is_clear or pr.is_clear else "cannot tell")
    assert "among 3 detectors, the committee is" in check.sentence
    new = check_against_labels(ranking, rows.rows(np.arange(0, 1200, 2)), odd[::2])
    assert new.roc_areas[new.pick] > 0.95


def test_labels_may_disagree():
    ranking = small_ranking()
    worst = ranking.order[-1]
    rows = ranking.refit.rows
    scores = ranking.refit.fitted(worst).score(rows)
    check = check_against_labels(ranking, rows, scores <= np.sort(scores)[60])
    assert check.best == worst
    roc, pr = check.places
    assert roc.lead.value == pytest.approx(check.roc_areas[check.pick] - 1.0)
    assert roc.rival == pr.rival == worst
    assert check.outcome == "disagree"
    assert check.sentence.startswith(f"Labels prefer {worst}: among 3 detectors, the committee is ")
    assert f"{roc.lead.value:+.3f}".replace("-", "−") in check.sentence


class _Random:
    """A detector whose scores have nothing to do with anything."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y=None):
        return self

    def score_samples(self, X):
        # digits far behind the point, the same for a row wherever it stands
        return np.modf(1e4 * np.sin(1e4 * (1 + self.seed) * np.asarray(X).sum(axis=1)))[0]


@pytest.fixture(scope="module")
def random_pool():
    pool = {f"random {seed}": _Random(seed) for seed in range(5)}
    return small_ranking(pool, orientation=dict.fromkeys(pool, "normality"))


def test_random_scores_are_not_told_apart_by_labels(random_pool):
    """The null test: of 40 random labellings few are called agreement or disagreement."""
    rows, random = random_pool.refit.rows, np.random.default_rng(0)
    outcomes = [
        check_against_labels(random_pool, rows, random.random(rows.n_rows) < 0.05).outcome
        for _ in range(40)
    ]
    # two areas are looked at, each at 5 %, and the rival is corrected for: at most 10 % each way
    assert sum(outcome != "cannot tell" for outcome in outcomes) <= 9, outcomes


def test_errors_of_areas_are_those_of_fresh_labels():
    """DeLong and the bootstrap against the spread over fresh samples."""
    random, found = np.random.default_rng(1), []
    for _ in range(200):
        truth = random.normal(size=400)
        odd = np.arange(400) < 40
        truth[odd] += 1.5
        scores = {name: truth + random.normal(0, 0.8, 400) for name in "ab"}
        ranks = {name: np.unique(each, return_inverse=True)[1] for name, each in scores.items()}
        leads = (_roc_lead(ranks, odd, "a", "b", 0.95), _pr_lead(ranks, odd, "a", "b", 0.95))
        found.append([(lead.value, lead.standard_error) for lead in leads])
    values, errors = np.moveaxis(np.array(found), 2, 0)
    for place in range(2):
        spread = values[:, place].std(ddof=1)
        # the spread over 200 samples is itself uncertain by 5 %
        assert np.sqrt((errors[:, place] ** 2).mean()) == pytest.approx(spread, rel=0.2)


@pytest.mark.parametrize("at_a_time", [1, 700, 10**6])
def test_areas_under_weights_are_those_of_scikit_learn(at_a_time, monkeypatch):
    monkeypatch.setattr("oddrank.inspection.labels._WEIGHTS_AT_A_TIME", at_a_time)
    random = np.random.default_rng(0)
    odd, ranks = random.random(80) < 0.2, random.integers(0, 30, 80)  # with ties
    weights = random.integers(0, 3, size=(20, 80)).astype(float)
    expected = [average_precision_score(odd, ranks, sample_weight=each) for each in weights]
    np.testing.assert_allclose(_precision_recall_areas(odd, ranks, weights), expected, rtol=1e-12)


def test_a_handful_of_labels_tells_nothing(random_pool):
    rows = random_pool.refit.rows
    check = check_against_labels(random_pool, rows, np.arange(rows.n_rows) < 3)
    assert check.outcome == "cannot tell"
    assert "±" not in check.sentence


def test_equal_areas_share_a_rank():
    same = {"one": _Random(1), "two": _Random(1)}
    ranking = small_ranking(same, orientation=dict.fromkeys(same, "normality"))
    rows = ranking.refit.rows
    check = check_against_labels(ranking, rows, np.arange(rows.n_rows) < 100)
    assert check.outcome == "cannot tell"
    assert len({round(check.roc_areas[name], 3) for name in same}) == 1


def test_one_detector_has_no_place():
    ranking = small_ranking({"one": DETECTORS["density"]})
    check = check_against_labels(ranking, ranking.refit.rows, np.arange(1200) < 100)
    assert check.places == ()
    assert "there is no other detector" in check.sentence


@pytest.mark.parametrize(
    ("values", "anomaly", "expected"),
    [
        ([0, 1, 1, 1], None, [0, 1, 1, 1]),
        ([0.0, 1.0, 0.0], None, [0, 1, 0]),
        (["False", "True", "True"], None, [0, 1, 1]),
        ([False, True, True], None, [0, 1, 1]),
        (["b", "b", "a"], None, [0, 0, 1]),
        (["x", "y", "z"], "y", [0, 1, 0]),
        ([1, 2, 3], "2", [0, 1, 0]),
        ([0.0, 1.0, np.nan], None, [0, 1, None]),
        (["yes", "", "no", "no"], None, [1, None, 0, 0]),
        (["yes", "NA", "no"], "yes", [1, None, 0]),
    ],
)
def test_which_rows_are_anomalies(values, anomaly, expected):
    found = anomaly_labels(np.array(values), anomaly).tolist()
    assert [None if value != value else value for value in found] == expected  # noqa: PLR0124


def test_rows_without_a_label_are_left_out():
    ranking = small_ranking()
    rows = ranking.refit.rows
    odd = np.arange(rows.n_rows) < 100
    known = np.arange(rows.n_rows) % 3 > 0
    expected = check_against_labels(ranking, rows.rows(np.flatnonzero(known)), odd[known])
    for labels in (
        np.where(known, odd, np.nan),
        np.where(known, odd.astype(object), None),
        pd.Series(odd, dtype="boolean").mask(~known),
        np.ma.masked_array(odd, ~known),
    ):
        with pytest.warns(OddrankWarning, match="400 of 1,200 rows have no label"):
            check = check_against_labels(ranking, rows, labels)
        assert {name: check.roc_areas[name] for name in DETECTORS} == {
            name: expected.roc_areas[name] for name in DETECTORS
        }
        # rows of the ranked table are judged by fits that have not seen them, gaps or not
        unseen = roc_auc_score(odd[known], ranking.odd_rows().oddness[known])
        assert check.roc_areas["the committee"] == pytest.approx(unseen)


def taught_ranking():
    """Rows 0 to 9 are called odd, and one case that is not in the table."""
    ranking = small_ranking()
    case = ranking.refit.rows.values[:1] + 0.5
    told = ranking.tell(dict.fromkeys(range(10), True)).tell({600: False, 601: None})
    return told.tell([True], rows=case), case


def test_rows_that_taught_the_committee_do_not_test_it():
    ranking, _ = taught_ranking()
    rows = ranking.refit.rows
    odd = np.arange(rows.n_rows) < 100
    with pytest.warns(OddrankWarning, match="11 of 1,200 rows with a label are left out"):
        check = check_against_labels(ranking, rows, odd)
    others = np.r_[10:600, 601:1200]  # "cannot say" is no label
    oddness = ranking.odd_rows().oddness
    assert check.roc_areas[check.pick] == pytest.approx(roc_auc_score(odd[others], oddness[others]))
    alone = rows.rows(others)
    assert check.roc_areas["density"] == pytest.approx(
        check_against_labels(ranking, alone, odd[others]).roc_areas["density"]
    )


def test_taught_rows_are_recognised_wherever_they_stand():
    ranking, case = taught_ranking()
    values = ranking.refit.rows.values
    rows = np.concatenate([values[[3, 20, 30, 900]], case, values[[1000, 600]]])
    with pytest.warns(OddrankWarning, match="3 of 7 rows with a label are left out"):
        check = check_against_labels(ranking, rows, [1, 1, 1, 0, 1, 0, 0])
    with pytest.warns(OddrankWarning, match="3 of 7"):
        other = check_against_labels(ranking, rows, [0, 1, 1, 0, 0, 0, 1])
    assert other.roc_areas == check.roc_areas  # labels of taught rows say nothing


def test_labels_that_all_taught_are_no_test():
    ranking, case = taught_ranking()
    values = ranking.refit.rows.values
    for rows, labels in (
        (np.concatenate([values[:10], values[900:950]]), np.arange(60) < 10),
        (np.concatenate([case, values[600:601]]), [True, False]),
    ):
        with pytest.raises(InvalidDataError, match="cannot test a committee that was taught"):
            check_against_labels(ranking, rows, labels)


def test_labels_of_another_form_are_refused():
    ranking = small_ranking()
    for labels in (np.where(np.arange(1200) < 50, -1, 1), np.where(np.arange(1200) < 50, 2, 0)):
        with pytest.raises(InvalidDataError, match="bool, or 0 and 1, where 1 marks an anomaly"):
            check_against_labels(ranking, ranking.refit.rows, labels)
    with pytest.raises(InvalidDataError, match=r"Got yes, no instead\."):
        check_against_labels(ranking, ranking.refit.rows, ["yes", *["no"] * 1199])
    with pytest.raises(InvalidDataError, match="give labels == -1"):
        check_against_labels(ranking, ranking.refit.rows, [-1, *[1] * 1199])


def test_unclear_labels_are_refused():
    with pytest.raises(InvalidDataError, match="3 distinct values"):
        anomaly_labels([1, 2, 3])
    with pytest.raises(InvalidDataError, match="labelled 'q'"):
        anomaly_labels([1, 2], "q")
    ranking = small_ranking()
    with pytest.raises(InvalidDataError, match="apart"):
        check_against_labels(ranking, ranking.refit.rows, np.zeros(1200))
    nothing = small_ranking({"broken": Fails()})
    odd = np.arange(1200) < 10
    with pytest.raises(InvalidDataError, match="nothing to hold"):
        check_against_labels(nothing, nothing.refit.rows, odd)
