"""What settings chosen without labels lose, by judge, on clean and on polluted training rows.

`LabelFreeSearchCV` chooses one setting of a grid. Labels of other rows then tell how far its ROC
and PR areas are below those of the best setting. The detector's default is in every grid, and so is
compared on the same rows. `ODDRANK_TUNING_SEEDS` sets the number of seeds.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from benchmarks.prepare import labelled_areas, split_of
from oddrank import Consensus, LabelFreeSearchCV, Ranking, Volume
from oddrank._text import counted
from oddrank.rows import as_table

# Up to 8 features: volumes in draws of more features take minutes.
DATASETS = ("wilt", "pima", "annthyroid", "mammography", "adult")
MAX_ROWS = 800
SEEDS = range(int(os.environ.get("ODDRANK_TUNING_SEEDS", "1")))
# A detector, the name of its default in the grid, and the grid.
GRIDS: dict[str, tuple[Any, str, dict[str, list[Any]]]] = {
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        "n_neighbors=20",
        {"n_neighbors": [5, 10, 20, 50, 100]},
    ),
    "OneClassSVM": (
        OneClassSVM(),
        "gamma=scale",
        {"gamma": [0.01, 0.03, "scale", 0.3, 1.0]},
    ),
    "KernelDensity": (
        KernelDensity(),
        "bandwidth=1.0",
        {"bandwidth": [0.1, 0.2, 0.5, 1.0, 2.0]},
    ),
    "GaussianMixture": (
        GaussianMixture(reg_covar=1e-3),
        "n_components=1",
        {"n_components": [1, 2, 4, 8, 12]},
    ),
}
KINDS = {"novelty": "clean", "unsupervised": "polluted"}


def measure_one(name: str, setting: str, label: str, seed: int) -> list[dict[str, Any]]:
    """Return what every way to choose loses against the best setting by labels."""
    split = split_of(name, setting, seed, MAX_ROWS)
    usable = np.ptp(split.X_train, axis=0) > 0.0
    train, test = split.X_train[:, usable], as_table(split.X_test[:, usable])
    detector, default, grid = GRIDS[label]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows, and fits that do not converge
        (plain, plain_seconds), (volume, volume_seconds) = (
            _searched(LabelFreeSearchCV(detector, grid, judge=judge, random_state=seed), train)
            for judge in ("auto", "volume")
        )
        areas = pd.DataFrame(
            {
                each: labelled_areas(plain.refit.fitted(each).score(test), split.y_test)
                for each in plain.order
            }
        )
        chosen = {
            "the default setting": default,
            "the default judge": plain.best,
            'judge="volume"': _first(volume.order, default),
            "the same, by mass volume": _first(
                Volume(criterion="mass_volume").decide(volume.scored, None).order, default
            ),
            'judge="consensus"': Consensus().decide(plain.scored, None).order[0],
        }
    lost = {way: areas.max(axis=1) - areas[each] for way, each in chosen.items()}
    lost["one at random"] = areas.max(axis=1) - areas.mean(axis=1)
    about = {"dataset": name, "rows": KINDS[setting], "detector": label, "seed": seed}
    seconds = {"the default judge": plain_seconds, 'judge="volume"': volume_seconds}
    return [
        {**about, "way": way, "seconds": seconds.get(way), **each} for way, each in lost.items()
    ]


def _searched(search: LabelFreeSearchCV, train: np.ndarray) -> tuple[Ranking, float]:
    """Return the ranking of a grid, and the processor time that it took."""
    start = time.process_time()
    return search.fit(train).ranking_, time.process_time() - start


def _first(order: Sequence[str], otherwise: str) -> str:
    """Return the first of an order, which is empty where no volume is resolved."""
    return order[0] if order else otherwise


def run() -> pd.DataFrame:
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(measure_one)(name, setting, label, seed)
        for name in DATASETS
        for setting in KINDS
        for label in GRIDS
        for seed in SEEDS
    )
    return pd.DataFrame([row for rows in found for row in rows])


def _figures(found: pd.DataFrame) -> list[str]:
    """Return means over datasets with their errors: detectors on one dataset are much alike."""
    of_datasets = found.groupby("dataset")[["roc", "pr"]].mean()
    errors = of_datasets.sem()
    return [f"{of_datasets[area].mean():.3f} ± {errors[area]:.3f}" for area in ("roc", "pr")]


def _seconds(found: pd.Series) -> str:
    return f"{found.mean():.1f} s" if found.notna().any() else ""


def report() -> str:
    found = run()
    ways = list(dict.fromkeys(found["way"]))
    kinds = list(KINDS.values())
    lost = [
        [way, *(figure for rows in kinds
                for figure in _figures(found[(found["way"] == way) & (found["rows"] == rows)])),
         _seconds(found.loc[found["way"] == way, "seconds"])]
        for way in ways
    ]  # fmt: skip
    wide = found.pivot(index=["dataset", "rows", "detector", "seed"], columns="way", values="roc")
    gains = wide.rsub(wide["the default setting"], axis=0).groupby(["rows", "detector"]).mean()
    by_detector = [
        [label, rows, *(f"{gains.loc[(rows, label), way]:+.3f}" for way in ways[1:])]
        for label in GRIDS
        for rows in kinds
    ]
    size = f"{len(DATASETS)} datasets, {counted(len(SEEDS), 'seed')}, {len(GRIDS)} detectors"
    head = [f"{rows} rows: {area} lost" for rows in kinds for area in ("ROC", "PR")]
    title = f"Settings chosen without labels: {size}"
    gained = "ROC area gained over the default setting"
    return "\n".join(
        [
            table(title, ["chosen by", *head, "time of a search"], lost),
            table(gained, ["detector", "rows", *ways[1:]], by_detector),
        ]
    )
