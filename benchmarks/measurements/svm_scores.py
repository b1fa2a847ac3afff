"""Scores of a one-class SVM in blocks against its own `score_samples`."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import seconds, table
from oddrank import normality_function


def report() -> str:
    lines = []
    for n_features in (3, 5, 10, 30):
        random = np.random.default_rng(0)
        detector = OneClassSVM(nu=0.5, gamma="auto").fit(random.normal(size=(10_000, n_features)))
        points = random.uniform(-4.0, 4.0, (5_000, n_features))
        in_blocks = normality_function(detector)
        theirs = seconds(partial(detector.score_samples, points))
        ours = seconds(partial(in_blocks, points))
        gap = np.abs(in_blocks(points) / detector.score_samples(points) - 1.0).max()
        lines.append([n_features, f"{theirs:.2f}", f"{ours:.2f}", f"{theirs / ours:.1f}",
                      f"{gap:.0e}"])  # fmt: skip
    return table(
        "One-class SVM with 5,000 support vectors, 5,000 points",
        ["features", "score_samples s", "in blocks s", "ratio", "largest relative difference"],
        lines,
    )
