"""The Gaussian of the data, blown up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.errors import InvalidParameterError
from oddrank.reference.data_measure import DataMeasure, principal_axes
from oddrank.table import FloatArray

__all__ = ["InflatedGaussian"]


@dataclass(frozen=True)
class InflatedGaussian(DataMeasure):
    """A Gaussian with the mean and correlations of the rows, and larger standard deviations.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.
    inflation : float
        Factor of the standard deviations.

    Examples
    --------
    >>> InflatedGaussian(inflation=3.0).measure
    'Gaussian of the data, inflated 3 times'
    """

    inflation: float = 1.5

    stands_for: ClassVar[str] = (
        "spread: rows farther from the middle than data of this shape goes, and gaps within it"
    )
    optimal_score: ClassVar[str] = "f(x) / N(x; mean, inflation² · covariance)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.inflation > 0.0:
            raise InvalidParameterError(
                "The 'inflation' parameter of InflatedGaussian must be above 0. "
                f"Got {self.inflation!r} instead."
            )

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return f"Gaussian of the data, inflated {self.inflation:g} times"

    def draw(
        self,
        size: int,
        box: BoundingBox,  # noqa: ARG002  (a Gaussian has no box)
        rows: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points."""
        center, axes, deviations = principal_axes(rows)
        along = random.standard_normal((size, len(axes))) * (self.inflation * deviations)
        return np.asarray(center + along @ axes)
