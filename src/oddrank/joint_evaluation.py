"""Several detectors on the same rows, points and draws: the work behind every comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions
from oddrank.draw_diagnostics import diagnose_draws
from oddrank.drawn_criteria import DrawnCriteria, DrawnCriterion
from oddrank.evaluation import Evaluation, conclude
from oddrank.evaluation_task import EvaluationPlan, EvaluationTask
from oddrank.execution import run_tasks
from oddrank.feature_subsampling import Draw
from oddrank.reference import AutoReference, ReferenceMixture, ReferenceSampler, UniformBox
from oddrank.table import Table
from oddrank.task_results import NamedArrays, unpack_criteria

__all__ = ["Candidate", "JointEvaluation", "Workers", "evaluate_jointly"]

# One draw is one of many: fewer points than for a single evaluation, as many in all.
DRAW_SAMPLER = UniformBox(n_points=2**14, n_replicates=2)
DRAW_AUTO = AutoReference(relative_error=0.05, max_points=2**15, n_points=2**10)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A detector under the name it has in results.

    Attributes
    ----------
    name : str
    detector : object
    orientation : None, "normality" or "abnormality"
    """

    name: str
    detector: Any
    orientation: str | None


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Where tasks run, and where finished ones are kept.

    Attributes
    ----------
    n_jobs : int or None
    client : dask Client or None
    checkpoint : path or None
    progress : bool
    """

    n_jobs: int | None = None
    client: Any = None
    checkpoint: Any = None
    progress: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class JointEvaluation:
    """Evaluations of the detectors that worked, and the reasons of those that did not.

    Attributes
    ----------
    evaluations : mapping of name to Evaluation
    failures : mapping of name to str
    seconds : mapping of name to float
        Time spent in fitting and scoring, over all draws.
    results : mapping of name to arrays
        What the task of each detector brought back, where there was one for all features.
    """

    evaluations: Mapping[str, Evaluation]
    failures: Mapping[str, str]
    seconds: Mapping[str, float]
    results: Mapping[str, NamedArrays]


def evaluate_jointly(
    candidates: Sequence[Candidate],
    train: Table,
    test: Table,
    *,
    draws: Sequence[Draw] | None,
    aggregation: str,
    sampler: ReferenceSampler,
    box: BoundingBox | None,
    options: CriteriaOptions,
    confidence_level: float,
    root: np.random.SeedSequence,
    workers: Workers,
    judges: ReferenceMixture | None = None,
) -> JointEvaluation:
    """Evaluate every candidate in all features (`draws=None`) or in every draw of them."""
    plan = EvaluationPlan(
        feature_names=train.feature_names,
        container=train.container,
        labels=train.labels,
        sampler=sampler,
        options=options,
        root=root,
        box=box,
        judges=judges,
    )
    tasks = [
        EvaluationTask(
            name=candidate.name,
            detector=candidate.detector,
            orientation=candidate.orientation,
            draw=draw,
            index=index,
        )
        for index, draw in enumerate(draws or [None])
        for candidate in candidates
    ]
    results = run_tasks(
        tasks,
        plan,
        train.values,
        test.values,
        n_jobs=workers.n_jobs,
        client=workers.client,
        checkpoint=workers.checkpoint,
        progress=workers.progress,
    )
    of_name: dict[str, list[NamedArrays]] = {candidate.name: [] for candidate in candidates}
    for task, result in zip(tasks, results, strict=True):
        of_name[task.name].append(result)
    failures = {
        name: next(str(result["failure"]) for result in parts if "failure" in result)
        for name, parts in of_name.items()
        if any("failure" in result for result in parts)
    }
    worked = {name: parts for name, parts in of_name.items() if name not in failures}
    if draws is None:
        evaluations = {
            name: conclude(
                name,
                unpack_criteria(parts[0]),
                test,
                box or BoundingBox.from_arrays(test),
                options=options,
                sampler=sampler,
                confidence_level=confidence_level,
            )
            for name, parts in worked.items()
        }
    else:
        evaluations = _over_draws(
            worked,
            test,
            draws,
            aggregation=aggregation,
            measure_name=sampler.measure,
            options=options,
            confidence_level=confidence_level,
        )
    return JointEvaluation(
        evaluations=evaluations,
        failures=failures,
        seconds={
            name: float(sum(result["seconds"] for result in parts))
            for name, parts in of_name.items()
        },
        results={} if draws else {name: parts[0] for name, parts in worked.items()},
    )


def _over_draws(
    results: Mapping[str, list[NamedArrays]],
    test: Table,
    draws: Sequence[Draw],
    *,
    aggregation: str,
    measure_name: str,
    options: CriteriaOptions,
    confidence_level: float,
) -> dict[str, Evaluation]:
    drawn = {
        criterion: {name: _drawn(parts, criterion, aggregation) for name, parts in results.items()}
        for criterion in ("excess_mass", "mass_volume")
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
            excess_mass.estimate(confidence_level),
            mass_volume.estimate(confidence_level),
        )
        evaluations[name] = Evaluation(
            name=name,
            excess_mass=estimates[0],
            mass_volume=estimates[1],
            level_sets=None,
            diagnostics=diagnose_draws(test, criteria, estimates, options),
            measure=measure_name,
            criteria=criteria,
        )
    return evaluations


def _drawn(parts: Sequence[NamedArrays], criterion: str, aggregation: str) -> DrawnCriterion:
    values, on_fewer_points, on_halves, n_replicates = (
        np.array([part[f"{criterion}.{name}"] for part in parts])
        for name in ("value", "on_fewer_points", "on_halves", "n_replicates")
    )
    return DrawnCriterion(
        values=values,
        on_fewer_points=on_fewer_points,
        points_share=float(((n_replicates - 1) / n_replicates).mean()),
        on_halves=on_halves,
        is_maximum=criterion == "excess_mass",
        aggregation=aggregation,
        shared=np.ones(len(values), dtype=bool),
    )
