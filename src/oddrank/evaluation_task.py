"""One unit of work: one detector in all features, or in one draw of them.

A task reads arrays and gives arrays back, so that it runs in this process, in another one or on
another machine, and its result can be stored and read again without pickle.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from oddrank._random import child, stream
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions
from oddrank.errors import DetectorError
from oddrank.feature_subsampling import Draw
from oddrank.fitting import fit_detector
from oddrank.measurement import RowHalves, measure
from oddrank.normality import normality_function
from oddrank.reference import AutoReference, ReferenceMixture, ReferenceSampler
from oddrank.scoring import score_reference
from oddrank.seen_points import pack_seen, unpack_seen
from oddrank.table import FloatArray, Table
from oddrank.task_results import NamedArrays, pack_criteria, pack_draw, pack_judged

__all__ = ["EvaluationPlan", "EvaluationTask", "run_task"]

# Errors of a judgement need no more rows than this.
KEPT_ROWS = 5000


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """What all tasks of one evaluation or ranking share, apart from the rows.

    Attributes
    ----------
    feature_names : tuple of str
    container : str
    labels : tuple
        As in `Table`.
    sampler : ReferenceSampler
    options : CriteriaOptions
    root : SeedSequence
    box : BoundingBox or None
        In all features; None takes the range of the test rows, in each draw anew.
    judges : ReferenceMixture or None
        The measures of a judgement, if there is to be one.
    keeps_points : bool
        Whether results hold the scores of all points, so that a later task can go on.
    """

    feature_names: tuple[str, ...]
    container: str
    labels: tuple[Any, ...]
    sampler: ReferenceSampler
    options: CriteriaOptions
    root: np.random.SeedSequence
    box: BoundingBox | None
    judges: ReferenceMixture | None = None
    keeps_points: bool = False


@dataclass(frozen=True, kw_only=True)
class EvaluationTask:
    """One detector, and the features it is fitted and evaluated in.

    Attributes
    ----------
    name : str
    detector : object
    orientation : None, "normality" or "abnormality"
    draw : tuple of int, or None
        Features of the draw; None for all features.
    index : int
        Position of the draw: streams of random numbers belong to it, not to the detector.
    seen : arrays, or None
        The result of an earlier task, with fewer points, that this one goes on from.
    """

    name: str
    detector: Any
    orientation: str | None
    draw: Draw | None
    index: int
    seen: NamedArrays | None = None


def run_task(
    task: EvaluationTask, plan: EvaluationPlan, train_values: FloatArray, test_values: FloatArray
) -> dict[str, npt.NDArray[Any]]:
    """Fit, score and evaluate; a detector that fails gives its reason under "failure".

    Linear algebra runs on one thread: its sums depend on the number of threads, and results must
    not depend on where the task runs.
    """
    train = Table(
        values=train_values,
        feature_names=plan.feature_names,
        container=plan.container,
        labels=plan.labels,
    )
    test = train.with_values(test_values)
    root = plan.root
    halves = RowHalves.of(test_values, root)
    if task.draw is not None:
        features = np.array(task.draw)
        train, test = train.features(features), test.features(features)
        root = child(root, "features", task.index)
    box = _box(plan, task, test)
    start = perf_counter()
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            result = _evaluate(task, plan, train, test, box=box, root=root, halves=halves)
    except DetectorError as error:
        result = {"failure": np.array(str(error))}
    return {**result, "seconds": np.array(perf_counter() - start)}


def _box(plan: EvaluationPlan, task: EvaluationTask, test: Table) -> BoundingBox:
    if plan.box is None:
        return BoundingBox.from_arrays(test)
    return plan.box if task.draw is None else plan.box.features(np.array(task.draw))


def _evaluate(
    task: EvaluationTask,
    plan: EvaluationPlan,
    train: Table,
    test: Table,
    *,
    box: BoundingBox,
    root: np.random.SeedSequence,
    halves: RowHalves,
) -> dict[str, npt.NDArray[Any]]:
    start = perf_counter()
    fitted = fit_detector(task.detector, train, root)
    fit_seconds = {"fit_seconds": np.array(perf_counter() - start)}
    function = normality_function(fitted, orientation=task.orientation)
    seen = None
    if task.seen is not None and isinstance(plan.sampler, AutoReference):
        seen = unpack_seen(task.seen, box, plan.sampler)
    measured = measure(
        function,
        task.name,
        test,
        box,
        plan.sampler,
        options=plan.options,
        root=root,
        halves=halves,
        seen=seen,
    )
    if task.draw is not None:
        return pack_draw(measured.criteria) | fit_seconds
    result = pack_criteria(measured.criteria) | fit_seconds
    if plan.keeps_points:
        result |= pack_seen(measured)
    if plan.judges is not None:
        points = measured.replicates
        if plan.sampler != plan.judges:
            judge_root = child(root, "judge", 2)
            points = score_reference(function, plan.judges, box, test, task.name, root=judge_root)
        kept = _kept_rows(test.n_rows, root)
        result |= pack_judged(measured.scores, points, plan.judges.n_points, kept)
    return result


def _kept_rows(n_rows: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
    if n_rows <= KEPT_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(root, "judge", 0).choice(n_rows, KEPT_ROWS, replace=False))
