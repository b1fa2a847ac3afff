"""What following a verdict loses, instead of knowing the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oddrank._random import stream
from oddrank.benchmark.agreement import Results, detectors_of, regret
from oddrank.criteria import Estimate

__all__ = ["LossLine", "loss_lines"]

FOREST = "iforest"


@dataclass(frozen=True, kw_only=True)
class LossLine:
    """What following one verdict loses, on average over datasets.

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
    """Average in the first table; the others, the same with other seeds, give the interval."""
    lines = []
    for pick in picks:
        roc, pr = (
            _over_seeds([_mean(regret(table, pick, measure)) for table in tables])
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
    return _over_seeds([float(more.mean()), *means.tolist()])


def _over_seeds(values: Sequence[float]) -> Estimate:
    if len(values) == 1:
        return Estimate(value=values[0], standard_error=np.nan, interval=(np.nan, np.nan))
    low, high = np.quantile(values[1:], (0.025, 0.975)).tolist()
    return Estimate(
        value=values[0], standard_error=float(np.std(values[1:], ddof=1)), interval=(low, high)
    )


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))
