"""Candidates scored on every split, with all rows and points or with a share of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oddrank._random import child
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions
from oddrank.evaluation_task import EvaluationPlan, EvaluationTask
from oddrank.execution import run_tasks
from oddrank.feature_subsampling import Draw
from oddrank.progress import progress_bar
from oddrank.reference import FollowingSampler, ReferenceSampler
from oddrank.search_candidates import SearchCandidate
from oddrank.search_splits import SearchSplits
from oddrank.table import FloatArray, Table
from oddrank.task_results import NamedArrays

__all__ = ["RoundScores", "SearchPlan", "score_candidates"]


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
    criterion : "excess_mass" or "neg_mass_volume"
    draws : sequence of draws, one per split, or None
        Features in which each split is scored; None for all of them.
    root : SeedSequence
    n_jobs : int or None
    client : dask.distributed.Client or None
    checkpoint : path or None
    progress : bool
    """

    table: Table
    splits: SearchSplits
    box: BoundingBox
    sampler: ReferenceSampler
    options: CriteriaOptions
    criterion: str
    draws: Sequence[Draw] | None
    root: np.random.SeedSequence
    n_jobs: int | None
    client: Any
    checkpoint: Any
    progress: bool


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

    Test rows shrink slowly, since most of the noise is theirs. Training rows do not: good settings
    (a bandwidth, a number of neighbours) depend on their number.
    """
    n_splits = len(plan.splits)
    sampler, test_share = thinned(plan.sampler, share), float(share**0.25)
    scores, fit_seconds, score_seconds = np.full((3, len(candidates), n_splits), np.nan)
    failures: dict[int, str] = {}
    bar = progress_bar(len(candidates) * n_splits, shown=plan.progress, unit="fit")
    try:
        for split in range(n_splits):
            results = _run_split(candidates, plan, sampler, split, test_share)
            for position, result in enumerate(results):
                if "failure" in result:
                    failures.setdefault(position, str(result["failure"]))
                else:
                    scores[position, split] = _score(result, plan)
                    fit_seconds[position, split] = result["fit_seconds"]
                    score_seconds[position, split] = result["seconds"] - result["fit_seconds"]
            bar.update(len(candidates))
    finally:
        bar.close()
    scores[list(failures)] = np.nan  # in one split is in all: it could not be calibrated
    n_test = len(plan.splits.rows(0, test_share)[1])
    n_points = sampler.n_replicates * sampler.points_per_replicate
    return RoundScores(
        scores=scores,
        failures=failures,
        n_scored=n_splits * (n_test + n_points),
        fit_seconds=fit_seconds,
        score_seconds=score_seconds,
    )


def thinned(sampler: ReferenceSampler, share: float) -> ReferenceSampler:
    """Return the sampler with a share of its points; one without `n_points` stays as it is.

    So does one that follows scores: with fewer points it would not get to the inner level sets.
    """
    if isinstance(sampler, FollowingSampler) or not is_dataclass(sampler):
        return sampler
    if "n_points" not in {each.name for each in fields(sampler)}:
        return sampler
    fewer = max(1, int(sampler.points_per_replicate * share))
    thinner: ReferenceSampler = replace(sampler, n_points=fewer)
    return thinner


def _run_split(
    candidates: Sequence[SearchCandidate],
    plan: SearchPlan,
    sampler: ReferenceSampler,
    split: int,
    test_share: float,
) -> list[NamedArrays]:
    train, test = plan.splits.rows(split, test_share)
    evaluation = EvaluationPlan(
        feature_names=plan.table.feature_names,
        container=plan.table.container,
        labels=plan.table.labels,
        sampler=sampler,
        # Errors come from the splits; halves of the rows are not needed.
        options=replace(plan.options, n_halves=0),
        root=child(plan.root, "split", split),
        box=plan.box,
    )
    tasks = [
        EvaluationTask(
            name=candidate.name,
            detector=candidate.detector,
            orientation=candidate.orientation,
            draw=None if plan.draws is None else plan.draws[split],
            index=split,
        )
        for candidate in candidates
    ]
    folder = None
    if plan.checkpoint is not None:
        size = f"{len(train)}-{len(test)}-points-{sampler.points_per_replicate}"
        folder = Path(plan.checkpoint) / f"rows-{size}-split-{split}"
    values = plan.table.values
    return run_tasks(
        tasks,
        evaluation,
        values[train],
        values[test],
        n_jobs=plan.n_jobs,
        client=plan.client,
        checkpoint=folder,
    )


def _score(result: NamedArrays, plan: SearchPlan) -> float:
    name = plan.criterion.removeprefix("neg_")
    value = float(result[f"{name}.value"])
    if not value > 0.0:
        return float("nan")
    log_value = np.log(value) + float(result.get(f"{name}.log_unit", 0.0))
    return float(log_value if plan.criterion == "excess_mass" else -log_value)
