"""How good every judge is: pairs right, ROC and PR lost by its pick, rank correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from oddrank._typing import FloatArray
from oddrank.benchmark.verdict.judges import (
    Judge,
    constant_order,
    family,
    judges_of,
    labelled,
    usable,
)

__all__ = ["FIGURES", "Performance", "left_out_choice", "performance", "verdict_table"]

Row = Mapping[str, Any]
FIGURES = ("pairs right", "ROC lost", "PR lost", "rank correlation")
_RESAMPLES = 2000


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """What a judge achieves.

    Attributes
    ----------
    of_dataset : mapping of dataset to array of shape (4,)
        The four figures, averaged over seeds.
    """

    of_dataset: Mapping[str, FloatArray]

    @property
    def mean(self) -> FloatArray:
        """The four figures, averaged over datasets."""
        return np.asarray(np.mean(list(self.of_dataset.values()), axis=0))

    def interval(self, confidence_level: float = 0.95) -> FloatArray:
        """Return bounds of the means over datasets, shape (2, 4), by drawing datasets anew."""
        values = np.array(list(self.of_dataset.values()))
        random = np.random.default_rng(0)
        drawn = random.integers(0, len(values), (_RESAMPLES, len(values)))
        tail = (1.0 - confidence_level) / 2.0
        return np.asarray(np.quantile(values[drawn].mean(axis=1), (tail, 1.0 - tail), axis=0))


def performance(rows: Sequence[Row], judge: Judge) -> Performance:
    """Return what a judge achieves on rows that it has an opinion on."""
    found: dict[str, list[FloatArray]] = {}
    for row in rows:
        scores = judge(row)
        if not np.isnan(scores).any():
            found.setdefault(row["dataset"], []).append(_figures(row, scores))
    return Performance(of_dataset={name: np.mean(each, axis=0) for name, each in found.items()})


def _figures(row: Row, scores: FloatArray) -> FloatArray:
    roc, pr = labelled(row, "roc"), labelled(row, "pr")
    right = total = 0.0
    for i, j in combinations(range(len(scores)), 2):
        order = np.sign(roc[i] - roc[j])
        if order != 0.0 and order == np.sign(pr[i] - pr[j]):
            total += 1.0
            said = _sign(scores[i], scores[j])
            right += 0.5 if said == 0.0 else float(said == order)
    picked = scores == scores.max()
    constant = np.ptp(np.nan_to_num(scores, neginf=-1e300)) == 0.0 or np.ptp(roc) == 0.0
    correlation = 0.0 if constant else float(spearmanr(scores, roc).statistic)
    return np.array([
        right / total if total else 0.5,
        roc.max() - roc[picked].mean(),
        pr.max() - pr[picked].mean(),
        correlation,
    ])  # fmt: skip


def _sign(first: float, second: float) -> float:
    return float(first > second) - float(first < second)


def left_out_choice(rows: Sequence[Row]) -> tuple[Performance, dict[str, str]]:
    """Choose the combination on all datasets but one, and try it on that one, for each.

    The best has the largest share of pairs right less the ROC lost.
    """
    members = {name: performance(rows, judge) for name, judge in family().items()}
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    achieved, chosen = {}, {}
    for left_out in datasets:

        def gain(name: str, left_out: str = left_out) -> float:
            others = [f for d, f in members[name].of_dataset.items() if d != left_out]
            pairs, lost = np.mean(others, axis=0)[:2]
            return float(pairs - lost)

        best = max(members, key=gain)
        chosen[left_out] = best
        achieved[left_out] = members[best].of_dataset[left_out]
    return Performance(of_dataset=achieved), chosen


def verdict_table(rows: Sequence[Row], setting: str) -> dict[str, Performance]:
    """Return the performance of every judge and baseline in one setting."""
    of_setting = [row for row in usable(rows) if row["setting"] == setting]
    table = {
        name: performance(of_setting, judge)
        for name, judge in judges_of(list(of_setting), setting).items()
    }
    table["combination chosen on the other datasets"] = left_out_choice(of_setting)[0]
    table["best constant order of the other datasets"] = _left_out_constant(of_setting)
    return table


def _left_out_constant(rows: Sequence[Row]) -> Performance:
    achieved: dict[str, FloatArray] = {}
    for left_out in dict.fromkeys(row["dataset"] for row in rows):
        order = constant_order([row for row in rows if row["dataset"] != left_out])
        of_dataset = [row for row in rows if row["dataset"] == left_out]
        achieved |= performance(of_dataset, _always_in(order)).of_dataset
    return Performance(of_dataset=achieved)


def _always_in(order: FloatArray) -> Judge:
    return lambda _: order
