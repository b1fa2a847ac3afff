"""One unit of work: one fit of a detector, in all features or in one draw of them.

A task reads and returns arrays. So it can run in this process, in another one or on another
machine, and its result can be stored and read again without pickle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from oddrank._random import child, stream
from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions, DrawAreas, MeasuredAreas
from oddrank.detectors import Candidate
from oddrank.errors import DetectorError
from oddrank.evaluation.counted_model import countable_of
from oddrank.evaluation.measurement import Measured, measure, place_of, warn_of_batches
from oddrank.evaluation.task_result import TaskResult
from oddrank.execution import single_threaded
from oddrank.reference import Place, ReferenceMixture, ReferenceSampler, SeenPoints
from oddrank.rows import BoundingBox, Draw, Scaling, Table

__all__ = ["EvaluationPlan", "EvaluationTask"]

# More rows than this would hardly change the errors of a judgement.
KEPT_ROWS = 5000

Arrays = tuple[FloatArray, ...]


@dataclass(frozen=True, kw_only=True)
class EvaluationTask:
    """One detector, and the rows and features it is fitted and evaluated in.

    Attributes
    ----------
    candidate : Candidate
    fold : int
    draw : tuple of int, or None
        Features of the draw; None for all features.
    index : int
        Position of the draw: streams of random numbers belong to it, not to the detector.
    seen : SeenPoints, or None
        What an earlier task with fewer points has scored; this task continues from there.
    """

    candidate: Candidate
    fold: int
    draw: Draw | None
    index: int
    seen: SeenPoints | None = None

    @property
    def name(self) -> str:
        """What the detector is called in messages."""
        return self.candidate.name

    @property
    def identity(self) -> Any:
        """The key of a stored result; it does not depend on the name of the detector."""
        return (
            self.candidate.detector,
            self.candidate.preprocess,
            self.candidate.orientation,
            self.fold,
            self.draw,
            self.index,
        )


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """What all tasks of one evaluation or ranking share, apart from the rows.

    Attributes
    ----------
    form : Table
        Names and container of the features, without rows.
    train, test : tuples of arrays of int
        Places of the training and test rows of each fold.
    scale : bool
        Whether features are standardised on the training rows of each fold.
    sampler : ReferenceSampler or None
        None if only scores of the test rows are needed.
    options : CriteriaOptions
    root : SeedSequence
    box : BoundingBox or None
        In all features, before scaling; None takes the range of the test rows in each draw.
    measures : ReferenceMixture or None
        The reference measures of a judgement, if there is one.
    keeps_points : bool
        Whether results hold the scores of all points, so that a later task can go on.
    keeps_models : bool
        Whether results hold the fitted models, so that rows beyond these can be counted.
    shared : tuple of int
        How many arrays were prepared for the sampler, and for the measures, of every fold: they
        follow the rows that tasks are given.
    """

    form: Table
    train: tuple[npt.NDArray[np.intp], ...]
    test: tuple[npt.NDArray[np.intp], ...]
    scale: bool
    sampler: ReferenceSampler | None
    options: CriteriaOptions
    root: np.random.SeedSequence
    box: BoundingBox | None
    measures: ReferenceMixture | None = None
    keeps_points: bool = False
    keeps_models: bool = False
    shared: tuple[int, ...] = ()

    @property
    def identity(self) -> Any:
        """The part of the key of stored results that comes on top of rows and seed."""
        box = None if self.box is None else (self.box.lower, self.box.upper)
        return (
            self.form.feature_names,
            self.form.columns,
            self.train,
            self.test,
            self.scale,
            self.sampler,
            self.measures,
            self.options,
            box,
        )

    def read(self, arrays: Any) -> TaskResult:
        """Return a stored result."""
        return TaskResult.from_arrays(arrays)

    def failed(self, task: EvaluationTask, reason: str) -> TaskResult:  # noqa: ARG002
        """Return the result of a fit that ended its worker, or took too long."""
        return TaskResult(criteria=None, failure=reason)

    def prepare(self, *rows: FloatArray, raw: bool) -> tuple[EvaluationPlan, Arrays]:
        """Compute what the tasks of every fold share, in all features.

        Returns
        -------
        plan : EvaluationPlan
            One that finds its shared arrays behind the rows that its tasks are given.
        shared : tuple of arrays
        """
        found: list[tuple[FloatArray, ...]] = []
        for fold in range(len(self.train)):
            with single_threaded():
                laid = self._lay_out(fold, None, 0, rows, raw=raw)
                place = place_of(laid.test, laid.box, laid.root, raw=raw)
                found += [
                    () if self.sampler is None else self.sampler.prepare(place),
                    () if self.measures is None else self.measures.prepare(_judging(place)),
                ]
        plan = replace(self, shared=tuple(map(len, found)))
        return plan, tuple(array for arrays in found for array in arrays)

    def run(self, task: EvaluationTask, *rows: FloatArray) -> TaskResult:
        """Fit on training rows, score and evaluate on test rows; a failure is also a result.

        Linear algebra runs on one thread: its sums depend on the number of threads, and results
        must not depend on where the task runs.
        """
        start = perf_counter()
        raw = task.candidate.preprocess is not None or not self.form.is_plain
        try:
            with single_threaded():
                laid = self._lay_out(task.fold, task.draw, task.index, rows[:2], raw=raw)
                result = self._evaluate(task, laid, self._prepared(task.fold, rows), raw=raw)
        except DetectorError as error:
            result = TaskResult(criteria=None, failure=str(error))
        return replace(result, seconds=perf_counter() - start)

    def _prepared(self, fold: int, rows: Arrays) -> tuple[Arrays, Arrays]:
        """Return what was prepared for the sampler, and for the measures, of a fold."""
        if not self.shared:
            return (), ()
        first, second, third = np.cumsum((2, *self.shared))[2 * fold : 2 * fold + 3]
        return rows[first:second], rows[second:third]

    def _lay_out(
        self, fold: int, draw: Draw | None, index: int, rows: Arrays, *, raw: bool
    ) -> _LaidOut:
        """Return rows and box of a fold, scaled, in all features or in a draw of them.

        A detector behind preprocessing takes rows as the user has them, and points among those.
        """
        train = self.form.with_values(rows[0][self.train[fold]])
        test = self.form.with_values(rows[1][self.test[fold]])
        has_units = self.scale and self.form.is_plain
        whole = Scaling.of(self.form.with_values(rows[0]), scale=has_units)
        fold_root = root = child(self.root, "fold", fold)
        box = self.box
        if draw is not None:
            features = np.array(draw)
            train, test = train.features(features), test.features(features)
            whole = whole.features(features)
            box = None if box is None else box.features(features)
            root = child(root, "features", index)
        if box is None:
            # only volumes need a width in every feature
            by_volume = self.sampler is not None and self.sampler.of_volume
            around = BoundingBox.from_arrays if by_volume else BoundingBox.around_constants
            box = around(test)
        scaling = Scaling.of(train, scale=self.scale and not raw)
        return _LaidOut(
            train=scaling.apply(train),
            test=scaling.apply(test),
            box=scaling.apply_to_box(box),
            # all folds in the units of all training rows
            unit=scaling.log_volume - whole.log_volume,
            root=root,
            fold_root=fold_root,
            scaling=scaling,
        )

    def _evaluate(
        self, task: EvaluationTask, laid: _LaidOut, prepared: tuple[Arrays, Arrays], *, raw: bool
    ) -> TaskResult:
        start = perf_counter()
        scale = raw and self.scale
        fitted = task.candidate.fit(laid.train, laid.root, fold=task.fold, scale=scale)
        fit_seconds = perf_counter() - start
        if self.sampler is None:
            scores = fitted.score(laid.test)
            return TaskResult(criteria=None, scores=scores, fit_seconds=fit_seconds)
        measured = measure(
            fitted,
            laid.test,
            laid.box,
            self.sampler,
            options=self.options,
            root=laid.root,
            unit=laid.unit,
            halves_root=laid.fold_root,
            seen=task.seen,
            raw=raw,
            prepared=prepared[0],
        )
        point_scores = self._point_scores(measured, prepared[1])
        countable = None
        if self.keeps_models:
            countable = countable_of(
                fitted,
                measured,
                test=laid.test,
                scaling=laid.scaling,
                point_scores=point_scores,
                place=(task.fold, task.index),
                draw=task.draw,
            )
        if task.draw is not None:
            areas = DrawAreas.of(measured.criteria)
            return TaskResult(criteria=areas, countable=countable, fit_seconds=fit_seconds)
        at = measured.scored
        if task.fold == 0 and task.seen is None and countable is None:
            warn_of_batches(fitted, laid.test, at.row_scores)
        return TaskResult(
            criteria=measured.criteria,
            judged=None
            if point_scores is None
            else MeasuredAreas.of(
                at.row_scores, point_scores, _kept_rows(len(at.row_scores), at.root)
            ),
            scores=at.row_scores,
            seen=measured.seen if self.keeps_points else None,
            countable=countable,
            fit_seconds=fit_seconds,
        )

    def _point_scores(self, measured: Measured, prepared: Arrays) -> FloatArray | None:
        """Return the scores of the points of every measure; they may have been scored already."""
        measures = self.measures
        if measures is None:
            return None
        replicates = measured.seen.replicates
        if self.sampler != measures:
            (looked,) = measures.look(replace(_judging(measured.scored), prepared=prepared))
            replicates = looked.replicates
        return np.hstack([part.scores.reshape(-1, measures.n_points) for part in replicates])


@dataclass(frozen=True, kw_only=True, eq=False)
class _LaidOut:
    """Rows of a fold as a detector gets them, in all features or in a draw of them."""

    train: Table
    test: Table
    box: BoundingBox
    unit: float
    root: np.random.SeedSequence
    fold_root: np.random.SeedSequence
    scaling: Scaling


PlaceT = TypeVar("PlaceT", bound=Place)


def _judging(at: PlaceT) -> PlaceT:
    """Return the same place for the points of a judgement."""
    return replace(at, root=child(at.root, "judge", 2))


def _kept_rows(n_rows: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
    if n_rows <= KEPT_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(root, "judge", 0).choice(n_rows, KEPT_ROWS, replace=False))
