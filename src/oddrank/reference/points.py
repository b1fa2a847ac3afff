"""What a sampler of reference points gives, and what it must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.table import FloatArray

__all__ = [
    "CHUNK_ROWS",
    "LEBESGUE",
    "AdaptingSampler",
    "FollowingSampler",
    "PointSampler",
    "ReferencePoints",
    "ReferenceSampler",
    "ScoredReference",
    "log_total",
]

LEBESGUE = "Lebesgue"

# Points are made, scored and dropped in chunks of this many rows: memory stays flat, and since the
# chunk does not depend on jobs or backend, neither do the scores.
CHUNK_ROWS = 2**14


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferencePoints:
    """A chunk of reference points.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
    log_weights : array of shape (n_points,), or None
        Logarithm of the share of the box's volume that each point carries. Over a whole replicate
        the shares sum to 1 in expectation. None says that all points carry the same share.
    """

    points: FloatArray
    log_weights: FloatArray | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredReference:
    """Scores and weights of one replicate of reference points.

    Attributes
    ----------
    scores : array of shape (n_points,)
    log_weights : array of shape (n_points,), or None
        None where all points carry the same share of the volume.
    movement : float
        Share of accepted moves at the level set where chains move least; 1 for points that need no
        chains.
    """

    scores: FloatArray
    log_weights: FloatArray | None
    movement: float = 1.0


@runtime_checkable
class ReferenceSampler(Protocol):
    """Where volumes come from, in independent replicates.

    A sampler is a `PointSampler`, an `AdaptingSampler` or a `FollowingSampler`. `measure` names the
    reference measure, and is part of every result: EM and MV of different measures cannot be
    compared. Any measure but "Lebesgue" is a probability: all of it is 1.
    """

    @property
    def n_replicates(self) -> int:
        """Number of independent replicates."""

    @property
    def measure(self) -> str:
        """Name of the reference measure, such as "Lebesgue"."""

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""


@runtime_checkable
class PointSampler(ReferenceSampler, Protocol):
    """Anything that turns a box into weighted points, the same for all detectors."""

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk.

        Parameters
        ----------
        box : BoundingBox
        rows : array
            Rows that the sampler may look at, for samplers that follow the data.
        random : numpy Generator
            The only source of randomness; the same state gives the same points.
        """


@runtime_checkable
class AdaptingSampler(ReferenceSampler, Protocol):
    """Anything that looks at the scores of one detector once, and is then a `PointSampler`."""

    def adapt(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        rows: FloatArray,
        row_scores: FloatArray,
        random: np.random.Generator,
    ) -> PointSampler:
        """Return a sampler of points for this detector.

        Parameters
        ----------
        score : callable
            Points in, one score each out, higher = more normal.
        box : BoundingBox
        rows, row_scores : arrays
            Rows and their scores.
        random : numpy Generator
            The only source of randomness.
        """


@runtime_checkable
class FollowingSampler(ReferenceSampler, Protocol):
    """Anything that chooses its points by their scores, for each detector anew."""

    def follow(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        target: float,
        random: np.random.Generator,
    ) -> list[ScoredReference]:
        """Return scores and weights of all replicates.

        Parameters
        ----------
        score : callable
            Points in, one score each out, higher = more normal.
        box : BoundingBox
        target : float
            Level sets up to this score are to be resolved.
        random : numpy Generator
            The only source of randomness; the same state gives the same points.
        """


def log_total(sampler: ReferenceSampler, box: BoundingBox) -> float:
    """Return the logarithm of what all points of a replicate together stand for."""
    return box.log_volume if sampler.measure == LEBESGUE else 0.0
