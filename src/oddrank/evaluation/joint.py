"""Several detectors on the same rows and draws: the work behind every comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from oddrank.criteria import (
    CRITERIA,
    DrawAreas,
    DrawnCriteria,
    DrawnCriterion,
    MeasuredAreas,
    SampledCriteria,
)
from oddrank.detectors import Candidate
from oddrank.evaluation.diagnostics import diagnose_draws
from oddrank.evaluation.evaluation import Evaluation, conclude
from oddrank.evaluation.ground import MeasuringGround
from oddrank.evaluation.task import EvaluationPlan, EvaluationTask
from oddrank.evaluation.task_result import TaskResult
from oddrank.execution import Workers, run_tasks
from oddrank.reference import ReferenceMixture
from oddrank.rows import BoundingBox, Draw, Table

__all__ = ["JointEvaluation", "evaluate_jointly"]

WorthGrowing = Callable[[Mapping[str, SampledCriteria | DrawnCriteria], float], Collection[str]]


@dataclass(frozen=True, kw_only=True, eq=False)
class JointEvaluation:
    """Evaluations of the detectors that worked, and the reasons of those that did not.

    Attributes
    ----------
    evaluations : mapping of name to Evaluation
    judged : mapping of name to MeasuredAreas
        What a judgement by measures is made of; empty where there are no measures.
    failures : mapping of name to str
    seconds : mapping of name to float
        Time spent in fitting and scoring, over all draws.
    """

    evaluations: Mapping[str, Evaluation]
    judged: Mapping[str, MeasuredAreas]
    failures: Mapping[str, str]
    seconds: Mapping[str, float]


def evaluate_jointly(
    candidates: Sequence[Candidate],
    train: Table,
    test: Table,
    ground: MeasuringGround,
    *,
    root: np.random.SeedSequence,
    workers: Workers,
    measures: ReferenceMixture | None = None,
    worth_growing: WorthGrowing | None = None,
) -> JointEvaluation:
    """Evaluate every candidate in all features or in every draw of them, as the ground says.

    With `worth_growing`, a sampler that grows stops at its first look, and goes on for the
    detectors that the function names, or in draws of features where a criterion is unresolved.
    """
    plan = EvaluationPlan(
        form=train.without_rows(),
        sampler=ground.sampler,
        options=ground.options,
        root=root,
        box=ground.box,
        measures=measures,
    )
    tasks = [
        EvaluationTask(candidate=candidate, draw=draw, index=index)
        for index, draw in enumerate(ground.draws or [None])
        for candidate in candidates
    ]
    work = _Work(tasks=tasks, plan=plan, train=train, test=test, ground=ground, workers=workers)
    if worth_growing is not None and len(ground.sampler.stages) > 1:
        return work.grow(worth_growing)
    return work.join(work.run(tasks, plan))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work:
    """Tasks of one evaluation, how they are run, and how results are put together."""

    tasks: Sequence[EvaluationTask]
    plan: EvaluationPlan
    train: Table
    test: Table
    ground: MeasuringGround
    workers: Workers

    def run(
        self, tasks: Sequence[EvaluationTask], plan: EvaluationPlan, folder: str = ""
    ) -> list[TaskResult]:
        """Run these tasks; results are kept in the checkpoint, or in a folder inside it."""
        workers = self.workers
        if workers.checkpoint is not None:
            workers = replace(workers, checkpoint=Path(workers.checkpoint) / folder)
        return run_tasks(tasks, plan, (self.train.values, self.test.values), workers)

    def grow(self, worth_growing: WorthGrowing) -> JointEvaluation:
        """Look at few points first, and go on where more may matter."""
        sampler = self.plan.sampler
        first = replace(self.plan, sampler=sampler.first_look, keeps_points=True)
        results = self.run(self.tasks, first)
        grown: set[int] = set()
        while True:
            # Who was ahead of a detector that has grown may not be any more: look again.
            joint = self.join(results)
            # errors of draws average out: only those that are unresolved go on
            alike = self.ground.draws is not None
            criteria = {name: each.criteria for name, each in joint.evaluations.items()}
            level = self.ground.confidence_level
            chosen = frozenset() if alike else worth_growing(criteria, level)
            again = [
                position
                for position, (task, result) in enumerate(zip(self.tasks, results, strict=True))
                if position not in grown and self._goes_on(result, chosen=task.name in chosen)
            ]
            if not again:
                return joint
            tasks = [replace(self.tasks[place], seen=results[place].seen) for place in again]
            # beside the finished work of the first look
            more = self.run(tasks, self.plan, f"grown-{sampler.points_in_words.split()[-1]}")
            for place, result in zip(again, more, strict=True):
                seconds = result.seconds + results[place].seconds
                results[place] = replace(result, seconds=seconds)
            grown.update(again)

    def _goes_on(self, result: TaskResult, *, chosen: bool) -> bool:
        if result.criteria is None:
            return False
        error = result.criteria.points_error
        if np.isinf(error):  # unresolved
            return True
        return chosen and not self.plan.sampler.is_reached(error, result.criteria.n_replicates)

    def join(self, results: Sequence[TaskResult]) -> JointEvaluation:
        """Put the results of all tasks together, detector by detector."""
        of_name: dict[str, list[TaskResult]] = {}
        for task, result in zip(self.tasks, results, strict=True):
            of_name.setdefault(task.name, []).append(result)
        failures = {
            name: next(part.failure for part in parts if part.failure)
            for name, parts in of_name.items()
            if any(part.failure for part in parts)
        }
        worked = {name: parts for name, parts in of_name.items() if name not in failures}
        return JointEvaluation(
            evaluations=self._evaluations(worked),
            judged={
                name: parts[0].judged
                for name, parts in worked.items()
                if parts[0].judged is not None
            },
            failures=failures,
            seconds={
                name: float(sum(part.seconds for part in parts)) for name, parts in of_name.items()
            },
        )

    def _evaluations(self, worked: Mapping[str, list[TaskResult]]) -> dict[str, Evaluation]:
        ground, test = self.ground, self.test
        if ground.draws is not None:
            return _over_draws(worked, test, ground, ground.draws)
        box = ground.box or BoundingBox.from_arrays(test)
        evaluations = {}
        for name, parts in worked.items():
            criteria = parts[0].criteria
            assert isinstance(criteria, SampledCriteria)
            evaluations[name] = conclude(
                name,
                criteria,
                test,
                box,
                options=ground.options,
                sampler=ground.sampler,
                confidence_level=ground.confidence_level,
            )
        return evaluations


def _over_draws(
    results: Mapping[str, list[TaskResult]],
    test: Table,
    ground: MeasuringGround,
    draws: Sequence[Draw],
) -> dict[str, Evaluation]:
    areas = {
        name: [part.criteria for part in parts if isinstance(part.criteria, DrawAreas)]
        for name, parts in results.items()
    }
    drawn = {
        criterion: {
            name: DrawnCriterion.over(criterion, each, ground.aggregation)
            for name, each in areas.items()
        }
        for criterion in CRITERIA
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
            excess_mass.estimate(ground.confidence_level),
            mass_volume.estimate(ground.confidence_level),
        )
        evaluations[name] = Evaluation(
            name=name,
            excess_mass=estimates[0],
            mass_volume=estimates[1],
            level_sets=None,
            diagnostics=diagnose_draws(test, criteria, estimates, ground.options),
            measure=ground.sampler.measure,
            criteria=criteria,
        )
    return evaluations
