"""Detectors can do no harm: what one does to its rows or scores changes nobody else's figures."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from oddrank import check_detector, rank_detectors
from oddrank.detectors import FittedDetector
from oddrank.errors import DetectorFailedError
from oddrank.rows import CHUNK_ROWS, as_table

ROWS = np.random.default_rng(0).normal(size=(400, 2))
HONEST = {"mixture": GaussianMixture(2), "forest": IsolationForest(n_estimators=20)}


class Distance(OutlierMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.middle_ = np.asarray(X).mean(axis=0)
        return self

    def score_samples(self, X):
        return -((np.asarray(X) - self.middle_) ** 2).sum(axis=1)


class WritesWhenFitted(Distance):
    def fit(self, X, y=None):
        super().fit(X)
        if isinstance(X, pd.DataFrame):
            X.iloc[0, 0] = 1e6
        else:
            X[:] = 1e6
        return self


class WritesWhenScoring(Distance):
    def score_samples(self, X):
        scores = super().score_samples(X)
        if isinstance(X, pd.DataFrame):
            X["more"] = 0.0
        else:
            X *= 0.0
        return scores


class Buffers(Distance):
    def fit(self, X, y=None):
        self.buffer_ = np.empty(2 * CHUNK_ROWS)
        return super().fit(X)

    def score_samples(self, X):
        scores = self.buffer_[: len(X)]
        scores[:] = super().score_samples(X)
        return scores


class Prints(Distance):
    def score_samples(self, X):
        print("scoring")  # noqa: T201
        return super().score_samples(X)


class Raises(Distance):
    def score_samples(self, X):
        raise RuntimeError("no licence")


HARMFUL = {
    "writes when fitted": (WritesWhenFitted(), "changes the rows it is given"),
    "writes when scoring": (WritesWhenScoring(), "changes the rows it is given"),
    "buffers": (Buffers(), "returns the same array every time"),
    "prints": (Prints(), None),
    "raises": (Raises(), "no licence"),
}


def figures(ranking, names):
    return {
        name: (
            ranking.judgement.scores[name].value,
            ranking.evaluations[name].mass_volume.value,
            ranking.evaluations[name].excess_mass.value,
        )
        for name in names
    }


@cache
def honest_figures():
    return figures(rank_detectors(HONEST, ROWS, random_state=0), HONEST)


@pytest.mark.parametrize(("frame", "n_jobs"), [(False, 1), (False, 2), (True, 1)])
@pytest.mark.parametrize("case", HARMFUL)
def test_others_figures_are_identical_to_the_bit(case, n_jobs, frame):
    X = pd.DataFrame(ROWS, columns=["a", "b"]) if frame else ROWS
    detector, failure = HARMFUL[case]
    together = rank_detectors({"harmful": detector, **HONEST}, X, random_state=0, n_jobs=n_jobs)
    assert figures(together, HONEST) == honest_figures()
    if failure is None:
        assert "harmful" in together.order
    else:
        assert failure in together.failures["harmful"]


def test_the_users_own_rows_are_not_changed():
    X = ROWS.copy()
    rank_detectors({"writes": WritesWhenFitted(), **HONEST}, X, scale=False, random_state=0)
    np.testing.assert_array_equal(X, ROWS)


def test_a_scaler_that_writes_in_place_is_told():
    pipeline = make_pipeline(MinMaxScaler(copy=False), GaussianMixture(2))
    ranking = rank_detectors({"in place": pipeline, **HONEST}, ROWS, random_state=0)
    assert figures(ranking, HONEST) == honest_figures()
    assert "copy=True" in ranking.failures["in place"]


def test_a_buffer_is_told_above_one_chunk():
    fitted = FittedDetector(name="buffers", detector=Buffers().fit(ROWS))
    with pytest.raises(DetectorFailedError, match="returns the same array every time"):
        fitted.score(as_table(np.random.default_rng(1).normal(size=(CHUNK_ROWS + 10, 2))))


def test_the_same_scores_given_twice_are_no_buffer():
    scores = Distance().fit(ROWS).score_samples(ROWS)
    fitted = FittedDetector(name="remembers", detector=lambda X: scores)
    table = as_table(ROWS)
    np.testing.assert_array_equal(fitted.score(table), fitted.score(table))


def test_check_detector_tells_it_before():
    assert "changes the rows" in str(check_detector(WritesWhenScoring()))
    assert "the same array every time" in str(check_detector(Buffers()))
