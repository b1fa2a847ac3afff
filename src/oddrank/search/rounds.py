"""Rounds of a search: few points for all candidates, all points for the last ones.

Successive halving after Jamieson and Talwalkar, "Non-stochastic best arm identification and
hyperparameter optimization" (AISTATS 2016). Each round has four times the reference points of the
one before. Candidates that are behind the best by more than two errors of their paired difference
are dropped, and the worst of the others too. So all rounds together cost less than a third of the
full grid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions, Criterion
from oddrank.evaluation import EvaluationPlan, EvaluationTask, TaskResult
from oddrank.execution import Workers, run_tasks
from oddrank.reference import ReferenceSampler
from oddrank.rows import BoundingBox, Draw, Table
from oddrank.search.candidates import SearchCandidate
from oddrank.search.selection import paired_deficits, shared_means
from oddrank.search.splits import SearchSplits

__all__ = ["RoundScores", "SearchPlan", "SearchScores", "score_candidates", "score_in_rounds"]

SHRINK = 4
MOST_ROUNDS = 3
# Of all candidates, at most these go on to the second and to the third round. With 1/16, 1/4 and
# all of the points the rounds cost 1/16 + 1/16 + 1/6 of the full grid.
MOST_KEPT = (1.0 / 4.0, 1.0 / 6.0)
# Standard errors behind the best within which a candidate may go on.
CLOSE = 2.0


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
    fit_seconds, score_seconds : arrays of shape (n_candidates, n_splits)
        Times in the last round.
    """

    scores: FloatArray
    rounds: npt.NDArray[np.intp]
    n_scored: npt.NDArray[np.int64]
    failures: Mapping[int, str]
    fit_seconds: FloatArray
    score_seconds: FloatArray

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
    scores, fit_seconds, score_seconds = np.full((3, n_candidates, len(plan.splits)), np.nan)
    rounds = np.zeros(n_candidates, dtype=np.intp)
    n_scored = np.zeros(n_candidates, dtype=np.int64)
    failures: dict[int, str] = {}
    left = np.arange(n_candidates)
    for position, share in enumerate(shares):
        seen = score_candidates([candidates[int(index)] for index in left], plan, share)
        scores[left], rounds[left] = seen.scores, position
        fit_seconds[left], score_seconds[left] = seen.fit_seconds, seen.score_seconds
        n_scored[left] += seen.n_scored
        failures |= {int(left[index]): reason for index, reason in seen.failures.items()}
        if position + 1 < len(shares):
            fewest, most = kept_after(position, len(shares), n_candidates)
            left = left[survivors(seen, fewest, most, plan.splits.test_per_train)]
        if len(left) == 0:
            break
    return SearchScores(
        scores=scores,
        rounds=rounds,
        n_scored=n_scored,
        failures=failures,
        fit_seconds=fit_seconds,
        score_seconds=score_seconds,
    )


def shares_of_rounds(n_candidates: int) -> list[float]:
    """Return the share of the reference points that each round uses."""
    n_rounds = min(MOST_ROUNDS, 1 + math.ceil(math.log(n_candidates, SHRINK)))
    return [float(SHRINK) ** (position - n_rounds + 1) for position in range(n_rounds)]


def kept_after(position: int, n_rounds: int, n_candidates: int) -> tuple[int, int]:
    """Return how many candidates go on at least and at most.

    Examples
    --------
    >>> kept_after(0, 3, 12), kept_after(1, 3, 12)
    ((2, 3), (2, 2))
    """
    most = math.ceil(MOST_KEPT[position - n_rounds + MOST_ROUNDS] * n_candidates)
    return min(2, most), most


def survivors(
    seen: RoundScores, fewest: int, most: int, test_per_train: float
) -> npt.NDArray[np.intp]:
    """Return the positions that go on: the best, and those this round could not resolve.

    At least the `fewest` best of the resolved ones go on. Of the `most` best, those within two
    standard errors of the first go on, split by split. A criterion is unresolved if a level set is
    too small for the points of the round, and that is no reason to drop a candidate.
    """
    means, shared = shared_means(seen.scores)
    worked = np.array([position not in seen.failures for position in range(len(means))])
    unresolved = np.flatnonzero(worked & np.isnan(means))
    resolved = np.flatnonzero(np.isfinite(means))
    order = resolved[np.argsort(-means[resolved], kind="stable")][:most]
    if len(order) > fewest:
        deficits, errors = paired_deficits(seen.scores[order][:, shared], 0, test_per_train)
        order = order[(deficits <= CLOSE * errors) | (np.arange(len(order)) < fewest)]
    return np.sort(np.concatenate([order, unresolved]))


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchPlan:
    """What all candidates of a search share.

    Attributes
    ----------
    table : Table
    splits : SearchSplits
    box : BoundingBox
        Of all rows.
    sampler : ReferenceSampler
    options : CriteriaOptions
    criterion : Criterion
    draws : sequence of draws, one per split, or None
        Features in which each split is scored; None for all of them.
    root : SeedSequence
    workers : Workers
    """

    table: Table
    splits: SearchSplits
    box: BoundingBox
    sampler: ReferenceSampler
    options: CriteriaOptions
    criterion: Criterion
    draws: Sequence[Draw] | None
    root: np.random.SeedSequence
    workers: Workers


@dataclass(frozen=True, kw_only=True, eq=False)
class RoundScores:
    """Some candidates on every split.

    Attributes
    ----------
    scores : array of shape (n_candidates, n_splits)
        Logarithm of the excess mass, or minus that of the mass volume: higher is better, and NaN
        where it is unresolved.
    failures : mapping of int to str
        Why the candidates at these positions could not be fitted or scored.
    n_scored : int
        Rows and reference points that each candidate scored.
    fit_seconds, score_seconds : arrays of shape (n_candidates, n_splits)
        Measured times; NaN where a candidate failed.
    """

    scores: FloatArray
    failures: Mapping[int, str]
    n_scored: int
    fit_seconds: FloatArray
    score_seconds: FloatArray


def score_candidates(
    candidates: Sequence[SearchCandidate], plan: SearchPlan, share: float = 1.0
) -> RoundScores:
    """Score candidates with a share of the reference points, and its fourth root of the test rows.

    Test rows shrink slowly, because they cause most of the noise. Training rows do not shrink: good
    settings (a bandwidth, a number of neighbours) depend on their number.
    """
    n_splits = len(plan.splits)
    sampler, test_share = plan.sampler.thinned(share), float(share**0.25)
    scores, fit_seconds, score_seconds = np.full((3, len(candidates), n_splits), np.nan)
    failures: dict[int, str] = {}
    places = [(position, split) for split in range(n_splits) for position in range(len(candidates))]
    results = _run(candidates, plan, sampler, places, test_share)
    for (position, split), result in zip(places, results, strict=True):
        if result.criteria is None:
            failures.setdefault(position, result.failure)
        else:
            log_value = result.criteria[plan.criterion].log_value
            scores[position, split] = plan.criterion.sign * log_value
            fit_seconds[position, split] = result.fit_seconds
            score_seconds[position, split] = result.seconds - result.fit_seconds
    # a failure in one split counts for all: the candidate could not be calibrated
    scores[list(failures)] = np.nan
    n_test = len(plan.splits.rows(0, test_share)[1])
    n_points = sampler.n_replicates * sampler.points_per_replicate
    return RoundScores(
        scores=scores,
        failures=failures,
        n_scored=n_splits * (n_test + n_points),
        fit_seconds=fit_seconds,
        score_seconds=score_seconds,
    )


def _run(
    candidates: Sequence[SearchCandidate],
    plan: SearchPlan,
    sampler: ReferenceSampler,
    places: Sequence[tuple[int, int]],
    test_share: float,
) -> list[TaskResult]:
    rows = [plan.splits.rows(split, test_share) for split in range(len(plan.splits))]
    evaluation = EvaluationPlan(
        form=plan.table.without_rows(),
        train=tuple(train for train, _ in rows),
        test=tuple(test for _, test in rows),
        scale=False,
        sampler=sampler,
        # Errors come from the splits; halves of the rows are not needed.
        options=replace(plan.options, n_halves=0),
        root=plan.root,
        box=plan.box,
    )
    tasks = [
        EvaluationTask(
            candidate=candidates[position].named,
            fold=split,
            draw=None if plan.draws is None else plan.draws[split],
            index=split,
        )
        for position, split in places
    ]
    workers = plan.workers
    if workers.checkpoint is not None:
        train, test = rows[0]
        size = f"{len(train)}-{len(test)}-points-{sampler.points_per_replicate}"
        workers = replace(workers, checkpoint=Path(workers.checkpoint) / f"rows-{size}")
    values = plan.table.values
    return run_tasks(tasks, evaluation, (values, values), workers)
