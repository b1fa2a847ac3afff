"""Rows of the data, moved by noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.errors import InvalidParameterError
from oddrank.reference.data_measure import DataMeasure, rows_in_random_order
from oddrank.table import FloatArray

__all__ = ["NoisyData"]


@dataclass(frozen=True)
class NoisyData(DataMeasure):
    """Rows with Gaussian noise in every feature.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.
    scale : float
        Standard deviation of the noise, in standard deviations of each feature.

    Examples
    --------
    >>> NoisyData(scale=1.0).measure
    'data with noise of 1 standard deviation'
    """

    scale: float = 0.5

    stands_for: ClassVar[str] = (
        "local anomalies: near the data, but off the structure that the data has"
    )
    optimal_score: ClassVar[str] = "f(x) / (f * noise)(x), sharp detail against its blurred image"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scale > 0.0:
            raise InvalidParameterError(
                f"The 'scale' parameter of NoisyData must be above 0. Got {self.scale!r} instead."
            )

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        plural = "" if self.scale == 1.0 else "s"
        return f"data with noise of {self.scale:g} standard deviation{plural}"

    def draw(
        self,
        size: int,
        box: BoundingBox,  # noqa: ARG002  (noise may leave the box)
        rows: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points."""
        noise = random.standard_normal((size, rows.shape[1])) * (self.scale * rows.std(axis=0))
        return np.asarray(rows_in_random_order(rows, size, random) + noise)
