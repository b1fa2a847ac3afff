"""A reference measure of rows with noise added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_positive
from oddrank.reference.data_measures import DataMeasure
from oddrank.reference.mixed_columns import column_spreads
from oddrank.reference.scored_rows import rows_in_random_order
from oddrank.rows import BoundingBox

__all__ = ["NoisyData"]


@dataclass(frozen=True)
class NoisyData(DataMeasure):
    """Rows with Gaussian noise in every feature.

    Columns that are not numbers or dates, and numbers with few values, keep the row's values.

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

    stands_for: ClassVar[str] = "rows that lie close to the data, but off its structure"
    optimal_score: ClassVar[str] = "f(x) / (f * noise)(x), sharp detail against its blurred image"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self.scale, "scale", "NoisyData")

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        plural = "" if self.scale == 1.0 else "s"
        return f"data with noise of {self.scale:g} standard deviation{plural}"

    def draw(
        self, size: int, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> FloatArray:
        """Return this many points."""
        noise = random.standard_normal((size, rows.shape[1])) * (self.scale * rows.std(axis=0))
        return np.asarray(rows_in_random_order(rows, size, random) + noise)

    def draw_raw(
        self,
        size: int,
        box: BoundingBox,
        rows: FloatArray,
        continuous: BoolArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points: noise in the continuous columns of a row, the others kept."""
        spread = np.where(continuous, column_spreads(rows), 0.0)
        noise = random.standard_normal((size, rows.shape[1])) * (self.scale * spread)
        return np.asarray(rows_in_random_order(rows, size, random) + noise)
