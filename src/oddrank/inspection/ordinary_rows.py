"""Ordinary rows: where the middle of each column is, which rows are near, how usual a value is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from oddrank._random import stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria import GAUSSIAN
from oddrank.detectors import FittedDetector
from oddrank.inspection.spreads import ColumnSpreads
from oddrank.rows import FEW_DISTINCT, Table

__all__ = ["OrdinaryRows"]

# A value is far if it is this many spreads from the median, and few rows have one as far.
_FAR, _RARE = 3.5, 0.01
# Near rows may agree by chance, so their spread is at least this part of the column's.
_LEAST_SPREAD = 0.1
# Distances from near rows, and bits of surprise, count up to here.
_MOST_UNUSUAL = 8.0
# A level, or a gap, is rare below half of an equal share of the rows, and in a tenth at the most.
_RARE_LEVEL, _OF_EQUAL_SHARE = 0.1, 0.5
# A common level goes with a row unless chance would hardly ever give near rows so few of it.
_BY_CHANCE = 0.01
# How far apart two rows can be in one column, and what another level or a gap adds.
_MOST_APART, _OTHER_LEVEL = 4.0, 2.0
# Donors come from a sample of this size, without its oddest rows.
_SAMPLE_ROWS, _ODDEST = 4096, 0.1
# Rows near in one column show whether a value goes with it; these are so many times farther.
_FEWEST_NEAR, _NEAR_SHARE, _AT_ODDS = 30, 0.05, 3.0


class OrdinaryRows:
    """A sample of the rows that an odd one is compared with, and that lend it their values.

    Parameters
    ----------
    fitted : FittedDetector
        Tells which rows are odd themselves, and lend nothing.
    table : Table
    n_donors : int
        How many rows lend a value: half of them random, half near the odd row.
    root : numpy.random.SeedSequence
    """

    def __init__(
        self, fitted: FittedDetector, table: Table, n_donors: int, root: np.random.SeedSequence
    ) -> None:
        random = stream(root, "reasons")
        self.table = table.without_rows()
        self.n_random, self.n_near = n_donors // 2, n_donors - n_donors // 2
        self.spreads = ColumnSpreads(table)
        # a number with few values is compared like levels, but can still be far
        many = np.array([_has_many(column) for column in table.values.T])
        self.is_measured = self.spreads.is_number & many
        sample = random.permutation(table.n_rows)[:_SAMPLE_ROWS]
        scores = fitted.score(table.rows(sample))
        usual = scores >= np.quantile(scores, _ODDEST, method="lower")
        self.rows = table.values[sample[usual]]
        self.n_levels = np.array([len(np.unique(column)) for column in self.rows.T])
        self.random = random.integers(len(self.rows), size=(self.n_random, table.n_features))
        # rows that lend several values together
        self.together = self.rows[self.random[:, 0]]

    def apart(self, row: FloatArray) -> FloatArray:
        """Return how far every ordinary row is from this one, column by column."""
        gaps, gap = np.isnan(self.rows), np.isnan(row)
        steps = np.minimum(np.abs(self.rows - row) / self.spreads.spread, _MOST_APART)
        levels = np.where(self.rows == row, 0.0, _OTHER_LEVEL)
        known = np.where(self.is_measured, steps, levels)
        return np.where(gaps | gap, np.where(gaps & gap, 0.0, _OTHER_LEVEL), known)

    def donors_of(self, row: FloatArray) -> npt.NDArray[np.intp]:
        """Return positions of donors for each column: random ones, then those near elsewhere."""
        apart = self.apart(row)
        total = apart.sum(axis=1, keepdims=True)
        # the row itself, or a copy of it, is no donor
        elsewhere = np.where(total > 0.0, total - apart, np.inf)
        near = np.argsort(elsewhere, axis=0, kind="stable")[: self.n_near]
        return np.concatenate([self.random, near])

    def steps(self, row: FloatArray) -> FloatArray:
        """Return signed distances from the median in spreads; 0 for what is not a number."""
        return np.nan_to_num(self.spreads.steps(row))

    def far(self, row: FloatArray) -> FloatArray:
        """Return distances from the median where they are large and rare, else 0."""
        steps = np.abs(self.steps(row))
        as_far = np.abs(self.rows - self.spreads.middle) / self.spreads.spread >= steps
        return np.where((steps > _FAR) & (as_far.mean(axis=0) < _RARE), steps, 0.0)

    def is_level(self, row: FloatArray, column: int) -> bool:
        """Return whether a value is a level, one of few numbers, or a gap: it has no distance."""
        return bool(not self.is_measured[column] or np.isnan(row[column]))

    def is_rare(self, row: FloatArray, column: int) -> bool:
        """Return whether few rows have this level or gap."""
        n_levels = 2 if self.is_measured[column] else self.n_levels[column]
        share = _same(row[column], self.rows[:, column]).mean()
        return bool(share < min(_RARE_LEVEL, _OF_EQUAL_SHARE / n_levels))

    def unusual(
        self, row: FloatArray, column: int, rows: npt.NDArray[np.intp], apart: FloatArray
    ) -> float:
        """Return how unusual a value is among those of some rows near to this one.

        Parameters
        ----------
        row : array
        column : int
        rows : array of int
            Donors near elsewhere.
        apart : array
            As `apart` gives it for the row.
        """
        if self.is_level(row, column) and not self.is_rare(row, column):
            return self._out_of_place(column, apart)
        value, others = row[column], self.rows[rows, column]
        known = others[~np.isnan(others)]
        if self.is_measured[column] and not np.isnan(value) and len(known):
            middle = np.median(known)
            spread = GAUSSIAN * float(np.median(np.abs(known - middle)))
            spread = max(spread, _LEAST_SPREAD * float(self.spreads.spread[column]))
            return min(float(np.abs(value - middle)) / spread, _MOST_UNUSUAL)
        return _bits(value, others)

    def _out_of_place(self, column: int, apart: FloatArray) -> float:
        """Return how much rarer a common level is in near rows than in all, in bits, or 0."""
        elsewhere = apart.sum(axis=1) - apart[:, column]
        # copies of the row count as well: without them its own level would always be rare
        near = np.argsort(elsewhere, kind="stable")[:_FEWEST_NEAR]
        same = apart[:, column] == 0.0
        if binom.cdf(same[near].sum(), len(near), same.mean()) >= _BY_CHANCE:
            return 0.0
        bits = float(np.log2(same.mean() * (len(near) + 1.0) / (same[near].sum() + 0.5)))
        return min(max(bits, 0.0), _MOST_UNUSUAL)

    def at_odds(self, row: FloatArray, column: int) -> int | None:
        """Return the other column whose value goes least with this one, if any stands out.

        Of the rows near in the other column, take the nearest tenth in this one. Compare how far it
        reaches with the nearest tenth of all rows. Of levels, count those that are the same.
        """
        apart = self.apart(row)
        n_near = min(len(apart), max(_FEWEST_NEAR, int(_NEAR_SHARE * len(apart))))
        near = np.argsort(apart, axis=0, kind="stable")[:n_near]
        if self.is_level(row, column):
            same = apart[:, column] == 0.0
            found = same[near].sum(axis=0)
            found[column] = n_near
            fewest = int(np.argmin(found))
            chance = float(binom.cdf(found[fewest], n_near, same.mean())) * len(row)
            return fewest if chance < _BY_CHANCE else None
        reach = np.sort(apart[near, column], axis=0)[n_near // 10]
        reach[column] = 0.0
        best = int(np.argmax(reach))
        usual = np.sort(apart[:, column])[len(apart) // 10]
        return best if reach[best] > _AT_ODDS * usual else None


def _has_many(values: FloatArray) -> bool:
    # the first rows settle it for almost every column
    parts = (values[:1000], values)
    return any(len(np.unique(part[~np.isnan(part)])) >= FEW_DISTINCT for part in parts)


def _same(value: float, others: FloatArray) -> BoolArray:
    return np.asarray(np.isnan(others) if np.isnan(value) else others == value)


def _bits(value: float, others: FloatArray) -> float:
    same = _same(value, others)
    return min(-float(np.log2((same.sum() + 0.5) / (len(others) + 1.0))), _MOST_UNUSUAL)
