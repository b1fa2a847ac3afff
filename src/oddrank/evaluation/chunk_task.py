"""One unit of counting: a chunk of rows, scored by all models at hand."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions, OddCounts, ScoreCounts
from oddrank.errors import DetectorError, InvalidDataError
from oddrank.evaluation.counted_model import CountedChunk, CountedModel, ModelCounts
from oddrank.execution import single_threaded
from oddrank.rows import Chunk, Table, folds_of_numbers, halves_of_numbers, part_table

__all__ = ["ChunkTask", "CountingPlan", "TestingFolds"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TestingFolds:
    """Which fold tests each row of a table.

    Attributes
    ----------
    form : Table
        Names and types of the sampled rows.
    with_gaps : bool
        Whether sampled rows have gaps. If not, no fit has seen a gap, and rows with gaps are left
        out.
    numbers, folds : arrays of int
        The rows of the sample, ascending, and the fold that tests each; -1 for none.
    n_rows : int
        Of the whole table.
    n_folds : int
    root : SeedSequence
    """

    __test__ = False  # pytest takes the name for its own

    form: Table
    with_gaps: bool
    numbers: npt.NDArray[np.int64]
    folds: npt.NDArray[np.intp]
    n_rows: int
    n_folds: int
    root: np.random.SeedSequence

    def of_rows(self, start: int, n_rows: int) -> npt.NDArray[np.intp]:
        """Return the fold of each row; rows outside the sample are tested by any."""
        found = folds_of_numbers(start, n_rows, self.n_folds, self.root)
        first, last = np.searchsorted(self.numbers, (start, start + n_rows))
        found[self.numbers[first:last] - start] = self.folds[first:last]
        return found


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
    testing : TestingFolds
    options : CriteriaOptions
    """

    models: tuple[CountedModel, ...]
    testing: TestingFolds
    options: CriteriaOptions

    @property
    def n_halves(self) -> int:
        """Random halves that rows are counted in; each comes with its complement."""
        return self.options.n_halves // 2

    @property
    def root(self) -> np.random.SeedSequence:
        """The seed of the run."""
        return self.testing.root

    @property
    def identity(self) -> Any:
        """What counts are known by: points are scores of points, which tell models apart."""
        models = [(each.name, each.place, each.points) for each in self.models]
        testing = self.testing
        return (models, testing.numbers, testing.folds, testing.n_rows, self.options)

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
                    testing = self.testing
                    table, kept = part_table(
                        part, testing.form, task.chunk.title, with_gaps=testing.with_gaps
                    )
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
        folds = self.testing.of_rows(first, size)[inside]
        halves = halves_of_numbers(first, size, self.n_halves, self.testing.root)[inside]
        tested = [np.flatnonzero(folds == fold) for fold in range(self.testing.n_folds)]
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
