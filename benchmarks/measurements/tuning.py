"""What a search hands over loses, on tables whose odd rows are known.

Every grid is searched without labels, on training rows that are clean or hold 8 % odd ones. Labels
of fresh rows then tell how far ROC area and average precision are below those of the best setting:
for the detector's default setting, the first of the order, the committee of all settings, and a
setting at random. Every fourth of the 261 tables is used; `ODDRANK_TUNING_TABLES` changes that.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from benchmarks.measurements.timing import table
from benchmarks.odd_tables.study import OddTables, areas, rows_of
from benchmarks.run import Cell
from oddrank import LabelFreeSearchCV
from oddrank.rows import as_table

EVERY = int(os.environ.get("ODDRANK_TUNING_TABLES", "4"))
# A detector, the name of its default in the grid, and the grid.
GRIDS: dict[str, tuple[Any, str, dict[str, list[Any]]]] = {
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        "n_neighbors=20",
        {"n_neighbors": [5, 10, 20, 50, 100]},
    ),
    "IsolationForest": (
        IsolationForest(),
        "max_features=1.0, max_samples=auto",
        {"max_features": [0.5, 1.0], "max_samples": [64, "auto"]},
    ),
    "KernelDensity": (
        KernelDensity(),
        "bandwidth=1.0",
        {"bandwidth": [0.2, 0.5, 1.0, 2.0]},
    ),
    "GaussianMixture": (
        GaussianMixture(reg_covar=1e-3),
        "n_components=1",
        {"n_components": [1, 2, 4, 8, 12]},
    ),
}
SETTINGS = {"clean": "clean", "eight": "8 % odd"}


def measure_one(name: str, setting: str, label: str) -> list[dict[str, Any]]:
    """Return what every way to use a grid loses against its best setting by labels."""
    train, test, labels = rows_of(Cell(dataset=name, setting=setting, seed=0))
    detector, default, grid = GRIDS[label]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows, and fits that do not converge
        search = LabelFreeSearchCV(detector, grid, random_state=0).fit(train)
        ranking, rows = search.ranking_, as_table(test)
        single = {
            each: np.array(areas(ranking.refit.fitted(each).score(rows), labels))
            for each in ranking.order
        }
        found = {
            "the default setting": single.get(default, np.mean(list(single.values()), axis=0)),
            "the first of the order": single[ranking.best],
            "the committee of all settings": np.array(
                areas(ranking.committee.score_samples(test), labels)
            ),
            "one at random": np.mean(list(single.values()), axis=0),
        }
    best = np.max(list(single.values()), axis=0)
    return [
        {"table": name, "rows": SETTINGS[setting], "detector": label, "way": way,
         "roc": lost[0], "pr": lost[1]}
        for way, lost in ((way, best - each) for way, each in found.items())
    ]  # fmt: skip


def run() -> pd.DataFrame:
    names = sorted({cell.dataset for cell in OddTables().cells() if not cell.seed})[::EVERY]
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(measure_one)(name, setting, label)
        for name in names
        for setting in SETTINGS
        for label in GRIDS
    )
    return pd.DataFrame([row for rows in found for row in rows])


def _figures(found: pd.DataFrame) -> str:
    """Return means over tables with their errors: detectors on one table are much alike."""
    of_tables = found.groupby("table")[["roc", "pr"]].mean()
    mean, error = of_tables.mean(), of_tables.sem()
    return f"{mean['roc']:.3f} / {mean['pr']:.3f} ({error['roc']:.3f} / {error['pr']:.3f})"


def report() -> str:
    found = run()
    ways, kinds = list(dict.fromkeys(found["way"])), list(SETTINGS.values())
    all_of_them = [
        [way, *(_figures(found[(found["way"] == way) & (found["rows"] == rows)])
                for rows in kinds)]
        for way in ways
    ]  # fmt: skip
    by_detector = [
        [label, way, *(_figures(found[(found["way"] == way) & (found["rows"] == rows)
                                      & (found["detector"] == label)]) for rows in kinds)]
        for label in GRIDS
        for way in ways
    ]  # fmt: skip
    size = f"{found['table'].nunique()} tables, {len(GRIDS)} detectors"
    lost = [f"{rows}: ROC / average precision lost" for rows in kinds]
    return "\n".join([
        table(f"What a search hands over: {size}", ["used", *lost], all_of_them),
        table("By detector", ["detector", "used", *lost], by_detector),
    ])  # fmt: skip
