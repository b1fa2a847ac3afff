"""Several detectors as one: the votes of those that find a row oddest.

A vote is minus the logarithm of the tail probability of a member's score. A detector misses a kind
of oddness by calling the row ordinary, and the mean of all votes lets such silence drown the
members that see it. So a row's score is the mean of its highest votes, a third to half of them.
`benchmarks/odd_tables` has how share and weights were chosen, with tables left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import ScoreTail
from oddrank.detectors import Candidate, name_candidates
from oddrank.errors import InvalidParameterError
from oddrank.ranking.agreement import near_duplicates
from oddrank.ranking.calibrated import FoldCalibrated

__all__ = ["Committee", "highest_votes", "order_weights", "votes"]

# How many votes count for a row, its highest: two and a half, but a third of all at least, and half
# at most.
COUNTED_VOTES = 2.5
LEAST_SHARE, LARGEST_SHARE = 1.0 / 3.0, 0.5
# How fast weights fall with the place in the order, where rows are said to be clean, and else.
CLEAN_POWER, CAUTIOUS_POWER = 2.0, 0.5


def order_weights(scores: FloatArray | None, n_members: int, polluted: bool | None) -> FloatArray:
    """Return the weight of every member, from the first of the order to the last.

    A place counts the members ahead, near-duplicates among them once. An order by level sets is
    worth much on clean rows, and little where nobody knows what the rows hold.

    Parameters
    ----------
    scores : array of shape (n_members, n_rows), or None
        Held-out scores of the members, best first; None where rows have none.
    n_members : int
    polluted : bool or None
        What the user says of the rows.

    Examples
    --------
    >>> order_weights(None, 4, polluted=None).round(2)
    array([1.  , 0.71, 0.58, 0.5 ])
    >>> order_weights(None, 4, polluted=False).round(2)
    array([1.  , 0.25, 0.11, 0.06])
    """
    alone = np.ones(n_members)
    copies = alone if scores is None else near_duplicates(scores).sum(axis=1)
    places = 1.0 + np.concatenate([[0.0], np.cumsum(1.0 / copies)[:-1]])
    power = CLEAN_POWER if polluted is False else CAUTIOUS_POWER
    return np.asarray(places**-power)


def votes(held_out: Sequence[FloatArray], scores: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Return minus the log tail probability of each row, by every member."""
    return np.array([
        -ScoreTail.of(tail).log_probability(own) for tail, own in zip(held_out, scores, strict=True)
    ])  # fmt: skip


def share_of(copies: FloatArray) -> float:
    """Return the share of the votes that counts, from how many near-duplicates each member has.

    Examples
    --------
    >>> share_of(np.ones(5)), round(share_of(np.ones(13)), 3)
    (0.5, 0.333)
    """
    n_votes = float(np.sum(1.0 / copies))
    return float(np.clip(COUNTED_VOTES / n_votes, LEAST_SHARE, LARGEST_SHARE))


def highest_votes(cast: FloatArray, weights: FloatArray, share: float) -> FloatArray:
    """Return the mean of the highest votes of each row, up to a share of the weight of all.

    Parameters
    ----------
    cast : array of shape (n_members, n_rows)
    weights : array of shape (n_members,)
    share : float
        1 is the weighted mean; a small share is the maximum.

    Examples
    --------
    >>> cast = np.array([[1.0, 5.0], [2.0, 0.0], [9.0, 1.0]])
    >>> highest_votes(cast, np.ones(3), share=1 / 3).round(9)
    array([9., 5.])
    >>> highest_votes(cast, np.ones(3), share=1.0)
    array([4., 2.])
    """
    order = np.argsort(-cast, axis=0, kind="stable")
    weight = (weights / weights.sum())[order]
    before = np.cumsum(weight, axis=0) - weight
    counted = np.clip(share - before, 0.0, weight)
    return np.asarray((counted * np.take_along_axis(cast, order, axis=0)).sum(axis=0) / share)


class Committee(FoldCalibrated):
    """Several detectors as one: it follows those that find a row oddest.

    The vote of a member is how unlikely its score of a row is for ordinary rows, so members of any
    scale have the same say. Tail probabilities come from rows that the member has not seen: it is
    fitted on folds. A row's score is the mean of its highest votes: half of them in a small
    committee, a third in a large one.
    Near-duplicates share one vote, so that five forests do not outvote one LOF.

    Parameters
    ----------
    detectors : mapping of names to detectors, or sequence of (name, detector) pairs
    weights : mapping of names to float, optional
        How much the vote of each member counts; all the same by default.
    refit : bool
        Fit members on all rows too, and score new rows by these fits. By default the fits of the
        folds score them, which costs no further fit and loses nothing where rows hold anomalies.
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
    weights_ : array
        Of the members, near-duplicates considered; their sum is 1.
    share_ : float
        The share of this weight that counts for a row, that of its highest votes.
    names_, members_, fold_members_, held_out_, row_scores_, row_folds_
        As in `CalibratedDetector`; there are no `members_` without `refit`.

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
        weights: Mapping[str, float] | None = None,
        refit: bool = False,
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 2,
        mass: float = 0.95,
        orientation: Any = None,
        random_state: Any = None,
    ) -> None:
        self.detectors = detectors
        self.weights = weights
        self.refit = refit
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.mass = mass
        self.orientation = orientation
        self.random_state = random_state

    @property
    def _refits(self) -> bool:
        return self.refit

    def _candidates(self) -> list[Candidate]:
        candidates = name_candidates(self.detectors, self.orientation)
        names = [each.name for each in candidates]
        given = dict(self.weights or dict.fromkeys(names, 1.0))
        if set(given) != set(names) or not all(value > 0.0 for value in given.values()):
            raise InvalidParameterError(
                "The 'weights' parameter of Committee must give a number above 0 for every "
                f"detector: {', '.join(names)}. Got {self.weights!r} instead."
            )
        self._given = np.array([given[name] for name in names])
        return candidates

    def _learn(self, of_folds: list[list[FloatArray]]) -> None:
        members = range(len(of_folds[0]))
        together = np.array([np.concatenate([fold[m] for fold in of_folds]) for m in members])
        self.tails_ = [np.sort(each) for each in together]
        copies = near_duplicates(together).sum(axis=1)
        weights = self._given / copies
        self.weights_, self.share_ = weights / weights.sum(), share_of(copies)
        self.own_tails_ = [[np.sort(scores) for scores in fold] for fold in of_folds]
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
        return -highest_votes(votes(tails, scores), self.weights_, self.share_)

    def score_samples(self, X: Any) -> FloatArray:
        """Return scores of rows; higher is more normal."""
        if self.refit:
            return super().score_samples(X)
        table = self._table(X)
        cast = [
            votes(tails, self._scores_of(members, table))
            for members, tails in zip(self.fold_members_, self.own_tails_, strict=True)
        ]
        return -highest_votes(np.mean(cast, axis=0), self.weights_, self.share_)


def held_out_votes(
    scores: Sequence[FloatArray], folds: npt.NDArray[np.intp], weights: FloatArray
) -> FloatArray:
    """Return the score of every row by the members' held-out scores, as a committee gives it."""
    found = np.empty(len(folds))
    copies = near_duplicates(np.array(scores)).sum(axis=1)
    for fold in np.unique(folds):
        here, other = folds == fold, folds != fold
        tails = [each[other] if other.any() else each for each in scores]
        cast = votes(tails, [each[here] for each in scores])
        found[here] = -highest_votes(cast, weights / copies, share_of(copies))
    return found
