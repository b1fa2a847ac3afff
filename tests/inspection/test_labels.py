"""Labels beside the verdict."""

import numpy as np
import pytest

from oddrank import check_against_labels
from oddrank.errors import InvalidDataError
from oddrank.inspection import anomaly_labels
from tests.small_ranking import Fails, small_ranking


def test_areas_agree_with_the_definition():
    ranking = small_ranking()
    rows = ranking.refit.rows
    scores = ranking.score_samples(rows)
    odd = scores <= np.sort(scores)[20]  # the winner is right about all of them
    check = check_against_labels(ranking, rows, odd)
    assert check.roc_areas[ranking.best] == 1.0
    assert check.precision_recall_areas[ranking.best] == 1.0
    assert check.best == ranking.best
    assert check.agrees
    assert "also best by ROC area (1.000)" in check.sentence


def test_labels_may_disagree():
    ranking = small_ranking()
    worst = ranking.order[-1]
    rows = ranking.refit.rows
    scores = ranking.refit.fitted(worst).score(rows)
    check = check_against_labels(ranking, rows, scores <= np.sort(scores)[20])
    assert check.best == worst
    assert check.agrees == (worst in ranking.groups()[0])
    assert "disagree" in check.sentence or "cannot separate" in check.sentence


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
    ],
)
def test_which_rows_are_anomalies(values, anomaly, expected):
    assert anomaly_labels(np.array(values), anomaly).astype(int).tolist() == expected


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
