"""The study: 288 tables of many domains, with clean training rows, and with 2 and 8 % odd ones.

261 tables lie in `odd_tables` of the data folder; each has rows `X` and labels `y`, 1 for an odd
row. A supervised forest can learn their labels (area above 0.8). The others are the 27 datasets of
`benchmarks.datasets`, with the same protocol.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.datasets import SOURCES, load
from benchmarks.datasets.files import data_folder
from benchmarks.rows import short
from benchmarks.run import Cell
from oddrank import Committee, rank_detectors
from oddrank._typing import FloatArray
from oddrank.ranking import Ranking
from oddrank.rows import as_table

SHARES = {"clean": 0.0, "eight": 0.08, "two": 0.02}
MOST_ROWS = 600


def pool(n_features: int) -> dict[str, Any]:
    """Return the thirteen detectors of the study."""
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.hbos import HBOS
    from pyod.models.knn import KNN
    from pyod.models.pca import PCA

    return {
        "forest": IsolationForest(),
        "lof10": LocalOutlierFactor(10, novelty=True),
        "lof50": LocalOutlierFactor(50, novelty=True),
        "svm_half": OneClassSVM(gamma=1.0 / n_features, nu=0.5),
        "svm_tenth": OneClassSVM(gamma=0.1 / n_features, nu=0.1),
        "knn5": KNN(n_neighbors=5),
        "knn30": KNN(n_neighbors=30),
        "ecod": ECOD(),
        "copod": COPOD(),
        "hbos": HBOS(),
        "pca": PCA(),
        "mixture": GaussianMixture(8, reg_covar=1e-3),
        "density": KernelDensity(bandwidth=0.5),
    }


def split(
    X: FloatArray, y: FloatArray, name: str, seed: int, share: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return training rows with this share of odd ones, test rows and their labels.

    Test rows are the same for every share: half of the ordinary rows, at most 600, and at least ten
    odd ones where there are so many.
    """
    random = np.random.default_rng([zlib.crc32(name.encode()), seed])
    ordinary = random.permutation(np.flatnonzero(y == 0))
    odd = random.permutation(np.flatnonzero(y == 1))
    n_rows = min(MOST_ROWS, len(ordinary) // 2)
    n_tested = max(min(10, len(odd)), min(round(0.1 * n_rows), len(odd) - round(0.08 * n_rows)))
    n_odd = min(round(share * n_rows), len(odd) - n_tested)
    train = random.permutation(np.r_[odd[:n_odd], ordinary[: n_rows - n_odd]])
    test = np.r_[ordinary[-n_rows:], odd[-n_tested:]]
    return X[train], X[test], y[test]


@dataclass(frozen=True, kw_only=True)
class OddTables:
    """Every table, in every setting."""

    datasets: tuple[str, ...] = ()
    settings: tuple[str, ...] = tuple(SHARES)
    seeds: tuple[int, ...] = (0,)
    max_rows: int = MOST_ROWS

    @property
    def options(self) -> Mapping[str, Any]:
        """What changes the rows of a cell."""
        return {"max_rows": self.max_rows}

    def cells(self) -> Iterator[Cell]:
        """Yield every cell."""
        found = sorted(path.stem for path in _folder().glob("*.npz"))
        names = self.datasets or (*found, *SOURCES)
        for seed in self.seeds:
            for setting in self.settings:
                for name in names:
                    yield Cell(dataset=name, setting=setting, seed=seed)

    def measure(self, cell: Cell) -> dict[str, Any]:
        """Rank both pools, and hold every fit and committee against the labels of fresh rows."""
        train, test, labels = rows_of(cell)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranking = rank_detectors(pool(train.shape[1]), train, n_jobs=1, random_state=cell.seed)
            default = rank_detectors("default", train, n_jobs=1, random_state=cell.seed)
            rows = as_table(test)
            singles = {
                name: areas(ranking.refit.fitted(name).score(rows), labels)
                for name in ranking.order
            }
            committees = {
                "thirteen": areas(ranking.committee.score_samples(test), labels),
                "default": areas(default.committee.score_samples(test), labels),
            }
            if cell.setting == "clean":
                committees |= {
                    "thirteen, said clean": areas(_said_clean(ranking).score_samples(test), labels),
                    "default, said clean": areas(_said_clean(default).score_samples(test), labels),
                }
        leads = [ranking.compare(a, b) for a, b in combinations(ranking.order, 2)]
        return {
            "order": list(ranking.order),
            "score": short([ranking.judgement.scores[name].value for name in ranking.order], 5),
            "singles": [singles[name] for name in ranking.order],
            "committees": committees,
            "errors": short([each.lead.standard_error for each in leads], 4),
            "separated": [int(each.separated) for each in leads],
        }


def table_of(name: str) -> tuple[FloatArray, FloatArray]:
    """Return the rows and labels of a table or dataset."""
    path = _folder() / f"{name}.npz"
    content: Any = np.load(path) if path.exists() else vars(load(name))
    return np.asarray(content["X"], dtype=float), np.asarray(content["y"], dtype=float)


def rows_of(cell: Cell) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return training rows, test rows and their labels, without constant features."""
    X, y = table_of(cell.dataset)
    train, test, labels = split(X, y, cell.dataset, cell.seed, SHARES[cell.setting])
    usable = np.ptp(train, axis=0) > 0.0
    return train[:, usable], test[:, usable], labels


def _folder() -> Path:
    folder = data_folder()
    return Path("odd_tables") if folder is None else folder / "odd_tables"


def areas(scores: FloatArray, labels: FloatArray) -> list[float]:
    """Return the ROC area and the average precision; scores are higher for normal rows."""
    odd = -np.nan_to_num(scores, nan=0.0, posinf=1e300, neginf=-1e300)
    found = [roc_auc_score(labels, odd), average_precision_score(labels, odd)]
    return [float(f"{value:.6g}") for value in found]


def _said_clean(ranking: Ranking) -> Committee:
    """Return the committee of rows that are said to be clean."""
    return replace(ranking, judgement=replace(ranking.judgement, polluted=False)).committee
