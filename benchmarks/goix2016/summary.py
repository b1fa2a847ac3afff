"""Agreement and regret with intervals over seeds, beside the paper's and constant verdicts.

Counts are those of the table of means over seeds. Intervals (95 %) are those of the same counts
when seeds are drawn again with replacement within each dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from benchmarks.goix2016.agreement import (
    PairCounts,
    Results,
    count_pairs,
    detectors_of,
    exact_orders,
    regret,
    with_constant_order,
)
from benchmarks.goix2016.paper import CLAIMED_COUNTS, CLAIMED_EXACT_ORDERS, printed_table
from benchmarks.goix2016.seed_tables import SeedTables, seed_results
from benchmarks.markdown import table
from benchmarks.rows import Row
from oddrank._random import stream

CRITERIA = ("em", "mv")
PRESETS = ("paper", "oddrank")
FOREST = "iforest"
EXPLANATION = """\
The columns count pairs of detectors on one dataset that a verdict orders as ROC does, as PR does,
and as both do where these two agree. A ranking is exact if no such pair of a dataset is wrong. A
range means that rounded or unresolved figures leave pairs tied. Our counts are those in the table
of means over seeds. Intervals (95 %) come from drawing each dataset's seeds again with replacement,
so a dataset with one seed adds nothing to them. Intervals in the last column come from drawing
datasets again with replacement."""

Counter = Callable[..., PairCounts]
_COLUMNS: dict[str, tuple[Counter, tuple[str, ...]]] = {
    "as ROC": (count_pairs, ("roc",)),
    "as PR": (count_pairs, ("pr",)),
    "as both, where they agree": (count_pairs, ("roc", "pr")),
    "exact rankings": (exact_orders, ("roc", "pr")),
}


@dataclass(frozen=True, kw_only=True)
class Share:
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
class Loss:
    """A mean over datasets, with an interval where there is anything to draw again."""

    value: float
    interval: tuple[float, float] | None

    def text(self, sign: str = "") -> str:
        """Return the figure, with its interval if there is one."""
        text = f"{self.value:{sign}.3f}"
        if self.interval is None:
            return text
        low, high = self.interval
        return f"{text} [{low:{sign}.3f}, {high:{sign}.3f}]"


@dataclass(frozen=True, kw_only=True)
class CountLine:
    """What one verdict gets right; None where nothing is claimed."""

    verdict: str
    source: str
    shares: tuple[Share | None, ...]


@dataclass(frozen=True, kw_only=True)
class LossLine:
    """What one loses by following a verdict, on average over datasets.

    `beyond_forest` says how much more ROC is lost than by always taking the isolation forest.
    """

    verdict: str
    source: str
    roc: Loss
    pr: Loss
    beyond_forest: Loss | None


@dataclass(frozen=True, kw_only=True)
class AgreementSummary:
    """Agreement and regret of one setting; `n_seeds` by preset and dataset."""

    setting: str
    n_seeds: Mapping[str, Mapping[str, int]]
    counts: tuple[CountLine, ...]
    losses: tuple[LossLine, ...]

    def to_markdown(self) -> str:
        """Return both tables, with the number of seeds of every dataset."""
        seeds = [
            f"Seeds of preset {preset}: {', '.join(f'{name} {n}' for name, n in numbers.items())}."
            for preset, numbers in self.n_seeds.items()
        ]
        counts = [
            [line.verdict, line.source, *("–" if each is None else each for each in line.shares)]
            for line in self.counts
        ]
        losses = [
            [line.verdict, line.source, line.roc.text(), line.pr.text(),
             line.beyond_forest.text("+") if line.beyond_forest else ""]
            for line in self.losses
        ]  # fmt: skip
        lost = ["ROC lost", "PR lost", "ROC lost beyond always iforest"]
        return "\n\n".join([
            "\n".join(seeds),
            table(["verdict", "counted in", *_COLUMNS], counts),
            table(["following", "in", *lost], losses),
        ])  # fmt: skip


def summarise_agreement(
    rows: Iterable[Row], setting: str, *, n_resamples: int = 1000
) -> AgreementSummary:
    """Count, for every preset that has rows, what EM, MV and constant verdicts get right."""
    stored = list(rows)
    found = {preset: SeedTables(seed_results(stored, setting, preset)) for preset in PRESETS}
    tables = {preset: each for preset, each in found.items() if each.n_seeds}
    if not tables:
        return AgreementSummary(setting=setting, n_seeds={}, counts=(), losses=())
    root = np.random.SeedSequence(0)
    n_seeds = {preset: each.n_seeds for preset, each in tables.items()}
    most = max(n_seeds, key=lambda preset: (len(n_seeds[preset]), sum(n_seeds[preset].values())))
    theirs: dict[str, list[Results]] = {"printed table": [printed_table(setting)]}
    ours: dict[str, list[Results]] = {
        f"ours, preset {preset}": [each.mean(), *each.resampled(n_resamples, root)]
        for preset, each in tables.items()
    }
    # models, and so ROC and PR, are the same in all presets: the fullest of them tells
    labelled = {**theirs, "ours": ours[f"ours, preset {most}"]}
    constants = [f"always:{name}" for name in detectors_of(labelled["ours"][0])]
    counts, losses = [], []
    for criterion in CRITERIA:
        counts.append(_claimed_line(setting, criterion))
        for source, of_seeds in {**theirs, **ours}.items():
            counts.append(_counted_line(criterion, source, of_seeds))
            losses += _loss_lines([criterion], source, of_seeds, root)
    for source, of_seeds in labelled.items():
        counts += _constant_lines(source, of_seeds)
        losses += _loss_lines([*constants, "random"], source, of_seeds, root)
    return AgreementSummary(
        setting=setting, n_seeds=n_seeds, counts=tuple(counts), losses=tuple(losses)
    )


def _claimed_line(setting: str, criterion: str) -> CountLine:
    """Return what the paper's text says of a criterion."""
    texts = (*CLAIMED_COUNTS[setting, criterion], CLAIMED_EXACT_ORDERS.get((setting, criterion)))
    return CountLine(
        verdict=criterion.upper(), source="the paper's text", shares=tuple(map(_claimed, texts))
    )


def _claimed(text: str | None) -> Share | None:
    if text is None:
        return None
    right, total = map(int, text.split("/"))
    return Share(surely=right, possibly=right, total=total)


def _counted_line(criterion: str, source: str, tables: Sequence[Results]) -> CountLine:
    """Count in the first table; the other tables, with other seeds, give the interval."""
    shares = []
    for count, against in _COLUMNS.values():
        counts = [count(each, criterion, against=against) for each in tables]
        shares.append(_share([(c.surely, c.possibly, c.total) for c in counts]))
    return CountLine(verdict=criterion.upper(), source=source, shares=tuple(shares))


def _share(counts: Sequence[tuple[float, float, float]]) -> Share:
    """Take the first as the value, and the others, if any, for its interval."""
    surely, possibly, total = counts[0]
    interval = None
    if len(counts) > 1:
        low, high, of = np.array([each for each in counts[1:] if each[2]]).T
        interval = (float(np.quantile(low / of, 0.025)), float(np.quantile(high / of, 0.975)))
    return Share(surely=surely, possibly=possibly, total=total, interval=interval)


def _constant_lines(source: str, tables: Sequence[Results]) -> list[CountLine]:
    """Return the best order in hindsight, each detector first and the others at random, random."""
    detectors = list(dict.fromkeys(name for _, name in tables[0]))
    orders = list(permutations(detectors))
    expected = np.array([[_expected(each, order) for order in orders] for each in tables])
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


def _expected(results: Results, order: tuple[str, ...]) -> list[tuple[float, float]]:
    constant = with_constant_order(results, order)
    counts = [count(constant, "constant", against=against) for count, against in _COLUMNS.values()]
    return [(each.expected, each.total) for each in counts]


def _loss_lines(
    picks: Sequence[str], source: str, tables: Sequence[Results], root: np.random.SeedSequence
) -> list[LossLine]:
    """Average in the first table; the other tables, with other seeds, give the interval."""
    lines = []
    for pick in picks:
        roc, pr = (
            _loss([_mean(regret(each, pick, measure)) for each in tables])
            for measure in ("roc", "pr")
        )
        lines.append(
            LossLine(
                verdict=pick.upper() if pick in CRITERIA else pick.replace(":", " "),
                source=source,
                roc=roc,
                pr=pr,
                beyond_forest=_beyond_forest(tables[0], pick, root),
            )
        )
    return lines


def _beyond_forest(
    results: Results, pick: str, root: np.random.SeedSequence, n_resamples: int = 2000
) -> Loss | None:
    if FOREST not in detectors_of(results) or pick == f"always:{FOREST}":
        return None
    forest = regret(results, f"always:{FOREST}")
    more = np.array([lost - forest[name] for name, lost in regret(results, pick).items()])
    random = stream(root, "rows")
    means = more[random.integers(len(more), size=(n_resamples, len(more)))].mean(axis=1)
    return _loss([float(more.mean()), *means.tolist()])


def _loss(values: Sequence[float]) -> Loss:
    """Take the first as the value, and the others, if any, for its interval."""
    if len(values) == 1:
        return Loss(value=values[0], interval=None)
    low, high = np.quantile(values[1:], (0.025, 0.975)).tolist()
    return Loss(value=values[0], interval=(low, high))


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))
