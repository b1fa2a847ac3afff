"""Tuning without labels: against known densities, against labels, and halving against the grid."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
KNOWN_SEEDS = range(20)
DETECTORS = {
    "KernelDensity": (KernelDensity(), {"bandwidth": [0.1, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5]}),
    "OneClassSVM": (OneClassSVM(nu=0.05), {"gamma": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]}),
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        {"n_neighbors": [5, 10, 20, 40, 80, 160]},
    ),
}


@dataclass(frozen=True, kw_only=True)
class KnownRun:
    """One search held against the truth."""

    detector: str
    criterion: str
    d: int
    seed: int
    chosen: float
    ratio: float  # volume of the symmetric difference over that of the best on the grid


def known_density_runs(d: int, seed: int) -> list[KnownRun]:
    """Tune each detector by each criterion, and compare learned sets with the true one."""
    sample = datasets.make_known_density("mixture", KNOWN_ROWS, d, random_state=seed)
    fresh = sample.density.sample(200_000, np.random.default_rng(seed))
    level = np.quantile(sample.log_density(fresh), 1.0 - MASS)
    box = BoundingBox.from_arrays(sample.X, margin=0.1)
    points = box.scale_up(qmc.Sobol(d, seed=seed).random_base2(13))
    inside = sample.log_density(points) >= level
    runs = []
    for name, (detector, grid) in DETECTORS.items():
        (parameter, values), differences = next(iter(grid.items())), {}
        for value in values:
            candidate = clone(detector).set_params(**{parameter: value})
            learned = learned_set(candidate, sample.X, points, seed)
            differences[value] = np.mean(learned != inside)
        best = min(differences.values())
        with tempfile.TemporaryDirectory() as folder:
            for criterion in CRITERIA:
                # both criteria come from one scoring: the second search reads the first one's
                search = _search(detector, grid, seed, criterion=criterion, checkpoint=folder)
                chosen = search.fit(sample.X).best_params_[parameter]
                runs.append(
                    KnownRun(
                        detector=name,
                        criterion=criterion,
                        d=d,
                        seed=seed,
                        chosen=chosen,
                        ratio=float(differences[chosen] / best),
                    )
                )
    return runs


def learned_set(detector: Any, X: Any, points: Any, seed: int) -> Any:
    """Tell which points lie in the set that a search would learn with this detector."""
    root, rows = root_of(seed, "tuning"), as_table(X)
    splits = make_splits(len(X), 10, test_size=0.2, calibration_size=0.2, root=root)
    averaged = averaged_level_sets(detector, None, rows, splits, mass=MASS, root=root)
    threshold = calibrated_threshold(averaged.heights(rows.rows(splits.calibration)), MASS)
    return averaged.heights(as_table(points)) >= threshold


def _search(detector: Any, grid: Any, seed: int, **options: Any) -> LabelFreeSearchCV:
    return LabelFreeSearchCV(
        detector, grid, mass=MASS, **{"reference": POINTS, "random_state": seed, **options}
    )
