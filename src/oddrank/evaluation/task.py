"""One unit of work: one detector in all features, or in one draw of them.

A task reads arrays and gives arrays back, so that it runs in this process, in another one or on
another machine, and its result can be stored and read again without pickle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from oddrank._random import child, stream
from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions, DrawAreas, MeasuredAreas
from oddrank.detectors import Candidate
from oddrank.errors import DetectorError
from oddrank.evaluation.measurement import Measured, RowHalves, measure
from oddrank.evaluation.task_result import TaskResult
from oddrank.reference import ReferenceMixture, ReferenceSampler, SeenPoints
from oddrank.rows import BoundingBox, Draw, Table

__all__ = ["EvaluationPlan", "EvaluationTask"]

# Errors of a judgement need no more rows than this.
KEPT_ROWS = 5000


@dataclass(frozen=True, kw_only=True)
class EvaluationTask:
    """One detector, and the features it is fitted and evaluated in.

    Attributes
    ----------
    candidate : Candidate
    draw : tuple of int, or None
        Features of the draw; None for all features.
    index : int
        Position of the draw: streams of random numbers belong to it, not to the detector.
    seen : SeenPoints, or None
        What an earlier task, with fewer points, has scored: this one goes on from there.
    """

    candidate: Candidate
    draw: Draw | None
    index: int
    seen: SeenPoints | None = None

    @property
    def name(self) -> str:
        """What the detector is called in messages."""
        return self.candidate.name

    @property
    def identity(self) -> Any:
        """What a stored result is known by; the name of a detector changes nothing in it."""
        return (self.candidate.detector, self.candidate.orientation, self.draw, self.index)


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """What all tasks of one evaluation or ranking share, apart from the rows.

    Attributes
    ----------
    form : Table
        Names and container of the features, without rows.
    sampler : ReferenceSampler
    options : CriteriaOptions
    root : SeedSequence
    box : BoundingBox or None
        In all features; None takes the range of the test rows, in each draw anew.
    measures : ReferenceMixture or None
        The measures of a judgement, if there is to be one.
    keeps_points : bool
        Whether results hold the scores of all points, so that a later task can go on.
    """

    form: Table
    sampler: ReferenceSampler
    options: CriteriaOptions
    root: np.random.SeedSequence
    box: BoundingBox | None
    measures: ReferenceMixture | None = None
    keeps_points: bool = False

    @property
    def identity(self) -> Any:
        """What stored results are known by, beside the rows and the seed."""
        box = None if self.box is None else (self.box.lower, self.box.upper)
        return (self.form.feature_names, self.sampler, self.measures, self.options, box)

    def read(self, arrays: Any) -> TaskResult:
        """Return a stored result."""
        return TaskResult.from_arrays(arrays)

    def run(self, task: EvaluationTask, *rows: FloatArray) -> TaskResult:
        """Fit on the first rows, score and evaluate on the second; a failure is a result, too.

        Linear algebra runs on one thread: its sums depend on the number of threads, and results
        must not depend on where the task runs.
        """
        train, test = (self.form.with_values(values) for values in rows)
        root, halves = self.root, RowHalves.of(test.values, self.root)
        if task.draw is not None:
            features = np.array(task.draw)
            train, test = train.features(features), test.features(features)
            root = child(root, "features", task.index)
        start = perf_counter()
        try:
            with threadpool_limits(limits=1, user_api="blas"):
                result = self._evaluate(task, train, test, root=root, halves=halves)
        except DetectorError as error:
            result = TaskResult(criteria=None, failure=str(error))
        return replace(result, seconds=perf_counter() - start)

    def _evaluate(
        self,
        task: EvaluationTask,
        train: Table,
        test: Table,
        *,
        root: np.random.SeedSequence,
        halves: RowHalves,
    ) -> TaskResult:
        start = perf_counter()
        fitted = task.candidate.fit(train, root)
        fit_seconds = perf_counter() - start
        measured = measure(
            fitted,
            test,
            self._box(task, test),
            self.sampler,
            options=self.options,
            root=root,
            halves=halves,
            seen=task.seen,
        )
        if task.draw is not None:
            return TaskResult(criteria=DrawAreas.of(measured.criteria), fit_seconds=fit_seconds)
        return TaskResult(
            criteria=measured.criteria,
            judged=None if self.measures is None else self._judged(measured, self.measures),
            seen=measured.seen if self.keeps_points else None,
            fit_seconds=fit_seconds,
        )

    def _box(self, task: EvaluationTask, test: Table) -> BoundingBox:
        if self.box is None:
            return BoundingBox.from_arrays(test)
        return self.box if task.draw is None else self.box.features(np.array(task.draw))

    def _judged(self, measured: Measured, measures: ReferenceMixture) -> MeasuredAreas:
        """Measure the areas against every measure; its points may have been scored already."""
        at, replicates = measured.scored, measured.seen.replicates
        if self.sampler != measures:
            at = replace(at, root=child(at.root, "judge", 2))
            (looked,) = measures.look(at)
            replicates = looked.replicates
        parts = [part.scores.reshape(-1, measures.n_points) for part in replicates]
        kept = _kept_rows(len(at.row_scores), measured.scored.root)
        return MeasuredAreas.of(at.row_scores, np.hstack(parts), kept)


def _kept_rows(n_rows: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
    if n_rows <= KEPT_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(root, "judge", 0).choice(n_rows, KEPT_ROWS, replace=False))
