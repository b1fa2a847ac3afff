"""Standard deviation of MV at 2^12 points: Sobol against plain random."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import IsolationForest

from benchmarks.datasets import load
from benchmarks.measurements.timing import table
from oddrank import BoundingBox, level_sets, mass_volume_curve
from oddrank.reference import UniformBox

REPETITIONS = 40


def _area(forest, scores, box, sampler, seed) -> float:
    chunks = sampler.replicate(box, np.empty((0, box.n_features)), np.random.default_rng(seed))
    reference = np.concatenate([forest.score_samples(chunk.points) for chunk in chunks])
    return mass_volume_curve(level_sets(scores, reference, log_volume=box.log_volume)).area()


def report() -> str:
    rows, gains = [], []
    for name in ("wilt", "pima", "smtp"):
        X = load(name).X
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        forest = IsolationForest(random_state=0).fit(X)
        scores, box = forest.score_samples(X), BoundingBox.from_arrays(X)
        spread = {
            method: np.std(
                [
                    _area(forest, scores, box, UniformBox(n_points=2**12, method=method), seed)
                    for seed in range(REPETITIONS)
                ],
                ddof=1,
            )
            for method in ("random", "sobol")
        }
        gains.append(spread["random"] / spread["sobol"])
        rows.append([name, X.shape[1], *(f"{s:.3g}" for s in spread.values()), f"{gains[-1]:.1f}x"])
    rows.append(["median", "", "", "", f"{np.median(gains):.1f}x"])
    return table(
        f"Standard deviation of MV at 4,096 points, {REPETITIONS} repetitions (goal: 3x)",
        ["dataset", "features", "plain random", "Sobol", "random / Sobol"],
        rows,
    )
