"""Several detectors, scored on the same rows and points: the work behind every comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from oddrank._random import child, stream
from oddrank._typing import FloatArray
from oddrank.criteria import (
    CRITERIA,
    CriteriaOptions,
    Criterion,
    DrawCriteria,
    Estimate,
    FailedFold,
    FitCriteria,
    FoldedCriteria,
    MeasuredAreas,
    SampledCriterion,
    ScoredFold,
    combine_fits,
    criteria_in_draws,
    fit_criteria,
    interval_reach,
    roc_area,
)
from oddrank.detectors import Candidate
from oddrank.evaluation.diagnostics import diagnose_draws, diagnose_fit, worst_of
from oddrank.evaluation.evaluation import Evaluation
from oddrank.evaluation.fold_task import FoldPlan, FoldTask
from oddrank.evaluation.measuring_plan import MeasuringPlan
from oddrank.execution import Workers, finished_tasks, hearing_interrupts
from oddrank.rows import Draw, Folds, Scaling

__all__ = ["DrawnDetectors", "ScoredDetectors", "ScoredFits", "score_detectors"]

# More rows than this would hardly change the errors of a judgement.
KEPT_ROWS = 5000


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredDetectors(ABC):
    """What the fits of all detectors say, and why some could not be fitted.

    Attributes
    ----------
    folds : Folds
    plan : MeasuringPlan
    root : SeedSequence
    failures : mapping of name to str
    seconds : mapping of name to float
        Time spent in fitting and scoring.
    """

    folds: Folds
    plan: MeasuringPlan
    root: np.random.SeedSequence
    failures: Mapping[str, str]
    seconds: Mapping[str, float]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The detectors that worked."""

    @property
    @abstractmethod
    def criteria(self) -> Mapping[str, FoldedCriteria]:
        """Both criteria of every detector that worked, on every fold."""

    @property
    @abstractmethod
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Estimates of both criteria, and whether to trust them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredFits(ScoredDetectors):
    """Detectors that were scored in all features at once.

    Attributes
    ----------
    fits : mapping of name to tuple of ScoredFold
        Of every fold.
    """

    fits: Mapping[str, tuple[ScoredFold, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The detectors that worked."""
        return tuple(self.fits)

    @cached_property
    def criteria(self) -> Mapping[str, FoldedCriteria]:
        """Both criteria of every detector that worked, on every fold."""
        return {
            name: FoldedCriteria(
                folds=tuple(
                    criteria_of(fold, self.plan.options, child(self.root, "fold", place))
                    for place, fold in enumerate(fits)
                )
            )
            for name, fits in self.fits.items()
        }

    @cached_property
    def areas(self) -> Mapping[str, tuple[MeasuredAreas, ...]]:
        """Areas under the ROC curves of rows against the points of every measure."""
        return {
            name: tuple(
                MeasuredAreas.of(
                    fold.row_scores,
                    np.array([np.concatenate(each.scores) for each in fold.points.values()]),
                    _kept_rows(len(fold.row_scores), child(self.root, "fold", place)),
                    fold.common_scores,
                )
                for place, fold in enumerate(fits)
            )
            for name, fits in self.fits.items()
        }

    @property
    def row_scores(self) -> dict[str, tuple[FloatArray, ...]]:
        """Scores of the test rows of every fold."""
        return {name: tuple(fold.row_scores for fold in fits) for name, fits in self.fits.items()}

    @cached_property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Estimates of both criteria, and whether to trust them."""
        return {
            name: evaluation_of(name, fits, self.criteria[name], self.folds, self.plan)
            for name, fits in self.fits.items()
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnDetectors(ScoredDetectors):
    """Detectors that were scored in draws of features.

    Attributes
    ----------
    draws : tuple of sequences of draws
        Of every fold: draws are divided among the folds, each is fitted once.
    single : mapping of name to tuple of sequences of criteria
        Of every fold and draw.
    """

    draws: tuple[Sequence[Draw], ...]
    single: Mapping[str, tuple[Sequence[Mapping[Criterion, SampledCriterion]], ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The detectors that worked."""
        return tuple(self.single)

    @cached_property
    def criteria(self) -> Mapping[str, FoldedCriteria]:
        """Averages over the draws of every fold."""
        averaged = [
            criteria_in_draws(
                {name: of_folds[fold] for name, of_folds in self.single.items()},
                draws,
                self.plan.aggregation,
            )
            for fold, draws in enumerate(self.draws)
        ]
        return {
            name: FoldedCriteria(folds=tuple(of_fold[name] for of_fold in averaged))
            for name in self.single
        }

    @cached_property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Estimates of both criteria, and whether to trust them."""
        level, options = self.plan.confidence_level, self.plan.options
        found = {}
        for name, criteria in self.criteria.items():
            estimates = {each: criteria[each].estimate(level) for each in CRITERIA}
            checks = [
                diagnose_draws(self.folds.test_table(fold), each, estimates, options)
                for fold, each in enumerate(criteria.folds)
                if isinstance(each, DrawCriteria)
            ]
            found[name] = Evaluation(
                name=name,
                estimates=estimates,
                level_sets=None,
                diagnostics=worst_of(checks),
                measure=self.plan.sampler.measure,
                criteria=criteria,
            )
        return found


def score_detectors(
    candidates: Sequence[Candidate],
    folds: Folds,
    plan: MeasuringPlan,
    *,
    scale: bool,
    root: np.random.SeedSequence,
    workers: Workers,
) -> ScoredDetectors:
    """Fit and score every candidate on every fold, in all features or in draws of them."""
    work = FoldPlan(
        form=folds.train_rows.without_rows(),
        train=folds.train,
        test=folds.test,
        scale=scale,
        units=Scaling.of(folds.train_rows, scale=scale and folds.train_rows.is_plain),
        sampler=plan.sampler,
        options=plan.options,
        root=root,
        box=plan.box,
        judged=plan.judged,
        common=plan.common,
    )
    if plan.draws is None:
        return _in_all_features(candidates, folds, plan, work, workers)
    return _in_draws(candidates, folds, plan, work, workers)


def _tasks(candidates: Sequence[Candidate], folds: Folds) -> list[FoldTask]:
    return [FoldTask(candidate=each, fold=k) for k in range(len(folds)) for each in candidates]


def _in_all_features(
    candidates: Sequence[Candidate],
    folds: Folds,
    plan: MeasuringPlan,
    work: FoldPlan,
    workers: Workers,
) -> ScoredFits:
    raw = candidates[0].preprocess is not None or not work.form.is_plain
    with hearing_interrupts() as check_interrupts:
        work, shared = work.prepare(folds.train_rows.values, folds.test_rows.values, raw=raw)
        check_interrupts()
    outcome = _Outcome.of(candidates)
    fits: dict[str, dict[int, ScoredFold]] = {each.name: {} for each in candidates}
    for task, result in _results(_tasks(candidates, folds), work, folds, workers, shared):
        if outcome.add(task, result):
            assert isinstance(result, ScoredFold)
            fits[task.name][task.fold] = result
    return ScoredFits(
        folds=folds,
        plan=plan,
        root=work.root,
        failures=outcome.failures,
        seconds=outcome.seconds,
        fits={
            name: tuple(of_folds[k] for k in range(len(folds)))
            for name, of_folds in fits.items()
            if name not in outcome.failures
        },
    )


def _in_draws(
    candidates: Sequence[Candidate],
    folds: Folds,
    plan: MeasuringPlan,
    work: FoldPlan,
    workers: Workers,
) -> DrawnDetectors:
    assert plan.draws is not None
    places = [(index % len(folds), index, draw) for index, draw in enumerate(plan.draws)]
    tasks = [
        FoldTask(candidate=each, fold=fold, draw=draw, index=index)
        for fold, index, draw in places
        for each in candidates
    ]
    outcome = _Outcome.of(candidates)
    found: dict[tuple[str, int], Mapping[Criterion, SampledCriterion]] = {}
    for task, result in _results(tasks, work, folds, workers):
        if outcome.add(task, result):
            assert isinstance(result, ScoredFold)
            # scores of many draws are much to hold: only their criteria are kept
            root = child(work.root, "fold", task.fold)
            found[task.name, task.index] = criteria_of(result, plan.options, root).criteria
    of_folds = [[index for fold, index, _ in places if fold == k] for k in range(len(folds))]
    return DrawnDetectors(
        folds=folds,
        plan=plan,
        root=work.root,
        failures=outcome.failures,
        seconds=outcome.seconds,
        draws=tuple([plan.draws[index] for index in indices] for indices in of_folds),
        single={
            each.name: tuple([found[each.name, index] for index in of] for of in of_folds)
            for each in candidates
            if each.name not in outcome.failures
        },
    )


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    """Which detectors failed, and how long each took."""

    failures: dict[str, str]
    seconds: dict[str, float]

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> _Outcome:
        return cls(failures={}, seconds=dict.fromkeys((each.name for each in candidates), 0.0))

    def add(self, task: FoldTask, result: ScoredFold | FailedFold) -> bool:
        """Note a result, and return whether the fit worked."""
        self.seconds[task.name] += result.seconds
        if isinstance(result, FailedFold):
            self.failures.setdefault(task.name, result.failure)
        return isinstance(result, ScoredFold)


def _results(
    tasks: Sequence[FoldTask],
    work: FoldPlan,
    folds: Folds,
    workers: Workers,
    shared: tuple[FloatArray, ...] = (),
) -> Iterator[tuple[FoldTask, ScoredFold | FailedFold]]:
    rows = (folds.train_rows.values, folds.test_rows.values)
    for position, result in finished_tasks(tasks, work, rows, workers, shared=shared):
        yield tasks[position], result


def criteria_of(
    fold: ScoredFold, options: CriteriaOptions, root: np.random.SeedSequence
) -> FitCriteria:
    """Return both criteria of one fit; the same root gives every detector the same halves."""
    return fit_criteria(
        fold.row_scores,
        fold.pooled_points,
        log_volume=fold.log_volume,
        options=options,
        random=stream(root, "rows", 0),
    )


def evaluation_of(
    name: str,
    fits: Sequence[ScoredFold],
    criteria: FoldedCriteria,
    folds: Folds,
    plan: MeasuringPlan,
) -> Evaluation:
    """Turn the criteria of all folds into estimates, and check whether to trust them."""
    level = plan.confidence_level
    estimates = {each: criteria[each].estimate(level) for each in CRITERIA}
    checks, fitted = [], [each for each in criteria.folds if isinstance(each, FitCriteria)]
    for fold, each in enumerate(fitted):
        assert plan.box is not None  # only draws of features have boxes of their own
        checks.append(diagnose_fit(folds.test_table(fold), plan.box, each, estimates, plan))
    area = None
    if not plan.sampler.of_volume:
        area = _area_over_folds(fits, level)
    return Evaluation(
        name=name,
        estimates=estimates,
        level_sets=fitted[0].level_sets,
        diagnostics=worst_of(checks),
        measure=plan.sampler.measure,
        criteria=criteria,
        roc_area=area,
    )


def _area_over_folds(fits: Sequence[ScoredFold], confidence_level: float) -> Estimate:
    """Return the area under the ROC curve of rows against all points, which weigh the same."""
    found = [
        roc_area(fold.row_scores, np.concatenate(fold.pooled_points.scores)).estimate()
        for fold in fits
    ]
    value, error, freedom = combine_fits(
        np.array([each.value for each in found]),
        np.square([each.standard_error for each in found]),
    )
    reach = interval_reach(error, freedom, confidence_level)
    return Estimate(value=value, standard_error=error, interval=(value - reach, value + reach))


def _kept_rows(n_rows: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
    if n_rows <= KEPT_ROWS:
        return np.arange(n_rows)
    return np.sort(stream(root, "judge", 0).choice(n_rows, KEPT_ROWS, replace=False))
