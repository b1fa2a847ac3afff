"""A full-dimension judgement of many detectors against fitting and scoring them once."""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.measurements.timing import table
from benchmarks.verdict.study import TWIN, pool
from oddrank import normality_function, rank_detectors

N_ROWS, N_FEATURES, REPETITIONS = 10_000, 30, 1


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


CALLS = {
    "the default, two folds": ({}, 3.2),
    "a single fit": ({"n_folds": 1}, 1.4),
    "polluted=True, two folds twice": ({"polluted": True}, 6.0),
}


def report() -> str:
    rows = _rows()
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    train, test = rows[: N_ROWS // 2], rows[N_ROWS // 2 :]
    detectors = {name: each for name, each in pool().items() if not name.startswith(TWIN)}
    ratios: dict[str, list[float]] = {call: [] for call in CALLS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyOD's own, about things that do not matter here
        for _ in range(REPETITIONS):
            once = _once(detectors, train, test)
            for call, (options, _) in CALLS.items():
                start = time.process_time()
                rank_detectors(detectors, rows, scale=False, n_jobs=1, random_state=0, **options)
                ratios[call].append((time.process_time() - start) / once)
    size = f"{N_ROWS:,} x {N_FEATURES} rows"
    return table(
        f"Judging {len(detectors)} detectors on {size}: CPU time over fitting on one half and "
        "scoring the other once",
        ["call", "ratio, median", "goal"],
        [[call, f"{np.median(found):.2f}", f"at most {CALLS[call][1]}"]
         for call, found in ratios.items()],
    )  # fmt: skip
