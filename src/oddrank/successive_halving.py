"""Rounds of a search: few points for all candidates, all points for those that are left.

Successive halving after Jamieson and Talwalkar, "Non-stochastic best arm identification and
hyperparameter optimization" (AISTATS 2016). Each round has four times the reference points and
twice the rows of the one before, and a quarter of its candidates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank.search_candidates import SearchCandidate
from oddrank.search_scores import RoundScores, SearchPlan, score_candidates
from oddrank.search_selection import shared_means
from oddrank.table import FloatArray

__all__ = ["SearchScores", "score_in_rounds"]

SHRINK = 4
MOST_ROUNDS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchScores:
    """Every candidate in the last round it was in.

    Attributes
    ----------
    scores : array of shape (n_candidates, n_splits)
    rounds : array of int of shape (n_candidates,)
        The last round of each candidate, from 0.
    n_scored : array of int of shape (n_candidates,)
        Rows and reference points scored in all rounds.
    failures : mapping of int to str
    """

    scores: FloatArray
    rounds: npt.NDArray[np.intp]
    n_scored: npt.NDArray[np.int64]
    failures: Mapping[int, str]

    @property
    def finalists(self) -> npt.NDArray[np.bool_]:
        """Candidates of the last round, which alone are compared with all rows and points."""
        return np.asarray(self.rounds == self.rounds.max())


def score_in_rounds(
    candidates: Sequence[SearchCandidate], plan: SearchPlan, *, halving: bool
) -> SearchScores:
    """Score all candidates with everything, or in rounds that grow."""
    n_candidates = len(candidates)
    shares = shares_of_rounds(n_candidates) if halving else [1.0]
    scores = np.full((n_candidates, len(plan.splits)), np.nan)
    rounds = np.zeros(n_candidates, dtype=np.intp)
    n_scored = np.zeros(n_candidates, dtype=np.int64)
    failures: dict[int, str] = {}
    left = np.arange(n_candidates)
    for position, share in enumerate(shares):
        seen = score_candidates([candidates[int(index)] for index in left], plan, share)
        scores[left], rounds[left] = seen.scores, position
        n_scored[left] += seen.n_scored
        failures |= {int(left[index]): reason for index, reason in seen.failures.items()}
        if position + 1 < len(shares):
            left = left[survivors(seen, math.ceil(n_candidates / SHRINK ** (position + 1)))]
        if len(left) == 0:
            break
    return SearchScores(scores=scores, rounds=rounds, n_scored=n_scored, failures=failures)


def shares_of_rounds(n_candidates: int) -> list[float]:
    """Return the share of the reference points that each round uses."""
    n_rounds = min(MOST_ROUNDS, 1 + math.ceil(math.log(n_candidates, SHRINK)))
    return [float(SHRINK) ** (position - n_rounds + 1) for position in range(n_rounds)]


def survivors(seen: RoundScores, n_kept: int) -> npt.NDArray[np.intp]:
    """Return the positions that go on: the best, and those this round could not resolve.

    A criterion is unresolved where a level set is too small for the points of the round: that is
    no reason to drop it.
    """
    means, _ = shared_means(seen.scores)
    worked = np.array([position not in seen.failures for position in range(len(means))])
    order = np.argsort(-means, kind="stable")  # NaN comes last
    best = [position for position in order if np.isfinite(means[position])][:n_kept]
    unresolved = np.flatnonzero(worked & np.isnan(means))
    return np.sort(np.concatenate([np.array(best, dtype=np.intp), unresolved]))
