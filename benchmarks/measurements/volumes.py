"""Spread of EM and MV over seeds: plain random, Sobol, importance and auto points.

`ODDRANK_VOLUME_REPETITIONS` sets the number of seeds per cell.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from benchmarks.prepare import split_of
from oddrank import BoundingBox
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, CriteriaOptions
from oddrank.detectors import FittedDetector
from oddrank.evaluation import criteria_of, score_fold
from oddrank.reference import AutoReference, ImportanceMixture, Place, UniformBox
from oddrank.rows import DIRECT_FEATURES, as_table

REPETITIONS = int(os.environ.get("ODDRANK_VOLUME_REPETITIONS", "20"))
GOAL = 0.02
# Keeps the run short: LOF and the one-class SVM score more slowly with more training rows.
MAX_ROWS = 2000
OPTIONS = CriteriaOptions(n_halves=0)

DESIGNED_ON = ("wilt", "http", "annthyroid", "pima")
OTHERS = ("smtp", "shuttle", "pendigits", "forestcover", "ionosphere", "spambase", "adult")

SAMPLERS = {
    "random, 100,000": UniformBox(n_points=12_500, method="random"),
    "random, 32,768": UniformBox(n_points=2**12, method="random"),
    "Sobol, 32,768": UniformBox(n_points=2**12),
    "importance, 32,768": ImportanceMixture(n_points=2**12),
    "auto, at most 32,768": AutoReference(max_points=2**15),
}


def _detectors(train: np.ndarray) -> dict[str, object]:
    return {
        "isolation forest": IsolationForest(random_state=0).fit(train),
        "LOF": LocalOutlierFactor(novelty=True).fit(train),
        "one-class SVM": OneClassSVM(gamma=1.0 / train.shape[1]).fit(train),
    }


def rows_and_box(name: str) -> tuple[np.ndarray, np.ndarray, BoundingBox]:
    split = split_of(name, "novelty", 0)
    train, rows = split.X_train[:MAX_ROWS], split.X_criteria[:MAX_ROWS]
    if name == "annthyroid":
        drawn = np.arange(5)
    elif train.shape[1] > DIRECT_FEATURES:
        drawn = np.random.default_rng(0).choice(train.shape[1], 5, replace=False)
    else:
        return train, rows, BoundingBox(lower=split.lower, upper=split.upper)
    # Algorithm 1: one draw of 5 features, box of its rows
    return train[:, drawn], rows[:, drawn], BoundingBox.from_arrays(rows[:, drawn])


def _criteria(detector, rows, box, sampler, seed) -> tuple[float, float, int]:
    fitted = FittedDetector(name=type(detector).__name__, detector=detector)
    place = Place(box=box, rows=rows, root=np.random.SeedSequence(seed))
    fold = score_fold(fitted, as_table(rows), place, sampler, OPTIONS)
    found = criteria_of(fold, OPTIONS, place.root)
    points = found.n_replicates * sampler.points_per_replicate + sampler.pilot_points
    em, mv = (found.criteria[each].value for each in (EXCESS_MASS, MASS_VOLUME))
    return em, mv, points


def _cell(detector, rows, box, sampler) -> tuple[float, float, float]:
    results = np.array([_criteria(detector, rows, box, sampler, s) for s in range(REPETITIONS)])
    spread = results[:, :2].std(axis=0, ddof=1) / results[:, :2].mean(axis=0)
    return float(spread[0]), float(spread[1]), float(results[:, 2].mean())


def _percent(share: float) -> str:
    return "unresolved" if np.isnan(share) else f"{100 * share:.1f} %"


def spread_table(names: Sequence[str], samplers: Mapping[str, object], title: str) -> str:
    places = []
    for name in names:
        train, rows, box = rows_and_box(name)
        for label, detector in _detectors(train).items():
            places.append((f"{name}, {label}", detector, rows, box))
    cells = Parallel(n_jobs=2)(
        delayed(_cell)(detector, rows, box, sampler)
        for _, detector, rows, box in places
        for sampler in samplers.values()
    )
    grid = np.array(cells).reshape(len(places), len(samplers), 3)
    lines = [
        [place[0], *(f"{_percent(em)} / {_percent(mv)}" for em, mv, _ in row), f"{row[-1, 2]:,.0f}"]
        for place, row in zip(places, grid, strict=True)
    ]
    reached = (grid[:, :, :2] <= GOAL).all(axis=2).sum(axis=0)
    lines.append(["cells with both at most 2 %", *(f"{n} of {len(places)}" for n in reached), ""])
    return table(title, ["cell", *samplers, "points of auto"], lines)


def report() -> str:
    title = f"Relative standard deviation of EM / MV, {REPETITIONS} seeds"
    two = {name: SAMPLERS[name] for name in ("random, 100,000", "auto, at most 32,768")}
    return "\n".join(
        [
            spread_table(DESIGNED_ON, SAMPLERS, f"{title} (goal: auto 10 of 12)"),
            spread_table(OTHERS, two, f"{title}, on data that auto was not designed on"),
        ]
    )
