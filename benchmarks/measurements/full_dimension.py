"""Criteria in all features, by splitting, beside Algorithm 1, ROC and precision-recall.

`ODDRANK_FULL_SEEDS` sets the number of seeds.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from benchmarks.prepare import split_of
from oddrank import Evaluation, FeatureSubsampling, Ranking, Volume, rank_detectors
from oddrank.errors import OddrankWarning

DATASETS = ("ionosphere", "pendigits", "spambase")
SEEDS = range(int(os.environ.get("ODDRANK_FULL_SEEDS", "5")))
DETECTORS = {
    "isolation forest": IsolationForest(random_state=0),
    "LOF": LocalOutlierFactor(novelty=True),
    "one-class SVM": OneClassSVM(gamma="auto"),
}
PAIRS = list(itertools.combinations(DETECTORS, 2))
CRITERIA = ("excess_mass", "mass_volume")
# Keeps the run short; of the three datasets pendigits and spambase have more rows.
MAX_ROWS = 1500
WAYS = {"all features": None, "Algorithm 1": FeatureSubsampling(n_draws=50)}


@dataclass(frozen=True, kw_only=True)
class FullRun:
    """One dataset with one seed: figures of every detector, and pairs in the labels' order.

    Attributes
    ----------
    size : str
    labelled : dict of detector to areas
    figures : dict of (way, detector) to texts: EM, MV, errors of points, seconds
    right : dict of (way, criterion, label) to the number of pairs, None where unresolved
    separated : dict of (way, criterion) to the number of separated pairs
    """

    dataset: str
    seed: int
    size: str
    labelled: dict[str, dict[str, float]]
    figures: dict[tuple[str, str], list[str]]
    right: dict[tuple[str, str, str], int | None]
    separated: dict[tuple[str, str], int]


def full_run(name: str, seed: int) -> FullRun:
    split = split_of(name, "novelty", seed)
    train, rows = split.X_train[:MAX_ROWS], split.X_criteria[:MAX_ROWS]
    kept = np.ptp(train, axis=0) > 0
    scaler = StandardScaler().fit(train[:, kept])
    train, rows, test = (scaler.transform(X[:, kept]) for X in (train, rows, split.X_test))
    labelled = {}
    for label, detector in DETECTORS.items():
        odd = -clone(detector).fit(train).score_samples(test)
        labelled[label] = {
            "ROC": float(roc_auc_score(split.y_test, odd)),
            "PR": float(average_precision_score(split.y_test, odd)),
        }
    rankings = {way: _ranking(train, rows, way, seed) for way in WAYS}
    return FullRun(
        dataset=name,
        seed=seed,
        size=f"{name}, {train.shape[1]} features, {len(train)} + {len(rows)} rows",
        labelled=labelled,
        figures={
            (way, label): _figures(ranking, label)
            for way, ranking in rankings.items()
            for label in DETECTORS
        },
        right={
            (way, criterion, label): _pairs_right(ranking, criterion, labelled, label)
            for way, ranking in rankings.items()
            for criterion in CRITERIA
            for label in ("ROC", "PR")
        },
        separated={
            (way, criterion): sum(pair.separated for pair in ranking.comparisons_by(criterion))
            for way, ranking in rankings.items()
            for criterion in CRITERIA
        },
    )


def _ranking(train: np.ndarray, rows: np.ndarray, way: str, seed: int) -> Ranking:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # few rows, as in the paper
        return rank_detectors(
            DETECTORS,
            train,
            rows,
            judge=Volume(subsampling=WAYS[way]),
            scale=False,
            cv=1,
            random_state=seed,
        )


def _figures(ranking: Ranking, label: str) -> list[str]:
    evaluation = ranking.evaluations[label]
    estimates = (evaluation.excess_mass, evaluation.mass_volume)
    figures = [
        f"{each.value:.3g} ± {each.relative_error:.0%}" if each.resolved else "unresolved"
        for each in estimates
    ]
    return [*figures, _points_errors(evaluation), f"{ranking.seconds[label]:.0f} s"]


def _points_errors(evaluation: Evaluation) -> str:
    if evaluation.level_sets is None:
        return ""
    errors = [each.points_error for each in evaluation.criteria.folds[0].criteria.values()]
    return " / ".join("-" if np.isinf(error) else f"{error:.0%}" for error in errors)


def _pairs_right(
    ranking: Ranking, criterion: str, labelled: dict[str, dict[str, float]], label: str
) -> int | None:
    # Comparisons are made of logarithms: volumes that no float can hold have an order as well.
    better = {
        frozenset((pair.better, pair.worse)): pair.better
        for pair in ranking.comparisons_by(criterion)
    }
    if len(better) < len(PAIRS):
        return None
    return sum(
        better[frozenset(pair)] == max(pair, key=lambda name: labelled[name][label])
        for pair in PAIRS
    )


def figures_table(runs: Sequence[FullRun]) -> str:
    rows = [
        [
            run.size, label, *(f"{run.labelled[label][area]:.3f}" for area in ("ROC", "PR")),
            *run.figures["all features", label],
            *(run.figures["Algorithm 1", label][position] for position in (0, 1, 3)),
        ]
        for run in runs
        if run.seed == SEEDS[0]
        for label in DETECTORS
    ]  # fmt: skip
    return table(
        "All features by splitting, and Algorithm 1, first seed",
        ["data", "detector", "ROC", "PR", "EM, all features", "MV", "of which points", "time",
         "EM, Algorithm 1", "MV, Algorithm 1", "time"],
        rows,
    )  # fmt: skip


def agreement_table(runs: Sequence[FullRun]) -> str:
    rows: list[list[Any]] = []
    for name in DATASETS:
        of_data = [run for run in runs if run.dataset == name]
        for way in WAYS:
            for criterion in CRITERIA:
                counts = [
                    [run.right[way, criterion, label] for run in of_data] for label in ("ROC", "PR")
                ]
                resolved = [count for count in counts[0] if count is not None]
                shares = [
                    f"{sum(c for c in found if c is not None)} of {len(PAIRS) * len(resolved)}"
                    for found in counts
                ]
                separated = sum(run.separated[way, criterion] for run in of_data)
                rows.append([name, way, criterion, *shares, separated,
                             f"{len(resolved)} of {len(of_data)}"])  # fmt: skip
    return table(
        f"Pairs of detectors in the order of the labels, {len(SEEDS)} seeds",
        ["data", "way", "criterion", "as ROC", "as PR", "separated pairs", "resolved seeds"],
        rows,
    )


def report() -> str:
    runs = Parallel(n_jobs=2)(delayed(full_run)(name, seed) for name in DATASETS for seed in SEEDS)
    return "\n".join([figures_table(runs), agreement_table(runs)])
