"""Criteria in all features, by splitting, beside Algorithm 1, ROC and precision-recall."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from benchmarks.measure import table
from oddrank import FeatureSubsampling, Ranking, datasets, rank_detectors
from oddrank.datasets.prepare import Split, paper_split
from oddrank.errors import OddrankWarning
from oddrank.reference import UniformBox

DATASETS = ("ionosphere", "pendigits", "spambase")
DETECTORS = {
    "isolation forest": IsolationForest(random_state=0),
    "LOF": LocalOutlierFactor(novelty=True),
    "one-class SVM": OneClassSVM(gamma="auto"),
}
# Keeps the run short; of the three datasets pendigits and spambase have more rows.
MAX_ROWS = 1500
# 50 draws of 8,192 points: somewhat more points in all than splitting has.
DRAWS = {
    "subsampling": FeatureSubsampling(n_draws=50),
    "reference": UniformBox(n_points=2**12, n_replicates=2),
}
WAYS = {"all features": {"subsampling": None}, "Algorithm 1": DRAWS}


def _scaled(name: str) -> tuple[np.ndarray, np.ndarray, Split]:
    split = paper_split(datasets.load(name), "novelty", random_state=0)
    train, rows = split.X_train[:MAX_ROWS], split.X_criteria[:MAX_ROWS]
    kept = np.ptp(train, axis=0) > 0
    scaler = StandardScaler().fit(train[:, kept])
    return scaler.transform(train[:, kept]), scaler.transform(rows[:, kept]), split


def _labelled(split: Split) -> dict[str, dict[str, float]]:
    train = split.X_train[:MAX_ROWS]
    kept = np.ptp(train, axis=0) > 0
    scaler = StandardScaler().fit(train[:, kept])
    areas = {}
    for name, detector in DETECTORS.items():
        fitted = clone(detector).fit(scaler.transform(train[:, kept]))
        odd = -fitted.score_samples(scaler.transform(split.X_test[:, kept]))
        areas[name] = {
            "ROC": float(roc_auc_score(split.y_test, odd)),
            "PR": float(average_precision_score(split.y_test, odd)),
        }
    return areas


def _ranking(train: np.ndarray, rows: np.ndarray, way: str) -> Ranking:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # few rows, as in the paper
        return rank_detectors(DETECTORS, train, rows, scale=False, random_state=0, **WAYS[way])


def _agreement(labelled: dict[str, dict[str, float]], ranking: Ranking, criterion: str) -> str:
    # Pairs of detectors that a criterion and the labels put into the same order.
    sign = 1.0 if criterion == "excess_mass" else -1.0
    value = {
        name: sign * getattr(each, criterion).value for name, each in ranking.evaluations.items()
    }
    if np.isnan(list(value.values())).any():
        return "unresolved"
    pairs = list(itertools.combinations(labelled, 2))
    counts = {
        label: sum(
            (value[a] > value[b]) == (labelled[a][label] > labelled[b][label]) for a, b in pairs
        )
        for label in ("ROC", "PR")
    }
    return ", ".join(f"{label} {count} of {len(pairs)}" for label, count in counts.items())


def _points_errors(evaluation) -> tuple[float, float] | None:
    criteria = evaluation.criteria
    if evaluation.level_sets is None:
        return None
    return criteria.excess_mass.points_error, criteria.mass_volume.points_error


def report() -> str:
    values, verdicts = [], []
    for name in DATASETS:
        train, rows, split = _scaled(name)
        labelled = _labelled(split)
        rankings = {way: _ranking(train, rows, way) for way in WAYS}
        size = f"{name}, {train.shape[1]} features, {len(train)} + {len(rows)} rows"
        for detector, areas in labelled.items():
            cells: list[object] = [size, detector, f"{areas['ROC']:.3f}", f"{areas['PR']:.3f}"]
            for ranking in rankings.values():
                evaluation = ranking.evaluations[detector]
                for estimate in (evaluation.excess_mass, evaluation.mass_volume):
                    cells.append(f"{estimate.value:.3g} ± {estimate.relative_error:.0%}")
                if errors := _points_errors(evaluation):
                    cells.append(f"{errors[0]:.0%} / {errors[1]:.0%}")
                cells.append(f"{ranking.seconds[detector]:.0f} s")
            values.append(cells)
        for way, ranking in rankings.items():
            for criterion in ("excess_mass", "mass_volume"):
                verdicts.append([name, way, criterion, _agreement(labelled, ranking, criterion)])
            for evaluation in ranking.evaluations.values():
                print(name, way, evaluation, sep="\n", flush=True)
    head = ["data", "detector", "ROC", "PR", "EM, all features", "MV", "of which points", "time"]
    return "\n".join(
        [
            table(
                "All features by splitting, and Algorithm 1",
                [*head, "EM, Algorithm 1", "MV, Algorithm 1", "time"],
                values,
            ),
            table(
                "Pairs of detectors in the order of the labels",
                ["data", "way", "criterion", "agreement"],
                verdicts,
            ),
        ]
    )
