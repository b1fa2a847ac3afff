"""What a fit says of rows and of points: every criterion is a function of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.reference import ScoredPoints

__all__ = ["FailedFold", "ScoredFold"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredFold:
    """One fit, asked for the scores of its test rows and of reference points.

    Attributes
    ----------
    row_scores : array
        Of the test rows, in their natural order; higher = more normal.
    points : mapping of measure to ScoredPoints
        Empty where only rows were asked for.
    log_volume : float
        Logarithm of what all points of a replicate together stand for.
    common_scores : array of shape (n_measures, n_points)
        Of points that the fits of all folds score; without rows where there are none.
    fit_seconds, seconds : float
        Time spent in fitting, and in all.
    """

    row_scores: FloatArray
    points: Mapping[str, ScoredPoints]
    log_volume: float = 0.0
    common_scores: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    fit_seconds: float = 0.0
    seconds: float = 0.0

    #: Nothing failed: what a checkpoint asks before it stores a result.
    failure = ""

    @property
    def pooled_points(self) -> ScoredPoints:
        """The points of all measures together, replicate by replicate."""
        measures = list(self.points.values())
        if len(measures) == 1:
            return measures[0]
        return ScoredPoints(
            scores=tuple(map(np.concatenate, zip(*(each.scores for each in measures), strict=True)))
        )

    def to_arrays(self) -> Mapping[str, Any]:
        """Return everything as named arrays; only this class uses these names."""
        arrays: dict[str, Any] = {
            "row_scores": self.row_scores,
            "common_scores": self.common_scores,
            "figures": np.array([self.log_volume, self.fit_seconds, self.seconds]),
            "measures": np.array(list(self.points), dtype=np.str_),
            "movements": np.array([each.movement for each in self.points.values()]),
        }
        for place, points in enumerate(self.points.values()):
            for index, (scores, log_weights) in enumerate(points.replicates()):
                arrays[f"scores.{place}.{index}"] = scores
                if log_weights is not None:
                    arrays[f"log_weights.{place}.{index}"] = log_weights
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> ScoredFold:
        """Return what `to_arrays` was called on."""

        def listed(name: str, place: int) -> tuple[FloatArray, ...]:
            start = f"{name}.{place}."
            return tuple(
                arrays[f"{start}{k}"] for k in range(sum(a.startswith(start) for a in arrays))
            )

        log_volume, fit_seconds, seconds = arrays["figures"].tolist()
        return cls(
            row_scores=arrays["row_scores"],
            points={
                measure: ScoredPoints(
                    scores=listed("scores", place),
                    log_weights=listed("log_weights", place),
                    movement=movement,
                )
                for place, (measure, movement) in enumerate(
                    zip(arrays["measures"].tolist(), arrays["movements"].tolist(), strict=True)
                )
            },
            log_volume=log_volume,
            common_scores=arrays["common_scores"],
            fit_seconds=fit_seconds,
            seconds=seconds,
        )


@dataclass(frozen=True, kw_only=True)
class FailedFold:
    """A fit that could not be made, or could not score.

    Attributes
    ----------
    failure : str
        Why.
    seconds : float
    """

    failure: str
    seconds: float = 0.0

    def to_arrays(self) -> Mapping[str, Any]:
        """Return nothing: failures are not stored."""
        return {}
