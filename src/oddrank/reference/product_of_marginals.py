"""Each feature by itself as in the data, all of them independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.reference.data_measure import DataMeasure, rows_in_random_order
from oddrank.table import FloatArray

__all__ = ["ProductOfMarginals"]


@dataclass(frozen=True)
class ProductOfMarginals(DataMeasure):
    """Points whose every value occurs in the data, in combinations that need not.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> X = np.column_stack([x, x + 0.1 * np.random.default_rng(1).normal(size=2000)])
    >>> knows = evaluate_scores(
    ...     lambda X: -np.abs(X[:, 0] - X[:, 1]), X, reference=ProductOfMarginals(), random_state=0
    ... )
    >>> ignores = evaluate_scores(
    ...     lambda X: -(X**2).sum(axis=1), X, reference=ProductOfMarginals(), random_state=0
    ... )
    >>> knows.mass_volume.value < ignores.mass_volume.value
    True
    """

    stands_for: ClassVar[str] = (
        "broken dependence: every value is ordinary by itself, their combination is not"
    )
    optimal_score: ClassVar[str] = "f(x) / ∏ f_j(x_j), the dependence of the features"

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return "product of marginals"

    def draw(
        self,
        size: int,
        box: BoundingBox,  # noqa: ARG002  (values come from the rows)
        rows: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points."""
        columns = [rows_in_random_order(column, size, random) for column in rows.T]
        return np.column_stack(columns)
