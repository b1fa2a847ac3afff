"""Time in oddrank's own code, resampling included, against time in the detector."""

from __future__ import annotations

import time

import numpy as np
from sklearn.ensemble import IsolationForest

from benchmarks.measurements.timing import table
from oddrank import evaluate_scores
from oddrank.reference import AutoReference, UniformBox

SAMPLERS = {"Sobol, 131,072": UniformBox(), "auto": AutoReference()}


class Timed:
    """Passes rows on and remembers how long the detector took."""

    def __init__(self, detector: IsolationForest) -> None:
        self.detector, self.seconds = detector, 0.0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        start = time.process_time()
        scores = self.detector.score_samples(rows)
        self.seconds += time.process_time() - start
        return scores


def report() -> str:
    rows = []
    for n_features in (2, 5, 8):
        X = np.random.default_rng(0).normal(size=(20_000, n_features))
        forest = IsolationForest(random_state=0).fit(X)
        for name, sampler in SAMPLERS.items():
            ratios, totals, errors = [], [], []
            for seed in range(5):
                timed = Timed(forest)
                start = time.process_time()
                evaluation = evaluate_scores(timed, X, reference=sampler, random_state=seed)
                totals.append(time.process_time() - start)
                ratios.append(totals[-1] / timed.seconds - 1.0)
                errors.append(evaluation.criteria.folds[0].points_error)
            figures = (np.median(each) for each in (totals, ratios, errors))
            rows.append([n_features, name, *(f"{each:.3g}" for each in figures)])
    return table(
        "Own time over isolation forest's score_samples, 20,000 rows, processor time, medians of 5 "
        "(goals: 0.15 for Sobol points, 0.5 for auto)",
        ["features", "points", "seconds in all", "own time / its time", "error of the points"],
        rows,
    )
