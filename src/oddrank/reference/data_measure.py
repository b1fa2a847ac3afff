"""What reference measures that follow the data have in common.

The measure of a level set is the share of reference points in it: nothing has to be integrated, so
that all features can be used at once, however many there are. Each measure stands for a kind of
anomaly, and the level sets of the density ratio of data to measure are the best possible ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank._validation import check_integer
from oddrank.bounding_box import BoundingBox
from oddrank.errors import InvalidDataError
from oddrank.reference.points import CHUNK_ROWS, ReferencePoints
from oddrank.table import FloatArray

__all__ = ["DataMeasure", "principal_axes", "rows_in_random_order"]


@dataclass(frozen=True)
class DataMeasure(ABC):
    """A probability measure made from the rows that are evaluated.

    Parameters
    ----------
    n_points : int
        Points per replicate.
    n_replicates : int
        Independent replicates, at least 2.
    """

    n_points: int = 2**12
    n_replicates: int = 8

    #: What kind of anomaly the points are, in one sentence.
    stands_for: ClassVar[str] = ""
    #: The score that no other beats against this measure.
    optimal_score: ClassVar[str] = ""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_integer(self.n_points, "n_points", owner)
        check_integer(self.n_replicates, "n_replicates", owner, minimum=2)

    @property
    @abstractmethod
    def measure(self) -> str:
        """Name of the reference measure."""

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""
        return self.n_points

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        if len(rows) == 0:
            raise InvalidDataError(f"{type(self).__name__} is made from rows, and got none.")
        for start in range(0, self.n_points, CHUNK_ROWS):
            size = min(CHUNK_ROWS, self.n_points - start)
            yield ReferencePoints(points=self.draw(size, box, rows, random), log_weights=None)

    @abstractmethod
    def draw(
        self, size: int, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> FloatArray:
        """Return this many points."""


def rows_in_random_order(rows: FloatArray, size: int, random: np.random.Generator) -> FloatArray:
    """Return `size` rows; none a second time before all were taken once."""
    whole, rest = divmod(size, len(rows))
    rounds = [random.permutation(len(rows)) for _ in range(whole)]
    order = np.concatenate([*rounds, random.choice(len(rows), rest, replace=False)])
    return np.asarray(rows[order])


def principal_axes(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of the rows, their principal axes, and their deviations along these."""
    center = rows.mean(axis=0)
    centered = rows - center
    variances, axes = np.linalg.eigh(centered.T @ centered / len(rows))
    return center, axes.T, np.sqrt(np.maximum(variances, 0.0))
