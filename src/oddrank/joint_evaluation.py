"""Several detectors on the same rows, points and draws: the work behind every comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions
from oddrank.draw_diagnostics import diagnose_draws
from oddrank.drawn_criteria import DrawnCriteria, DrawnCriterion
from oddrank.evaluation import Evaluation, conclude
from oddrank.evaluation_task import EvaluationPlan, EvaluationTask
from oddrank.execution import run_tasks
from oddrank.feature_subsampling import Draw
from oddrank.reference import AutoReference, ReferenceMixture, ReferenceSampler, UniformBox
from oddrank.table import Table
from oddrank.task_results import NamedArrays, unpack_criteria

__all__ = ["Candidate", "JointEvaluation", "Workers", "evaluate_jointly"]

# One draw is one of many: fewer points than for a single evaluation, as many in all.
DRAW_SAMPLER = UniformBox(n_points=2**14, n_replicates=2)
DRAW_AUTO = AutoReference(relative_error=0.05, max_points=2**15, n_points=2**10)

# Finished work of detectors that went on, inside the folder of a checkpoint.
GROWN = "grown"

WorthGrowing = Callable[[Mapping[str, Evaluation]], Collection[str]]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A detector under the name it has in results.

    Attributes
    ----------
    name : str
    detector : object
    orientation : None, "normality" or "abnormality"
    """

    name: str
    detector: Any
    orientation: str | None


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Where tasks run, and where finished ones are kept.

    Attributes
    ----------
    n_jobs : int or None
    client : dask Client or None
    checkpoint : path or None
    progress : bool
    """

    n_jobs: int | None = None
    client: Any = None
    checkpoint: Any = None
    progress: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class JointEvaluation:
    """Evaluations of the detectors that worked, and the reasons of those that did not.

    Attributes
    ----------
    evaluations : mapping of name to Evaluation
    failures : mapping of name to str
    seconds : mapping of name to float
        Time spent in fitting and scoring, over all draws.
    results : mapping of name to arrays
        What the task of each detector brought back, where there was one for all features.
    """

    evaluations: Mapping[str, Evaluation]
    failures: Mapping[str, str]
    seconds: Mapping[str, float]
    results: Mapping[str, NamedArrays]


def evaluate_jointly(
    candidates: Sequence[Candidate],
    train: Table,
    test: Table,
    *,
    draws: Sequence[Draw] | None,
    aggregation: str,
    sampler: ReferenceSampler,
    box: BoundingBox | None,
    options: CriteriaOptions,
    confidence_level: float,
    root: np.random.SeedSequence,
    workers: Workers,
    judges: ReferenceMixture | None = None,
    worth_growing: WorthGrowing | None = None,
) -> JointEvaluation:
    """Evaluate every candidate in all features (`draws=None`) or in every draw of them.

    With `worth_growing`, a sampler that grows stops at its first look, and goes on for the
    detectors that the function names, or in draws of features where a criterion is unresolved.
    """
    plan = EvaluationPlan(
        feature_names=train.feature_names,
        container=train.container,
        labels=train.labels,
        sampler=sampler,
        options=options,
        root=root,
        box=box,
        judges=judges,
    )
    tasks = [
        EvaluationTask(
            name=candidate.name,
            detector=candidate.detector,
            orientation=candidate.orientation,
            draw=draw,
            index=index,
        )
        for index, draw in enumerate(draws or [None])
        for candidate in candidates
    ]

    def run(positions: Sequence[int], plan: EvaluationPlan, checkpoint: Any) -> list[NamedArrays]:
        return run_tasks(
            [tasks[position] for position in positions],
            plan,
            train.values,
            test.values,
            n_jobs=workers.n_jobs,
            client=workers.client,
            checkpoint=checkpoint,
            progress=workers.progress,
        )

    def join(results: Sequence[NamedArrays]) -> JointEvaluation:
        return _join(
            candidates,
            tasks,
            results,
            test,
            draws=draws,
            aggregation=aggregation,
            plan=plan,
            confidence_level=confidence_level,
        )

    everything = range(len(tasks))
    if worth_growing is None or not isinstance(sampler, AutoReference):
        return join(run(everything, plan, workers.checkpoint))
    first = replace(plan, sampler=sampler.first_look)
    results = run(everything, first, workers.checkpoint)
    joint = join(results)
    # errors of draws average out: only those that are unresolved go on
    chosen = worth_growing(joint.evaluations) if draws is None else frozenset()
    again = [
        position
        for position, (task, result) in enumerate(zip(tasks, results, strict=True))
        if _is_unresolved(result) or (task.name in chosen and not _is_accurate(result, sampler))
    ]
    if not again:
        return joint
    folder = None if workers.checkpoint is None else Path(workers.checkpoint) / GROWN
    for position, grown in zip(again, run(again, plan, folder), strict=True):
        seconds = grown["seconds"] + results[position]["seconds"]
        results[position] = {**grown, "seconds": seconds}
    return join(results)


def _is_unresolved(result: NamedArrays) -> bool:
    return "failure" not in result and bool(np.isinf(result["points_error"]))


def _is_accurate(result: NamedArrays, sampler: AutoReference) -> bool:
    n_replicates = len(result["excess_mass.without_replicate"])
    return sampler.is_reached(float(result["points_error"]), n_replicates)


def _join(
    candidates: Sequence[Candidate],
    tasks: Sequence[EvaluationTask],
    results: Sequence[NamedArrays],
    test: Table,
    *,
    draws: Sequence[Draw] | None,
    aggregation: str,
    plan: EvaluationPlan,
    confidence_level: float,
) -> JointEvaluation:
    of_name: dict[str, list[NamedArrays]] = {candidate.name: [] for candidate in candidates}
    for task, result in zip(tasks, results, strict=True):
        of_name[task.name].append(result)
    failures = {
        name: next(str(result["failure"]) for result in parts if "failure" in result)
        for name, parts in of_name.items()
        if any("failure" in result for result in parts)
    }
    worked = {name: parts for name, parts in of_name.items() if name not in failures}
    if draws is None:
        evaluations = {
            name: conclude(
                name,
                unpack_criteria(parts[0]),
                test,
                plan.box or BoundingBox.from_arrays(test),
                options=plan.options,
                sampler=plan.sampler,
                confidence_level=confidence_level,
            )
            for name, parts in worked.items()
        }
    else:
        evaluations = _over_draws(
            worked,
            test,
            draws,
            aggregation=aggregation,
            measure_name=plan.sampler.measure,
            options=plan.options,
            confidence_level=confidence_level,
        )
    return JointEvaluation(
        evaluations=evaluations,
        failures=failures,
        seconds={
            name: float(sum(result["seconds"] for result in parts))
            for name, parts in of_name.items()
        },
        results={} if draws else {name: parts[0] for name, parts in worked.items()},
    )


def _over_draws(
    results: Mapping[str, list[NamedArrays]],
    test: Table,
    draws: Sequence[Draw],
    *,
    aggregation: str,
    measure_name: str,
    options: CriteriaOptions,
    confidence_level: float,
) -> dict[str, Evaluation]:
    drawn = {
        criterion: {name: _drawn(parts, criterion, aggregation) for name, parts in results.items()}
        for criterion in ("excess_mass", "mass_volume")
    }
    # A draw counts if all detectors are resolved in it: averages over different draws would compare
    # different spaces.
    shared = {
        criterion: np.all([each.in_draws for each in of_name.values()], axis=0)
        for criterion, of_name in drawn.items()
    }
    evaluations = {}
    for name in results:
        excess_mass, mass_volume = (
            replace(of_name[name], shared=shared[criterion]) for criterion, of_name in drawn.items()
        )
        criteria = DrawnCriteria(
            excess_mass=excess_mass, mass_volume=mass_volume, draws=tuple(draws)
        )
        estimates = (
            excess_mass.estimate(confidence_level),
            mass_volume.estimate(confidence_level),
        )
        evaluations[name] = Evaluation(
            name=name,
            excess_mass=estimates[0],
            mass_volume=estimates[1],
            level_sets=None,
            diagnostics=diagnose_draws(test, criteria, estimates, options),
            measure=measure_name,
            criteria=criteria,
        )
    return evaluations


def _drawn(parts: Sequence[NamedArrays], criterion: str, aggregation: str) -> DrawnCriterion:
    values, on_fewer_points, on_halves, n_replicates = (
        np.array([part[f"{criterion}.{name}"] for part in parts])
        for name in ("value", "on_fewer_points", "on_halves", "n_replicates")
    )
    return DrawnCriterion(
        values=values,
        on_fewer_points=on_fewer_points,
        points_share=float(((n_replicates - 1) / n_replicates).mean()),
        on_halves=on_halves,
        is_maximum=criterion == "excess_mass",
        aggregation=aggregation,
        shared=np.ones(len(values), dtype=bool),
    )
