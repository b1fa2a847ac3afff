"""Points among columns that are not all numbers: they look like possible rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.preprocessing import StandardScaler

from oddrank._typing import BoolArray, FloatArray
from oddrank.reference.scored_rows import rows_in_random_order
from oddrank.rows import BoundingBox

__all__ = ["among_other_columns", "any_value", "column_spreads"]

# Number, box, rows: gives points of the continuous columns alone.
DrawContinuous = Callable[[int, BoundingBox, FloatArray], FloatArray]


def column_medians(rows: FloatArray) -> FloatArray:
    """Return the median of each column; 0 for an empty column."""
    return np.array([
        np.median(present) if len(present := column[~np.isnan(column)]) else 0.0
        for column in rows.T
    ])  # fmt: skip


def column_spreads(rows: FloatArray) -> FloatArray:
    """Return the standard deviation of each column; 0 for an empty column."""
    return np.asarray(np.where(np.isnan(rows), column_medians(rows), rows).std(axis=0))


def among_other_columns(  # noqa: PLR0917
    draw: DrawContinuous,
    size: int,
    box: BoundingBox,
    rows: FloatArray,
    continuous: BoolArray,
    random: np.random.Generator,
) -> FloatArray:
    """Draw the continuous columns; take the others, and the places of gaps, from a row.

    The continuous columns are drawn in units of their spread, so the user's units do not matter. A
    gap counts as the median there.
    """
    points = rows_in_random_order(rows, size, random)
    if not continuous.any():
        return points
    index = np.flatnonzero(continuous)
    middle = column_medians(rows[:, index])
    filled = np.where(np.isnan(rows[:, index]), middle, rows[:, index])
    spread = StandardScaler().fit(filled).scale_
    inner = box.features(index)
    unit_box = BoundingBox(
        lower=(inner.lower - middle) / spread,
        upper=(inner.upper - middle) / spread,
        feature_names=inner.feature_names,
    )
    drawn = middle + spread * draw(size, unit_box, (filled - middle) / spread)
    points[:, index] = np.where(np.isnan(points[:, index]), np.nan, drawn)
    return points


def any_value(
    size: int,
    box: BoundingBox,
    rows: FloatArray,
    continuous: BoolArray,
    random: np.random.Generator,
) -> FloatArray:
    """Draw every column separately: any value in its range, or any of its values equally often.

    Gaps are as frequent as in the rows.
    """
    uniform = random.random((size, rows.shape[1]))
    points = box.scale_up(uniform)
    for j in np.flatnonzero(~continuous):
        values = np.unique(rows[:, j][~np.isnan(rows[:, j])])
        if len(values):
            points[:, j] = values[(uniform[:, j] * len(values)).astype(np.intp)]
    gaps = np.isnan(rows).mean(axis=0)
    if gaps.any():
        points[random.random(points.shape) < gaps] = np.nan
    return points
