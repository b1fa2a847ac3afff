"""Several detectors on the same rows and draws: the work behind every comparison."""

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
from oddrank.reference import AutoReference, ReferenceMixture, ReferenceSampler
from oddrank.table import Table
from oddrank.task_results import NamedArrays, unpack_criteria

__all__ = ["Candidate", "JointEvaluation", "Workers", "evaluate_jointly"]

# One draw is one of many: a larger error and fewer points than for a single evaluation.
DRAW_AUTO = AutoReference(relative_error=0.05, max_points=2**15, n_points=2**10)

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
    work = _Work(
        tasks=tasks,
        plan=plan,
        train=train,
        test=test,
        draws=draws,
        aggregation=aggregation,
        confidence_level=confidence_level,
        workers=workers,
    )
    if worth_growing is not None and isinstance(sampler, AutoReference) and len(sampler.stages) > 1:
        return _evaluate_growing(work, sampler, worth_growing)
    return work.join(work.run(tasks, plan, workers.checkpoint))


def _evaluate_growing(
    work: _Work, sampler: AutoReference, worth_growing: WorthGrowing
) -> JointEvaluation:
    first = replace(work.plan, sampler=sampler.first_look, keeps_points=True)
    folder = work.workers.checkpoint
    results = work.run(work.tasks, first, folder)
    if folder is not None:  # beside the finished work of the first look
        folder = Path(folder) / f"grown-{sampler.max_points}"
    grown: set[int] = set()
    while True:
        # Who was ahead of a detector that has grown may not be any more: look again.
        joint = work.join(results)
        # errors of draws average out: only those that are unresolved go on
        chosen = worth_growing(joint.evaluations) if work.draws is None else frozenset()
        again = [
            position
            for position, (task, result) in enumerate(zip(work.tasks, results, strict=True))
            if position not in grown and _goes_on(result, sampler, chosen=task.name in chosen)
        ]
        if not again:
            return joint
        tasks = [replace(work.tasks[position], seen=results[position]) for position in again]
        for position, more in zip(again, work.run(tasks, work.plan, folder), strict=True):
            seconds = more["seconds"] + results[position]["seconds"]
            results[position] = {**more, "seconds": seconds}
        grown.update(again)


def _goes_on(result: NamedArrays, sampler: AutoReference, *, chosen: bool) -> bool:
    if "failure" in result:
        return False
    error = float(result["points_error"])
    if np.isinf(error):  # unresolved
        return True
    return chosen and not sampler.is_reached(error, len(result["excess_mass.without_replicate"]))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work:
    """Tasks of one evaluation, how they are run, and how results are put together."""

    tasks: Sequence[EvaluationTask]
    plan: EvaluationPlan
    train: Table
    test: Table
    draws: Sequence[Draw] | None
    aggregation: str
    confidence_level: float
    workers: Workers

    def run(
        self, tasks: Sequence[EvaluationTask], plan: EvaluationPlan, checkpoint: Any
    ) -> list[NamedArrays]:
        """Run these tasks."""
        return run_tasks(
            tasks,
            plan,
            self.train.values,
            self.test.values,
            n_jobs=self.workers.n_jobs,
            client=self.workers.client,
            checkpoint=checkpoint,
            progress=self.workers.progress,
        )

    def join(self, results: Sequence[NamedArrays]) -> JointEvaluation:
        """Put the results of all tasks together, detector by detector."""
        of_name: dict[str, list[NamedArrays]] = {}
        for task, result in zip(self.tasks, results, strict=True):
            of_name.setdefault(task.name, []).append(result)
        failures = {
            name: next(str(result["failure"]) for result in parts if "failure" in result)
            for name, parts in of_name.items()
            if any("failure" in result for result in parts)
        }
        worked = {name: parts for name, parts in of_name.items() if name not in failures}
        return JointEvaluation(
            evaluations=self._evaluations(worked),
            failures=failures,
            seconds={
                name: float(sum(result["seconds"] for result in parts))
                for name, parts in of_name.items()
            },
            results={} if self.draws else {name: parts[0] for name, parts in worked.items()},
        )

    def _evaluations(self, worked: Mapping[str, list[NamedArrays]]) -> dict[str, Evaluation]:
        plan, test = self.plan, self.test
        if self.draws is not None:
            return _over_draws(
                worked,
                test,
                self.draws,
                aggregation=self.aggregation,
                measure_name=plan.sampler.measure,
                options=plan.options,
                confidence_level=self.confidence_level,
            )
        return {
            name: conclude(
                name,
                unpack_criteria(parts[0]),
                test,
                plan.box or BoundingBox.from_arrays(test),
                options=plan.options,
                sampler=plan.sampler,
                confidence_level=self.confidence_level,
            )
            for name, parts in worked.items()
        }


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
