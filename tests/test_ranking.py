"""Rankings: order, comparisons, words, failures, and the winner."""

import json
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import Parallel, delayed
from pyod.models.knn import KNN
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from oddrank import BoundingBox, Comparison, FeatureSubsampling
from oddrank import rank_detectors as rank_by_any_judge
from oddrank.criteria.estimate import PairedRatio
from oddrank.errors import DetectorError, InvalidDataError, InvalidParameterError
from oddrank.judging.comparison import inseparable_groups
from oddrank.reference import UniformBox
from tests.planted import (
    FailingFit,
    FailingScore,
    FitWithoutLabels,
    KnownDensity,
    NotCloneable,
    Plain,
    RandomScore,
)

# volumes decide here; tests/test_judgement.py has the other judges
rank_detectors = partial(rank_by_any_judge, judge="volume")

SMALL = UniformBox(n_points=2**10, n_replicates=4)
DEVIATIONS = (1.0, 2.0)
TRUE, WRONG = KnownDensity(DEVIATIONS), KnownDensity((1.0, 1.0))


def gaussian(seed, n_rows=4000):
    return np.random.default_rng(seed).normal(size=(n_rows, 2)) * DEVIATIONS


def planted_ranking(seed, **options):
    detectors = {"true": TRUE, "wrong": WRONG, "random": RandomScore(), "copy": TRUE}
    options = {"reference": SMALL, "scale": False, "random_state": seed, **options}
    return rank_detectors(detectors, gaussian(seed), **options)


@pytest.fixture(scope="module")
def ranking():
    return planted_ranking(0)


def test_the_true_density_wins_and_its_copy_cannot_be_separated(ranking):
    assert ranking.order("excess_mass") == ("copy", "true", "wrong", "random")
    assert ranking.best == "copy"
    assert ranking.groups() == (("copy", "true"), ("wrong",), ("random",))
    assert ranking.compare("true", "wrong").separated
    copies = ranking.compare("true", "copy")
    assert copies.p_value == 1.0
    assert copies.holds == 0.5


def test_comparisons_are_paired(ranking):
    comparison = ranking.compare("true", "wrong", "mass_volume")
    true, wrong = (ranking.evaluations[name].mass_volume for name in ("true", "wrong"))
    assert comparison.better == "true"
    assert comparison.log_ratio.value == pytest.approx(np.log(wrong.value / true.value))
    independent = np.hypot(true.relative_error, wrong.relative_error)
    assert comparison.log_ratio.standard_error < 0.8 * independent


def test_words(ranking):
    text = str(ranking)
    assert "2000 training rows, 2000 test rows, 2 features" in text
    assert "copy leads by excess mass, but cannot be separated from true" in text
    assert "cannot be separated: copy and true" in text
    assert max(map(len, text.splitlines())) <= 79
    assert "<table>" in ranking._repr_html_()
    assert "separated" in str(ranking.comparisons[0])


def test_frame_dict_and_json(ranking, tmp_path):
    frame = ranking.frame()
    assert list(frame["detector"]) == ["copy", "true", "wrong", "random"]
    assert list(frame["excess_mass_rank"]) == [1, 2, 3, 4]
    ranking.to_json(tmp_path / "ranking.json")
    stored = json.loads((tmp_path / "ranking.json").read_text())
    assert stored == json.loads(json.dumps(ranking.to_dict()))
    assert stored["groups"]["excess_mass"][0] == ["copy", "true"]


def test_html_of_hostile_names_is_text():
    ranking = rank_detectors(
        {"<script>alert(1)</script>": TRUE, "b": WRONG}, gaussian(0), reference=SMALL
    )
    assert "<script>" not in ranking._repr_html_()


def test_a_detector_that_fails_is_a_row_with_its_reason():
    ranking = rank_detectors(
        {"good": TRUE, "fit": FailingFit(), "score": FailingScore()},
        gaussian(0),
        reference=SMALL,
        random_state=0,
    )
    assert ranking.best == "good"
    assert "RuntimeError: no licence" in ranking.failures["fit"]
    assert "returned NaN" in ranking.failures["score"]
    assert "Failed: fit." in str(ranking)
    assert list(ranking.frame()["failure"] != "") == [False, True, True]


def test_all_failing():
    ranking = rank_detectors({"a": FailingFit()}, gaussian(0), reference=SMALL)
    assert "nothing could be ranked" in str(ranking)
    with pytest.raises(DetectorError, match=r"no best detector.*no licence"):
        _ = ranking.best


def test_a_single_detector_has_nothing_to_be_compared_with():
    ranking = rank_detectors([TRUE], gaussian(0), reference=SMALL)
    assert ranking.best == "KnownDensity"
    assert "nothing to compare it with" in str(ranking)
    with pytest.raises(DetectorError, match="no comparison of 'a' and 'b'"):
        ranking.compare("a", "b")


def test_names_come_from_mappings_pairs_or_classes():
    X = gaussian(0)
    listed = rank_detectors([TRUE, WRONG, KernelDensity()], X, reference=SMALL)
    assert set(listed.evaluations) == {"KnownDensity", "KnownDensity-2", "KernelDensity"}
    pairs = rank_detectors([("a", TRUE), ("b", WRONG)], X, reference=SMALL)
    assert set(pairs.evaluations) == {"a", "b"}


@pytest.mark.parametrize(
    ("detectors", "sentence"),
    [
        ([], "There are no detectors to rank"),
        ({}, "There are no detectors to rank"),
        ({"": TRUE}, "name must be a text that is not empty"),
        ({3: TRUE}, "Got 3 instead"),
        ([("a", TRUE), ("a", WRONG)], "2 detectors are called 'a'"),
        (TRUE, "put a single detector into a list"),
    ],
)
def test_names_that_are_refused(detectors, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        rank_detectors(detectors, gaussian(0))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("detectors", "sentence"),
    [
        ({"lof": LocalOutlierFactor()}, "lof: LocalOutlierFactor(novelty=False) cannot score"),
        ({"f": len}, "f: len has no fit method"),
        ({"x": object()}, "x: object cannot score rows"),
    ],
)
def test_detectors_that_are_refused_before_work_starts(detectors, sentence):
    with pytest.raises(DetectorError) as caught:
        rank_detectors(detectors, gaussian(0))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"subsampling": FeatureSubsampling(n_features=3)}, "cannot draw from 2 features"),
        ({"subsampling": 5}, "must be 'auto', None or a FeatureSubsampling"),
        ({"criterion": "roc"}, "'criterion' parameter of rank_detectors must be one of"),
        ({"scale": "yes"}, "'scale' parameter of rank_detectors"),
        ({"orientation": {"nobody": "normality"}}, "'orientation' parameter of rank_detectors"),
        ({"orientation": {"a": "up"}}, "must be one of None, 'normality', 'abnormality'"),
    ],
)
def test_options_that_are_refused(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        rank_detectors({"a": TRUE}, gaussian(0), **options)
    assert sentence in str(caught.value)


def test_train_and_test_of_different_columns():
    frame = pd.DataFrame(gaussian(0), columns=["a", "b"])
    with pytest.raises(InvalidDataError, match="Column 0 is 'a' in X_train but 'b' in X_test"):
        rank_detectors({"a": TRUE}, frame, frame[["b", "a"]])


def test_orientation_of_single_detectors():
    class Distance(KnownDensity):
        def score_samples(self, X):
            return -super().score_samples(X)

    ranking = rank_detectors(
        {"right": TRUE, "upside down": Distance(DEVIATIONS)},
        gaussian(0),
        orientation={"upside down": "abnormality"},
        scale=False,
        reference=SMALL,
    )
    assert ranking.compare("right", "upside down").p_value == 1.0


def test_scaling_is_learnt_on_the_training_rows():
    X = gaussian(3)
    options = {"reference": SMALL, "random_state": 0, "mass_range": (0.9, 0.99)}
    train, test = X[:1200], X[1200:]
    scaled = (X - train.mean(axis=0)) / train.std(axis=0)
    by_hand = rank_detectors(
        [KernelDensity()], scaled[:1200], scaled[1200:], scale=False, **options
    )
    ranking = rank_detectors([KernelDensity()], train, test, **options)
    boxed = rank_detectors(
        [KernelDensity()], train, test, box=BoundingBox.from_arrays(X), **options
    )
    for other in (by_hand, boxed):
        assert other.frame()["excess_mass"][0] == pytest.approx(ranking.frame()["excess_mass"][0])


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("scale", [True, False])
def test_best_detector_scores_raw_rows(make, scale):
    X = make(gaussian(0))
    ranking = rank_detectors([KernelDensity(), KNN()], X, scale=scale, reference=SMALL)
    scores = ranking.score_samples(X)
    assert scores.shape == (len(X),)
    radius = np.linalg.norm(np.asarray(X) / DEVIATIONS, axis=1)
    assert np.corrcoef(scores, radius)[0, 1] < -0.5
    assert ranking.best_detector is ranking.best_detector


def test_unresolved_excess_mass_hands_over_to_mass_volume():
    X = np.concatenate([np.random.default_rng(0).normal(size=(2400, 4)) * 1e-3, np.eye(4) * 9])
    ranking = rank_detectors(
        {"a": KernelDensity(bandwidth=0.01), "b": KernelDensity(bandwidth=1.0)},
        X,
        scale=False,
        reference=UniformBox(n_points=2**6, n_replicates=4),
        random_state=0,
    )
    assert ranking.criterion == "mass_volume"
    text = str(ranking)
    assert "unresolved" in text


class MiddleOnly(KnownDensity):
    """Right up to a radius, without any order beyond it."""

    def score_samples(self, X):
        radius = np.linalg.norm(X, axis=1)
        return np.where(radius < 2.8, -radius, -3.8 - np.sin(1e4 * radius))


def test_disagreement_of_the_criteria_is_said():
    X = np.random.default_rng(0).normal(size=(8000, 2))
    detectors = {"middle": MiddleOnly(), "everywhere": KnownDensity((1.0, 1.3))}
    ranking = rank_detectors(detectors, X, scale=False, random_state=0)
    assert ranking.order("excess_mass")[0] == "middle"
    assert ranking.order("mass_volume")[0] == "everywhere"
    assert not ranking.agreement
    assert "The two criteria disagree" in str(ranking)


def test_algorithm_1_above_eight_features():
    X = np.random.default_rng(0).normal(size=(300, 10))
    ranking = rank_detectors(
        [IsolationForest(), KernelDensity()],
        X,
        mass_range=(0.9, 0.99),
        random_state=0,
        reference=SMALL,
    )
    assert "10 features in 50 draws of 5 (Algorithm 1)" in str(ranking)
    assert ranking.evaluations["KernelDensity"].level_sets is None
    direct = rank_detectors(
        [KernelDensity()],
        X[:, :8],
        mass_range=(0.9, 0.99),
        random_state=0,
        reference=SMALL,
    )
    assert "draws" not in direct.setting


@pytest.mark.long
def test_planted_order_in_a_hundred_seeds():
    rankings = Parallel(n_jobs=2)(delayed(planted_ranking)(seed) for seed in range(100))
    ordered = [
        [name for name in ranking.order("excess_mass") if name != "copy"] for ranking in rankings
    ]
    right = sum(order == ["true", "wrong", "random"] for order in ordered)
    together = sum(not ranking.compare("true", "copy").separated for ranking in rankings)
    assert right >= 95
    assert together >= 90


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("detector", [FitWithoutLabels(DEVIATIONS), Plain(), NotCloneable((1, 2))])
def test_winners_of_every_kind_score_raw_rows(detector, scale):
    X = gaussian(0)
    orientation = "abnormality" if isinstance(detector, Plain) else None
    ranking = rank_detectors(
        {"it": detector}, X, scale=scale, orientation=orientation, reference=SMALL
    )
    near, far = ranking.score_samples([[0.0, 0.0]]), ranking.score_samples([[9.0, 9.0]])
    assert near.shape == (1,)
    assert near > far


def test_scoring_other_columns_is_refused():
    frame = pd.DataFrame(gaussian(0), columns=["a", "b"])
    ranking = rank_detectors([TRUE], frame, reference=SMALL)
    with pytest.raises(InvalidDataError, match="X_train has 2 features but X has 1"):
        ranking.score_samples(frame[["a"]])
    with pytest.raises(InvalidDataError, match="X has 0 rows, and there is nothing to score"):
        ranking.score_samples(frame[:0])


def test_columns_with_numbers_for_names_stay_numbers(recwarn):
    frame = pd.DataFrame(gaussian(0))
    ranking = rank_detectors([LocalOutlierFactor(novelty=True)], frame, reference=SMALL)
    assert len(ranking.score_samples(frame)) == len(frame)
    assert not recwarn.list


def test_other_criteria_are_refused(ranking):
    with pytest.raises(InvalidParameterError, match="'criterion' parameter of Ranking"):
        ranking.order("em")


def _comparison(better, worse, separated):
    ratio = PairedRatio(value=0.1, standard_error=0.1, interval=(0.0, 0.2), degrees_of_freedom=9.0)
    return Comparison(
        criterion="excess_mass",
        better=better,
        worse=worse,
        log_ratio=ratio,
        holds=0.9,
        p_value=0.01 if separated else 0.9,
        separated=separated,
    )


def test_a_noisy_third_is_not_lost_behind_a_separated_second():
    comparisons = [
        _comparison("a", "b", True),
        _comparison("a", "c", False),
        _comparison("b", "c", False),
    ]
    assert inseparable_groups("abc", comparisons) == (("a", "c"), ("b", "c"))
