"""Ordinary rows: what is usual in each column, and in each column beside another one.

Everything here is about the table alone; no detector is asked. A fact is a statement about a row
that can be checked in the table, with a surprise: minus the logarithm of how often ordinary rows
have the like. How large a surprise has to be is learnt from the rows themselves: the strongest fact
of each kind is found for some hundred of them, and only few may reach the least surprise. This
corrects for the number of columns and pairs that were looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.inspection.spreads import ColumnSpreads
from oddrank.inspection.tails import Tails
from oddrank.rows import FEW_DISTINCT, Table

__all__ = ["Fact", "OrdinaryRows"]

# What is usual beside another column is learnt from so many numbers: rows times squared columns.
_MOST_NUMBERS, _FEWEST_ROWS, _MOST_ROWS = 2**24, 1024, 8192
# Another column of numbers is cut into parts of about this many rows.
_PART_ROWS, _MOST_PARTS = 50, 32
# Fewer rows than these say nothing about what goes with a level.
_FEWEST_SIMILAR = 20
# Rows are similar in a column of numbers if they are among this share of the nearest.
_SIMILAR_SHARE, _SIMILAR_ROWS = 0.01, 30
# A far value is this many times as far from the median as ordinary rows reach. Similar rows have a
# level at most this many times as often as all rows, or nearly all have a number that is less off.
_CLEARLY, _SELDOM, _NEARLY_ALL = 1.3, 0.2, 0.9
# Rows that tell how large a surprise has to be, and the share of them that reaches it, by kind.
_JUDGED_ROWS = 500
_REACHED = {"far": 0.03, "level": 0.02, "number beside": 0.01, "level beside": 0.01}
_BODY = (0.2, 0.05)
# No smaller surprise is ever told, whatever the table. Exp(-5) is about 1 in 150.
_LEAST = {"far": 5.0, "level": 3.5, "number beside": 3.5, "level beside": 2.5}
# The spread beside another column: quantiles of distances, and by what they are divided; at least
# this part of the spread of the whole column.
_SPREADS, _LEAST_SPREAD = ((0.5, 1.0), (0.85, 2.1)), 0.02
# How far apart two rows can be in one column, what another level or a gap adds, and how much a
# column counts that tells nothing about the one whose values are lent.
_MOST_APART, _OTHER_LEVEL, _ANY_COLUMN = 4.0, 2.0, 0.05


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something about a row that few ordinary rows have.

    Attributes
    ----------
    column : int
    kind : "far", "level" or "combination"
    partner : int or None
        The other column of a combination.
    surprise : float
        As a multiple of the least surprise that is told; above 1.
    """

    column: int
    kind: str
    partner: int | None
    surprise: float


class OrdinaryRows:
    """What is usual in a table; made once, it serves any number of rows and detectors.

    Parameters
    ----------
    table : Table
    root : numpy.random.SeedSequence
        Draws the rows that statistics of pairs are learnt from.

    Examples
    --------
    >>> from oddrank.rows import as_table
    >>> random = np.random.default_rng(0)
    >>> length = random.normal(size=1000)
    >>> table = as_table(np.column_stack([length, length + 0.1 * random.normal(size=1000)]))
    >>> ordinary = OrdinaryRows(table, np.random.SeedSequence(0))
    >>> [(fact.column, fact.kind) for fact in ordinary.facts(np.array([0.0, 30.0]))][0]
    (1, 'far')
    >>> {fact.kind for fact in ordinary.facts(np.array([1.0, -1.0]))}
    {'combination'}
    >>> ordinary.facts(np.array([1.0, 1.1]))
    []
    """

    def __init__(self, table: Table, root: np.random.SeedSequence) -> None:
        random = stream(root, "reasons")
        self.table = table
        self.spreads = ColumnSpreads(table)
        # a number with few values is compared like levels, but can still be far
        many = np.array([_has_many(column) for column in table.values.T])
        self.is_measured: BoolArray = self.spreads.is_number & many
        wanted = _MOST_NUMBERS // table.n_features**2
        n_sample = int(np.clip(wanted, _FEWEST_ROWS, _MOST_ROWS))
        self.rows = table.values[random.permutation(table.n_rows)[:n_sample]]
        self._far = Tails(self._steps(table.values))
        # of other numbers only gaps are counted
        self._level_counts = [
            _Counts(np.where(np.isnan(column), np.nan, 0.0) if is_measured else column)
            for column, is_measured in zip(table.values.T, self.is_measured, strict=True)
        ]
        self._parts = [
            _Parts(self.rows[:, k], is_cut=bool(self.is_measured[k]))
            for k in range(table.n_features)
        ]
        self._codes = self._coded(self.rows)
        self._beside = [
            _Beside(part, codes, column, self.rows, _LEAST_SPREAD * self.spreads.spread)
            for part, codes, column in zip(self._parts, self._codes.T, self.rows.T, strict=True)
        ]
        self._told: dict[int, FloatArray] = {}
        self.least = self._least(self.rows[:_JUDGED_ROWS])

    def _coded(self, rows: FloatArray) -> npt.NDArray[np.intp]:
        parts = zip(self._parts, rows.T, strict=True)
        return np.column_stack([part.codes(column) for part, column in parts])

    def _steps(self, rows: FloatArray) -> FloatArray:
        return np.where(self.spreads.is_number, (rows - self.spreads.middle), np.nan)

    def _least(self, rows: FloatArray) -> dict[str, float]:
        """Return the least surprise of each kind that is told."""
        return {
            kind: max(
                _LEAST[kind],
                _reached_by(
                    found.reshape(len(rows), -1).max(axis=1), share, has_tail=kind != "level"
                ),
            )
            for (kind, share), found in zip(
                _REACHED.items(), self._surprises(rows).values(), strict=True
            )
        }

    def _surprises(self, rows: FloatArray) -> dict[str, FloatArray]:
        """Return surprises by row and column, and beside another one by row, column and partner."""
        far = self._far.surprise(self._steps(rows))
        is_level = ~self.is_measured | np.isnan(rows)
        level = np.column_stack(
            [
                counts.surprise(values)
                for counts, values in zip(self._level_counts, rows.T, strict=True)
            ]
        )
        level = np.where(is_level, level, 0.0)
        numbers = np.stack(
            [beside.surprise(rows[:, k], rows) for k, beside in enumerate(self._beside)], axis=2
        )
        numbers = np.where(is_level[:, :, None], 0.0, numbers - far[:, :, None])
        codes = self._coded(rows)
        levels = np.zeros_like(numbers)
        for place, row_codes in enumerate(codes):
            same = (self._codes == row_codes).astype(np.float32)
            n_alike = same.sum(axis=0)
            # too few rows are no comparison, and a column is none with itself
            no_partner = n_alike < _FEWEST_SIMILAR
            numbers[place][:, no_partner] = 0.0
            columns = np.flatnonzero(is_level[place] & (level[place] < _LEAST["level"]))
            if len(columns):
                # how many rows alike in the partner have this level, and how many by chance would
                together = same[:, columns].T @ same - same.all(axis=1).any()
                expected = np.outer(n_alike[columns], n_alike) / len(same)
                found = np.log((expected + 0.5) / (together + 0.5))
                levels[place, columns] = np.where(no_partner, 0.0, found)
            np.fill_diagonal(numbers[place], 0.0)
            np.fill_diagonal(levels[place], 0.0)
        return dict(zip(_REACHED, (far, level, numbers, levels), strict=True))

    def strongest(self, rows: FloatArray) -> FloatArray:
        """Return the strongest surprise of each row; those above 1 are facts."""
        parts = [
            found.reshape(len(rows), -1).max(axis=1) / self.least[kind]
            for kind, found in self._surprises(rows).items()
        ]
        return np.asarray(np.max(parts, axis=0))

    def is_level(self, row: FloatArray, column: int) -> bool:
        """Return whether a value is a level, one of few numbers, or a gap: it has no distance."""
        return bool(not self.is_measured[column] or np.isnan(row[column]))

    def facts(self, row: FloatArray) -> list[Fact]:
        """Return the strongest fact of each column that has one, most surprising first."""
        surprises = self._surprises(row[None])
        parts = {kind: found[0] / self.least[kind] for kind, found in surprises.items()}
        beside = np.maximum(parts["number beside"], parts["level beside"])
        # two values that do not go together accuse each other: the detector says which is wrong
        beside = np.maximum(beside, beside.T)
        facts = []
        for j in range(len(row)):
            partner = int(beside[j].argmax())
            found = {"far": parts["far"][j], "level": parts["level"][j],
                     "combination": beside[j, partner]}  # fmt: skip
            # what a value is by itself is told rather than what it is beside another one
            kinds = [k for k in found if found[k] > 1.0 and self._holds(row, k, j, partner)]
            if kinds:
                facts.append(Fact(
                    column=j,
                    kind=kinds[0],
                    partner=partner if kinds[0] == "combination" else None,
                    surprise=float(max(found[kind] for kind in kinds)),
                ))  # fmt: skip
        return sorted(facts, key=lambda fact: -fact.surprise)

    def _holds(self, row: FloatArray, kind: str, column: int, partner: int) -> bool:
        """Return whether a fact is as clear in the whole table as in the parts of the sample."""
        value = row[column]
        if kind == "level":
            return True
        if kind == "far":
            middle = self.spreads.middle[column]
            return bool(abs(value - middle) >= _CLEARLY * abs(self.reach(row, column) - middle))
        others = self.table.values[self.similar(row, partner), column]
        known = others[~np.isnan(others)]
        if len(known) < _FEWEST_SIMILAR:
            return False
        if self.is_level(row, column):
            usual = self.count(row, column) / self.table.n_rows
            return bool(_same(value, others).mean() <= _SELDOM * usual)
        middle = np.median(known)
        return bool((np.abs(known - middle) < abs(value - middle)).mean() >= _NEARLY_ALL)

    def count(self, row: FloatArray, column: int) -> int:
        """Return how many rows of the table have this level or this gap."""
        return int(self._level_counts[column].count(row[[column]])[0])

    def similar(self, row: FloatArray, partner: int) -> npt.NDArray[np.intp]:
        """Return places of the rows of the table that are alike in the partner column.

        Of a level or a gap these are the rows that have it. Of a number they are the nearest 1 % of
        the rows, but at least 30, and all that are equally near.
        """
        values, value = self.table.values[:, partner], row[partner]
        if self.is_level(row, partner):
            return np.flatnonzero(_same(value, values))
        away = np.abs(values - value)
        n_similar = min(max(_SIMILAR_ROWS, int(_SIMILAR_SHARE * len(away))), len(away))
        return np.flatnonzero(away <= np.partition(away, n_similar - 1)[n_similar - 1])

    def usual_beside(self, row: FloatArray, column: int, partner: int) -> float:
        """Return the median of a column of numbers among rows similar in the partner."""
        return float(np.nanmedian(self.table.values[self.similar(row, partner), column]))

    def reach(self, row: FloatArray, column: int) -> float:
        """Return how far ordinary rows reach on this side of the median.

        It is the last value that is not surprising by itself, or that is not clearly farther than
        the one before.
        """
        middle = self.spreads.middle[column]
        side = 1.0 if row[column] > middle else -1.0
        away = side * (self.table.values[:, column] - middle)
        away = np.unique(away[away >= 0.0])
        surprise = self._far.column(column).surprise(side * away[:, None])[:, 0]
        start = int(np.flatnonzero(surprise <= self.least["far"])[-1]) if len(away) else 0
        gaps = np.flatnonzero(away[start + 1 :] >= _CLEARLY * away[start:-1])
        last = start + int(gaps[0]) if len(gaps) else len(away) - 1
        return float(middle + side * away[last]) if len(away) else float(middle)

    def count_beside(self, row: FloatArray, column: int, partner: int) -> tuple[int, int]:
        """Return how many rows similar in the partner have this level, and how many there are."""
        others = self.table.values[self.similar(row, partner), column]
        return int(_same(row[column], others).sum()), len(others)

    def donors(
        self, row: FloatArray, columns: list[int], partner: int | None, n_donors: int
    ) -> FloatArray:
        """Return the rows that are nearest in the columns that tell something about these."""
        apart = self._apart(row)
        weights = _ANY_COLUMN + np.sum([self._tells(j) for j in columns], axis=0)
        if partner is not None:
            weights[partner] += 1.0
        weights[columns] = 0.0
        elsewhere = apart @ weights
        # the row itself, or a copy of it, is no donor
        elsewhere[apart.sum(axis=1) == 0.0] = np.inf
        near = np.argsort(elsewhere, kind="stable")[:n_donors]
        return np.asarray(self.rows[np.resize(near, n_donors)])

    def _tells(self, column: int) -> FloatArray:
        """Return the share of what is to know about a column that each other column tells."""
        if column not in self._told:
            codes = self._codes
            n_own, entropy = _entropy(codes[:, column])
            shares = np.zeros(codes.shape[1])
            for k, others in enumerate(codes.T):
                n_others, of_others = _entropy(others)
                _, of_both = _entropy(others * self._parts[column].n_parts + codes[:, column])
                by_chance = (n_own - 1) * (n_others - 1) / (2.0 * len(codes))
                told = entropy + of_others - of_both - by_chance
                shares[k] = max(told, 0.0) / max(entropy, 1e-9)
            self._told[column] = shares
        return self._told[column]

    def _apart(self, row: FloatArray) -> FloatArray:
        """Return how far every row is from this one, column by column."""
        gaps, gap = np.isnan(self.rows), np.isnan(row)
        steps = np.minimum(np.abs(self.rows - row) / self.spreads.spread, _MOST_APART)
        levels = np.where(self.rows == row, 0.0, _OTHER_LEVEL)
        known = np.where(self.is_measured, steps, levels)
        return np.where(gaps | gap, np.where(gaps & gap, 0.0, _OTHER_LEVEL), known)


class _Counts:
    """How many rows have each value of a column."""

    def __init__(self, values: FloatArray) -> None:
        self.n_rows = len(values)
        self.n_gaps = int(np.isnan(values).sum())
        self.values, self.counts = np.unique(values[~np.isnan(values)], return_counts=True)
        every = np.sort(np.append(self.counts, self.n_gaps))
        self._ordered, self._rows_as_rare = every, np.cumsum(every)

    def count(self, values: FloatArray) -> npt.NDArray[np.intp]:
        places = np.searchsorted(self.values, values)
        known = np.append(self.values, np.nan)[places] == values
        counts = np.where(known, np.append(self.counts, 0)[places], 0)
        return np.where(np.isnan(values), self.n_gaps, counts)

    def surprise(self, values: FloatArray) -> FloatArray:
        """Return minus the log share of rows whose level is as rare as each of these."""
        # where many levels have one row, a new level is no surprise
        places = np.searchsorted(self._ordered, np.maximum(self.count(values), 1), side="right")
        as_rare = np.append(0, self._rows_as_rare)[places]
        return np.asarray(-np.log((as_rare + 0.5) / (self.n_rows + 1.0)))


class _Parts:
    """A column cut into parts: its levels, or ranges of numbers with about as many rows each."""

    def __init__(self, values: FloatArray, *, is_cut: bool) -> None:
        known = values[~np.isnan(values)]
        self.is_cut = is_cut
        n_parts = int(np.clip(len(known) // _PART_ROWS, 1, _MOST_PARTS))
        edges = np.quantile(known, np.arange(1, n_parts) / n_parts) if is_cut else known
        self.edges = np.unique(edges)

    @property
    def n_parts(self) -> int:
        # a level that no row has, and gaps, are two more
        return len(self.edges) + 2

    def codes(self, values: FloatArray) -> npt.NDArray[np.intp]:
        places = np.searchsorted(self.edges, values, side="right" if self.is_cut else "left")
        if not self.is_cut:
            known = np.append(self.edges, np.nan)[places] == values
            places = np.where(known, places, len(self.edges))
        return np.where(np.isnan(values), len(self.edges) + 1, places)


class _Beside:
    """What columns of numbers are beside the values of one other column, the partner."""

    def __init__(
        self,
        parts: _Parts,
        codes: npt.NDArray[np.intp],
        partner: FloatArray,
        rows: FloatArray,
        least_spread: FloatArray,
    ) -> None:
        self.parts = parts
        self.middles = np.full((parts.n_parts, rows.shape[1]), np.nan)
        self.spreads = np.ones_like(self.middles)
        order = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[order], return_index=True)
        groups = np.split(order, starts[1:])
        known = np.where(np.isnan(rows).all(axis=0), 0.0, rows)
        for code, group in zip(found.tolist(), groups, strict=True):
            self.middles[code] = _quantiles(known[group], 0.5)
        # parts of numbers are joined by straight lines between their medians
        ranges = found[found < len(parts.edges) + 1] if parts.is_cut else found[:0]
        self.centres = np.array([np.median(partner[codes == code]) for code in ranges])
        self.ranges = ranges
        away = known - self._expected(codes, partner, self.middles)
        for code, group in zip(found.tolist(), groups, strict=True):
            # more than half of the rows may share one value
            off = [_quantiles(np.abs(away[group]), share) / part for share, part in _SPREADS]
            self.spreads[code] = np.maximum(np.maximum(*off), least_spread)
        self.spreads = np.where(np.isnan(self.spreads), 1.0, self.spreads)
        self.tails = Tails(away / self._expected(codes, partner, self.spreads))

    def _expected(
        self, codes: npt.NDArray[np.intp], partner: FloatArray, of_parts: FloatArray
    ) -> FloatArray:
        if len(self.ranges) < 2:
            return np.asarray(of_parts[codes])
        values = np.clip(np.nan_to_num(partner), self.centres[0], self.centres[-1])
        right = np.clip(np.searchsorted(self.centres, values), 1, len(self.centres) - 1)
        low, high = self.centres[right - 1], self.centres[right]
        weight = ((values - low) / np.where(high > low, high - low, 1.0))[:, None]
        between = (1.0 - weight) * of_parts[self.ranges[right - 1]]
        between = between + weight * of_parts[self.ranges[right]]
        return np.asarray(np.where(np.isnan(partner)[:, None], of_parts[codes], between))

    def surprise(self, partner: FloatArray, rows: FloatArray) -> FloatArray:
        """Return how surprising the values of rows are beside those of the partner."""
        codes = self.parts.codes(partner)
        away = rows - self._expected(codes, partner, self.middles)
        return self.tails.surprise(away / self._expected(codes, partner, self.spreads))


def _entropy(codes: npt.NDArray[np.intp]) -> tuple[int, float]:
    """Return how many parts have rows, and the entropy of the parts."""
    counts = np.unique(codes, return_counts=True)[1]
    shares = counts / len(codes)
    return len(counts), float(-(shares * np.log(shares)).sum())


def _quantiles(values: FloatArray, share: float) -> FloatArray:
    """Return a quantile of each column without its gaps, NaN for columns of gaps alone."""
    ordered = np.sort(values, axis=0)
    n_known = (~np.isnan(values)).sum(axis=0)
    places = np.rint(share * np.maximum(n_known - 1, 0)).astype(np.intp)
    return np.asarray(np.take_along_axis(ordered, places[None], axis=0)[0])


def _reached_by(surprises: FloatArray, share: float, *, has_tail: bool) -> float:
    """Return what this share of ordinary rows reaches, though some of the rows may be odd.

    Surprises are minus the logarithms of probabilities, so their tail is about exponential. It is
    continued from the upper fifth without the last twentieth, where odd rows are. Levels have no
    tail: there are few of them.
    """
    counted = float(np.quantile(surprises, 1.0 - share, method="lower"))
    if not has_tail:
        return counted
    low, high = np.quantile(surprises, [1.0 - _BODY[0], 1.0 - _BODY[1]])
    slope = (high - low) / np.log(_BODY[0] / _BODY[1])
    return min(counted, float(high + slope * np.log(_BODY[1] / share)))


def _has_many(values: FloatArray) -> bool:
    # the first rows settle it for almost every column
    parts = (values[:1000], values)
    return any(len(np.unique(part[~np.isnan(part)])) >= FEW_DISTINCT for part in parts)


def _same(value: float, others: FloatArray) -> BoolArray:
    return np.asarray(np.isnan(others) if np.isnan(value) else others == value)
