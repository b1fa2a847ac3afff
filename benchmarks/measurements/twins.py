"""How often equal detectors are told apart, and how often different ones are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from pyod.models.inne import INNE
from pyod.models.knn import KNN
from pyod.models.loda import LODA
from pyod.models.mcd import MCD
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDOneClassSVM
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection

from benchmarks.datasets import load

N_ROWS, N_RUNS = 600, 20


class FittedOnSome(OutlierMixin, BaseEstimator):
    """A detector that is fitted on random rows: a half of them, or a given number."""

    def __init__(self, detector: Any = None, n_rows: int | None = None, random_state: Any = None):
        self.detector = detector
        self.n_rows = n_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> FittedOnSome:  # noqa: ARG002
        rows = np.asarray(X)
        size = min(self.n_rows or len(rows) // 2, len(rows))
        chosen = np.random.default_rng(self.random_state).permutation(len(rows))[:size]
        self.fitted_ = clone(self.detector).fit(rows[np.sort(chosen)])
        return self

    def score_samples(self, X: Any) -> Any:
        if hasattr(self.fitted_, "score_samples"):
            return self.fitted_.score_samples(X)
        return -self.fitted_.decision_function(X)  # PyOD


class BaggedLof(OutlierMixin, BaseEstimator):
    """The mean of ten LOF scores, each in a random half of the features or more."""

    def __init__(self, random_state: Any = None):
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> BaggedLof:  # noqa: ARG002
        rows = np.asarray(X)
        random, n_features = np.random.default_rng(self.random_state), rows.shape[1]
        sizes = random.integers((n_features + 1) // 2, max(n_features, 2), size=10)
        self.features_ = [random.permutation(n_features)[:size] for size in sizes]
        self.fitted_ = [
            LocalOutlierFactor(novelty=True).fit(rows[:, chosen]) for chosen in self.features_
        ]
        return self

    def score_samples(self, X: Any) -> Any:
        rows = np.asarray(X)
        pairs = zip(self.fitted_, self.features_, strict=True)
        return np.mean([each.score_samples(rows[:, chosen]) for each, chosen in pairs], axis=0)


def _projected(n_components: int, seed: int) -> Any:
    return make_pipeline(
        GaussianRandomProjection(n_components, random_state=seed),
        GaussianMixture(3, reg_covar=1e-3, random_state=seed),
    )


KINDS: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: IsolationForest(random_state=seed),
    "LOF on half": lambda seed: FittedOnSome(LocalOutlierFactor(novelty=True), random_state=seed),
    "kNN on half": lambda seed: FittedOnSome(KNN(), random_state=seed),
    "mixture": lambda seed: GaussianMixture(8, reg_covar=1e-3, random_state=seed),
    "LODA": lambda seed: LODA(random_state=seed),
    "INNE": lambda seed: INNE(random_state=seed),
    "MCD": lambda seed: MCD(random_state=seed),
    "bagged LOF": lambda seed: BaggedLof(random_state=seed),
    "kernel density on 64": lambda seed: FittedOnSome(
        KernelDensity(bandwidth="scott"), n_rows=64, random_state=seed
    ),
    "Nyström, SGD": lambda seed: make_pipeline(
        Nystroem(n_components=50, random_state=seed), SGDOneClassSVM(nu=0.1, random_state=seed)
    ),
    "mixture on 3-d projection": lambda seed: _projected(3, seed),
    "mixture on 1-d projection": lambda seed: _projected(1, seed),
}
DATASETS = (
    "shuttle", "annthyroid", "wilt", "pima", "mammography", "satellite", "page_blocks",
    "breast cancer", "wine", "diabetes",
)  # fmt: skip
_BUNDLED = {"breast cancer": load_breast_cancer, "wine": load_wine, "diabetes": load_diabetes}


@cache
def _all_rows(name: str) -> np.ndarray:
    return np.asarray(_BUNDLED[name]().data if name in _BUNDLED else load(name).X, dtype=float)


def rows_of(name: str, run: int, n_rows: int = N_ROWS) -> np.ndarray:
    """Return random rows of a dataset, without constant features; all where they are few."""
    rows = _all_rows(name)
    rows = rows[np.random.default_rng([run, 11]).permutation(len(rows))[:n_rows]]
    return rows[:, np.ptp(rows, axis=0) > 0.0]
