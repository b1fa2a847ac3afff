"""Training rows that may be trusted: all but those that the detectors together find oddest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions
from oddrank.detectors import Candidate
from oddrank.evaluation import EvaluationPlan, EvaluationTask
from oddrank.execution import Workers, run_tasks
from oddrank.judging import oddest_together
from oddrank.rows import Folds, folds_of

__all__ = ["TRIMMED_SHARE", "find_trusted"]

# Chosen on polluted datasets with labels (docs/judging.md). On clean rows trimming harms.
TRIMMED_SHARE = 0.2


def find_trusted(
    candidates: Sequence[Candidate],
    folds: Folds,
    *,
    scale: bool,
    root: np.random.SeedSequence,
    workers: Workers,
) -> npt.NDArray[np.bool_]:
    """Tell which training rows the detectors do not find oddest together.

    Every row is scored by fits that have not seen it; near-duplicate detectors count once. This is
    the one part of a ranking that depends on which detectors take part.
    """
    if not folds.cover_all_rows:
        folds = folds_of(folds.train_rows, None, 2, root, "rank_detectors")
    scores = _score_folds(candidates, folds, scale=scale, root=root, workers=workers)
    trusted = np.ones(folds.train_rows.n_rows, dtype=bool)
    for fold, tested in enumerate(folds.test):
        together = np.array([of_detector[fold] for of_detector in scores.values()])
        if len(together):
            trusted[tested[oddest_together(together, TRIMMED_SHARE)]] = False
    return trusted


def _score_folds(
    candidates: Sequence[Candidate],
    folds: Folds,
    *,
    scale: bool,
    root: np.random.SeedSequence,
    workers: Workers,
) -> dict[str, tuple[FloatArray, ...]]:
    """Return the scores of the test rows of every fold, by detectors that worked on all of them."""
    plan = EvaluationPlan(
        form=folds.train_rows.without_rows(),
        train=folds.train,
        test=folds.test,
        scale=scale,
        sampler=None,
        options=CriteriaOptions(),
        root=root,
        box=None,
    )
    tasks = [
        EvaluationTask(candidate=candidate, fold=fold, draw=None, index=0)
        for fold in range(len(folds))
        for candidate in candidates
    ]
    if workers.checkpoint is not None:  # beside the work of the ranking itself
        workers = replace(workers, checkpoint=Path(workers.checkpoint) / "first-fits")
    rows = (folds.train_rows.values, folds.test_rows.values)
    found: dict[str, list[FloatArray]] = {}
    for task, result in zip(tasks, run_tasks(tasks, plan, rows, workers), strict=True):
        if result.scores is not None:
            found.setdefault(task.name, []).append(result.scores)
    return {name: tuple(parts) for name, parts in found.items() if len(parts) == len(folds)}
