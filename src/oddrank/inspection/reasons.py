"""Which values make a row odd: each is replaced by those of ordinary rows, and the row is rescored.

Half of the rows that lend their values ("donors") are random, and half are near the odd row in its
other columns. The weight of a value is the product of two figures. The rise says how much more
normal the detector finds the row without it, in ranks among all rescored versions of the row, so
the scale of scores does not matter. The distance is that from near rows, or from the median.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from oddrank._plain_text import shortened
from oddrank._random import stream
from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_integer
from oddrank.criteria import GAUSSIAN
from oddrank.detectors import FittedDetector
from oddrank.rows import FEW_DISTINCT, Table, check_same_features

__all__ = ["Reason", "explain_rows"]

# A value is far if it is this many spreads from the median, and few rows have one as far.
_FAR, _RARE = 3.5, 0.01
# If no other column explains it, a value this many spreads away is mentioned.
_NOTABLE = 2.0
# Near rows may agree by chance, so their spread is at least this part of the column's.
_LEAST_SPREAD = 0.1
# Distances from near rows, and bits of surprise, count up to here.
_MOST_UNUSUAL = 8.0
# Weaker reasons are listed only if there is no other, or if a value is far.
_LEAST_STRENGTH, _LEAST_PART = 0.1, 0.1
# How far apart two rows can be in one column, and what another level or a gap adds.
_MOST_APART, _OTHER_LEVEL = 4.0, 2.0
# Donors come from a sample of this size, without its oddest rows.
_SAMPLE_ROWS, _ODDEST = 4096, 0.1
# Rows near in one column show whether a value goes with it; these are so many times farther.
_FEWEST_NEAR, _NEAR_SHARE, _AT_ODDS = 30, 0.05, 3.0
# Replaced values are scored in batches of about this many numbers.
_BATCH = 2**22
_NAME_WIDTH = 40


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One value that makes a row odd.

    Attributes
    ----------
    column : str
    value : float, str or None
        As the user has it; None is a gap.
    kind : "far", "combination", "category" or "gap"
        Far from the median; in conflict with other columns; an unusual level (or one of few
        numbers) for such a row; missing where values are seldom missing.
    strength : float
        Sorts the reasons of one row; it cannot be compared between rows.
    sentence : str
        The same in words.
    """

    column: str
    value: float | str | None
    kind: str
    strength: float
    sentence: str


def explain_rows(
    fitted: FittedDetector,
    odd: Table,
    ordinary: Table,
    *,
    n_reasons: int = 3,
    n_donors: int = 24,
    root: np.random.SeedSequence,
) -> list[tuple[Reason, ...]]:
    """Return, for each odd row, the values that make it odd to a detector, main reason first.

    A value is not a reason if the row is no more normal without it. So a row may have fewer than
    `n_reasons`, or none. The cost is `n_donors` scores for each row and column.

    Parameters
    ----------
    fitted : FittedDetector
    odd : Table
        The rows to explain.
    ordinary : Table
        The rows to compare with, usually the training rows, with the same coding.
    n_reasons : int
        The most reasons of a row.
    n_donors : int
        How many values replace each value.
    root : numpy.random.SeedSequence
        Chooses the random donors, the same for every row.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.rows import as_table
    >>> rows = np.random.default_rng(0).normal([170.0, 30.0], [10.0, 5.0], (500, 2))
    >>> fitted = FittedDetector(name="size", detector=lambda X: -np.abs(X - [170, 30]).sum(axis=1))
    >>> odd = as_table([[171.0, 90.0]], minimum_rows=1)
    >>> ((reason,),) = explain_rows(fitted, odd, as_table(rows), root=np.random.SeedSequence(0))
    >>> reason.sentence
    'x1 90 is 13 spreads above the median'
    """
    check_integer(n_reasons, "n_reasons", "explain_rows")
    check_integer(n_donors, "n_donors", "explain_rows", minimum=2)
    check_same_features(odd, ordinary, "odd", "ordinary")
    if not odd.n_rows:
        return []
    background = _Background(fitted, ordinary, n_donors, root)
    donors = np.stack([background.donors_of(row) for row in odd.values])
    rises = _rises(fitted, odd, np.take_along_axis(background.rows[None], donors, axis=1))
    return [
        _reasons_of(row, rise, near, background, n_reasons)
        for row, rise, near in zip(odd.values, rises, donors[:, background.n_random :], strict=True)
    ]


def _rises(fitted: FittedDetector, odd: Table, lent: FloatArray) -> FloatArray:
    """Return how much more normal each row is without each of its values, in ranks from -1 to 1."""
    n_rows, n_donors, n_features = lent.shape
    before = fitted.score(odd)
    row, column = np.divmod(np.arange(n_rows * n_features), n_features)
    after = []
    size = max(1, _BATCH // (n_donors * n_features))
    for start in range(0, len(row), size):
        these, those = row[start : start + size], column[start : start + size]
        changed = np.repeat(odd.values[these], n_donors, axis=0)
        changed[np.arange(len(changed)), np.repeat(those, n_donors)] = lent[these, :, those].ravel()
        after.append(fitted.score(odd.with_values(changed)))
    versions = np.column_stack([np.concatenate(after).reshape(n_rows, -1), before])
    ranks = rankdata(versions, axis=1)
    gained = (ranks[:, :-1] - ranks[:, -1:]).reshape(n_rows, n_features, n_donors)
    return np.asarray(gained.mean(axis=2) / versions.shape[1], dtype=np.float64)


class _Background:
    """Ordinary rows: where each column's middle is, which rows are near, how usual a value is."""

    def __init__(
        self, fitted: FittedDetector, table: Table, n_donors: int, root: np.random.SeedSequence
    ) -> None:
        random = stream(root, "reasons")
        self.table = table.without_rows()
        self.n_random, self.n_near = n_donors // 2, n_donors - n_donors // 2
        numbers = [column.kind not in ("category", "boolean") for column in table.columns]
        self._measure_columns(table.values, np.array(numbers or [True] * table.n_features))
        sample = random.permutation(table.n_rows)[:_SAMPLE_ROWS]
        scores = fitted.score(table.rows(sample))
        usual = scores >= np.quantile(scores, _ODDEST, method="lower")
        self.rows = table.values[sample[usual]]
        self.random = random.integers(len(self.rows), size=(self.n_random, table.n_features))

    def _measure_columns(self, values: FloatArray, is_number: BoolArray) -> None:
        known = np.where(np.isnan(values).all(axis=0), 0.0, values)
        self.middle = np.nanmedian(known, axis=0)
        spread = GAUSSIAN * np.nanmedian(np.abs(known - self.middle), axis=0)
        spread = np.where(spread > 0.0, spread, np.nanstd(known, axis=0))
        varies = np.nanmax(known, axis=0) > np.nanmin(known, axis=0)
        self.spread = np.where(varies & (spread > 0.0), spread, 1.0)
        self.is_number = is_number & varies
        # a number with few values is compared like levels, but can still be far
        self.is_measured = self.is_number & np.array([_has_many(column) for column in known.T])

    def apart(self, row: FloatArray) -> FloatArray:
        """Return how far every ordinary row is from this one, column by column."""
        gaps, gap = np.isnan(self.rows), np.isnan(row)
        steps = np.minimum(np.abs(self.rows - row) / self.spread, _MOST_APART)
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
        steps = np.where(self.is_number, (row - self.middle) / self.spread, 0.0)
        return np.nan_to_num(steps)

    def far(self, row: FloatArray) -> FloatArray:
        """Return distances from the median where they are large and rare, else 0."""
        steps = np.abs(self.steps(row))
        as_far = np.abs(self.rows - self.middle) / self.spread >= steps
        return np.where((steps > _FAR) & (as_far.mean(axis=0) < _RARE), steps, 0.0)

    def unusual(self, row: FloatArray, column: int, rows: npt.NDArray[np.intp]) -> float:
        """Return how unusual a value is among those of some rows."""
        value, others = row[column], self.rows[rows, column]
        known = others[~np.isnan(others)]
        if self.is_measured[column] and not np.isnan(value) and len(known):
            middle = np.median(known)
            spread = GAUSSIAN * float(np.median(np.abs(known - middle)))
            spread = max(spread, _LEAST_SPREAD * float(self.spread[column]))
            return min(float(np.abs(value - middle)) / spread, _MOST_UNUSUAL)
        return _bits(value, others)

    def at_odds(self, row: FloatArray, column: int) -> int | None:
        """Return the other column whose value goes least with this one, if any stands out.

        Of the rows near in the other column, take the nearest tenth in this one. Compare how far it
        reaches with the nearest tenth of all rows.
        """
        apart = self.apart(row)
        n_near = min(len(apart), max(_FEWEST_NEAR, int(_NEAR_SHARE * len(apart))))
        near = np.argsort(apart, axis=0, kind="stable")[:n_near]
        reach = np.sort(apart[near, column], axis=0)[n_near // 10]
        reach[column] = 0.0
        best = int(np.argmax(reach))
        usual = np.sort(apart[:, column])[len(apart) // 10]
        return best if reach[best] > _AT_ODDS * usual else None


def _has_many(values: FloatArray) -> bool:
    # the first rows settle it for almost every column
    parts = (values[:1000], values)
    return any(len(np.unique(part[~np.isnan(part)])) >= FEW_DISTINCT for part in parts)


def _bits(value: float, others: FloatArray) -> float:
    same = np.isnan(others) if np.isnan(value) else others == value
    return min(-float(np.log2((same.sum() + 0.5) / (len(others) + 1.0))), _MOST_UNUSUAL)


def _reasons_of(
    row: FloatArray,
    rise: FloatArray,
    near: npt.NDArray[np.intp],
    background: _Background,
    n_reasons: int,
) -> tuple[Reason, ...]:
    far = background.far(row)
    distance = np.array([background.unusual(row, j, near[:, j]) for j in range(len(row))])
    # a far value is a reason even if so much else is odd that the score hardly changes
    helps = np.where((far > 0.0) & (rise == 0.0), 1e-6, np.maximum(rise, 0.0))
    strength = helps * np.maximum(distance, far)
    main, *others = np.argsort(-strength, kind="stable")[:n_reasons].tolist()
    least = max(_LEAST_STRENGTH, _LEAST_PART * float(strength[main]))
    kept = [main, *(j for j in others if strength[j] >= least or far[j] > 0.0)]
    return tuple(
        _reason(row, j, float(strength[j]), far[j] > 0.0, background)
        for j in kept
        if strength[j] > 0.0
    )


def _reason(
    row: FloatArray, column: int, strength: float, is_far: bool, background: _Background
) -> Reason:
    value = _value(background.table, row, column)
    kind, words = _in_words(row, column, is_far, background)
    name = background.table.feature_names[column]
    subject = _name(name) if value is None else f"{_name(name)} {_shown(value)}"
    return Reason(
        column=name, value=value, kind=kind, strength=strength, sentence=f"{subject} {words}"
    )


def _in_words(
    row: FloatArray, column: int, is_far: bool, background: _Background
) -> tuple[str, str]:
    if np.isnan(row[column]):
        return "gap", "is missing, which is unusual here"
    steps = float(background.steps(row)[column])
    kinds = [each.kind for each in background.table.columns] or ["number"] * len(row)
    sides = ("before", "after") if kinds[column] == "date" else ("below", "above")
    size = f"{abs(steps):,.0f}" if abs(steps) >= 10.0 else f"{abs(steps):.1f}"
    away = f"is {size} spreads {sides[steps > 0.0]} the median"
    if is_far:
        return "far", away
    if not background.is_measured[column]:
        return "category", "is unusual here"
    other = background.at_odds(row, column)
    if other is not None:
        beside = _value(background.table, row, other)
        name = _name(background.table.feature_names[other])
        shown = f"a missing {name}" if beside is None else f"{name} {_shown(beside)}"
        return "combination", f"does not go with {shown}"
    if abs(steps) >= _NOTABLE or len(row) == 1:
        return "far", away if abs(steps) >= _NOTABLE else "is unusual here"
    return "combination", "does not go with the rest of the row"


def _value(table: Table, row: FloatArray, column: int) -> float | str | None:
    value: Any = float(row[column])
    if not table.is_plain:
        value = table.columns[column].decode_list(row[column : column + 1])[0]
    if value is None or (isinstance(value, float | int) and not isinstance(value, bool)):
        return value
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        value = value.date()
    return value.isoformat() if isinstance(value, date) else str(value)


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return shortened(value, _NAME_WIDTH)
    if value == round(value) and abs(value) < 1e15:
        return f"{round(value):,}"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"


def _name(name: str) -> str:
    return shortened(name, _NAME_WIDTH)
