"""The box in which volumes are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank._validation import check_non_negative
from oddrank.errors import InvalidDataError
from oddrank.rows.joint_tables import check_continuous
from oddrank.rows.table import Table, as_table, check_same_features

__all__ = ["BoundingBox", "column_ranges"]


def column_ranges(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest value of each column; inf and -inf where all are gaps."""
    present = ~np.isnan(values)
    lowest = np.min(values, axis=0, where=present, initial=np.inf)
    highest = np.max(values, axis=0, where=present, initial=-np.inf)
    return np.asarray(lowest), np.asarray(highest)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundingBox:
    """An axis-parallel box with a positive width in every feature.

    Attributes
    ----------
    lower, upper : arrays of shape (n_features,)
    feature_names : tuple of str

    Examples
    --------
    >>> from oddrank import BoundingBox
    >>> box = BoundingBox.from_arrays([[0.0, 0.0], [2.0, 3.0]])
    >>> box.widths, box.contains([[1.0, 1.0], [9.0, 1.0]])
    (array([2., 3.]), array([ True, False]))
    """

    lower: FloatArray
    upper: FloatArray
    feature_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            lower = np.atleast_1d(np.asarray(self.lower, dtype=np.float64))
            upper = np.atleast_1d(np.asarray(self.upper, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidDataError("The bounds of a BoundingBox must be numbers.") from None
        if lower.ndim != 1 or lower.shape != upper.shape or len(lower) == 0:
            raise InvalidDataError(
                "A BoundingBox needs one lower and one upper bound per feature. "
                f"Got bounds of shapes {lower.shape} and {upper.shape}."
            )
        names = tuple(self.feature_names) or tuple(f"x{j}" for j in range(len(lower)))
        if len(names) != len(lower):
            raise InvalidDataError(
                f"A BoundingBox of {len(lower)} features cannot have {len(names)} feature names. "
                "Give one name per feature."
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "feature_names", names)
        self._check_widths()

    @classmethod
    def around_constants(cls, *tables: Table) -> BoundingBox:
        """Return the box around all rows; a constant feature gets a tiny width.

        It serves measures other than volume, where a constant feature does no harm.
        """
        lower, upper = column_ranges(np.concatenate([table.values for table in tables]))
        none = lower > upper  # a column of gaps
        lower, upper = np.where(none, 0.0, lower), np.where(none, 0.0, upper)
        hair = 1e-9 * np.maximum(np.abs(lower), 1.0)
        upper = np.where(upper > lower, upper, lower + hair)
        return cls(lower=lower, upper=upper, feature_names=tables[0].feature_names)

    @classmethod
    def from_arrays(cls, *arrays: Any, margin: float = 0.0) -> BoundingBox:
        """Return the smallest box around all rows, widened on each side by a share of its width.

        Parameters
        ----------
        *arrays : arrays or frames with the same features
        margin : float
            0.1 widens a feature of range 10 by 1 on each side.

        Examples
        --------
        >>> box = BoundingBox.from_arrays([[0.0, 1.0], [2.0, 5.0]], margin=0.5)
        >>> box.lower, box.upper
        (array([-1., -1.]), array([3., 7.]))
        """
        margin = check_non_negative(margin, "margin", "BoundingBox.from_arrays")
        if not arrays:
            raise InvalidDataError("BoundingBox.from_arrays needs at least one array of rows.")
        tables: Sequence[Table] = [as_table(array) for array in arrays]
        for position, table in enumerate(tables, start=1):
            name = "X" if len(tables) == 1 else f"array {position}"
            if not table.is_plain:
                check_continuous(table, "BoundingBox.from_arrays", name)
            check_same_features(tables[0], table, "array 1", f"array {position}")
        lower = np.min([table.values.min(axis=0) for table in tables], axis=0)
        upper = np.max([table.values.max(axis=0) for table in tables], axis=0)
        widen = margin * (upper - lower)
        return cls(lower=lower - widen, upper=upper + widen, feature_names=tables[0].feature_names)

    @property
    def has_names(self) -> bool:
        """Whether the features have their own names, not just x0, x1, …."""
        return self.feature_names != tuple(f"x{j}" for j in range(len(self.lower)))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.lower)

    @property
    def widths(self) -> FloatArray:
        """Width of the box in each feature."""
        return self.upper - self.lower

    @property
    def middle(self) -> FloatArray:
        """The point half-way between the walls."""
        return (self.lower + self.upper) / 2.0

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume; as a sum of logarithms it does not overflow."""
        return float(np.log(self.widths).sum())

    def scale_up(self, unit_points: FloatArray) -> FloatArray:
        """Map points of the unit cube into the box."""
        return self.lower + unit_points * self.widths

    def contains(self, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which points lie in the box."""
        rows = np.asarray(points, dtype=np.float64)
        return np.asarray(((rows >= self.lower) & (rows <= self.upper)).all(axis=1))

    def features(self, index: npt.NDArray[np.intp]) -> BoundingBox:
        """Return the box in these features only."""
        names = tuple(self.feature_names[j] for j in index)
        return BoundingBox(lower=self.lower[index], upper=self.upper[index], feature_names=names)

    def _check_widths(self) -> None:
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            raise InvalidDataError("The bounds of a BoundingBox must be finite numbers.")
        for j in np.flatnonzero(~(self.widths > 0)):
            name = self.feature_names[j]
            if self.widths[j] < 0:
                raise InvalidDataError(
                    f"The lower bound of feature {name!r} ({self.lower[j]:g}) is above its upper "
                    f"bound ({self.upper[j]:g}). Swap them."
                )
            raise InvalidDataError(
                f"Feature {name!r} is constant, so the bounding box has zero volume. "
                "Drop it before evaluating."
            )
