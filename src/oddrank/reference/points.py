"""What a sampler of reference points gives, and what it must be able to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.table import FloatArray

__all__ = ["CHUNK_ROWS", "LEBESGUE", "ReferencePoints", "ReferenceSampler", "log_total"]

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


@runtime_checkable
class ReferenceSampler(Protocol):
    """Anything that turns a box into independent replicates of weighted reference points.

    `measure` names the reference measure, and is part of every result: EM and MV of different
    measures cannot be compared. Any measure but "Lebesgue" is a probability: all of it is 1.
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


def log_total(sampler: ReferenceSampler, box: BoundingBox) -> float:
    """Return the logarithm of what all points of a replicate together stand for."""
    return box.log_volume if sampler.measure == LEBESGUE else 0.0
