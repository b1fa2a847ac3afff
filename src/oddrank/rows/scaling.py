"""The one scaling of features: scikit-learn's `StandardScaler`, for tables and boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler

from oddrank._typing import FloatArray
from oddrank.rows.bounding_box import BoundingBox
from oddrank.rows.table import Table

__all__ = ["Scaling"]

RowIndex = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaling:
    """Mean 0 and variance 1 for every feature of the rows it was learnt on.

    The figures are those of scikit-learn's `StandardScaler`, which models are saved with.

    Attributes
    ----------
    middle, spread : arrays of shape (n_features,)
    """

    middle: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, table: Table, *, scale: bool = True) -> Scaling:
        """Learn the scaling of these rows; without `scale` nothing is changed."""
        if not scale:
            return cls(middle=np.zeros(table.n_features), spread=np.ones(table.n_features))
        scaler = StandardScaler().fit(table.values)
        return cls(middle=scaler.mean_, spread=scaler.scale_)

    def apply(self, table: Table) -> Table:
        """Return the rows, scaled."""
        return table.with_values((table.values - self.middle) / self.spread)

    def undo(self, values: FloatArray) -> FloatArray:
        """Return scaled values in the units that they had before."""
        return np.asarray(values * self.spread + self.middle)

    def apply_to_box(self, box: BoundingBox) -> BoundingBox:
        """Return the box around the scaled rows."""
        return BoundingBox(
            lower=(box.lower - self.middle) / self.spread,
            upper=(box.upper - self.middle) / self.spread,
            feature_names=box.feature_names,
        )

    def features(self, index: RowIndex) -> Scaling:
        """Return the scaling of these features only."""
        return Scaling(middle=self.middle[index], spread=self.spread[index])

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume that a unit of scaled volume stands for."""
        return float(np.log(self.spread).sum())
