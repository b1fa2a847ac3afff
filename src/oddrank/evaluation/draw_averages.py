"""Areas of the draws of features, averaged over those that all detectors share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from oddrank.criteria import CRITERIA, DrawAreas, DrawnCriteria, DrawnCriterion
from oddrank.evaluation.ground import MeasuringGround
from oddrank.evaluation.task import EvaluationTask
from oddrank.evaluation.task_result import TaskResult

__all__ = ["averages_of_fold"]


def averages_of_fold(
    worked: Mapping[str, list[tuple[EvaluationTask, TaskResult]]],
    ground: MeasuringGround,
    fold: int,
) -> dict[str, DrawnCriteria]:
    """Return both criteria of every detector, averaged over the draws of one fold."""
    areas = {
        name: [
            result.criteria
            for task, result in parts
            if task.fold == fold and isinstance(result.criteria, DrawAreas)
        ]
        for name, parts in worked.items()
    }
    drawn = {
        criterion: {
            name: DrawnCriterion.over(criterion, each, ground.aggregation)
            for name, each in areas.items()
        }
        for criterion in CRITERIA
    }
    # A draw counts if all detectors are resolved in it: averages over different draws would compare
    # different spaces.
    shared = {
        criterion: np.all([each.in_draws for each in of_name.values()], axis=0)
        for criterion, of_name in drawn.items()
    }
    first = next(iter(worked.values()), [])
    draws = [task.draw for task, _ in first if task.fold == fold]
    found = {}
    for name in worked:
        excess_mass, mass_volume = (
            replace(of_name[name], shared=shared[criterion]) for criterion, of_name in drawn.items()
        )
        found[name] = DrawnCriteria(
            excess_mass=excess_mass,
            mass_volume=mass_volume,
            draws=tuple(draw for draw in draws if draw is not None),
        )
    return found
