"""Every judge as a function of one stored row: a score per detector, higher is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from oddrank._typing import FloatArray
from oddrank.judging import shares_beaten, weighing_of

__all__ = ["POLLUTED", "Judge", "combination", "family", "judges_of", "labelled", "usable"]

Row = Mapping[str, Any]
Judge = Callable[[Row], FloatArray]

# What a user would say of the training rows in each setting of the benchmark.
POLLUTED = {"novelty": False, "unsupervised": True}


def usable(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that were measured, and whose test half holds anomalies."""
    return [
        row
        for row in rows
        if row["status"] == "done"
        and all(each["roc"] is not None for each in row["detectors"].values())
    ]


def labelled(row: Row, measure: str) -> FloatArray:
    """Return the ROC or PR areas of the detectors."""
    return np.array([each[measure] for each in row["detectors"].values()], dtype=np.float64)


def combination(consensus_share: float, trimmed: bool) -> Judge:
    """Return the judge that weighs measures and peers: `rank_detectors` does it the same way."""

    def judge(row: Row) -> FloatArray:
        kind = "trimmed_areas" if trimmed else "areas"
        detectors = row["detectors"].values()
        areas = np.array([each[kind] for each in detectors]).T
        peers = [each["consensus"]["peers"] for each in detectors]
        return shares_beaten(np.vstack([areas, peers]), consensus_share)

    return judge


def family() -> dict[str, Judge]:
    """Return the combinations that the default is chosen from."""
    return {
        f"{1 - share:.0%} measures{' on trimmed rows' if trimmed else ''}, {share:.0%} peers":
            combination(share, trimmed)
        for trimmed in (False, True)
        for share in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    }  # fmt: skip


def judges_of(rows: list[Row], setting: str) -> dict[str, Judge]:
    """Return all judges and baselines that are shown."""
    measures = rows[0]["measures"]
    detectors = list(rows[0]["detectors"])
    known, unknown = weighing_of("combined", POLLUTED[setting]), weighing_of("combined", None)
    judges: dict[str, Judge] = {
        "default (polluted said)": combination(known.consensus_share, known.trimmed_share > 0),
        "default (polluted unknown)": combination(
            unknown.consensus_share, unknown.trimmed_share > 0
        ),
        "references": combination(0.0, False),
        "references on trimmed rows": combination(0.0, True),
        "volume: excess mass": _volume("em", 1.0),
        "volume: mass volume": _volume("mv", -1.0),
    }
    judges |= {f"measure: {name}": _measure(k) for k, name in enumerate(measures)}
    judges |= {f"consensus: {kind}": _consensus(kind) for kind in
               ("peers", "centrality", "authority", "mean_rank")}  # fmt: skip
    judges |= {f"always {name}": _always(name) for name in detectors}
    return judges | {"random": lambda row: np.zeros(len(row["detectors"]))}


def _volume(name: str, sign: float) -> Judge:
    def judge(row: Row) -> FloatArray:
        values = [each.get(name) for each in row["detectors"].values()]
        if all(value is None for value in values):
            return np.full(len(values), np.nan)
        # an area without a value beats nothing
        return np.array([-np.inf if value is None else sign * value for value in values])

    return judge


def _measure(position: int) -> Judge:
    return lambda row: np.array([each["areas"][position] for each in row["detectors"].values()])


def _consensus(kind: str) -> Judge:
    return lambda row: np.array([each["consensus"][kind] for each in row["detectors"].values()])


def _always(name: str) -> Judge:
    return lambda row: np.array([1.0 if each == name else 0.0 for each in row["detectors"]])


def constant_order(rows: list[Row]) -> FloatArray:
    """Return the mean ROC rank of every detector: the best constant order of these rows."""
    return np.asarray(np.mean([rankdata(labelled(row, "roc")) for row in rows], axis=0))
