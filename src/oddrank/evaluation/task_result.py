"""The result of a task: arrays, so that it can be sent and stored without pickle.

Only this file uses the names of these arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import (
    CRITERIA,
    DrawAreas,
    DrawnArea,
    MeasuredAreas,
    OddCounts,
    SampledCriteria,
    SampledCriterion,
)
from oddrank.curves import LevelSets
from oddrank.reference import AdaptedMixture, ScoredReference, SeenPoints, TruncatedKernels
from oddrank.rows import BoundingBox

if TYPE_CHECKING:
    from oddrank.evaluation.counted_model import Countable

__all__ = ["TaskResult"]

Arrays = Mapping[str, npt.NDArray[Any]]

_SAMPLES = ("value", "without_replicate", "on_halves", "log_unit")
_DRAWN = ("value", "on_fewer_points", "on_halves", "n_replicates")
_NUMBERS = (
    "inside_floor",
    "inside_effective",
    "share_tied",
    "movement",
    "roc_value",
    "roc_error",
)
_LEVELS = ("thresholds", "mass", "log_volume")
_JUDGED = ("areas", "of_rows", "of_points")


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskResult:
    """One detector in all features, or in one draw of them.

    Attributes
    ----------
    criteria : SampledCriteria, DrawAreas or None
        What an evaluation is made from, or the two areas of a draw; None if only scores were
        needed, and after a failure.
    judged : MeasuredAreas or None
        The areas that a judge compares, if there is a judge.
    scores : array or None
        Of the test rows; None in draws of features.
    seen : SeenPoints or None
        Points that were scored, if a later task may continue from there.
    countable : Countable or None
        The fitted model and its scored points, where rows beyond these are to be counted. It is
        never stored.
    odd : OddCounts or None
        How odd all rows are that were counted.
    fit_seconds, seconds : float
        Time spent in fitting, and in all.
    failure : str
        Why the detector could not be fitted or could not score; empty if it worked.
    """

    criteria: SampledCriteria | DrawAreas | None
    judged: MeasuredAreas | None = None
    scores: FloatArray | None = None
    seen: SeenPoints | None = None
    countable: Countable | None = None
    odd: OddCounts | None = None
    fit_seconds: float = 0.0
    seconds: float = 0.0
    failure: str = ""

    def to_arrays(self) -> Arrays:
        """Return everything as named arrays; failures are not stored, and have none."""
        arrays: dict[str, Any] = {"fit_seconds": self.fit_seconds, "seconds": self.seconds}
        if isinstance(self.criteria, SampledCriteria):
            arrays |= _of_sampled(self.criteria)
        elif self.criteria is not None:
            arrays |= _of_draw(self.criteria)
        if self.judged is not None:
            arrays |= {f"judged.{part}": getattr(self.judged, part) for part in _JUDGED}
            arrays["judged.n_rows"] = self.judged.n_rows
        if self.scores is not None:
            arrays["scores"] = self.scores
        if self.seen is not None:
            arrays |= _of_seen(self.seen)
        return {name: np.asarray(value) for name, value in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> TaskResult:
        """Return the result that `to_arrays` was called on."""
        criteria: SampledCriteria | DrawAreas | None = None
        if "level_sets.mass" in arrays:
            criteria = _sampled(arrays)
        elif "points_error" in arrays:
            criteria = _draw(arrays)
        judged = None
        if "judged.areas" in arrays:
            parts = {part: arrays[f"judged.{part}"] for part in _JUDGED}
            judged = MeasuredAreas(**parts, n_rows=int(arrays["judged.n_rows"]))
        return cls(
            criteria=criteria,
            judged=judged,
            scores=arrays.get("scores"),
            seen=_seen(arrays) if "seen.scores" in arrays else None,
            fit_seconds=float(arrays["fit_seconds"]),
            seconds=float(arrays["seconds"]),
        )


def _of_sampled(criteria: SampledCriteria) -> dict[str, Any]:
    arrays = {
        f"{criterion}.{part}": getattr(criteria[criterion], part)
        for criterion in CRITERIA
        for part in _SAMPLES
    }
    arrays |= {f"level_sets.{part}": getattr(criteria.level_sets, part) for part in _LEVELS}
    arrays["log_volume_error"] = criteria.log_volume_error
    return arrays | {name: getattr(criteria, name) for name in _NUMBERS}


def _sampled(arrays: Arrays) -> SampledCriteria:
    excess_mass, mass_volume = (
        SampledCriterion(
            value=float(arrays[f"{criterion}.value"]),
            without_replicate=arrays[f"{criterion}.without_replicate"],
            on_halves=arrays[f"{criterion}.on_halves"],
            criterion=criterion,
            log_unit=float(arrays[f"{criterion}.log_unit"]),
        )
        for criterion in CRITERIA
    )
    numbers = {name: arrays[name].item() for name in _NUMBERS}
    return SampledCriteria(
        excess_mass=excess_mass,
        mass_volume=mass_volume,
        level_sets=LevelSets(**{part: arrays[f"level_sets.{part}"] for part in _LEVELS}),
        log_volume_error=arrays["log_volume_error"],
        **numbers,
    )


def _of_draw(areas: DrawAreas) -> dict[str, Any]:
    arrays = {
        f"{criterion}.{part}": getattr(areas[criterion], part)
        for criterion in CRITERIA
        for part in _DRAWN
    }
    return {**arrays, "points_error": areas.points_error}


def _draw(arrays: Arrays) -> DrawAreas:
    excess_mass, mass_volume = (
        DrawnArea(
            value=float(arrays[f"{criterion}.value"]),
            on_fewer_points=float(arrays[f"{criterion}.on_fewer_points"]),
            on_halves=arrays[f"{criterion}.on_halves"],
            n_replicates=int(arrays[f"{criterion}.n_replicates"]),
        )
        for criterion in CRITERIA
    )
    error = float(arrays["points_error"])
    return DrawAreas(excess_mass=excess_mass, mass_volume=mass_volume, points_error=error)


def _of_seen(seen: SeenPoints) -> dict[str, Any]:
    points = seen.points
    assert isinstance(points, AdaptedMixture)  # no other sampler goes on
    box = points.kernels.box
    return {
        "seen.centres": points.kernels.centres,
        "seen.widths": points.kernels.widths,
        "seen.box": np.array([box.lower, box.upper]),
        "seen.sizes": np.array([points.n_points, points.n_replicates]),
        "seen.scores": np.array([each.scores for each in seen.replicates]),
        "seen.log_weights": np.array([each.log_weights for each in seen.replicates]),
    }


def _seen(arrays: Arrays) -> SeenPoints:
    lower, upper = arrays["seen.box"]
    n_points, n_replicates = arrays["seen.sizes"].tolist()
    kernels = TruncatedKernels(
        centres=arrays["seen.centres"],
        widths=arrays["seen.widths"],
        box=BoundingBox(lower=lower, upper=upper),
    )
    replicates = [
        ScoredReference(scores=scores, log_weights=log_weights)
        for scores, log_weights in zip(
            arrays["seen.scores"], arrays["seen.log_weights"], strict=True
        )
    ]
    points = AdaptedMixture(kernels=kernels, n_points=n_points, n_replicates=n_replicates)
    return SeenPoints(points=points, replicates=replicates)
