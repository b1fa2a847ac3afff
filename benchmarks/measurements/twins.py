"""How often equal detectors are told apart, and how often different ones are.

Twins are one detector with two seeds, or fitted on two random parts of its rows. A test at 5 %
should tell them apart in at most 5 % of the runs. The former rule is applied to the same fits. Rows
are stored one by one (`build/twins.jsonl`), and a run that was stopped continues.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from pyod.models.inne import INNE
from pyod.models.knn import KNN
from pyod.models.loda import LODA
from pyod.models.mcd import MCD
from scipy.stats import t as student
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
from benchmarks.measurements.timing import table
from oddrank import Ranking, rank_detectors
from oddrank.evaluation import ScoredFits
from oddrank.ranking.comparison import MARGIN

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

RULES = ("before", "now")
STORE = Path("build") / "twins.jsonl"


class Centred(OutlierMixin, BaseEstimator):
    """The score of a Gaussian, with its centre moved along the first feature."""

    def __init__(self, shift: float = 0.0):
        self.shift = shift

    def fit(self, X: Any, y: Any = None) -> Centred:  # noqa: ARG002
        return self

    def score_samples(self, X: Any) -> Any:
        rows = np.asarray(X)
        return -((rows - np.eye(rows.shape[1])[0] * self.shift) ** 2).sum(axis=1)


def _forest_and_lof() -> dict[str, Any]:
    return {"forest": IsolationForest(), "lof": LocalOutlierFactor(novelty=True)}


def _four() -> dict[str, Any]:
    others = {"mixture": GaussianMixture(8, reg_covar=1e-3), "kNN": KNN()}
    return _forest_and_lof() | others


POWER: dict[str, Callable[[], dict[str, Any]]] = {
    "pendigits": _forest_and_lof,
    "forestcover": _four,
    "moved Gaussian": dict,
}


@cache
def _all_rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name in _BUNDLED:
        X = _BUNDLED[name]().data
        return np.asarray(X, dtype=float), np.zeros(len(X), dtype=bool)
    dataset = load(name)
    return np.asarray(dataset.X, dtype=float), np.asarray(dataset.y == 1)


def rows_of(name: str, run: int, n_rows: int = N_ROWS, *, normal: bool = False) -> np.ndarray:
    """Return random rows of a dataset, without constant features; all where they are few."""
    rows, odd = _all_rows(name)
    rows = rows[~odd] if normal else rows
    rows = rows[np.random.default_rng([run, 11]).permutation(len(rows))[:n_rows]]
    return rows[:, np.ptp(rows, axis=0) > 0.0]


def told_apart_before(ranking: Ranking, first: str, second: str) -> bool:
    """Apply the former rule: the prior expects four times what rows and points explain."""
    assert isinstance(ranking.scored, ScoredFits)
    leads, variances = [], []
    for one, other in zip(*(ranking.scored.areas[name] for name in (first, second)), strict=True):
        of_rows = (one.row_shares - other.row_shares).mean(axis=0, dtype=float)
        of_points = one.point_shares.astype(float) - other.point_shares
        n_measures, n_points = of_points.shape
        leads.append((one.areas - other.areas).mean())
        variances.append(
            of_rows.var(ddof=1) / one.n_rows
            + of_points.var(axis=1, ddof=1).sum() / (n_points * n_measures**2)
        )
    explained, lead, n_folds = np.mean(variances), abs(np.mean(leads)), len(leads)
    freedom = 5.0 + n_folds - 1.0
    expected = 4.0 * explained + 2e-5
    moderated = (5.0 * expected + (n_folds - 1.0) * np.var(leads, ddof=1)) / freedom
    variance = explained / n_folds + max(moderated - explained, 0.0) / 2.0
    p_value = 2.0 * student.sf(lead / np.sqrt(variance), freedom)
    return bool(p_value < 0.05 and lead >= MARGIN)


def compare(detectors: dict[str, Any], X: np.ndarray, run: int, **options: Any) -> dict[str, Any]:
    """Count the pairs that are told apart by the former rule and by today's, one by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = rank_detectors(detectors, X, random_state=run, **options)
    pairs = list(combinations(ranking.order, 2))
    found = [ranking.compare(*pair) for pair in pairs]
    return {
        "pairs": len(pairs),
        "before": sum(told_apart_before(ranking, *pair) for pair in pairs),
        "now": sum(each.p_value < 0.05 and each.lead.value >= MARGIN for each in found),
        "best": ranking.best,
    }


def measure_one(case: str, name: str, run: int) -> dict[str, Any]:
    """Compare two twins, or detectors that differ."""
    if case in KINDS:
        make = KINDS[case]
        twins = {"a": make(1000 + 2 * run), "b": make(1001 + 2 * run)}
        return compare(twins, rows_of(name, run), run)
    if name == "moved Gaussian":
        X = np.random.default_rng([run, 3]).normal(size=(4000, 10))
        return compare({"true": Centred(0.0), "moved": Centred(0.4)}, X, run, scale=False)
    return compare(POWER[name](), rows_of(name, run, 3000, normal=True), run)


def rows() -> list[dict[str, Any]]:
    """Return all measured rows, and measure those that are not stored yet."""
    STORE.parent.mkdir(exist_ok=True)
    done = [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []
    known = {tuple(row["key"]) for row in done}
    keys = [("power", name, run) for name in POWER for run in range(N_RUNS)]
    keys += [(kind, name, run) for run in range(N_RUNS) for name in DATASETS for kind in KINDS]
    for key in keys:
        if key in known:
            continue
        done.append({"key": list(key), **measure_one(*key)})
        with STORE.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1], ensure_ascii=False) + "\n")
    return done


def report() -> str:
    done = rows()
    twins, often = [], []
    for kind in KINDS:
        chosen = [row for row in done if row["key"][0] == kind]
        twins.append([kind, str(len(chosen)), *(_share(chosen, rule) for rule in RULES)])
        for name in DATASETS:
            cell = [row for row in chosen if row["key"][1] == name]
            counts = [sum(row[rule] for row in cell) for rule in RULES]
            if max(counts) > 0.05 * len(cell):
                often.append([kind, name, str(len(cell)), *map(str, counts)])
    power = []
    for name in POWER:
        chosen = [row for row in done if row["key"][:2] == ["power", name]]
        pairs = sum(row["pairs"] for row in chosen)
        right = f"{sum(row['best'] == 'true' for row in chosen)} of {len(chosen)}"
        power.append([
            name, str(pairs), *(f"{sum(row[rule] for row in chosen)}" for rule in RULES),
            right if name == "moved Gaussian" else "–",
        ])  # fmt: skip
    head = ["twins", "runs", "told apart before", "now"]
    return "\n".join([
        table(f"Twins told apart, {len(DATASETS)} datasets, {N_ROWS} rows", head, twins),
        table("More than 5 % of the runs of one dataset",
              ["twins", "dataset", "runs", "before", "now"], often),
        table("Detectors that differ",
              ["dataset", "pairs", "told apart before", "now", "ordered right"], power),
    ])  # fmt: skip


def _share(chosen: list[dict[str, Any]], rule: str) -> str:
    count = sum(row[rule] for row in chosen)
    return f"{count} ({count / max(len(chosen), 1):.1%})"


if __name__ == "__main__":
    print(report())
