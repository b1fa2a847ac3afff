"""How good every judge is, from stored rows: pairs right, ROC and PR lost, rank correlation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from oddrank._typing import FloatArray
from oddrank.benchmark.goix2016 import SIGNS
from oddrank.judging import CONSENSUS_KINDS

__all__ = [
    "VERDICT_FIGURES",
    "Performance",
    "areas_by_labels",
    "combined_judge",
    "left_out_choice",
    "performance",
    "usable_rows",
    "verdict_table",
    "weighed",
]

Row = Mapping[str, Any]
#: A judge, as a function of one stored row: a score per detector, higher is better.
RowJudge = Callable[[Row], FloatArray]

VERDICT_FIGURES = ("pairs right", "ROC lost", "PR lost", "rank correlation")
# What a user would say of the training rows in each setting of the benchmark.
_POLLUTED = {"novelty": False, "unsupervised": True}
# The peers' share, and whether rows are trimmed, by what the user says: chosen on these rows.
_COMBINED = {False: (0.1, False), None: (0.2, False), True: (0.6, True)}
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


def verdict_table(rows: Sequence[Row], setting: str) -> dict[str, Performance]:
    """Return the performance of every judge and baseline in one setting.

    Judges without an opinion on any dataset are left out, and so is what is chosen on the other
    datasets where there are none.
    """
    of_setting = [row for row in usable_rows(rows) if row["setting"] == setting]
    judges = _judges(of_setting[0], setting)
    table = {name: performance(of_setting, judge) for name, judge in judges.items()}
    if len({row["dataset"] for row in of_setting}) > 1:
        table["combination chosen on the other datasets"] = left_out_choice(of_setting)[0]
        table["best constant order of the other datasets"] = _left_out_constant(of_setting)
    return {name: each for name, each in table.items() if each.of_dataset}


def usable_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that were measured, and whose test half holds anomalies."""
    return [
        row
        for row in rows
        if row["status"] == "done"
        and all(each["roc"] is not None for each in row["detectors"].values())
    ]


def performance(rows: Sequence[Row], judge: RowJudge) -> Performance:
    """Return what a judge achieves on rows that it has an opinion on."""
    found: dict[str, list[FloatArray]] = {}
    for row in rows:
        scores = judge(row)
        if not np.isnan(scores).any():
            found.setdefault(row["dataset"], []).append(_figures(row, scores))
    return Performance(of_dataset={name: np.mean(each, axis=0) for name, each in found.items()})


def _figures(row: Row, scores: FloatArray) -> FloatArray:
    roc, pr = areas_by_labels(row, "roc"), areas_by_labels(row, "pr")
    right = total = 0.0
    for i, j in combinations(range(len(scores)), 2):
        order = np.sign(roc[i] - roc[j])
        if order != 0.0 and order == np.sign(pr[i] - pr[j]):
            total += 1.0
            # compared, not subtracted: both may be infinite
            said = float(scores[i] > scores[j]) - float(scores[i] < scores[j])
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


def areas_by_labels(row: Row, measure: str) -> FloatArray:
    """Return the ROC or PR areas of the detectors."""
    return np.array([each[measure] for each in row["detectors"].values()], dtype=np.float64)


def weighed(consensus_share: float, trimmed: bool) -> RowJudge:
    """Return the judge that averages orders: the peers have a share, the measures the rest.

    Its score is the share of the other detectors that a detector beats, ties counting half.
    """

    def judge(row: Row) -> FloatArray:
        detectors = row["detectors"].values()
        kind = "trimmed_areas" if trimmed else "areas"
        areas = np.array([each[kind] for each in detectors]).T
        peers = np.array([each["consensus"]["peers"] for each in detectors])
        beaten = (rankdata(np.vstack([areas, peers]), axis=-1) - 1.0) / (len(detectors) - 1.0)
        weights = np.full(len(areas), (1.0 - consensus_share) / len(areas))
        weights = np.append(weights, consensus_share)
        # summed in this order: ties between detectors are as exact as sums of such shares are
        return np.asarray(np.einsum("v,...vd->...d", weights, beaten))

    return judge


def combined_judge(polluted: bool | None) -> RowJudge:
    """Return the judge "combined" with the weights that were chosen on this benchmark."""
    return weighed(*_COMBINED[polluted])


def _judges(row: Row, setting: str) -> dict[str, RowJudge]:
    """Return all judges and baselines that are shown."""
    judges: dict[str, RowJudge] = {
        "default (polluted said)": combined_judge(_POLLUTED[setting]),
        "default (polluted unknown)": combined_judge(None),
        "references": weighed(0.0, False),
        "references on trimmed rows": weighed(0.0, True),
        "volume: excess mass": _volume("em"),
        "volume: mass volume": _volume("mv"),
    }
    for position, name in enumerate(row["measures"]):
        judges[f"measure: {name}"] = _looked_up("areas", position)
    for kind in CONSENSUS_KINDS:
        judges[f"consensus: {kind}"] = _looked_up("consensus", kind)
    for name in row["detectors"]:
        judges[f"always {name}"] = _always(name)
    return judges | {"random": lambda row: np.zeros(len(row["detectors"]))}


def _volume(name: str) -> RowJudge:
    def judge(row: Row) -> FloatArray:
        values = [each.get(name) for each in row["detectors"].values()]
        if all(value is None for value in values):
            return np.full(len(values), np.nan)
        # an area without a value beats nothing
        return np.array([-np.inf if value is None else SIGNS[name] * value for value in values])

    return judge


def _looked_up(kind: str, key: int | str) -> RowJudge:
    return lambda row: np.array([each[kind][key] for each in row["detectors"].values()])


def _always(name: str) -> RowJudge:
    return lambda row: np.array([1.0 if each == name else 0.0 for each in row["detectors"]])


def left_out_choice(rows: Sequence[Row]) -> tuple[Performance, dict[str, str]]:
    """Choose the combination on all datasets but one, and try it on that one, for each.

    The best has the largest share of pairs right less the ROC lost.
    """
    members = {
        f"{1 - share:.0%} measures{' on trimmed rows' if trimmed else ''}, {share:.0%} peers":
            performance(rows, weighed(share, trimmed))
        for trimmed in (False, True)
        for share in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    }  # fmt: skip
    achieved, chosen = {}, {}
    for left_out in dict.fromkeys(row["dataset"] for row in rows):

        def gain(name: str, left_out: str = left_out) -> float:
            others = [f for d, f in members[name].of_dataset.items() if d != left_out]
            pairs, lost = np.mean(others, axis=0)[:2]
            return float(pairs - lost)

        best = max(members, key=gain)
        chosen[left_out] = best
        achieved[left_out] = members[best].of_dataset[left_out]
    return Performance(of_dataset=achieved), chosen


def _left_out_constant(rows: Sequence[Row]) -> Performance:
    """Take the mean ROC ranks of all datasets but one, and try this order on that one."""
    achieved: dict[str, FloatArray] = {}
    for left_out in dict.fromkeys(row["dataset"] for row in rows):
        others = [areas_by_labels(row, "roc") for row in rows if row["dataset"] != left_out]
        order = np.asarray(np.mean([rankdata(roc) for roc in others], axis=0))
        of_dataset = [row for row in rows if row["dataset"] == left_out]
        achieved |= performance(of_dataset, _constant(order)).of_dataset
    return Performance(of_dataset=achieved)


def _constant(scores: FloatArray) -> RowJudge:
    return lambda _: scores
