"""All rows of a table that is not in memory, counted against the points of fitted models.

Detectors are fitted on a sample of the rows. Then every row is scored once by each detector, by a
fit that has not seen it, chunk by chunk where the rows are, and only counts come back.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import numpy as np

from oddrank._plain_text import counted
from oddrank._random import child
from oddrank.criteria import CriteriaOptions, DrawAreas, SampledCriteria, counted_areas
from oddrank.detectors import FittedDetector
from oddrank.errors import DetectorFailedError, InvalidDataError, OddrankWarning
from oddrank.evaluation.chunk_task import ChunkTask, CountingPlan, TestingFolds
from oddrank.evaluation.counted_model import CountedModel, ModelCounts, countable_of
from oddrank.evaluation.measurement import Measured
from oddrank.evaluation.task import EvaluationTask
from oddrank.evaluation.task_result import TaskResult
from oddrank.execution import Workers, run_tasks
from oddrank.rows import ChunkedTable, Folds, SampledTable, Scaling, Table

__all__ = ["CountedRows"]

# Detectors whose models are at hand together; for more the rows are read again.
DETECTORS_AT_ONCE = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedRows:
    """All rows that are to be counted, and which fold tests each of them.

    Attributes
    ----------
    table : ChunkedTable
    testing : TestingFolds
    """

    table: ChunkedTable
    testing: TestingFolds

    @classmethod
    def of(cls, sampled: SampledTable, folds: Folds, root: np.random.SeedSequence) -> CountedRows:
        """Return the rows of a table whose sample was divided into these folds."""
        testing = TestingFolds(
            form=folds.train_rows.without_rows(),
            with_gaps=any(
                bool(np.isnan(each.values).any()) for each in (folds.train_rows, folds.test_rows)
            ),
            numbers=sampled.numbers,
            folds=folds.of_test_rows,
            n_rows=sampled.table.n_rows,
            n_folds=len(folds),
            root=child(root, "sample"),
        )
        return cls(table=sampled.table, testing=testing)

    def run_and_count(
        self,
        tasks: Sequence[EvaluationTask],
        run: Callable[[list[EvaluationTask]], list[TaskResult]],
        options: CriteriaOptions,
        workers: Workers,
    ) -> list[TaskResult]:
        """Fit on the sample with `run` and count all rows, a few detectors at a time."""
        names = list(dict.fromkeys(task.name for task in tasks))
        results: dict[int, TaskResult] = {}
        for first in range(0, len(names), DETECTORS_AT_ONCE):
            group = set(names[first : first + DETECTORS_AT_ONCE])
            places = [place for place, task in enumerate(tasks) if task.name in group]
            fitted = run([tasks[place] for place in places])
            finished = self._counted(fitted, options, workers)
            results |= dict(zip(places, finished, strict=True))
        return [results[place] for place in range(len(tasks))]

    def _counted(
        self, results: Sequence[TaskResult], options: CriteriaOptions, workers: Workers
    ) -> list[TaskResult]:
        """Return the results of a few detectors with figures of all rows instead of the sample."""
        models = [each.countable.model for each in results if each.countable is not None]
        if not models:
            return list(results)
        found = iter(self._count(models, options, workers))
        return [
            each if each.countable is None else _finished(each, next(found), options)
            for each in results
        ]

    def criteria_of(
        self,
        fitted: FittedDetector,
        test: Table,
        measured: Measured,
        options: CriteriaOptions,
    ) -> SampledCriteria:
        """Return both criteria of a fitted detector on all rows."""
        unscaled = Scaling.of(test, scale=False)
        at = countable_of(fitted, measured, test=test, scaling=unscaled)
        (counts,) = self._count([at.model], options, Workers(n_jobs=1))
        if counts.failure:
            raise DetectorFailedError(counts.failure)
        return at.criteria(counts.scores, options)

    def _count(
        self, models: Sequence[CountedModel], options: CriteriaOptions, workers: Workers
    ) -> list[ModelCounts]:
        plan = CountingPlan(models=tuple(models), testing=self.testing, options=options)
        if workers.checkpoint is not None:
            folder = f"counted-{joblib.hash(plan.identity)}"
            workers = replace(workers, checkpoint=Path(workers.checkpoint) / folder)
        total = [ModelCounts.nothing(len(each.points), plan.n_halves) for each in models]
        problem, stopped, skipped = "", "", 0
        for wave in self.table.waves():
            tasks = [ChunkTask(chunk=chunk) for chunk in wave]
            # counts are added as they come: those of many chunks need not be held
            for result in run_tasks(tasks, plan, (), workers):
                problem, stopped = problem or result.problem, stopped or result.stopped
                skipped += result.skipped
                if result.models:
                    total = [a + b for a, b in zip(total, result.models, strict=True)]
        if stopped:
            return self._one_by_one(models, options, workers, stopped)
        if problem:
            raise InvalidDataError(problem)
        if skipped:
            were = "was" if skipped == 1 else "were"
            warnings.warn(
                f"{counted(skipped, 'row')} with gaps {were} left out, because the rows of the "
                "sample have none. Fill the gaps to have such rows counted.",
                OddrankWarning,
                stacklevel=5,
            )
        return total

    def _one_by_one(
        self,
        models: Sequence[CountedModel],
        options: CriteriaOptions,
        workers: Workers,
        reason: str,
    ) -> list[ModelCounts]:
        """Find out which detector ended its worker, or took too long."""
        names = sorted({model.name for model in models})
        if len(names) == 1:
            return [ModelCounts.nothing(0, 0, f"{names[0]} {reason}") for _ in models]
        of_names = {
            name: iter(
                self._count([each for each in models if each.name == name], options, workers)
            )
            for name in names
        }
        return [next(of_names[model.name]) for model in models]


def _finished(result: TaskResult, counts: ModelCounts, options: CriteriaOptions) -> TaskResult:
    """Return a result with the figures of all rows that were counted."""
    if counts.failure:
        return TaskResult(criteria=None, failure=counts.failure, seconds=result.seconds)
    at = result.countable
    assert at is not None
    whole = at.criteria(counts.scores, options)
    in_draws = isinstance(result.criteria, DrawAreas)
    judged = result.judged
    if judged is not None and at.point_scores is not None:
        judged = counted_areas(counts.scores, at.model.points, at.point_scores, judged.of_rows)
    return replace(
        result,
        criteria=DrawAreas.of(whole) if in_draws else whole,
        judged=judged,
        countable=None,
        odd=None if in_draws else counts.odd,
        seconds=result.seconds + counts.seconds,
    )
