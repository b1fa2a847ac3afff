"""Tuning without labels: against known densities, against labels, and halving against the grid."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
from scipy.stats import qmc
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measure import table
from oddrank import BoundingBox, LabelFreeSearchCV, datasets, normality_function
from oddrank._random import root_of
from oddrank.errors import OddrankWarning
from oddrank.minimum_volume_set import averaged_level_sets, calibrated_threshold
from oddrank.reference import UniformBox
from oddrank.search_splits import make_splits
from oddrank.table import as_table

MASS = 0.95
CRITERIA = ("excess_mass", "neg_mass_volume")
POINTS = UniformBox(n_points=2**10, n_replicates=4)
KNOWN_ROWS = 1000
N_SPLITS = 5
FRESH_ROWS = 4000
KNOWN_SEEDS = range(20)
DETECTORS = {
    "KernelDensity": (KernelDensity(), {"bandwidth": [0.1, 0.2, 0.35, 0.6, 1.0, 1.7]}),
    "OneClassSVM": (OneClassSVM(nu=0.05), {"gamma": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]}),
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        {"n_neighbors": [5, 10, 20, 40, 80, 160]},
    ),
}


@dataclass(frozen=True, kw_only=True)
class KnownRun:
    """One search held against the truth.

    Ratios are volumes of the symmetric difference with the true set over that of the best on the
    grid: of the sets as learned, and of the level sets of the same functions whose mass on fresh
    rows is 0.95, which leaves out the luck of the calibration rows.
    """

    detector: str
    criterion: str
    d: int
    seed: int
    chosen: float
    learned: float
    exact: float


def known_density_runs(d: int, seed: int) -> list[KnownRun]:
    """Tune each detector by each criterion, and compare learned sets with the true one."""
    sample = datasets.make_known_density("mixture", KNOWN_ROWS, d, random_state=seed)
    fresh = sample.density.sample(FRESH_ROWS, np.random.default_rng(seed))
    level = np.quantile(sample.log_density(fresh), 1.0 - MASS)
    box = BoundingBox.from_arrays(sample.X, margin=0.1)
    points = box.scale_up(qmc.Sobol(d, seed=seed).random_base2(12))
    inside = sample.log_density(points) >= level
    runs = []
    for name, (detector, grid) in DETECTORS.items():
        ((parameter, values),) = grid.items()
        with tempfile.TemporaryDirectory() as folder:
            # both criteria come from one scoring: the second search reads the first one's
            chosen = {
                criterion: _search(detector, grid, seed, criterion=criterion, checkpoint=folder)
                .fit(sample.X)
                .best_index_
                for criterion in CRITERIA
            }
        candidates = [clone(detector).set_params(**{parameter: value}) for value in values]
        sets = np.array([learned_sets(each, sample.X, points, fresh, seed) for each in candidates])
        differences = (sets != inside).mean(axis=2)
        ratios = differences / differences.min(axis=0)
        runs += [
            KnownRun(
                detector=name,
                criterion=criterion,
                d=d,
                seed=seed,
                chosen=values[index],
                learned=float(ratios[index, 0]),
                exact=float(ratios[index, 1]),
            )
            for criterion, index in chosen.items()
        ]
    return runs


def learned_sets(detector: Any, X: Any, points: Any, fresh: Any, seed: int) -> list[Any]:
    """Tell which points lie in the set that a search learns, and in that of the exact mass."""
    root, rows = root_of(seed, "tuning"), as_table(X)
    splits = make_splits(len(X), N_SPLITS, test_size=0.2, calibration_size=0.2, root=root)
    averaged = averaged_level_sets(detector, None, rows, splits, mass=MASS, root=root)
    heights = averaged.heights(as_table(points))
    threshold = calibrated_threshold(averaged.heights(rows.rows(splits.calibration)), MASS)
    exact = np.quantile(averaged.heights(as_table(fresh)), 1.0 - MASS)
    return [heights >= threshold, heights >= exact]


def _search(detector: Any, grid: Any, seed: int, **options: Any) -> LabelFreeSearchCV:
    return LabelFreeSearchCV(
        detector,
        grid,
        mass=MASS,
        **{"n_splits": N_SPLITS, "reference": POINTS, "random_state": seed, **options},
    )


def known_density_table(runs: Sequence[KnownRun]) -> str:
    rows = []
    for d in sorted({run.d for run in runs}):
        for name in DETECTORS:
            for criterion in CRITERIA:
                of_kind = [
                    (run.learned, run.exact)
                    for run in runs
                    if (run.d, run.detector, run.criterion) == (d, name, criterion)
                ]
                ratios = np.array(of_kind)
                within = [f"{count} of {len(ratios)}" for count in (ratios <= 1.15).sum(axis=0)]
                medians = [f"{median:.2f}" for median in np.median(ratios, axis=0)]
                rows.append([d, name, criterion, within[0], medians[0], within[1], medians[1]])
    return table(
        "Learned 0.95 sets of a known mixture (goal: within 15 % of the best in 18 of 20)",
        [
            "d",
            "detector",
            "criterion",
            "learned: within 15 %",
            "median ratio",
            "exact mass: within 15 %",
            "median ratio",
        ],
        rows,
    )


HALVING_SEEDS = range(10)
HALVING_GRIDS = {
    "density": (KernelDensity(), {"bandwidth": [0.05, 0.1, 0.2, 0.4, 0.8, 1.6]}),
    "lof": (LocalOutlierFactor(novelty=True), {"n_neighbors": [3, 6, 12, 25, 50, 100]}),
}


@dataclass(frozen=True, kw_only=True)
class HalvingRun:
    """Halving beside the full grid, on the same rows."""

    d: int
    seed: int
    fewer: float  # points that the full grid scored over those that halving scored
    same: bool
    inseparable: bool


def halving_run(d: int, seed: int) -> HalvingRun:
    X = datasets.make_known_density("mixture", KNOWN_ROWS, d, random_state=seed).X
    full, halved = (
        _search(HALVING_GRIDS, None, seed, halving=each).fit(X) for each in (False, True)
    )
    return HalvingRun(
        d=d,
        seed=seed,
        fewer=full.n_scored_ / halved.n_scored_,
        same=halved.best_index_ == full.best_index_,
        inseparable=halved.best_index_ in full.inseparable_,
    )


def halving_table(runs: Sequence[HalvingRun]) -> str:
    rows = []
    for d in sorted({run.d for run in runs}):
        chosen = [run for run in runs if run.d == d]
        fewest = min(run.fewer for run in chosen)
        same, inseparable = sum(run.same for run in chosen), sum(r.inseparable for r in chosen)
        rows.append([d, len(chosen), f"{fewest:.1f}", same, inseparable])
    return table(
        "Halving against the full grid (goal: 3x fewer points, same or inseparable in 18 of 20)",
        ["d", "runs", "times fewer points", "same choice", "same or inseparable"],
        rows,
    )


LABELLED = ("annthyroid", "pendigits", "shuttle", "wilt", "pima")
LABELLED_ROWS = 2000
LABELLED_SEEDS = range(3)
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
    dataset = datasets.prepare.shuffle(datasets.load(name), random_state=seed)
    dataset = replace(dataset, X=dataset.X[:LABELLED_ROWS], y=dataset.y[:LABELLED_ROWS])
    split = datasets.prepare.paper_split(dataset, "novelty", random_state=seed)

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
                    _search(detector, grid, seed, criterion=criterion, checkpoint=folder)
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
                cells.append([name, label, *(f"{area:.3f}" for area in areas.mean(axis=0))])
    return table(
        f"ROC areas of tuned detectors, means over {len({row[2] for row in rows})} seeds",
        ["dataset", "detector", "default", "by EM", "by MV", "best on grid", "worst on grid"],
        cells,
    )


def report() -> str:
    parallel = joblib.Parallel(n_jobs=2)
    known = parallel(joblib.delayed(known_density_runs)(d, s) for d in (2, 5) for s in KNOWN_SEEDS)
    halving = parallel(joblib.delayed(halving_run)(d, s) for d in (2, 5) for s in HALVING_SEEDS)
    labelled = parallel(
        joblib.delayed(labelled_rows)(name, s) for name in LABELLED for s in LABELLED_SEEDS
    )
    return "\n".join(
        [
            known_density_table([run for runs in known for run in runs]),
            labelled_table([row for rows in labelled for row in rows]),
            halving_table(halving),
        ]
    )
