"""What a verdict gets right, and the cost of following it: lines of an agreement summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from oddrank._random import stream
from oddrank.benchmark.agreement import (
    PairCounts,
    Results,
    count_pairs,
    detectors_of,
    exact_orders,
    regret,
    with_constant_order,
)
from oddrank.benchmark.goix2016 import CLAIMED_COUNTS, CLAIMED_EXACT_ORDERS
from oddrank.criteria import Estimate

__all__ = [
    "CountLine",
    "LossLine",
    "ShareRight",
    "claimed_line",
    "constant_lines",
    "counted_line",
    "loss_lines",
]

# With more detectors than this there are too many orders to count.
MOST_ORDERED = 5
FOREST = "iforest"
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

    def __str__(self) -> str:
        if not self.total:
            return "0/0"
        percent = 100.0 / self.total
        right = _range(self.surely, self.possibly, "{:.3g}")
        share = _range(percent * self.surely, percent * self.possibly, "{:.0f}")
        text = f"{right}/{self.total:.3g} = {share} %"
        if self.interval is None:
            return text
        return f"{text} [{100 * self.interval[0]:.0f}, {100 * self.interval[1]:.0f}]"


def _range(low: float, high: float, form: str) -> str:
    return "-".join(dict.fromkeys([form.format(low), form.format(high)]))


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
    """Count in the first table; the other tables, with other seeds, give the interval."""
    shares = []
    for count, against in _COLUMNS:
        counts = [count(table, criterion, against=against) for table in tables]
        shares.append(_share([(c.surely, c.possibly, c.total) for c in counts]))
    return CountLine(verdict=criterion.upper(), source=source, shares=tuple(shares))


def _share(counts: Sequence[tuple[float, float, float]]) -> ShareRight:
    """Take the first as the value, and the others, if any, for its interval."""
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


@dataclass(frozen=True, kw_only=True)
class LossLine:
    """What one loses by following a verdict, on average over datasets.

    Attributes
    ----------
    verdict : str
    source : str
    roc, pr : Estimate
        With intervals over seeds; they are empty for the printed table.
    beyond_forest : Estimate or None
        How much more ROC is lost than by always taking the isolation forest; its interval is
        over datasets, drawn again with replacement.
    """

    verdict: str
    source: str
    roc: Estimate
    pr: Estimate
    beyond_forest: Estimate | None


def loss_lines(
    picks: Sequence[str], source: str, tables: Sequence[Results], root: np.random.SeedSequence
) -> list[LossLine]:
    """Average in the first table; the other tables, with other seeds, give the interval."""
    lines = []
    for pick in picks:
        roc, pr = (
            _resampled([_mean(regret(table, pick, measure)) for table in tables])
            for measure in ("roc", "pr")
        )
        lines.append(
            LossLine(
                verdict=pick.upper() if pick in {"em", "mv"} else pick.replace(":", " "),
                source=source,
                roc=roc,
                pr=pr,
                beyond_forest=_beyond_forest(tables[0], pick, root),
            )
        )
    return lines


def _beyond_forest(
    table: Results, pick: str, root: np.random.SeedSequence, n_resamples: int = 2000
) -> Estimate | None:
    if FOREST not in detectors_of(table) or pick == f"always:{FOREST}":
        return None
    forest = regret(table, f"always:{FOREST}")
    more = np.array([lost - forest[name] for name, lost in regret(table, pick).items()])
    random = stream(root, "rows")
    means = more[random.integers(len(more), size=(n_resamples, len(more)))].mean(axis=1)
    return _resampled([float(more.mean()), *means.tolist()])


def _resampled(values: Sequence[float]) -> Estimate:
    """Take the first as the value, and the others, if any, for its error."""
    if len(values) == 1:
        return Estimate(value=values[0], standard_error=np.nan, interval=(np.nan, np.nan))
    low, high = np.quantile(values[1:], (0.025, 0.975)).tolist()
    return Estimate(
        value=values[0], standard_error=float(np.std(values[1:], ddof=1)), interval=(low, high)
    )


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))
