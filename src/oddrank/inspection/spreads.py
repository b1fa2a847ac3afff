"""How far values lie from the middle of their column, in spreads: for reasons and for pages."""

from __future__ import annotations

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria import GAUSSIAN
from oddrank.rows import Table

__all__ = ["ColumnSpreads"]


class ColumnSpreads:
    """Medians and robust spreads of the columns of a table.

    Attributes
    ----------
    middle, spread : arrays of shape (n_features,)
        The median, and the median distance from it on the scale of a standard deviation; where more
        than half of the rows share one value, the standard deviation itself.
    is_number : array of bool
        Whether a column holds numbers or dates that differ: nothing else has a middle.

    Examples
    --------
    >>> from oddrank.rows import as_table
    >>> spreads = ColumnSpreads(as_table([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [np.nan, 5.0]]))
    >>> spreads.steps(np.array([8.0, 5.0])).round(2)
    array([4.05,  nan])
    """

    def __init__(self, table: Table) -> None:
        values = table.values
        known = np.where(np.isnan(values).all(axis=0), 0.0, values)
        self.middle: FloatArray = np.nanmedian(known, axis=0)
        spread = GAUSSIAN * np.nanmedian(np.abs(known - self.middle), axis=0)
        spread = np.where(spread > 0.0, spread, np.nanstd(known, axis=0))
        varies = np.nanmax(known, axis=0) > np.nanmin(known, axis=0)
        self.spread: FloatArray = np.where(varies & (spread > 0.0), spread, 1.0)
        kinds = [each.kind not in ("category", "boolean") for each in table.columns] or [True]
        self.is_number: BoolArray = np.asarray(kinds) & varies

    def steps(self, row: FloatArray) -> FloatArray:
        """Return signed distances from the median; NaN for gaps and for what has no middle."""
        return np.where(self.is_number, (row - self.middle) / self.spread, np.nan)
