"""Which values make a row odd: what few ordinary rows have, where the detector agrees.

Facts come from the table: far values, rare levels, values that do not go with those of another
column. `oddrank.inspection.ordinary_rows` finds them. Then the detector is asked: each such value
is replaced by those of rows that are alike in the other columns ("donors"), and the row is scored
again. A value whose replacement does not make the row more normal is not named. Values may hide one
another, so each is also the last to be replaced, after all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from oddrank._text import figure, shortened
from oddrank._typing import FloatArray
from oddrank._validation import check_integer
from oddrank.detectors import FittedDetector
from oddrank.inspection.ordinary_rows import Fact, OrdinaryRows
from oddrank.rows import Table, check_same_features

__all__ = ["Reason", "explain_rows"]

# The detector is asked about this many facts of a row, the most surprising ones.
_MOST_FACTS = 8
# A value is named if the row rises by more than this share of the ranks of its versions.
_LEAST_RISE = 0.05
# Scores that differ by a smaller part are equal.
_ROUNDING = 1e-9
# Versions of rows are scored in batches of this many.
_BATCH = 2**14
_NAME_WIDTH = 40


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One value that makes a row odd.

    Attributes
    ----------
    column : str
    value : float, str or None
        As the user has it; None is a gap.
    kind : "far", "combination", "level" or "gap"
        Beyond what ordinary rows reach; in conflict with another column; a rare level (or one of
        few numbers); missing where values are seldom missing.
    strength : float
        Sorts the reasons of one row; it cannot be compared between rows.
    partner : str or None
        The other column of a combination.
    sentence : str
        The same in words, with numbers that can be checked in the table.
    """

    column: str
    value: float | str | None
    kind: str
    strength: float
    partner: str | None = None
    sentence: str


def explain_rows(
    fitted: FittedDetector,
    odd: Table,
    ordinary: Table | OrdinaryRows,
    *,
    n_reasons: int = 3,
    n_donors: int = 12,
    root: np.random.SeedSequence,
) -> list[tuple[Reason, ...]]:
    """Return, for each odd row, the values that make it odd to a detector, main reason first.

    An ordinary row has no reasons. Neither has a row that is odd in a way that no value, and no
    pair of values, shows. The detector scores at most `17 * n_donors` versions of a row, and
    usually about `2 * n_donors`.

    Parameters
    ----------
    fitted : FittedDetector
    odd : Table
        The rows to explain.
    ordinary : Table or OrdinaryRows
        The rows to compare with, usually the training rows, with the same coding. What is usual
        there is learnt once for `OrdinaryRows`, and in every call for a table.
    n_reasons : int
        The most reasons of a row.
    n_donors : int
        How many values replace each value.
    root : numpy.random.SeedSequence
        Draws the rows of a large table that statistics of pairs are learnt from.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.rows import as_table
    >>> rows = np.random.default_rng(0).normal([170.0, 30.0], [10.0, 5.0], (500, 2)).round()
    >>> fitted = FittedDetector(name="size", detector=lambda X: -np.abs(X - [170, 30]).sum(axis=1))
    >>> odd = as_table([[171.0, 90.0]], minimum_rows=1)
    >>> ((reason,),) = explain_rows(fitted, odd, as_table(rows), root=np.random.SeedSequence(0))
    >>> reason.sentence
    'x1 90: ordinary rows reach 45'
    """
    check_integer(n_reasons, "n_reasons", "explain_rows")
    check_integer(n_donors, "n_donors", "explain_rows", minimum=2)
    table = ordinary.table if isinstance(ordinary, OrdinaryRows) else ordinary
    check_same_features(odd, table, "odd", "ordinary")
    if not odd.n_rows:
        return []
    known = ordinary if isinstance(ordinary, OrdinaryRows) else OrdinaryRows(table, root)
    facts = [known.facts(row)[:_MOST_FACTS] for row in odd.values]
    versions = [
        _versions(row, own, known, n_donors) for row, own in zip(odd.values, facts, strict=True)
    ]
    scores = _scores(fitted, odd, np.concatenate(versions))
    ends = np.cumsum([len(each) for each in versions])[:-1]
    return [
        _reasons_of(row, own, _rises(found, len(own), n_donors), known, n_reasons)
        for row, own, found in zip(odd.values, facts, np.split(scores, ends), strict=True)
    ]


def _versions(
    row: FloatArray, facts: list[Fact], ordinary: OrdinaryRows, n_donors: int
) -> FloatArray:
    """Return the row, then the row with each fact's value replaced, then with several replaced.

    The last versions lack all facts, and all facts but one each; one donor lends all these values.
    """
    columns = [fact.column for fact in facts]
    changed = [row[None]] if facts else [row[None][:0]]
    for fact in facts:
        replaced = np.tile(row, (n_donors, 1))
        lent = ordinary.donors(row, [fact.column], fact.partner, n_donors)
        replaced[:, fact.column] = lent[:, fact.column]
        changed.append(replaced)
    if len(facts) > 1:
        lent = ordinary.donors(row, columns, None, n_donors)
        without = np.tile(row, (n_donors, 1))
        without[:, columns] = lent[:, columns]
        changed.append(without)
        for column in columns:
            with_one = without.copy()
            with_one[:, column] = row[column]
            changed.append(with_one)
    return np.concatenate(changed)


def _scores(fitted: FittedDetector, odd: Table, values: FloatArray) -> FloatArray:
    found = [
        fitted.score(odd.with_values(values[start : start + _BATCH]))
        for start in range(0, len(values), _BATCH)
    ]
    return np.concatenate(found) if found else np.empty(0)


def _rises(scores: FloatArray, n_facts: int, n_donors: int) -> FloatArray:
    """Return how much more normal a row is without each fact, in ranks among its versions.

    Ranks have no scale, so any increasing function of a score gives the same rises.
    """
    if not n_facts:
        return np.empty(0)
    # a version that equals the row may differ from it by rounding, in another batch of scores
    scores = np.where(np.isclose(scores, scores[0], rtol=_ROUNDING, atol=0.0), scores[0], scores)
    ordered = np.sort(scores)
    below = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    ranks = below / (2.0 * len(scores))
    parts = ranks[1:].reshape(-1, n_donors)
    alone = _better_half(parts[:n_facts] - ranks[0])
    if n_facts == 1:
        return alone
    return np.maximum(alone, _better_half(parts[n_facts] - parts[n_facts + 1 :]))


def _better_half(rises: FloatArray) -> FloatArray:
    """Return the mean rise by the better half of the donors: what others lend may not fit."""
    return np.asarray(np.sort(rises, axis=1)[:, rises.shape[1] // 2 :].mean(axis=1))


def _reasons_of(
    row: FloatArray,
    facts: list[Fact],
    rises: FloatArray,
    ordinary: OrdinaryRows,
    n_reasons: int,
) -> tuple[Reason, ...]:
    strengths = np.array([fact.surprise for fact in facts]) * rises
    named: set[int] = set()
    reasons: list[Reason] = []
    for place in np.argsort(-strengths, kind="stable").tolist():
        fact = facts[place]
        # once a value is told, what goes badly with it is no news
        told = fact.partner in named or (fact.kind == "combination" and fact.column in named)
        if rises[place] > _LEAST_RISE and not told and len(reasons) < n_reasons:
            reasons.append(_reason(row, fact, float(strengths[place]), ordinary))
            named.add(fact.column)
            if fact.partner is not None:
                named.add(fact.partner)
    return tuple(reasons)


def _reason(row: FloatArray, fact: Fact, strength: float, ordinary: OrdinaryRows) -> Reason:
    names = ordinary.table.feature_names
    is_gap = fact.kind == "level" and np.isnan(row[fact.column])
    return Reason(
        column=names[fact.column],
        value=_value(ordinary.table, float(row[fact.column]), fact.column),
        kind="gap" if is_gap else fact.kind,
        strength=strength,
        partner=None if fact.partner is None else names[fact.partner],
        sentence=_sentence(row, fact, ordinary),
    )


def _sentence(row: FloatArray, fact: Fact, ordinary: OrdinaryRows) -> str:
    table, column = ordinary.table, fact.column
    subject = _cell(table, row, column)
    if fact.kind == "far":
        return (
            f"{subject}: ordinary rows reach {_shown(table, ordinary.reach(row, column), column)}"
        )
    if fact.partner is None:
        return f"{subject}: {_count(ordinary.count(row, column))} of {table.n_rows:,} rows"
    subject = f"{subject} with {_cell(table, row, fact.partner)}"
    if ordinary.is_level(row, column):
        alike, n_similar = ordinary.count_beside(row, column, fact.partner)
        return f"{subject}: {_count(alike)} of {n_similar:,} similar rows"
    usual = ordinary.usual_beside(row, column, fact.partner)
    return f"{subject}: similar rows have about {_shown(table, usual, column)}"


def _count(number: int) -> str:
    return f"{number:,}" if number else "none"


def _cell(table: Table, row: FloatArray, column: int) -> str:
    # a blank name is shown as one
    name = table.feature_names[column]
    return f"{shortened(name, _NAME_WIDTH) or repr(name)} {_shown(table, row[column], column)}"


def _shown(table: Table, value: float, column: int) -> str:
    shown = _value(table, float(value), column)
    if shown is None:
        return "missing"
    return shortened(shown, _NAME_WIDTH) if isinstance(shown, str) else figure(shown)


def _value(table: Table, number: float, column: int) -> float | str | None:
    value: Any = number
    if not table.is_plain:
        value = table.columns[column].decode_list(np.array([number]))[0]
    if value is None or (isinstance(value, float | int) and not isinstance(value, bool)):
        return value
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        value = value.date()
    return value.isoformat() if isinstance(value, date) else str(value)
