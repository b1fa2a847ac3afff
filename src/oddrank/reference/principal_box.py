"""A box along the principal axes of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.reference.data_measure import DataMeasure, principal_axes
from oddrank.table import FloatArray

__all__ = ["PrincipalBox"]


@dataclass(frozen=True)
class PrincipalBox(DataMeasure):
    """Uniform points in the range of the rows along their principal axes.

    Where features are correlated this box is far smaller than the one along the features, and holds
    fewer points that any detector tells from data.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.

    Examples
    --------
    >>> PrincipalBox(n_points=1024).measure
    'uniform in principal axes'
    """

    stands_for: ClassVar[str] = (
        "global anomalies that respect the linear dependence of the features"
    )
    optimal_score: ClassVar[str] = "f(x), the density itself"

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return "uniform in principal axes"

    def draw(
        self,
        size: int,
        box: BoundingBox,  # noqa: ARG002  (the axes are the rows' own)
        rows: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points."""
        center, axes, _ = principal_axes(rows)
        along = (rows - center) @ axes.T
        lower, upper = along.min(axis=0), along.max(axis=0)
        along = lower + (upper - lower) * random.random((size, len(axes)))
        return np.asarray(center + along @ axes)
