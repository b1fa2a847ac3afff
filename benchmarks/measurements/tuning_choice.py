"""Which chooser of settings do labels agree with: excess mass, mass volume, or the mean area?

One dataset of each family, clean training rows, one grid per detector. `rank_detectors` over all
settings of a grid chooses by the mean area against the reference measures; `LabelFreeSearchCV` by
excess mass or mass volume. Rows are stored as they come, and a run that was stopped goes on.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from benchmarks.prepare import labelled_areas, split_of
from oddrank import LabelFreeSearchCV, rank_detectors
from oddrank.detectors import Candidate, copy_detector
from oddrank.errors import OddrankWarning
from oddrank.rows import as_table

DATASETS = (
    "wilt", "pima", "annthyroid", "pendigits", "ionosphere", "spambase", "breastw", "fault",
    "satimage_2", "letter", "magic_gamma", "mammography", "page_blocks", "stamps", "waveform",
)  # fmt: skip
MAX_ROWS = 2400
# The first value of a grid is not the default: that is taken from the library.
GRIDS: dict[str, tuple[Any, dict[str, list[Any]]]] = {
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True),
        {"n_neighbors": [100, 50, 20, 10, 5]},
    ),
    "KernelDensity": (
        KernelDensity(),
        {"bandwidth": [2.0, 1.0, 0.5, 0.3, 0.2, 0.1]},
    ),
    "GaussianMixture": (
        GaussianMixture(reg_covar=1e-3),
        {"n_components": [1, 2, 3, 5, 8, 12]},
    ),
    "OneClassSVM": (OneClassSVM(), {"gamma": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]}),
}
CHOOSERS = ("default", "excess mass", "mass volume", "mean area", "best", "worst")
STORE = Path("build") / "tuning_choice.jsonl"


def measure_one(name: str, label: str, seed: int) -> dict[str, Any]:
    """Return the ROC area of every chooser's setting."""
    split = split_of(name, "novelty", seed, MAX_ROWS)
    usable = np.flatnonzero(np.ptp(split.X_train, axis=0) > 0.0)
    train = as_table(split.X_train).features(usable)
    test = train.with_values(split.X_test[:, usable])
    detector, grid = GRIDS[label]

    def roc(each: Any) -> float:
        fitted = Candidate(name=label, detector=each).fit(train, np.random.SeedSequence(seed))
        return float(labelled_areas(fitted.score(test), split.y_test)["roc"])

    settings = list(ParameterGrid(grid))
    of_setting = {str(each): copy_detector(detector).set_params(**each) for each in settings}
    areas = {key: roc(each) for key, each in of_setting.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)
        chosen = [
            areas[str(LabelFreeSearchCV(detector, grid, criterion=criterion, n_splits=5,
                                        random_state=seed).fit(train.values).best_params_)]
            for criterion in ("excess_mass", "mass_volume")
        ]  # fmt: skip
        best = rank_detectors(of_setting, train, scale=False, random_state=seed).best
    figures = [roc(detector), *chosen, areas[best], max(areas.values()), min(areas.values())]
    return {"dataset": name, "detector": label, "seed": seed,
            **dict(zip(CHOOSERS, figures, strict=True))}  # fmt: skip


def stored_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []


def run(seeds: range = range(1)) -> list[dict[str, Any]]:
    done = {(row["dataset"], row["detector"], row["seed"]) for row in stored_rows()}
    STORE.parent.mkdir(exist_ok=True)
    for seed in seeds:
        for name in DATASETS:
            for label in GRIDS:
                if (name, label, seed) not in done:
                    row = measure_one(name, label, seed)
                    with STORE.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    return stored_rows()


def report() -> str:
    rows = run()
    random = np.random.default_rng(0)
    cells = []
    for label in (*GRIDS, "all"):
        own = [row for row in rows if label in ("all", row["detector"])]
        names = sorted({row["dataset"] for row in own})
        means = np.array([
            np.mean([[row[each] for each in CHOOSERS] for row in own if row["dataset"] == name],
                    axis=0)
            for name in names
        ])  # fmt: skip
        drawn = means[random.integers(0, len(names), (2000, len(names)))].mean(axis=1)
        gains = [(drawn[:, 3] - drawn[:, rival]) for rival in (1, 2)]
        cells.append([
            label, *(f"{value:.3f}" for value in means.mean(axis=0)),
            *("{:+.3f} [{:+.3f}, {:+.3f}]".format(gain.mean(), *np.quantile(gain, (0.025, 0.975)))
              for gain in gains),
        ])  # fmt: skip
    return table(
        f"ROC areas of tuned detectors by chooser, {len(DATASETS)} datasets",
        ["detector", *CHOOSERS, "mean area less EM", "mean area less MV"],
        cells,
    )
