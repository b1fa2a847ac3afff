"""A full-dimension judgement of many detectors against fitting and scoring them once."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.measure import table
from oddrank import normality_function, rank_detectors
from oddrank.benchmark import load_spec

N_ROWS, N_FEATURES, REPETITIONS = 10_000, 30, 3


def _rows() -> np.ndarray:
    random = np.random.default_rng(0)
    centers, mixing = random.normal(0, 3, (5, N_FEATURES)), random.normal(size=(12, N_FEATURES))
    rows = centers[random.integers(0, 5, N_ROWS)] + random.normal(size=(N_ROWS, 12)) @ mixing
    return rows + 0.3 * random.normal(size=rows.shape)


def _once(detectors: dict, train: np.ndarray, test: np.ndarray) -> float:
    start = time.process_time()
    # one thread for linear algebra, as rankings have it
    with threadpool_limits(limits=1, user_api="blas"):
        for detector in detectors.values():
            normality_function(clone(detector).fit(train))(test)
    return time.process_time() - start


def report() -> str:
    rows = _rows()
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    train, test = rows[: N_ROWS // 2], rows[N_ROWS // 2 :]
    detectors = {each.name: each.make() for each in load_spec("verdict").detectors}
    lines, ratios = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyOD's own, about things that do not matter here
        for _ in range(REPETITIONS):
            once = _once(detectors, train, test)
            start = time.process_time()
            # one fold: two fit and score everything twice, by design
            rank_detectors(detectors, train, test, scale=False, n_folds=1, n_jobs=1,
                           random_state=0)  # fmt: skip
            judged = time.process_time() - start
            ratios.append(judged / once)
            lines.append([f"{once:.1f}", f"{judged:.1f}", f"{ratios[-1]:.2f}"])
    lines.append(["", "median", f"{np.median(ratios):.2f}"])
    size = f"{N_ROWS:,} x {N_FEATURES} rows"
    return table(
        f"Judging {len(detectors)} detectors on {size} (goal: at most 1.3 times)",
        ["fit and score once, CPU s", "rank_detectors, CPU s", "ratio"],
        lines,
    )
