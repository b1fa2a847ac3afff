"""What a ranking says of itself: words, plain numbers, and the winner as a detector."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pyod.models.knn import KNN
from sklearn.neighbors import LocalOutlierFactor

from oddrank import (
    References,
    check_against_labels,
    excess_mass_curve,
    mass_volume_curve,
    rank_detectors,
)
from oddrank.errors import DetectorError, InvalidDataError, InvalidParameterError
from tests.planted import (
    BY_VOLUME,
    DEVIATIONS,
    TRUE,
    WRONG,
    FailingFit,
    FitWithoutLabels,
    NotCloneable,
    Plain,
    gaussian,
    planted_ranking,
)
from tests.quick_density import QuickDensity
from tests.small_ranking import DETECTORS, SMALL_VOLUMES, drawn_ranking, small_ranking


@pytest.fixture(scope="module")
def ranking():
    return planted_ranking(0)


def test_words(ranking):
    text = str(ranking)
    assert text.startswith("Look at these rows first:")
    assert "\nUse the committee of copy, true, wrong and random (ranking.committee)." in text
    words = " ".join(text.split())
    assert "copy describes these rows best, but cannot be told apart from true" in words
    assert "Whether that finds odd rows better, no table without labels can tell." in words
    setting = "2 fits of about 2,000 rows each, tested on 2,000 others; 2 features"
    assert setting in ranking.details.replace("\n", " ")
    assert ranking.letters == {"copy": "a", "true": "a", "wrong": "b", "random": "c"}
    assert "Same letter: cannot be told apart." in text
    assert max(map(len, text.splitlines())) <= 79
    assert "<table>" in ranking._repr_html_()
    assert "told apart" in str(ranking.comparisons[0])


@pytest.mark.parametrize("judge", [SMALL_VOLUMES, References()])
def test_text_is_at_most_79_columns_wide_whatever_the_names(judge):
    names = [f"a detector with quite a long name {letter}" for letter in "abc"]
    detectors = dict(zip(names, DETECTORS.values(), strict=True))
    text = str(small_ranking(detectors, judge=judge))
    assert max(map(len, text.splitlines())) <= 79, text


def test_one_line_names_the_best_and_what_failed(ranking):
    assert repr(ranking) == "<Ranking of 4 detectors: best is 'copy' by excess mass>"
    partly = small_ranking({"good": TRUE, "bad": FailingFit()})
    assert repr(partly) == "<Ranking of 1 detector, 1 failed: best is 'good' by excess mass>"


@pytest.mark.parametrize("name", ["a", "a" * 500, "two\nlines", "'quotes' \"of\" both kinds"])
def test_one_line_is_short_whatever_the_names(name):
    line = repr(small_ranking({name: TRUE, "other": WRONG}))
    assert len(line) < 300
    assert "\n" not in line


def test_every_result_is_one_line(ranking):
    evaluation = ranking["true"]
    results = (
        ranking,
        evaluation,
        evaluation.diagnostics,
        evaluation.level_sets,
        mass_volume_curve(evaluation.level_sets),
        excess_mass_curve(evaluation.level_sets),
        ranking.judgement,
        ranking.comparisons[0],
        ranking.table,
        ranking.odd_rows(n_explained=0),
        check_against_labels(ranking, ranking.refit.rows, np.arange(4000) < 50),
    )
    for each in results:
        assert len(repr(each)) < 200, repr(each)
        assert "\n" not in repr(each)


def test_one_line_of_a_ranking_of_nothing():
    nothing = small_ranking({"one": FailingFit(), "two": FailingFit()})
    line = repr(nothing)
    assert len(line) < 300
    assert "2 failed: nothing could be ranked" in line


def test_frame_dict_and_json(ranking, tmp_path):
    frame = ranking.frame()
    assert list(frame["detector"]) == ["copy", "true", "wrong", "random"]
    assert list(frame["rank"]) == [1, 2, 3, 4]
    assert list(frame["score"]) == list(frame["em"])
    assert list(frame["group"]) == ["a", "a", "b", "c"]
    assert list(frame["beats"]) == [2, 2, 1, 0]
    ranking.to_json(tmp_path / "ranking.json")
    stored = json.loads((tmp_path / "ranking.json").read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(ranking.to_dict()))
    assert stored["schema_version"] == 4
    assert stored["clear"] is False
    assert stored["together_with_best"] == ["copy", "true"]
    assert stored["best"] == "copy"
    assert stored["order"] == ["copy", "true", "wrong", "random"]
    for row, name in zip(stored["detectors"], stored["order"], strict=True):
        score = ranking.judgement.scores[name]
        assert (row["name"], row["score"], row["score_error"]) == (
            name,
            score.value,
            score.standard_error,
        )
    assert [row["rank"] for row in stored["detectors"]] == [1, 2, 3, 4]
    assert [row["group"] for row in stored["detectors"]] == ["a", "a", "b", "c"]
    assert {each["criterion"] for each in stored["leads"]} == {"excess_mass"}
    assert stored["judge"] == "volume"


def test_failures_are_the_last_rows_and_have_no_figures(tmp_path):
    ranking = small_ranking({"bad": FailingFit(), "good": TRUE})
    ranking.to_json(tmp_path / "ranking.json")
    stored = json.loads((tmp_path / "ranking.json").read_text(encoding="utf-8"))
    good, bad = stored["detectors"]
    assert (good["name"], good["rank"]) == ("good", 1)
    assert (bad["name"], bad["rank"], bad["score"], bad["group"]) == ("bad", None, None, None)
    assert "no licence" in stored["failures"]["bad"]
    assert stored["best"] == "good"
    nothing = small_ranking({"bad": FailingFit()}).to_dict()
    assert nothing["best"] is None
    assert nothing["order"] == nothing["together_with_best"] == nothing["committee"] == []


def test_a_ranking_is_a_collection_of_names(ranking):
    assert list(ranking) == list(ranking.order)
    assert len(ranking) == 4
    assert ranking["true"] is ranking.evaluations["true"]
    with pytest.raises(DetectorError, match="No detector 'nobody' was ranked"):
        ranking["nobody"]
    partly = small_ranking({"good": TRUE, "bad": FailingFit()})
    with pytest.raises(DetectorError, match="no licence"):
        partly["bad"]


def test_a_ranking_draws_itself_with_letters(ranking):
    display = ranking.plot()
    drawn = {text.get_text() for text in display.ax_.texts}
    assert set(ranking.letters.values()) <= drawn


def test_every_ranking_has_a_judgement(ranking):
    judgement = ranking.judgement
    assert judgement.judge == "volume"
    assert judgement.criterion.name == ranking.criterion == "excess_mass"
    assert judgement.order == ranking.order
    assert judgement.comparisons == ranking.comparisons == ranking.comparisons_by("excess_mass")
    assert judgement.measures == ()
    assert judgement.areas == judgement.consensus == {}
    for name, score in judgement.scores.items():
        assert score == ranking.evaluations[name].excess_mass


def test_other_criteria_are_compared_when_asked_for(ranking):
    by_volume = ranking.comparisons_by("mass_volume")
    assert {each.criterion.name for each in by_volume} == {"mass_volume"}
    assert len(by_volume) == len(ranking.comparisons) == 6
    pair = ranking.compare("true", "wrong", "mass_volume")
    assert pair in by_volume
    assert ranking.how_sure("true", "wrong") == ranking.compare("true", "wrong").sureness


def test_other_criteria_are_refused(ranking):
    for ask in (ranking.order_by, ranking.comparisons_by, ranking.groups):
        with pytest.raises(InvalidParameterError, match="'criterion' parameter of Ranking"):
            ask("em")


def test_html_of_hostile_names_is_text():
    ranking = small_ranking({"<script>alert(1)</script>": TRUE, "b": WRONG})
    assert "<script>" not in ranking._repr_html_()


def test_draws_of_features_have_the_same_table():
    ranking = drawn_ranking()
    assert list(ranking.frame()["rank"]) == [1, 2, 3]
    assert [row["detector"] for row in ranking.table.rows] == list(ranking.order)


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("scale", [True, False])
def test_best_detector_scores_raw_rows(make, scale):
    X = make(gaussian(0, 600))
    ranking = rank_detectors([QuickDensity(), KNN()], X, scale=scale, judge=SMALL_VOLUMES)
    scores = ranking.score_samples(X)
    assert scores.shape == (len(X),)
    radius = np.linalg.norm(np.asarray(X) / DEVIATIONS, axis=1)
    assert np.corrcoef(scores, radius)[0, 1] < -0.5
    assert ranking.best_detector is ranking.best_detector


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("detector", [FitWithoutLabels(DEVIATIONS), Plain(), NotCloneable((1, 2))])
def test_winners_of_every_kind_score_raw_rows(detector, scale):
    X = gaussian(0)
    orientation = "abnormality" if isinstance(detector, Plain) else None
    ranking = rank_detectors(
        {"it": detector}, X, scale=scale, orientation=orientation, judge=BY_VOLUME
    )
    near, far = ranking.score_samples([[0.0, 0.0]]), ranking.score_samples([[9.0, 9.0]])
    assert near.shape == (1,)
    assert near > far


def test_scoring_other_columns_is_refused():
    frame = pd.DataFrame(gaussian(0), columns=["a", "b"])
    ranking = rank_detectors([TRUE], frame, judge=BY_VOLUME)
    with pytest.raises(InvalidDataError, match="the ranked table has 2 features but X has 1"):
        ranking.score_samples(frame[["a"]])
    with pytest.raises(InvalidDataError, match="X has 0 rows, and there is nothing to score"):
        ranking.score_samples(frame[:0])


def test_columns_with_numbers_for_names_stay_numbers(recwarn):
    frame = pd.DataFrame(gaussian(0))
    ranking = rank_detectors([LocalOutlierFactor(novelty=True)], frame, judge=BY_VOLUME)
    assert len(ranking.score_samples(frame)) == len(frame)
    assert not recwarn.list
