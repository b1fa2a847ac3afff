"""Samplers of reference points: what they give, and their properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from oddrank._random import stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.reference.scored_rows import (
    Place,
    ReferencePoints,
    ScoredPoints,
    ScoredRows,
    check_numbers,
    points_together,
    score_chunks,
    score_together,
)
from oddrank.rows import CHUNK_ROWS, DIRECT_FEATURES, BoundingBox

__all__ = [
    "LEBESGUE",
    "PointSampler",
    "ReferenceSampler",
]

LEBESGUE = "Lebesgue"

Replicate = Callable[[np.random.Generator], Iterator[ReferencePoints]]
Enough = Callable[[ScoredPoints], bool]


class ReferenceSampler(ABC):
    """Where volumes come from, in independent replicates.

    A sampler is a `PointSampler`, an `AdaptingSampler` or a `FollowingSampler`. `measure` names the
    reference measure, and is part of every result: EM and MV of different measures cannot be
    compared. Every measure except "Lebesgue" is a probability: its total is 1.
    """

    #: Name of the reference measure.
    measure: Any = LEBESGUE
    #: The relative error that points are drawn for; None where their number is fixed.
    target_error: ClassVar[float | None] = None
    #: Whether points come from chains, which may hardly move.
    has_chains: ClassVar[bool] = False
    #: In more features than this, volumes can hardly be estimated.
    most_features: ClassVar[int] = DIRECT_FEATURES
    #: Points that only show where to look, and count in no volume.
    pilot_points: Any = 0

    n_replicates: Any

    @property
    def title(self) -> str:
        """The name of the measure among others."""
        return str(self.measure)

    @property
    def of_volume(self) -> bool:
        """Whether weighted points stand for ordinary volume."""
        return bool(self.measure == LEBESGUE)

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""
        return int(self.n_points)  # type: ignore[attr-defined]

    @property
    def points_in_words(self) -> str:
        """How many points one detector scores."""
        return f"{self.n_replicates * self.points_per_replicate + self.pilot_points:,}"

    @property
    def stages(self) -> tuple[int, ...]:
        """Numbers of replicates after which the accuracy is checked."""
        return (self.n_replicates,)

    def is_reached(self, error: float, n_replicates: int) -> bool:  # noqa: ARG002
        """Return whether an error from this many replicates is safely below the target."""
        return True

    def log_total(self, box: BoundingBox) -> float:
        """Return the logarithm of what all points of a replicate together stand for."""
        return box.log_volume if self.of_volume else 0.0

    def prepare(self, place: Place) -> tuple[FloatArray, ...]:  # noqa: ARG002
        """Return what all detectors share; `score` takes it from `ScoredRows.prepared`."""
        return ()

    @abstractmethod
    def score(self, at: ScoredRows, enough: Enough) -> ScoredPoints:
        """Score points with one detector.

        Parameters
        ----------
        at : ScoredRows
        enough : callable
            Whether the points scored so far are enough; asked after each of `stages` but the last.
        """

    def by_measure(self, points: ScoredPoints) -> dict[str, ScoredPoints]:
        """Return the points of each measure under its name."""
        return {str(self.measure): points}


class PointSampler(ReferenceSampler):
    """Anything that turns a box into weighted points, the same for all detectors."""

    @abstractmethod
    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk.

        Parameters
        ----------
        box : BoundingBox
        rows : array
            Rows, for samplers that follow the data.
        random : numpy Generator
            The only source of randomness; the same state gives the same points.
        """

    def replicate_raw(
        self, box: BoundingBox, rows: FloatArray, continuous: BoolArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate among the user's raw rows (see `ScoredRows.continuous`).

        Samplers of volume work with numbers only.
        """
        check_numbers(rows, continuous, type(self).__name__)
        yield from self.replicate(box, rows, random)

    def drawing(self, place: Place) -> Replicate:
        """Return what draws one replicate after another: what they share is computed here."""
        if place.continuous is None:
            return partial(self.replicate, place.box, place.rows)
        return partial(self.replicate_raw, place.box, place.rows, place.continuous)

    def prepare(self, place: Place) -> tuple[FloatArray, ...]:
        """Return points and log weights of all replicates, unless they are many."""
        if self.n_replicates * self.points_per_replicate > CHUNK_ROWS:
            return ()
        return self._drawn(self.drawing(place), place.root, range(self.n_replicates))

    def score(self, at: ScoredRows, enough: Enough) -> ScoredPoints:  # noqa: ARG002
        """Score all replicates; points are dropped as soon as they are scored."""
        if at.prepared:
            return score_together(at.score, at.prepared, self.n_replicates)
        return self.score_replicates(at, range(self.n_replicates))

    def score_replicates(self, at: ScoredRows, indices: range) -> ScoredPoints:
        """Score the replicates with these numbers, several at a time.

        Some detectors take as long for ten points as for a thousand.
        """
        draw = self.drawing(at)
        at_a_time = max(1, CHUNK_ROWS // self.points_per_replicate)
        found = ScoredPoints(scores=())
        for start in range(indices.start, indices.stop, at_a_time):
            some = range(start, min(start + at_a_time, indices.stop))
            if len(some) > 1:
                found += score_together(at.score, self._drawn(draw, at.root, some), len(some))
            else:
                found += score_chunks(at.score, draw(stream(at.root, "reference", start)))
        return found

    @staticmethod
    def _drawn(
        draw: Replicate, root: np.random.SeedSequence, indices: range
    ) -> tuple[FloatArray, ...]:
        chunks = [chunk for index in indices for chunk in draw(stream(root, "reference", index))]
        return points_together(chunks)


def principal_axes(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of the rows, their principal axes, and their deviations along these."""
    center = rows.mean(axis=0)
    centered = rows - center
    variances, axes = np.linalg.eigh(centered.T @ centered / len(rows))
    return center, axes.T, np.sqrt(np.maximum(variances, 0.0))
