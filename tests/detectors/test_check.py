"""`check_detector` tells people what is wrong with their own detector."""

import numpy as np
import pytest
from pyod.models.knn import KNN
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from oddrank import check_detector


class Good(OutlierMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.middle_ = np.mean(X, axis=0)
        return self

    def score_samples(self, X):
        return -np.linalg.norm(X - self.middle_, axis=1)


class UpsideDown(Good):
    def score_samples(self, X):
        return -super().score_samples(X)


class Constant(Good):
    def score_samples(self, X):
        return np.zeros(len(X))


class Forgetful(Good):
    def score_samples(self, X):
        return super().score_samples(X) + np.random.default_rng().normal(size=len(X))


class Neighbourly(Good):
    def score_samples(self, X):
        return super().score_samples(X) - super().score_samples(X).mean()


class Missing(Good):
    def score_samples(self, X):
        return np.full(len(X), np.nan)


class Wide(Good):
    def score_samples(self, X):
        return np.zeros((len(X), 2))


class Broken(Good):
    def fit(self, X, y=None):
        raise RuntimeError("no licence")


@pytest.mark.parametrize(
    "detector", [Good(), IsolationForest(), LocalOutlierFactor(novelty=True), KNN()]
)
def test_detectors_that_fit(detector):
    check = check_detector(detector)
    assert check.ok
    assert str(check).startswith(f"{type(detector).__name__} can be ranked.")


@pytest.mark.parametrize(
    ("detector", "sentence"),
    [
        (UpsideDown(), "may be upside down: set orientation='abnormality'"),
        (Constant(), "gives every row the same score"),
        (Forgetful(), "gives different scores when it is called again"),
        (Neighbourly(), "differently when other rows are missing"),
        (Missing(), "returned NaN for 400 of 400 rows"),
        (Wide(), "returned scores of shape (400, 2) for 400 rows"),
        (Broken(), "failed to fit 400 rows of 3 features: RuntimeError: no licence"),
        (LocalOutlierFactor(), "Use novelty=True"),
    ],
)
def test_what_is_wrong_is_said(detector, sentence):
    check = check_detector(detector)
    assert not check.ok
    assert any(sentence in problem for problem in check.problems)
    assert sentence in str(check)


def test_orientation_and_own_rows():
    assert check_detector(UpsideDown(), orientation="abnormality").ok
    assert check_detector(Good(), np.random.default_rng(0).normal(size=(50, 7))).ok


def test_functions_and_remarks():
    check = check_detector(lambda X: -np.round(np.abs(X).max(axis=1)))
    assert check.ok
    assert any("cannot be pickled" in remark for remark in check.remarks)
    assert any("are ties" in remark for remark in check.remarks)
