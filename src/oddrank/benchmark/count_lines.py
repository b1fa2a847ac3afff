"""What a verdict gets right: claimed by the paper, counted in a table, or by a constant order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from oddrank.benchmark.agreement import (
    PairCounts,
    Results,
    count_pairs,
    exact_orders,
    with_constant_order,
)
from oddrank.benchmark.printed_tables import CLAIMED_COUNTS, CLAIMED_EXACT_ORDERS

__all__ = ["CountLine", "ShareRight", "claimed_line", "constant_lines", "counted_line"]

# Every order of more detectors than these would be too many to count.
MOST_ORDERED = 5
_COLUMNS: tuple[tuple[Callable[..., PairCounts], tuple[str, ...]], ...] = (
    (count_pairs, ("roc",)),
    (count_pairs, ("pr",)),
    (count_pairs, ("roc", "pr")),
    (exact_orders, ("roc", "pr")),
)


@dataclass(frozen=True, kw_only=True)
class ShareRight:
    """How many of the pairs, or of the rankings, a verdict gets right.

    Attributes
    ----------
    surely, possibly : float
        They differ where figures are tied or unresolved.
    total : float
    interval : (float, float) or None
        Of the share, over seeds; from what is surely right to what is possibly right.
    """

    surely: float
    possibly: float
    total: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class CountLine:
    """What one verdict gets right.

    Attributes
    ----------
    verdict : str
    source : str
        Where it was counted.
    shares : tuple of ShareRight or None
        Pairs as ROC, as PR, as both where these agree, and rankings that are recovered exactly
        (all pairs of a dataset on which ROC and PR agree). None where nothing is claimed.
    """

    verdict: str
    source: str
    shares: tuple[ShareRight | None, ...]


def claimed_line(setting: str, criterion: str) -> CountLine:
    """Return what the paper's text says of a criterion."""
    texts = (*CLAIMED_COUNTS[setting, criterion], CLAIMED_EXACT_ORDERS.get((setting, criterion)))
    return CountLine(
        verdict=criterion.upper(), source="the paper's text", shares=tuple(map(_parsed, texts))
    )


def _parsed(text: str | None) -> ShareRight | None:
    if text is None:
        return None
    right, total = map(int, text.split("/"))
    return ShareRight(surely=right, possibly=right, total=total)


def counted_line(criterion: str, source: str, tables: Sequence[Results]) -> CountLine:
    """Count in the first table; the others, the same with other seeds, give the interval."""
    shares = []
    for count, against in _COLUMNS:
        counts = [count(table, criterion, against=against) for table in tables]
        shares.append(_share([(c.surely, c.possibly, c.total) for c in counts]))
    return CountLine(verdict=criterion.upper(), source=source, shares=tuple(shares))


def _share(counts: Sequence[tuple[float, float, float]]) -> ShareRight:
    """Make the first the value, and the others, if there are any, its interval."""
    surely, possibly, total = counts[0]
    interval = None
    if len(counts) > 1:
        low, high, of = np.array([each for each in counts[1:] if each[2]]).T
        interval = (float(np.quantile(low / of, 0.025)), float(np.quantile(high / of, 0.975)))
    return ShareRight(surely=surely, possibly=possibly, total=total, interval=interval)


def constant_lines(source: str, tables: Sequence[Results]) -> list[CountLine]:
    """Return the best order in hindsight, each detector first and the others at random, random."""
    detectors = list(dict.fromkeys(name for _, name in tables[0]))
    if len(detectors) > MOST_ORDERED:
        return []
    orders = list(permutations(detectors))
    expected = np.array([[_expected(table, order) for order in orders] for table in tables])
    best = int(np.argmax(expected[0, :, 0, 0]))
    groups = {f"always {' > '.join(orders[best])} (best in hindsight)": [best]}
    for detector in detectors:
        groups[f"{detector} first, the others at random"] = [
            position for position, order in enumerate(orders) if order[0] == detector
        ]
    groups["random order"] = list(range(len(orders)))
    lines = []
    for verdict, positions in groups.items():
        mean = expected[:, positions].mean(axis=1)
        shares = [
            _share([(right, right, total) for right, total in mean[:, column]])
            for column in range(len(_COLUMNS))
        ]
        lines.append(CountLine(verdict=verdict, source=source, shares=tuple(shares)))
    return lines


def _expected(table: Results, order: tuple[str, ...]) -> list[tuple[float, float]]:
    constant = with_constant_order(table, order)
    counts = [count(constant, "constant", against=against) for count, against in _COLUMNS]
    return [(each.expected, each.total) for each in counts]
