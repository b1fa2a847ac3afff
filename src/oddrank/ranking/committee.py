"""Several detectors as one: the votes of those that find a row oddest.

A vote is minus the logarithm of the tail probability of a member's score. A detector misses a kind
of oddness by calling the row ordinary, and the mean of all votes lets such silence drown the
members that see it. So a row's score is the mean of its highest votes, a third to half of them.
`benchmarks/odd_tables` has how share and weights were chosen, with tables left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.detectors import Candidate, name_candidates
from oddrank.errors import InvalidParameterError
from oddrank.ranking.agreement import near_duplicates
from oddrank.ranking.calibrated import FoldCalibrated
from oddrank.ranking.votes import share_of

__all__ = ["Committee", "order_weights"]

# How fast weights fall with the place in the order, where rows are said to be clean, and else.
CLEAN_POWER, CAUTIOUS_POWER = 2.0, 0.75


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
    array([1.  , 0.59, 0.44, 0.35])
    >>> order_weights(None, 4, polluted=False).round(2)
    array([1.  , 0.25, 0.11, 0.06])
    """
    alone = np.ones(n_members)
    copies = alone if scores is None else near_duplicates(scores).sum(axis=1)
    places = 1.0 + np.concatenate([[0.0], np.cumsum(1.0 / copies)[:-1]])
    power = CLEAN_POWER if polluted is False else CAUTIOUS_POWER
    return np.asarray(places**-power)


class Committee(FoldCalibrated):
    """Several detectors as one: it follows those that find a row oddest.

    The vote of a member is how unlikely its score of a row is for ordinary rows, so members of any
    scale have the same say. Tail probabilities come from rows that the member has not seen: it is
    fitted on the halves of several splits. A row's score is the mean of its highest votes: half of
    them in a small committee, a third in a large one. Near-duplicates share one vote, so that five
    forests do not outvote one LOF.

    Parameters
    ----------
    detectors : mapping of names to detectors, or sequence of (name, detector) pairs
    weights : mapping of names to float, optional
        How much the vote of each member counts; all the same by default.
    preprocess : transformer or "auto", optional
        As in `oddrank.rank_detectors`: fitted before every member.
    scale : bool
        Standardise every feature on the training rows first.
    cv : int or splitter
        Folds of every split, at least 2.
    n_repeats : int, optional
        How often the rows are split; 3 times by default, and once above 20,000 rows.
    mass : float
        Share of rows like the training rows that `predict` calls normal.
    orientation : None, "normality", "abnormality", or mapping of names to these
    random_state : None, int or numpy random state

    Attributes
    ----------
    names_, fits_, tails_, weights_, share_, row_oddness_, row_votes_, held_out_
        As in `CalibratedDetector`; the weights consider near-duplicates.

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
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 2,
        n_repeats: int | None = None,
        mass: float = 0.95,
        orientation: Any = None,
        random_state: Any = None,
    ) -> None:
        self.detectors = detectors
        self.weights = weights
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.n_repeats = n_repeats
        self.mass = mass
        self.orientation = orientation
        self.random_state = random_state

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

    def _weights(self, scores: FloatArray) -> tuple[FloatArray, float]:
        copies = near_duplicates(scores).sum(axis=1)
        weights = self._given / copies
        return weights / weights.sum(), share_of(copies)
