"""All rows of a table that is not in memory, counted against the points of fitted models.

Detectors are fitted on a sample of the rows. Then every row is scored once by each detector, by a
fit that has not seen it, chunk by chunk where the rows are, and only counts come back.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt

from oddrank._plain_text import counted
from oddrank._random import child
from oddrank._typing import FloatArray
from oddrank.criteria import (
    CriteriaOptions,
    DrawAreas,
    OddCounts,
    SampledCriteria,
    ScoreCounts,
    counted_areas,
)
from oddrank.detectors import FittedDetector
from oddrank.errors import DetectorError, DetectorFailedError, InvalidDataError, OddrankWarning
from oddrank.evaluation.counted_model import (
    CountedChunk,
    CountedModel,
    ModelCounts,
    countable_of,
)
from oddrank.evaluation.measurement import Measured
from oddrank.evaluation.task_result import TaskResult
from oddrank.execution import Workers, run_tasks, single_threaded
from oddrank.rows import (
    Chunk,
    ChunkedTable,
    Folds,
    Scaling,
    Table,
    folds_of_numbers,
    halves_of_numbers,
    part_table,
)

__all__ = ["DETECTORS_AT_ONCE", "CountedRows"]

# Detectors whose models are at hand together; for more the rows are read again.
DETECTORS_AT_ONCE = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedRows:
    """All rows that are to be counted, and which fold tests each of them.

    Attributes
    ----------
    table : ChunkedTable
    form : Table
        Names and types of the sampled rows.
    numbers, folds : arrays of int
        The rows of the sample, ascending, and the fold that tests each; -1 for none.
    n_folds : int
    root : SeedSequence
    """

    table: ChunkedTable
    form: Table
    numbers: npt.NDArray[np.int64]
    folds: npt.NDArray[np.intp]
    n_folds: int
    root: np.random.SeedSequence

    @classmethod
    def of(
        cls,
        table: ChunkedTable,
        numbers: npt.NDArray[np.int64],
        folds: Folds,
        root: np.random.SeedSequence,
    ) -> CountedRows:
        """Return the rows of a table whose sample was divided into these folds."""
        return cls(
            table=table,
            form=folds.test_rows.without_rows(),
            numbers=numbers,
            folds=folds.of_test_rows,
            n_folds=len(folds),
            root=child(root, "sample"),
        )

    def folds_from(self, start: int, n_rows: int) -> npt.NDArray[np.intp]:
        """Return the fold of each row; rows outside the sample are tested by any."""
        found = folds_of_numbers(start, n_rows, self.n_folds, self.root)
        first, last = np.searchsorted(self.numbers, (start, start + n_rows))
        found[self.numbers[first:last] - start] = self.folds[first:last]
        return found

    def count(
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
        plan = CountingPlan(models=tuple(models), rows=self._without_table(), options=options)
        if workers.checkpoint is not None:
            folder = f"counted-{joblib.hash(plan.identity)}"
            workers = replace(workers, checkpoint=Path(workers.checkpoint) / folder)
        total = [ModelCounts.nothing(len(each.points), plan.n_halves) for each in models]
        problem, skipped = "", 0
        for wave in self.table.waves():
            tasks = [ChunkTask(chunk=chunk) for chunk in wave]
            for result in run_tasks(tasks, plan, (), workers, unit="chunk"):
                if result.stopped:
                    return self._one_by_one(models, options, workers, result.stopped)
                problem, skipped = problem or result.problem, skipped + result.skipped
                if result.models:
                    total = [a + b for a, b in zip(total, result.models, strict=True)]
        if problem:
            raise InvalidDataError(problem)
        if skipped:
            warnings.warn(
                f"{counted(skipped, 'row')} with gaps were left out, because the rows of the "
                "sample have none. Fill the gaps to have these rows counted.",
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

    def _without_table(self) -> CountedRows:
        """Return what workers need: each chunk comes to them by itself."""
        nothing = ChunkedTable(n_rows=self.table.n_rows, each=list, holds_rows=False)
        return replace(self, table=nothing)


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


@dataclass(frozen=True, kw_only=True)
class ChunkTask:
    """One chunk, to be scored by all models."""

    chunk: Chunk

    @property
    def name(self) -> str:
        """What the task is called in messages."""
        return self.chunk.title

    @property
    def identity(self) -> Any:
        """What its result is known by."""
        return self.chunk.identity

    @property
    def lazy_rows(self) -> Any:
        """What a cluster computes the rows from; None if the chunk reads them itself."""
        return self.chunk.lazy_rows

    def with_rows(self, rows: Any) -> ChunkTask:
        """Return the same task on rows that a cluster has computed."""
        return ChunkTask(chunk=self.chunk.held(rows))


@dataclass(frozen=True, kw_only=True, eq=False)
class CountingPlan:
    """What is done with every chunk.

    Attributes
    ----------
    models : tuple of CountedModel
    rows : CountedRows
        Without its table.
    options : CriteriaOptions
    """

    models: tuple[CountedModel, ...]
    rows: CountedRows
    options: CriteriaOptions

    @property
    def n_halves(self) -> int:
        """Random halves that rows are counted in; each comes with its complement."""
        return self.options.n_halves // 2

    @property
    def root(self) -> np.random.SeedSequence:
        """The seed of the run."""
        return self.rows.root

    @property
    def identity(self) -> Any:
        """What counts are known by: points are scores of points, which tell models apart."""
        models = [(each.name, each.place, each.points) for each in self.models]
        return (models, self.rows.numbers, self.rows.folds, self.rows.table.n_rows, self.options)

    def read(self, arrays: Any) -> CountedChunk:
        """Return stored counts."""
        return CountedChunk.from_arrays(arrays)

    def failed(self, task: ChunkTask, reason: str) -> CountedChunk:
        """Return the result of a chunk whose worker ended, or took too long."""
        return CountedChunk(stopped=reason.removeprefix(f"{task.name} "))

    def run(self, task: ChunkTask, *rows: FloatArray) -> CountedChunk:  # noqa: ARG002
        """Score and count the rows of a chunk, part by part."""
        total = [ModelCounts.nothing(len(each.points), self.n_halves) for each in self.models]
        start, skipped = task.chunk.start, 0
        try:
            with single_threaded():
                for part in task.chunk.parts():
                    table, kept = part_table(part, self.rows.form, task.chunk.title)
                    skipped += len(part) - len(kept)
                    if len(kept):
                        self._add(total, table, start + kept)
                    start += len(part)
        except InvalidDataError as error:
            return CountedChunk(problem=str(error))
        return CountedChunk(models=tuple(total), skipped=skipped)

    def _add(self, total: list[ModelCounts], table: Table, numbers: npt.NDArray[np.int64]) -> None:
        first, size = int(numbers[0]), int(numbers[-1] - numbers[0]) + 1
        inside = numbers - first
        folds = self.rows.folds_from(first, size)[inside]
        halves = halves_of_numbers(first, size, self.n_halves, self.rows.root)[inside]
        tested = [np.flatnonzero(folds == fold) for fold in range(self.rows.n_folds)]
        made: dict[tuple[int, int], Table] = {}
        for place, model in enumerate(self.models):
            rows = tested[model.place[0]]
            if total[place].failure or not len(rows):
                continue
            if model.place not in made:
                made[model.place] = model.rows_for(table.rows(rows))
            total[place] += _counts(model, made[model.place], numbers[rows], halves[rows])


def _counts(
    model: CountedModel,
    rows: Table,
    numbers: npt.NDArray[np.int64],
    halves: npt.NDArray[np.uint8],
) -> ModelCounts:
    start = perf_counter()
    try:
        scores = model.fitted.score(rows)
    except DetectorError as error:
        return ModelCounts.nothing(len(model.points), halves.shape[1], str(error))
    return ModelCounts(
        scores=ScoreCounts.of(scores, model.points, halves),
        odd=OddCounts.of(scores, numbers, model.middle, model.spread),
        seconds=perf_counter() - start,
    )
