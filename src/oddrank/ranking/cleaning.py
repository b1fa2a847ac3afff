"""Training rows that may be trusted: all but those that the detectors together find oddest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oddrank.detectors import Candidate
from oddrank.evaluation import score_rows
from oddrank.execution import Workers
from oddrank.ranking.agreement import oddest_together
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
    if workers.checkpoint is not None:  # beside the work of the ranking itself
        workers = replace(workers, checkpoint=Path(workers.checkpoint) / "first-fits")
    scores = score_rows(candidates, folds, scale=scale, root=root, workers=workers)
    trusted = np.ones(folds.train_rows.n_rows, dtype=bool)
    for fold, tested in enumerate(folds.test):
        together = np.array([of_detector[fold] for of_detector in scores.values()])
        if len(together):
            trusted[tested[oddest_together(together, TRIMMED_SHARE)]] = False
    return trusted
