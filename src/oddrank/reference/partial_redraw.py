"""Rows of the data with some of their values drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank._validation import check_fraction
from oddrank.bounding_box import BoundingBox
from oddrank.reference.data_measure import DataMeasure, rows_in_random_order
from oddrank.table import FloatArray

__all__ = ["PartialRedraw"]


@dataclass(frozen=True)
class PartialRedraw(DataMeasure):
    """Rows in which a random share of the features takes any value of its range.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.
    share : float
        Share of the features that is drawn anew in each row, at least one of them.

    Examples
    --------
    >>> PartialRedraw(share=0.3).measure
    'data with 30 % of the features redrawn'
    """

    share: float = 0.1

    stands_for: ClassVar[str] = (
        "few broken values: an ordinary row, but for some features that could be anything"
    )
    optimal_score: ClassVar[str] = "f(x) / mean over subsets S of f(x outside S) · uniform(x in S)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self.share, "share", "PartialRedraw")

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return f"data with {100 * self.share:g} % of the features redrawn"

    def draw(
        self, size: int, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> FloatArray:
        """Return this many points."""
        n_features = rows.shape[1]
        n_redrawn = max(1, round(self.share * n_features))
        redrawn = random.random((size, n_features)).argsort(axis=1) < n_redrawn
        anything = box.scale_up(random.random((size, n_features)))
        return np.where(redrawn, anything, rows_in_random_order(rows, size, random))
