"""Points that a ranking scores: every detector to its own accuracy, or what the order needs."""

from __future__ import annotations

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from benchmarks.measurements.volumes import rows_and_box
from oddrank import Evaluation, Volume, evaluate_detector, rank_detectors
from oddrank.errors import OddrankWarning
from oddrank.reference import AutoReference

DATASETS = ("wilt", "http", "annthyroid", "pima")
ACCURACIES = (0.02, 0.005)
DETECTORS = {
    "isolation forest": IsolationForest(random_state=0),
    "LOF": LocalOutlierFactor(novelty=True),
    "one-class SVM": OneClassSVM(gamma="auto"),
    "ellipse": EllipticEnvelope(support_fraction=1.0, random_state=0),
    "LOF, 50 neighbours": LocalOutlierFactor(n_neighbors=50, novelty=True),
}


def _points(evaluation: Evaluation, sampler: AutoReference) -> int:
    n_replicates = len(evaluation.criteria.first_fit.excess_mass.without_replicate)
    return n_replicates * sampler.n_points + sampler.pilot_points


def _compare(name: str, accuracy: float) -> list[object]:
    train, rows, box = rows_and_box(name)
    sampler = AutoReference(relative_error=accuracy)
    ground = {"reference": sampler, "box": box}
    options = {"scale": False, "n_folds": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # pima has few rows
        alone = {
            key: evaluate_detector(detector, train, rows, **ground, **options)
            for key, detector in DETECTORS.items()
        }
        judge = Volume(criterion="excess_mass", **ground)
        ranking = rank_detectors(DETECTORS, train, rows, judge=judge, **options)
    everyone = sum(_points(each, sampler) for each in alone.values())
    needed = sum(_points(each, sampler) for each in ranking.evaluations.values())
    order = sorted(alone, key=lambda key: -alone[key].excess_mass.value)
    separated = np.mean([pair.separated for pair in ranking.comparisons])
    same = "yes" if order == list(ranking.evaluations) else "no"
    return [
        name, f"{accuracy:.1%}", f"{everyone:,}", f"{needed:,}", f"{everyone / needed:.1f}x",
        f"{separated:.0%}", same,
    ]  # fmt: skip


def report() -> str:
    rows = Parallel(n_jobs=2)(
        delayed(_compare)(name, accuracy) for accuracy in ACCURACIES for name in DATASETS
    )
    return table(
        f"Points of {len(DETECTORS)} detectors: each to its accuracy, or as their order needs",
        ["data", "accuracy", "each to its accuracy", "as the order needs", "fewer",
         "separated pairs", "same order"],
        rows,
    )  # fmt: skip
