"""Tuning without labels: against known densities, against labels, and halving against the grid."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from scipy.stats import sem
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.datasets import load
from benchmarks.measurements import known_sets
from benchmarks.measurements.timing import table
from benchmarks.prepare import paper_split
from oddrank import LabelFreeSearchCV, datasets, normality_function
from oddrank.errors import OddrankWarning
from oddrank.reference import ImportanceMixture

CRITERIA = ("excess_mass", "mass_volume")
N_SPLITS = 5


def _search(detector: Any, grid: Any, seed: int, n_points: int, **options: Any) -> Any:
    return LabelFreeSearchCV(
        detector,
        grid,
        n_splits=N_SPLITS,
        reference=ImportanceMixture(n_points=n_points, n_replicates=4),
        random_state=seed,
        **options,
    )


HALVING_SEEDS = range(10)
HALVING_ROWS = 1000
HALVING_POINTS = 2**10
HALVING_GRIDS = {
    "density": (KernelDensity(), {"bandwidth": [0.05, 0.1, 0.2, 0.4, 0.8, 1.6]}),
    "lof": (LocalOutlierFactor(novelty=True), {"n_neighbors": [3, 6, 12, 25, 50, 100]}),
}


@dataclass(frozen=True, kw_only=True)
class HalvingRun:
    """Halving beside the full grid, on the same rows.

    Attributes
    ----------
    fewer : float
        Points that the full grid scored over those that halving scored.
    same, inseparable : bool
        Whether the choice is that of the full grid, and whether the two tie there.
    behind : float
        By how much the full grid's criterion is larger, as a share.
    """

    d: int
    seed: int
    fewer: float
    same: bool
    inseparable: bool
    behind: float


def halving_run(d: int, seed: int) -> HalvingRun:
    X = datasets.make_known_density("mixture", HALVING_ROWS, d, random_state=seed).X
    full, halved = (
        _search(HALVING_GRIDS, None, seed, HALVING_POINTS, halving=each).fit(X)
        for each in (False, True)
    )
    means = full.cv_results_["mean_test_score"]
    return HalvingRun(
        d=d,
        seed=seed,
        fewer=full.n_scored_ / halved.n_scored_,
        same=halved.best_index_ == full.best_index_,
        inseparable=halved.best_index_ in full.inseparable_,
        behind=float(np.expm1(means[full.best_index_] - means[halved.best_index_])),
    )


def halving_table(runs: Sequence[HalvingRun]) -> str:
    rows = []
    for d in sorted({run.d for run in runs}):
        chosen = [run for run in runs if run.d == d]
        rows.append([
            d, len(chosen), f"{min(run.fewer for run in chosen):.1f}",
            sum(run.same for run in chosen), sum(run.inseparable for run in chosen),
            f"{100 * max(run.behind for run in chosen):.1f} %",
        ])  # fmt: skip
    return table(
        "Halving against the full grid (goal: 3x fewer points, same or inseparable in 18 of 20)",
        ["d", "runs", "times fewer points", "same choice", "same or inseparable",
         "most behind"],
        rows,
    )  # fmt: skip


LABELLED = ("annthyroid", "pendigits", "shuttle", "wilt", "pima")
LABELLED_ROWS = 4000
LABELLED_POINTS = 2**9
LABELLED_SEEDS = range(10)
LABELLED_GRIDS = {
    "IsolationForest": (
        IsolationForest(random_state=0),
        {"max_features": [0.5, 1.0], "max_samples": [0.1, 0.3, 1.0]},
    ),
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        {"n_neighbors": [5, 10, 20, 40, 80, 160]},
    ),
    "OneClassSVM": (OneClassSVM(), {"gamma": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]}),
}


def labelled_rows(name: str, seed: int) -> list[list[Any]]:
    """Return ROC areas: default, chosen by EM, chosen by MV, best and worst on the grid."""
    dataset = load(name)
    kept = np.random.default_rng(seed).permutation(dataset.n_rows)[:LABELLED_ROWS]
    split = paper_split(dataset.X[kept], dataset.y[kept], "novelty", seed)

    def roc(detector: Any) -> float:
        scores = normality_function(detector)(split.X_test)
        return float(roc_auc_score(split.y_test, -scores))

    rows = []
    for label, (detector, grid) in LABELLED_GRIDS.items():
        on_grid = [
            roc(clone(detector).set_params(**params).fit(split.X_train))
            for params in ParameterGrid(grid)
        ]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", OddrankWarning)  # few test rows in a split of pima
            chosen = [
                roc(
                    _search(
                        detector,
                        grid,
                        seed,
                        LABELLED_POINTS,
                        criterion=criterion,
                        checkpoint=folder,
                    )
                    .fit(split.X_train)
                    .best_estimator_
                )
                for criterion in CRITERIA
            ]
        default = roc(clone(detector).fit(split.X_train))
        rows.append([name, label, seed, default, *chosen, max(on_grid), min(on_grid)])
    return rows


def labelled_table(rows: Sequence[Sequence[Any]]) -> str:
    cells = []
    for name in LABELLED:
        for label in LABELLED_GRIDS:
            areas = np.array([row[3:] for row in rows if row[:2] == [name, label]])
            if len(areas):
                gains = (areas[:, 1:3] - areas[:, :1]).T
                cells.append([
                    name, label, *(f"{area:.3f}" for area in areas.mean(axis=0)),
                    *(f"{gain.mean():+.3f} ± {sem(gain):.3f}" for gain in gains),
                ])  # fmt: skip
    return table(
        f"ROC areas of tuned detectors, means over {len({row[2] for row in rows})} seeds",
        ["dataset", "detector", "default", "by EM", "by MV", "best on grid", "worst on grid",
         "EM over default", "MV over default"],
        cells,
    )  # fmt: skip


def report() -> str:
    parallel = joblib.Parallel(n_jobs=2)
    known = parallel(
        joblib.delayed(known_sets.known_runs)(d, name, seed)
        for d in (2, 5)
        for name in known_sets.DETECTORS
        for seed in known_sets.SEEDS
    )
    halving = parallel(joblib.delayed(halving_run)(d, s) for d in (2, 5) for s in HALVING_SEEDS)
    labelled = parallel(
        joblib.delayed(labelled_rows)(name, s) for name in LABELLED for s in LABELLED_SEEDS
    )
    return "\n".join(
        [
            known_sets.known_table([run for runs in known for run in runs]),
            labelled_table([row for rows in labelled for row in rows]),
            halving_table(halving),
        ]
    )
