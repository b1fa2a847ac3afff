"""Several detectors on the same rows and draws: the work behind every comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import (
    Estimate,
    FoldedCriteria,
    MeasuredAreas,
    OddCounts,
    SampledCriteria,
)
from oddrank.detectors import Candidate
from oddrank.evaluation.counted_model import RowsBeyond
from oddrank.evaluation.counting import CountedRows
from oddrank.evaluation.diagnostics import diagnose, diagnose_draws, worst_of
from oddrank.evaluation.draw_averages import averages_of_fold
from oddrank.evaluation.evaluation import Evaluation
from oddrank.evaluation.ground import MeasuringGround
from oddrank.evaluation.task import EvaluationPlan, EvaluationTask
from oddrank.evaluation.task_result import TaskResult
from oddrank.execution import Workers, hearing_interrupts, run_tasks
from oddrank.reference import ReferenceMixture
from oddrank.rows import BoundingBox, Draw, Folds

__all__ = ["JointEvaluation", "conclude", "evaluate_jointly"]

WorthGrowing = Callable[[Mapping[str, FoldedCriteria], float], Collection[str]]


@dataclass(frozen=True, kw_only=True, eq=False)
class JointEvaluation:
    """Evaluations of the detectors that worked, and the reasons why others failed.

    Attributes
    ----------
    evaluations : mapping of name to Evaluation
    judged : mapping of name to tuple of MeasuredAreas
        The areas that a judge compares, fold by fold; empty if there are no reference measures.
    scores : mapping of name to tuple of arrays
        Of the test rows of every fold; empty in draws of features.
    failures : mapping of name to str
    seconds : mapping of name to float
        Time spent in fitting and scoring, over all draws.
    beyond : RowsBeyond or None
        All rows, where a sample of them was fitted on.
    """

    evaluations: Mapping[str, Evaluation]
    judged: Mapping[str, tuple[MeasuredAreas, ...]]
    scores: Mapping[str, tuple[FloatArray, ...]]
    failures: Mapping[str, str]
    seconds: Mapping[str, float]
    beyond: RowsBeyond | None = None


def evaluate_jointly(
    candidates: Sequence[Candidate],
    folds: Folds,
    ground: MeasuringGround,
    *,
    scale: bool,
    root: np.random.SeedSequence,
    workers: Workers,
    measures: ReferenceMixture | None = None,
    worth_growing: WorthGrowing | None = None,
    beyond: CountedRows | None = None,
) -> JointEvaluation:
    """Evaluate every candidate on every fold, in all features or in draws of them.

    Draws are divided among the folds: each is fitted once, and every fold has its own draws.

    With `worth_growing`, a sampler that grows stops after its first replicates. It goes on for the
    detectors that the function names or, in draws of features, where a criterion is unresolved.

    With `beyond`, the rows of the folds are a sample: all rows are scored, and figures are theirs.
    """
    plan = EvaluationPlan(
        form=folds.train_rows.without_rows(),
        train=folds.train,
        test=folds.test,
        scale=scale,
        sampler=ground.sampler,
        options=ground.options,
        root=root,
        box=ground.box,
        measures=measures,
    )
    places: list[tuple[int, Draw | None, int]] = [(fold, None, 0) for fold in range(len(folds))]
    if ground.draws is not None:
        places = [(index % len(folds), draw, index) for index, draw in enumerate(ground.draws)]
    tasks = [
        EvaluationTask(candidate=candidate, fold=fold, draw=draw, index=index)
        for fold, draw, index in places
        for candidate in candidates
    ]
    shared: tuple[FloatArray, ...] = ()
    if ground.draws is None:
        raw = candidates[0].preprocess is not None or not plan.form.is_plain
        with hearing_interrupts() as check_interrupts:
            plan, shared = plan.prepare(folds.train_rows.values, folds.test_rows.values, raw=raw)
            check_interrupts()
    work = _Work(tasks=tasks, plan=plan, folds=folds, ground=ground, workers=workers, shared=shared)
    if beyond is not None:
        return work.count(beyond)
    if worth_growing is not None and len(ground.sampler.stages) > 1:
        return work.grow(worth_growing)
    return work.join(work.run(tasks, plan))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work:
    """Tasks of one evaluation, how they are run, and how results are put together."""

    tasks: Sequence[EvaluationTask]
    plan: EvaluationPlan
    folds: Folds
    ground: MeasuringGround
    workers: Workers
    shared: tuple[FloatArray, ...]

    def run(
        self, tasks: Sequence[EvaluationTask], plan: EvaluationPlan, folder: str = ""
    ) -> list[TaskResult]:
        """Run these tasks; results are kept in the checkpoint, or in a folder inside it."""
        workers = self.workers
        if workers.checkpoint is not None:
            workers = replace(workers, checkpoint=Path(workers.checkpoint) / folder)
        rows = (self.folds.train_rows.values, self.folds.test_rows.values)
        return run_tasks(tasks, plan, rows, workers, shared=self.shared)

    def count(self, beyond: CountedRows) -> JointEvaluation:
        """Fit on the sample, and count all rows; a checkpoint keeps counts, and no models."""
        plan = replace(self.plan, keeps_models=True)
        fitting = replace(self, workers=replace(self.workers, checkpoint=None))
        results = beyond.run_and_count(
            self.tasks, lambda tasks: fitting.run(tasks, plan), self.ground.options, self.workers
        )
        odd: dict[str, OddCounts] = {}
        for task, result in zip(self.tasks, results, strict=True):
            if result.odd is not None:
                odd[task.name] = odd.get(task.name, OddCounts.nothing()) + result.odd
        counted = RowsBeyond(table=beyond.table, odd=odd, sample=beyond.testing.numbers)
        return replace(self.join(results), beyond=counted)

    def grow(self, worth_growing: WorthGrowing) -> JointEvaluation:
        """Use few points first, and add more where they may matter."""
        sampler = self.ground.sampler
        first = replace(self.plan, sampler=sampler.first_look, keeps_points=True)
        results = self.run(self.tasks, first)
        grown: set[int] = set()
        while True:
            # A detector with more points may have overtaken another: check again.
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
            # beside the finished work of the first round
            n_points = sampler.n_replicates * sampler.points_per_replicate
            more = self.run(tasks, self.plan, f"grown-{n_points}")
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
        return chosen and not self.ground.sampler.is_reached(error, result.criteria.n_replicates)

    def join(self, results: Sequence[TaskResult]) -> JointEvaluation:
        """Put the results of all tasks together, detector by detector and fold by fold."""
        of_name: dict[str, list[tuple[EvaluationTask, TaskResult]]] = {}
        for task, result in zip(self.tasks, results, strict=True):
            of_name.setdefault(task.name, []).append((task, result))
        failures = {
            name: next(result.failure for _, result in parts if result.failure)
            for name, parts in of_name.items()
            if any(result.failure for _, result in parts)
        }
        worked = {name: parts for name, parts in of_name.items() if name not in failures}
        judged = {
            name: tuple(result.judged for _, result in parts if result.judged is not None)
            for name, parts in worked.items()
        }
        return JointEvaluation(
            evaluations=self._evaluations(worked),
            judged={name: parts for name, parts in judged.items() if parts},
            scores={
                name: tuple(result.scores for _, result in parts if result.scores is not None)
                for name, parts in worked.items()
            },
            failures=failures,
            seconds={
                name: float(sum(result.seconds for _, result in parts))
                for name, parts in of_name.items()
            },
        )

    def _evaluations(
        self, worked: Mapping[str, list[tuple[EvaluationTask, TaskResult]]]
    ) -> dict[str, Evaluation]:
        if self.ground.draws is not None:
            of_fold = [
                averages_of_fold(worked, self.ground, fold) for fold in range(len(self.folds))
            ]
            criteria = {
                name: FoldedCriteria(folds=tuple(fold[name] for fold in of_fold)) for name in worked
            }
        else:
            criteria = {
                name: FoldedCriteria(
                    folds=tuple(
                        result.criteria
                        for _, result in parts
                        if isinstance(result.criteria, SampledCriteria)
                    )
                )
                for name, parts in worked.items()
            }
        return {
            name: conclude(name, each, self.folds, self.ground) for name, each in criteria.items()
        }


def conclude(
    name: str, criteria: FoldedCriteria, folds: Folds, ground: MeasuringGround
) -> Evaluation:
    """Turn criteria under resampling into estimates, and check whether to trust them."""
    level = ground.confidence_level
    joined = (criteria.excess_mass.estimate(level), criteria.mass_volume.estimate(level))
    found = []
    for fold, each in enumerate(criteria.folds):
        test = folds.test_table(fold)
        if isinstance(each, SampledCriteria):
            estimates = (each.excess_mass.estimate(level), each.mass_volume.estimate(level))
            around = BoundingBox.from_arrays if test.is_plain else BoundingBox.around_constants
            box = ground.box or around(test)
            found.append(
                diagnose(
                    test,
                    box,
                    each,
                    estimates,
                    joined=joined,
                    options=ground.options,
                    sampler=ground.sampler,
                    n_rows=folds.n_tested(fold),
                )
            )
        else:
            n_rows = folds.n_tested(fold)
            found.append(diagnose_draws(test, each, joined, ground.options, n_rows))
    first = criteria.first_fit
    return Evaluation(
        name=name,
        excess_mass=joined[0],
        mass_volume=joined[1],
        level_sets=None if first is None else first.level_sets,
        diagnostics=worst_of(found),
        measure=ground.sampler.measure,
        criteria=criteria,
        roc_area=None if first is None else _roc_area(first, level),
    )


def _roc_area(criteria: SampledCriteria, confidence_level: float) -> Estimate | None:
    if np.isnan(criteria.roc_value):
        return None
    return Estimate.normal(criteria.roc_value, criteria.roc_error, confidence_level)
