"""What a ranking costs beside the detectors: two folds of thirteen detectors, and its parts.

The divisor is the plain work: every detector is cloned, fitted on one half, and scores the other
half and as many points as the judge asks for. All times are processor time, with linear algebra on
one thread, as rankings have it. The two take turns, so that other work on the machine meets both.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.measurements.timing import table
from benchmarks.verdict.study import TWIN, pool
from oddrank import normality_function, rank_detectors

SIZES = {(600, 10): 5, (4_000, 10): 3, (10_000, 30): 1}
N_POINTS = 1_536
CALLS: dict[str, dict[str, Any]] = {
    "the default, two folds": {},
    "a single fit (cv=1)": {"cv": 1},
}


def clustered_rows(n_rows: int, n_features: int) -> np.ndarray:
    """Return standardised rows of five clusters around a few common factors."""
    random, n_factors = np.random.default_rng(0), max(2, n_features // 2)
    centres = random.normal(0, 3, (5, n_features))
    mixing = random.normal(size=(n_factors, n_features))
    rows = centres[random.integers(0, 5, n_rows)] + random.normal(size=(n_rows, n_factors)) @ mixing
    rows += 0.3 * random.normal(size=rows.shape)
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def plain_fits(detectors: dict[str, Any], rows: np.ndarray) -> None:
    """Fit on each half, and score the other one and some points."""
    halves = rows[::2], rows[1::2]
    points = np.random.default_rng(0).uniform(-3.0, 3.0, (N_POINTS, rows.shape[1]))
    with threadpool_limits(limits=1, user_api="blas"):
        for train, test in (halves, halves[::-1]):
            for detector in detectors.values():
                score = normality_function(clone(detector).fit(train))
                score(test)
                score(points)


def _seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def report() -> str:
    detectors = {name: each for name, each in pool().items() if not name.startswith(TWIN)}
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyOD's own, about things that do not matter here
        plain_fits(detectors, clustered_rows(200, 4))  # imports do not count
        for (n_rows, n_features), repetitions in SIZES.items():
            rows = clustered_rows(n_rows, n_features)
            plain, found = [], {call: [] for call in CALLS}
            for _ in range(repetitions):
                plain.append(_seconds(lambda rows=rows: plain_fits(detectors, rows)))
                for call, options in CALLS.items():
                    given = {"scale": False, "n_jobs": 1, "random_state": 0, **options}
                    spent = _seconds(lambda: rank_detectors(detectors, rows, **given))  # noqa: B023
                    found[call].append(spent)
            alone = np.median(plain)
            lines += [
                [f"{n_rows:,} x {n_features}", call, f"{np.median(of_call):.2f} s",
                 f"{alone:.2f} s", f"{np.median(of_call) / alone:.2f}"]
                for call, of_call in found.items()
            ]  # fmt: skip
    return table(
        f"Ranking {len(detectors)} detectors, over plainly fitting and scoring them on two halves",
        ["rows", "call", "ranking", "plain fits", "ratio"],
        lines,
    )
