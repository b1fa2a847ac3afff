"""Which values make a row odd: each is replaced by those of ordinary rows, and the row is rescored.

Half of the rows that lend their values ("donors") are random, and half are near the odd row in its
other columns. The weight of a value is the product of two figures. The rise says how much more
normal the detector finds the row without it, in ranks among all rescored versions of the row, so
the scale of scores does not matter. The distance is that from near rows, or from the median. Values
that are far together may hide one another: the rise without all of them counts for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._text import figure, shortened
from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_integer
from oddrank.detectors import FittedDetector
from oddrank.inspection.ordinary_rows import OrdinaryRows
from oddrank.rows import Table, check_same_features

__all__ = ["Reason", "explain_rows"]

# If no other column explains it, a value this many spreads away is mentioned.
_NOTABLE = 2.0
# Weaker reasons are listed only if there is no other, or if a value is far.
_LEAST_STRENGTH, _LEAST_PART = 0.1, 0.1
# Replaced values are scored in batches of about this many numbers.
_BATCH = 2**22
# Scores that differ by a smaller part are equal.
_ROUNDING = 1e-9
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
        Far from the median; in conflict with other columns; a rare level (or one of few numbers);
        missing where values are seldom missing.
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
    compared = OrdinaryRows(fitted, ordinary, n_donors, root)
    donors = np.stack([compared.donors_of(row) for row in odd.values])
    far = np.stack([compared.far(row) for row in odd.values])
    before = fitted.score(odd)
    versions = _versions(fitted, odd, np.take_along_axis(compared.rows[None], donors, axis=1))
    rises = _rises(versions, before, versions)
    several = np.flatnonzero((far > 0.0).sum(axis=1) > 1)
    if len(several):
        # several far values may fit one another, and then none helps without the others
        is_far = far[several] > 0.0
        after = _without(fitted, odd.rows(several), is_far, compared.together)
        jointly = _rises(versions[several], before[several], after)
        rises[several] = np.where(is_far, np.maximum(rises[several], jointly), rises[several])
    return [
        _reasons_of(row, rise, away, near, ordinary=compared, n_reasons=n_reasons)
        for row, rise, away, near in zip(
            odd.values, rises, far, donors[:, compared.n_random :], strict=True
        )
    ]


def _versions(fitted: FittedDetector, odd: Table, lent: FloatArray) -> FloatArray:
    """Return the score of each row with each of its values replaced by each of those lent."""
    n_rows, n_donors, n_features = lent.shape
    row, column = np.divmod(np.arange(n_rows * n_features), n_features)
    after = []
    size = max(1, _BATCH // (n_donors * n_features))
    for start in range(0, len(row), size):
        these, those = row[start : start + size], column[start : start + size]
        changed = np.repeat(odd.values[these], n_donors, axis=0)
        changed[np.arange(len(changed)), np.repeat(those, n_donors)] = lent[these, :, those].ravel()
        after.append(fitted.score(odd.with_values(changed)))
    return np.asarray(np.concatenate(after).reshape(n_rows, n_features, n_donors))


def _without(
    fitted: FittedDetector, odd: Table, replaced: BoolArray, lenders: FloatArray
) -> FloatArray:
    """Return the score of each row with some of its values replaced, all by those of one row."""
    changed = np.where(replaced[:, None], lenders, odd.values[:, None])
    scores = fitted.score(odd.with_values(changed.reshape(-1, odd.n_features)))
    return scores.reshape(odd.n_rows, 1, len(lenders))


def _rises(versions: FloatArray, before: FloatArray, after: FloatArray) -> FloatArray:
    """Return how much more normal each row is in each change, in ranks from -1 to 1.

    Ranks are those among all versions of a row with one value replaced, and the row as it is.
    """
    # a version that equals the row may differ from it by rounding, in another batch of scores
    same = before[:, None, None]
    versions, after = (
        np.where(np.isclose(each, same, rtol=_ROUNDING, atol=0.0), same, each)
        for each in (versions, after)
    )
    scale = np.sort(np.column_stack([versions.reshape(len(before), -1), before]), axis=1)
    gained = [
        (_ranks(known, scores) - _ranks(known, score)).mean(axis=-1)
        for known, score, scores in zip(scale, before, after, strict=True)
    ]
    return np.asarray(np.asarray(gained) / scale.shape[1])


def _ranks(known: FloatArray, scores: FloatArray) -> FloatArray:
    """Return mean ranks among sorted scores: half of the equal ones are below."""
    return np.asarray(
        (np.searchsorted(known, scores, "left") + np.searchsorted(known, scores, "right")) / 2.0
    )


def _reasons_of(
    row: FloatArray,
    rise: FloatArray,
    far: FloatArray,
    near: npt.NDArray[np.intp],
    *,
    ordinary: OrdinaryRows,
    n_reasons: int,
) -> tuple[Reason, ...]:
    apart = ordinary.apart(row)
    distance = np.array([ordinary.unusual(row, j, near[:, j], apart) for j in range(len(row))])
    # a far value is a reason even if so much else is odd that the score hardly changes
    helps = np.where((far > 0.0) & (rise == 0.0), 1e-6, np.maximum(rise, 0.0))
    strength = helps * np.maximum(distance, far)
    order = np.argsort(-strength, kind="stable").tolist()
    least = max(_LEAST_STRENGTH, _LEAST_PART * float(strength[order[0]]))
    kept = [j for j in order if strength[j] >= least or far[j] > 0.0 or j == order[0]]
    told: dict[int, int | None] = {}
    reasons: list[Reason] = []
    for j in kept:
        if len(reasons) == n_reasons or strength[j] <= 0.0:
            break
        reason, other = _reason(row, j, float(strength[j]), far[j] > 0.0, ordinary)
        # "a does not go with b" and "b does not go with a" are one reason
        if other is None or told.get(other) != j:
            reasons.append(reason)
            told[j] = other
    return tuple(reasons)


def _reason(
    row: FloatArray, column: int, strength: float, is_far: bool, ordinary: OrdinaryRows
) -> tuple[Reason, int | None]:
    """Return the reason, and the column that it says a value does not go with."""
    value = _value(ordinary.table, row, column)
    other = None
    rare = ordinary.is_level(row, column) and ordinary.is_rare(row, column)
    if not is_far and not rare:
        other = ordinary.at_odds(row, column)
    kind, words = _in_words(row, column, other, is_far, ordinary)
    name = ordinary.table.feature_names[column]
    subject = _name(name) if value is None else f"{_name(name)} {_shown(value)}"
    reason = Reason(
        column=name, value=value, kind=kind, strength=strength, sentence=f"{subject} {words}"
    )
    return reason, other


def _in_words(
    row: FloatArray, column: int, other: int | None, is_far: bool, ordinary: OrdinaryRows
) -> tuple[str, str]:
    missing = "is missing, which " if np.isnan(row[column]) else ""
    is_level = ordinary.is_level(row, column)
    if is_level and not is_far and ordinary.is_rare(row, column):
        return "gap" if missing else "category", f"{missing}is unusual here"
    steps = float(ordinary.steps(row)[column])
    kinds = [each.kind for each in ordinary.table.columns] or ["number"] * len(row)
    sides = ("before", "after") if kinds[column] == "date" else ("below", "above")
    size = f"{abs(steps):,.0f}" if abs(steps) >= 10.0 else f"{abs(steps):.1f}"
    away = f"is {size} spreads {sides[steps > 0.0]} the median"
    if is_far:
        return "far", away
    if other is not None:
        beside = _value(ordinary.table, row, other)
        name = _name(ordinary.table.feature_names[other])
        shown = f"a missing {name}" if beside is None else f"{name} {_shown(beside)}"
        return "combination", f"{missing}does not go with {shown}"
    if not is_level and (abs(steps) >= _NOTABLE or len(row) == 1):
        return "far", away if abs(steps) >= _NOTABLE else "is unusual here"
    return "combination", f"{missing}does not go with the rest of the row"


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
    return shortened(value, _NAME_WIDTH) if isinstance(value, str) else figure(value)


def _name(name: str) -> str:
    # a blank name is shown as one
    return shortened(name, _NAME_WIDTH) or repr(name)
