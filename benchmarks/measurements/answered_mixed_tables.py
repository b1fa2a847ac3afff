"""What answers are worth on mixed tables: planted rows in real tables with categories and gaps.

Half of a table is ranked and asked about, one question at a time; the other half is fresh. 5 % of
the rows of both are planted errors. Average precision on the fresh rows, of the committee of the
pool `default` before and after answers, and of its best single detector by all fresh labels.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks.measurements.planted_rows import KINDS, TABLES, planted
from benchmarks.measurements.timing import table
from oddrank import rank_detectors
from oddrank._typing import FloatArray

SHARE, SEED, N_ANSWERS = 0.05, 0, (0, 10, 20, 40)


def worth(name: str, kind: str) -> FloatArray | None:
    """Return the average precision after each number of answers, and that of the best detector."""
    frame, wrong = planted(name, kind, SHARE, SEED)
    odd = np.zeros(len(frame), dtype=bool)
    odd[[each.place for each in wrong]] = True
    order = np.random.default_rng(SEED).permutation(len(frame))
    own, fresh = order[: len(order) // 2], order[len(order) // 2 :]
    if not odd[own].any() or not odd[fresh].any():
        return None
    ranking = rank_detectors(
        "default", frame.iloc[own].reset_index(drop=True), preprocess="auto", random_state=SEED
    )
    new = frame.iloc[fresh]
    best = max(
        average_precision_score(odd[fresh], -ranking.detector(detector).score_samples(new))
        for detector in ranking.order
    )
    found = []
    for n_answers in range(N_ANSWERS[-1] + 1):
        if n_answers in N_ANSWERS:
            found.append(average_precision_score(odd[fresh], -ranking.score_samples(new)))
        (question,) = ranking.ask(1)
        ranking = ranking.tell({question: bool(odd[own][question])})
    return np.array([*found, best])


def report() -> str:
    """Return the table."""
    lines, every = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in KINDS:
            found = [each for name in TABLES if (each := worth(name, kind)) is not None]
            every += found
            lines.append([kind, str(len(found)), *(f"{v:.2f}" for v in np.mean(found, axis=0))])
    lines.append(["together", str(len(every)), *(f"{v:.2f}" for v in np.mean(every, axis=0))])
    head = [*(f"{n} answers" for n in N_ANSWERS), "best detector by labels"]
    return table(
        "Average precision on fresh rows of mixed tables", ["planted", "tables", *head], lines
    )
