"""Several detectors as one: the mean of the logarithms of their tail probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import ScoreTail
from oddrank.detectors import Candidate, name_candidates
from oddrank.ranking.calibrated import FoldCalibrated

__all__ = ["Committee", "committee_size", "mean_log_tails"]


def committee_size(n_ranked: int, polluted: bool | None) -> int:
    """Return how many of the best detectors join a committee.

    The numbers were chosen with families of datasets left out (`benchmarks/verdict`). It is three
    if `polluted` is set. If not, polluted rows may mislead the order, and half of the pool is
    safer.

    Examples
    --------
    >>> committee_size(13, polluted=False), committee_size(13, polluted=None)
    (3, 7)
    """
    return 3 if polluted is not None else max(3, -(-n_ranked // 2))


def mean_log_tails(
    held_out: Sequence[FloatArray], scores: Sequence[FloatArray] | FloatArray
) -> FloatArray:
    """Return the mean over members of the log tail probabilities of their scores."""
    parts = [
        ScoreTail.of(tail).log_probability(own) for tail, own in zip(held_out, scores, strict=True)
    ]
    return np.asarray(np.mean(parts, axis=0))


class Committee(FoldCalibrated):
    """Several detectors as one: it averages the log tail probabilities of each row.

    The vote of a member is how unlikely its score of a row is for ordinary rows (Fisher's
    combination), so members of any scale have the same weight. Tail probabilities come from rows
    that the member has not seen: it is fitted on folds, and then on all rows. On datasets with
    labels a committee of the three best lost less than the single best one (docs/judging.md).

    Parameters
    ----------
    detectors : mapping of names to detectors, or sequence of (name, detector) pairs
    preprocess : transformer or "auto", optional
        As in `oddrank.rank_detectors`: fitted before every member.
    scale : bool
        Standardise every feature on the training rows first.
    cv : int or splitter
        Folds of the held-out scores, at least 2.
    mass : float
        Share of rows like the training rows that `predict` calls normal.
    orientation : None, "normality", "abnormality", or mapping of names to these
    random_state : None, int or numpy random state

    Attributes
    ----------
    tails_ : list of arrays
        Held-out scores of each member, sorted.
    names_, members_, fold_members_, held_out_, row_scores_, row_folds_
        As in `CalibratedDetector`.

    Examples
    --------
    >>> from sklearn.ensemble import IsolationForest
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> members = {"forest": IsolationForest(), "lof": LocalOutlierFactor(novelty=True)}
    >>> committee = Committee(members, random_state=0).fit(X)
    >>> committee.predict([[0.0, 0.0], [8.0, 8.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        detectors: Any,
        *,
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 2,
        mass: float = 0.95,
        orientation: Any = None,
        random_state: Any = None,
    ) -> None:
        self.detectors = detectors
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.mass = mass
        self.orientation = orientation
        self.random_state = random_state

    def _candidates(self) -> list[Candidate]:
        return name_candidates(self.detectors, self.orientation)

    def _learn(self, of_folds: list[list[FloatArray]]) -> None:
        members = range(len(of_folds[0]))
        self.tails_ = [np.sort(np.concatenate([fold[m] for fold in of_folds])) for m in members]
        # Tails of the other folds: rows and new rows of a fold are then treated alike.
        self.fold_tails_ = [
            [
                np.sort(np.concatenate([of[m] for k, of in enumerate(of_folds) if k != fold]))
                for m in members
            ]
            for fold in range(len(of_folds))
        ]

    def _combined(self, scores: Sequence[FloatArray], fold: int | None) -> FloatArray:
        tails = self.tails_ if fold is None else self.fold_tails_[fold]
        return mean_log_tails(tails, scores)
