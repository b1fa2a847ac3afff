"""One sign, whatever the kind of detector: ROC areas are near 1, never near their complement."""

import numpy as np
import pandas as pd
import pytest
from pyod.models.knn import KNN
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import OneClassSVM

from oddrank import (
    LabelFreeSearchCV,
    Volume,
    check_against_labels,
    rank_detectors,
)
from oddrank.reference import UniformBox
from tests.planted import Plain

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(500, 3)) * [1.0, 20.0, 0.1] + [5.0, 0.0, 100.0]
ODD = np.zeros(500, dtype=bool)
ODD[:25] = True
ROWS[ODD] += 6.0 * RANDOM.choice([-1.0, 1.0], size=(25, 3)) * [1.0, 20.0, 0.1]
POINTS = UniformBox(n_points=2**8, n_replicates=2)
BY_VOLUME = Volume(reference=POINTS, mass_range=(0.9, 0.95), criterion="mass_volume")


class Distance(BaseEstimator):
    """An estimator whose scores say how odd a row is."""

    def fit(self, X, y=None):
        values = np.asarray(X)
        self.middle_, self.spread_ = values.mean(axis=0), values.std(axis=0)
        return self

    def decision_function(self, X):
        return (((np.asarray(X) - self.middle_) / self.spread_) ** 2).sum(axis=1)


class OddSamples(OutlierMixin, Distance):
    """Breaks scikit-learn's convention: `score_samples` is higher for odder rows."""

    def score_samples(self, X):
        return self.decision_function(X)


class PlainDistance(Plain):
    """A plain class that can stand features of any scale."""

    def fit(self, X):
        super().fit(X)
        self.spread = np.asarray(X).std(axis=0)

    def decision_function(self, X):
        return (((np.asarray(X) - self.middle) / self.spread) ** 2).sum(axis=1)


class PlainNormality(PlainDistance):
    """The same with the scores turned round."""

    def decision_function(self, X):
        return -super().decision_function(X)


def _search():
    return LabelFreeSearchCV(
        make_pipeline(MinMaxScaler(), KernelDensity()),
        {"kerneldensity__bandwidth": [0.1, 0.2]},
        cv=2,
        random_state=0,
    )


# how to make it, and what its scores mean where that must be said
DETECTORS = {
    "plain class": (PlainDistance, "abnormality"),
    "plain class of normality": (PlainNormality, "normality"),
    "estimator": (IsolationForest, None),
    "radial SVM": (lambda: make_pipeline(MinMaxScaler(), OneClassSVM(gamma=3.0)), None),
    "estimator without convention": (Distance, "abnormality"),
    "estimator against convention": (OddSamples, "abnormality"),
    "pipeline": (lambda: make_pipeline(MinMaxScaler(), KernelDensity(bandwidth=0.1)), None),
    "pipeline without convention": (
        lambda: make_pipeline(MinMaxScaler(), Distance()),
        "abnormality",
    ),
    "PyOD": (KNN, None),
    "PyOD, said": (KNN, "abnormality"),
    "PyOD in a pipeline": (lambda: make_pipeline(MinMaxScaler(), KNN()), None),
    "search": (_search, None),
}


def ranked(case, scale, rows=ROWS):
    make, orientation = DETECTORS[case]
    return rank_detectors(
        {"it": make()},
        rows,
        judge=BY_VOLUME,
        scale=scale,
        orientation=orientation,
        random_state=0,
    )


def rows_for(case, scale):
    # PyOD's neighbours need features of one scale, if the ranking gives them none
    return ROWS if scale or not case.startswith("PyOD") else ROWS / [1.0, 20.0, 0.1]


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("case", DETECTORS)
def test_odd_rows_score_low_wherever_one_looks(case, scale):
    rows = rows_for(case, scale)
    ranking = ranked(case, scale, rows)
    check = check_against_labels(ranking, rows, ODD)
    assert check.roc_areas["it"] > 0.9
    assert check.precision_recall_areas["it"] > 0.5
    assert check.pick == "it"
    assert roc_auc_score(ODD, -ranking.score_samples(rows)) > 0.9
    best = ranking.best_detector
    assert roc_auc_score(ODD, -best.score_samples(rows)) > 0.9
    assert roc_auc_score(ODD, -best.p_values(rows)) > 0.85
    assert roc_auc_score(ODD, ranking.odd_rows().oddness) > 0.9


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("case", ["plain class", "estimator", "pipeline", "PyOD"])
def test_frames_have_the_same_sign(case, scale):
    frame = pd.DataFrame(rows_for(case, scale), columns=["a", "b", "c"])
    ranking = ranked(case, scale, frame)
    assert check_against_labels(ranking, frame, ODD).roc_areas["it"] > 0.9
    assert roc_auc_score(ODD, -ranking.score_samples(frame)) > 0.9


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("case", ["plain class", "estimator", "pipeline", "PyOD"])
def test_a_ranking_prefers_the_right_sign_and_labels_agree(case, scale):
    make, orientation = DETECTORS[case]
    is_pyod = case == "PyOD"
    right = orientation or ("abnormality" if is_pyod else "normality")
    wrong = {"normality": "abnormality", "abnormality": "normality"}[right]
    rows = rows_for(case, scale)
    ranking = rank_detectors(
        {"right": make(), "wrong": make()},
        rows,
        judge=BY_VOLUME,
        scale=scale,
        orientation={"right": right, "wrong": wrong},
        random_state=0,
    )
    check = check_against_labels(ranking, rows, ODD)
    assert ranking.best == check.best == "right"
    assert check.roc_areas["right"] > 0.9
    assert check.roc_areas["wrong"] == pytest.approx(1.0 - check.roc_areas["right"])
    assert roc_auc_score(ODD, -ranking.score_samples(rows)) > 0.9
