"""How long `tell` takes beside the ranking that it teaches: nothing is fitted again.

"told" is `tell` with the order of all rows after it. "every question" is one more question, its
answer and the order, as `oddrank ask` does after each key.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from benchmarks.measurements.timing import table
from oddrank import rank_detectors

N_FEATURES = 10
CASES = ((1_000, 10), (1_000, 100), (100_000, 20), (100_000, 500))


def seconds(n_rows: int, n_answers: int) -> tuple[float, float, float]:
    """Return the time of a ranking with its list, of `tell`, and of one question more."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(n_rows, N_FEATURES))
    odd = random.permutation(n_rows)[: n_rows // 50]
    rows[odd] += 2.5
    start = perf_counter()
    ranking = rank_detectors("fast", rows, random_state=0)
    _ = ranking.committee.row_oddness_, ranking.teaching
    fitted = perf_counter()
    # half of the answers are about odd rows, as where somebody has asked for a while
    asked = np.concatenate([odd[: n_answers // 2], random.permutation(n_rows)[: n_answers // 2]])
    answers = {int(row): bool(row in set(odd.tolist())) for row in asked}
    before = perf_counter()
    taught = ranking.tell(answers)
    _ = taught.committee.row_oddness_
    told = perf_counter()
    (question,) = taught.teaching.questions(1, ranking.refit.root)
    _ = taught.tell({int(question): False}).committee.row_oddness_
    return fitted - start, told - before, perf_counter() - told


def report() -> str:
    """Return the table."""
    lines = []
    for n_rows, n_answers in CASES:
        ranked, told, question = seconds(n_rows, n_answers)
        lines.append(
            [f"{n_rows:,}", str(n_answers), f"{ranked:.1f} s", f"{told:.2f} s", f"{question:.2f} s",
             f"{told / ranked:.3f}"]
        )  # fmt: skip
    head = ["rows", "answers", "ranking", "told", "every question", "told / ranking"]
    return table("Time of tell beside that of its ranking", head, lines)
