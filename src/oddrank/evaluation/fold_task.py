"""One unit of work: one fit, asked for the scores of its test rows and of reference points.

A task reads and returns arrays. So it can run in this process, in another one or on another
machine, and its result can be stored and read again without pickle.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import child
from oddrank._typing import FloatArray
from oddrank.criteria import (
    CriteriaOptions,
    FailedFold,
    ScoredFold,
    fit_criteria,
    innermost_threshold,
)
from oddrank.detectors import Candidate, FittedDetector, innermost
from oddrank.errors import DetectorError, OddrankWarning
from oddrank.execution import single_threaded
from oddrank.reference import (
    Place,
    ReferenceMixture,
    ReferenceSampler,
    ScoredPoints,
    ScoredRows,
)
from oddrank.rows import BoundingBox, Draw, Scaling, Table

__all__ = ["FoldPlan", "FoldTask", "score_fold"]

# Scores of one row may differ by rounding between batches, and by no more.
SAME_SCORE = 1e-6

Arrays = tuple[FloatArray, ...]


@dataclass(frozen=True, kw_only=True)
class FoldTask:
    """One detector, and the rows and features it is fitted and scored in.

    Attributes
    ----------
    candidate : Candidate
    fold : int
    draw : tuple of int, or None
        Features of the draw; None for all features.
    index : int
        Position of the draw: streams of random numbers belong to it, not to the detector.
    """

    candidate: Candidate
    fold: int
    draw: Draw | None = None
    index: int = 0

    @property
    def name(self) -> str:
        """What the detector is called in messages."""
        return self.candidate.name

    @property
    def identity(self) -> Any:
        """The key of a stored result; it does not depend on the name of the detector."""
        candidate = self.candidate
        return (
            candidate.detector,
            candidate.preprocess,
            candidate.orientation,
            self.fold,
            self.draw,
            self.index,
        )


@dataclass(frozen=True, kw_only=True)
class FoldPlan:
    """What all tasks of one evaluation or ranking share, apart from the rows.

    Attributes
    ----------
    form : Table
        Names and container of the features, without rows.
    train, test : tuples of arrays of int
        Places of the training and test rows of each fold.
    scale : bool
        Whether features are standardised on the training rows of each fold.
    units : Scaling
        Of all training rows: volumes of all folds are in these units.
    sampler : ReferenceSampler or None
        None if only scores of the test rows are needed.
    options : CriteriaOptions
        Where points are to be accurate.
    root : SeedSequence
    box : BoundingBox or None
        In all features, before scaling; None takes the range of the test rows in each draw.
    judged : bool
        Whether the points have the stream of a judge.
    common : ReferenceMixture or None
        Draws points that the fits of all folds score; None for none.
    shared : tuple of int
        How many arrays were prepared for every fold: they follow the rows that tasks are given.
    """

    form: Table
    train: tuple[npt.NDArray[np.intp], ...]
    test: tuple[npt.NDArray[np.intp], ...]
    scale: bool
    units: Scaling
    sampler: ReferenceSampler | None
    options: CriteriaOptions
    root: np.random.SeedSequence
    box: BoundingBox | None
    judged: bool = False
    common: ReferenceMixture | None = None
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
            self.judged,
            self.common,
            self.options,
            box,
        )

    def read(self, arrays: Any) -> ScoredFold:
        """Return a stored result."""
        return ScoredFold.from_arrays(arrays)

    def failed(self, task: FoldTask, reason: str) -> FailedFold:  # noqa: ARG002
        """Return the result of a fit that ended its worker, or took too long."""
        return FailedFold(failure=reason)

    def prepare(self, *rows: FloatArray, raw: bool) -> tuple[FoldPlan, Arrays]:
        """Compute what the tasks of every fold share, in all features.

        Returns
        -------
        plan : FoldPlan
            One that finds its shared arrays behind the rows that its tasks are given.
        shared : tuple of arrays
        """
        if self.sampler is None:
            return self, ()
        found: list[Arrays] = []
        with single_threaded():
            common = self._common_points(rows, raw=raw)
            for fold in range(len(self.train)):
                rows_of_fold = self._lay_out(fold, rows, raw=raw)
                points = self.sampler.prepare(rows_of_fold.place(raw=raw))
                found.append(
                    (*points, *(rows_of_fold.scaling.apply(each).values for each in common))
                )
        plan = replace(self, shared=tuple(map(len, found)))
        return plan, tuple(array for arrays in found for array in arrays)

    def run(self, task: FoldTask, *rows: FloatArray) -> ScoredFold | FailedFold:
        """Fit on training rows, score test rows and points; a failure is also a result.

        Linear algebra runs on one thread: its sums depend on the number of threads, and results
        must not depend on where the task runs.
        """
        start = perf_counter()
        raw = task.candidate.preprocess is not None or not self.form.is_plain
        try:
            with single_threaded():
                rows_of_fold = self._lay_out(
                    task.fold, rows[:2], raw=raw, draw=task.draw, index=task.index
                )
                prepared = self._prepared(task.fold, rows)
                scored = self._score(task, rows_of_fold, prepared, raw=raw)
        except DetectorError as error:
            return FailedFold(failure=str(error), seconds=perf_counter() - start)
        return replace(scored, seconds=perf_counter() - start)

    def _common_points(self, rows: Arrays, *, raw: bool) -> list[Table]:
        """Draw the points that the fits of all folds score, in the units of the user's rows.

        They are drawn around the test rows of all folds. Principal axes need scaled features: those
        of the first fold do.
        """
        if self.common is None:
            return []
        assert self.box is not None  # only draws of features have boxes of their own
        scaling = self._lay_out(0, rows, raw=raw).scaling
        around = scaling.apply(self.form.with_values(rows[1][np.concatenate(self.test)]))
        box, root = scaling.apply_to_box(self.box), child(self.root, "judge", 3)
        points, *_ = self.common.prepare(place_of(around, box, root, raw=raw))
        return [self.form.with_values(scaling.undo(points))]

    def _prepared(self, fold: int, rows: Arrays) -> Arrays:
        if not self.shared:
            return ()
        first, last = np.cumsum((2, *self.shared))[fold : fold + 2]
        return rows[first:last]

    def _lay_out(
        self, fold: int, rows: Arrays, *, raw: bool, draw: Draw | None = None, index: int = 0
    ) -> _FoldRows:
        """Return rows and box of a fold, scaled, in all features or in a draw of them.

        A detector behind preprocessing takes rows as the user has them, and points among those.
        """
        train = self.form.with_values(rows[0][self.train[fold]])
        test = self.form.with_values(rows[1][self.test[fold]])
        units = self.units
        root = child(self.root, "fold", fold)
        box = self.box
        if draw is not None:
            features = np.array(draw)
            train, test = train.features(features), test.features(features)
            units = units.features(features)
            box = None if box is None else box.features(features)
            root = child(root, "features", index)
        if box is None:
            # only volumes need a width in every feature
            of_volume = self.sampler is not None and self.sampler.of_volume
            around = BoundingBox.from_arrays if of_volume else BoundingBox.around_constants
            box = around(test)
        scaling = Scaling.of(train, scale=self.scale and not raw)
        return _FoldRows(
            train=scaling.apply(train),
            test=scaling.apply(test),
            box=scaling.apply_to_box(box),
            scaling=scaling,
            log_unit=scaling.log_volume - units.log_volume,
            root=root,
            points_root=child(root, "judge", 2) if self.judged else root,
        )

    def _score(self, task: FoldTask, rows: _FoldRows, prepared: Arrays, *, raw: bool) -> ScoredFold:
        start = perf_counter()
        fitted = task.candidate.fit(rows.train, rows.root, fold=task.fold, scale=raw and self.scale)
        fit_seconds = perf_counter() - start
        if self.sampler is None:
            return ScoredFold(
                row_scores=fitted.score(rows.test), points={}, fit_seconds=fit_seconds
            )
        common = np.empty((0, 0))
        if self.common is not None:
            *own, points = prepared
            prepared, common = (
                tuple(own),
                _scores_by_measure(fitted, rows.test, points, self.common),
            )
        scored = score_fold(
            fitted, rows.test, rows.place(raw=raw), self.sampler, self.options, prepared=prepared
        )
        if task.fold == 0 and task.draw is None:
            warn_of_batches(fitted, rows.test, scored.row_scores)
        unit = rows.log_unit if self.sampler.of_volume else 0.0
        return replace(
            scored,
            log_volume=scored.log_volume + unit,
            common_scores=common,
            fit_seconds=fit_seconds,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _FoldRows:
    """Rows of a fold as a detector gets them, in all features or in a draw of them."""

    train: Table
    test: Table
    box: BoundingBox
    scaling: Scaling
    log_unit: float
    root: np.random.SeedSequence
    points_root: np.random.SeedSequence

    def place(self, *, raw: bool) -> Place:
        """Return where points are drawn."""
        return place_of(self.test, self.box, self.points_root, raw=raw)


def place_of(table: Table, box: BoundingBox, root: np.random.SeedSequence, *, raw: bool) -> Place:
    """Return where points are drawn."""
    continuous = table.continuous if raw or not table.is_plain else None
    return Place(box=box, rows=table.values, root=root, continuous=continuous)


def _scores_by_measure(
    fitted: FittedDetector, test: Table, points: FloatArray, sampler: ReferenceMixture
) -> FloatArray:
    """Return the scores of points, one row for every measure."""
    scores = np.split(fitted.score_of_points(test)(points), sampler.n_replicates)
    of_measures = sampler.by_measure(ScoredPoints(scores=tuple(scores)))
    return np.array([np.concatenate(each.scores) for each in of_measures.values()])


def score_fold(
    fitted: FittedDetector,
    test: Table,
    place: Place,
    sampler: ReferenceSampler,
    options: CriteriaOptions,
    *,
    prepared: Arrays = (),
) -> ScoredFold:
    """Ask a fitted detector for the scores of rows and of reference points.

    Parameters
    ----------
    fitted : FittedDetector
    test : Table
        Rows in their natural order (`oddrank.rows.natural_order`), so that random draws by place
        belong to rows.
    place : Place
        The same root gives every detector the same points, unless the sampler follows detectors.
    sampler : ReferenceSampler
    options : CriteriaOptions
        Where points are to be accurate.
    prepared : tuple of arrays
        What the sampler has prepared for all detectors, at the same place.
    """
    row_scores = fitted.score(test)
    at = ScoredRows(
        **vars(place),
        score=fitted.score_of_points(test),
        row_scores=row_scores,
        target=innermost_threshold(row_scores, options),
        prepared=prepared,
    )
    points = sampler.score(at, _enough(row_scores, sampler, options))
    return ScoredFold(
        row_scores=row_scores,
        points=sampler.by_measure(points),
        log_volume=sampler.log_total(place.box),
    )


def _enough(
    row_scores: FloatArray, sampler: ReferenceSampler, options: CriteriaOptions
) -> Callable[[ScoredPoints], bool]:
    # More points do not lower the errors that come from the rows: halves are not needed here.
    without_halves = replace(options, n_halves=0)

    def enough(points: ScoredPoints) -> bool:
        criteria = fit_criteria(
            row_scores,
            points,
            log_volume=0.0,
            options=without_halves,
            random=np.random.default_rng(0),
        )
        return sampler.is_reached(criteria.points_error, len(points))

    return enough


def warn_of_batches(fitted: FittedDetector, test: Table, scores: FloatArray) -> None:
    """Warn of a detector whose score of a row is not of that row alone."""
    if type(innermost(fitted.detector)).__module__.startswith("sklearn."):
        return  # which score row by row
    if not _depends_on_batch(fitted, test, scores):
        return
    how = "by the rows that are scored with it, and reference points count among them"
    some = test.rows(np.arange(min(test.n_rows, 100)))
    if not np.array_equal(fitted.score(some), fitted.score(some), equal_nan=True):
        how = "differently each time it is asked"
    warnings.warn(
        f"{fitted.name} scores a row {how}. Do not trust its place in the ranking.",
        OddrankWarning,
        stacklevel=2,
    )


def _depends_on_batch(fitted: FittedDetector, test: Table, scores: FloatArray) -> bool:
    """Return whether rows get other scores when only every second of them is scored."""
    some = np.arange(0, test.n_rows, 2)[:1000]
    again = fitted.score(test.rows(some))
    finite = np.isfinite(scores[some]) & np.isfinite(again)
    unit = float(np.std(scores[some][finite])) if finite.any() else 0.0
    return bool((np.abs(again - scores[some])[finite] > SAME_SCORE * unit).any())
