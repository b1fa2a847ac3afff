"""Tables in the paper's layout, made from stored rows only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank.benchmark.printed_tables import MEASURES, printed_table

__all__ = ["ResultCell", "markdown_table", "results_table"]

Results = dict[tuple[str, str], dict[str, "ResultCell"]]


@dataclass(frozen=True, kw_only=True)
class ResultCell:
    """One measure of one detector on one dataset.

    Attributes
    ----------
    value : float
        Mean over seeds; NaN where it has no value.
    error : float
        Standard deviation over seeds; NaN for one seed.
    n_seeds : int
    """

    value: float
    error: float
    n_seeds: int


def results_table(rows: Iterable[Mapping[str, Any]], setting: str, preset: str) -> Results:
    """Average rows over draws, then over seeds, for one setting and preset.

    A draw counts for EM or MV if all detectors have a value in it, as in `rank_detectors`.
    """
    chosen = [
        row
        for row in rows
        if row["setting"] == setting and row["preset"] == preset and row["status"] == "done"
    ]
    table: Results = {}
    names = dict.fromkeys((row["dataset"], row["detector"]) for row in chosen)
    for dataset, detector in names:
        table[dataset, detector] = {
            measure: _over_seeds(
                [row for row in chosen if row["dataset"] == dataset], detector, measure
            )
            for measure in MEASURES
        }
    return table


def _over_seeds(rows: Sequence[Mapping[str, Any]], detector: str, measure: str) -> ResultCell:
    means = []
    for seed in sorted({row["seed"] for row in rows}):
        shared = _shared_draws(rows, seed, measure)
        values = [
            row[measure]
            for row in rows
            if row["seed"] == seed
            and row["detector"] == detector
            and row.get(measure) is not None
            and row["draw"] in shared
        ]
        if values:
            means.append(float(np.mean(values)))
    return ResultCell(
        value=float(np.mean(means)) if means else float("nan"),
        error=float(np.std(means, ddof=1)) if len(means) > 1 else float("nan"),
        n_seeds=len(means),
    )


def _shared_draws(rows: Sequence[Mapping[str, Any]], seed: int, measure: str) -> set[int]:
    of_seed = [row for row in rows if row["seed"] == seed and measure in row]
    without = {row["draw"] for row in of_seed if row[measure] is None}
    return {row["draw"] for row in of_seed} - without


def markdown_table(results: Results, setting: str) -> str:
    """Return ours beside the paper's, best in bold and worst underlined per dataset and measure."""
    printed = printed_table(setting)
    head = ["dataset", "detector"]
    for measure in MEASURES:
        head += [measure.upper(), "paper", "ratio"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for dataset, detector in results:
        line = [dataset, detector]
        for measure in MEASURES:
            line += _beside(results, dataset, detector, measure, printed)
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines)


def _beside(
    results: Results,
    dataset: str,
    detector: str,
    measure: str,
    printed: Mapping[tuple[str, str], Mapping[str, float]],
) -> list[str]:
    cell = results[dataset, detector][measure]
    text = _figure(cell, measure)
    mark = _place(results, dataset, detector, measure)
    if mark == "best":
        text = f"**{text}**"
    elif mark == "worst":
        text = f"<u>{text}</u>"
    theirs = printed.get((dataset, detector))
    if theirs is None:
        return [text, "", ""]
    return [text, f"{theirs[measure]:.3g}", f"{cell.value / theirs[measure]:.2f}"]


def _figure(cell: ResultCell, measure: str) -> str:
    if np.isnan(cell.value):
        return "unresolved"
    value = f"{cell.value:.3f}" if measure in {"roc", "pr"} else f"{cell.value:.2g}"
    if np.isnan(cell.error):
        return value
    return f"{value} ± {cell.error:.2g}"


def _place(results: Results, dataset: str, detector: str, measure: str) -> str:
    values = {d: cells[measure].value for (name, d), cells in results.items() if name == dataset}
    if any(np.isnan(value) for value in values.values()):
        return ""
    best, worst = max(values.values()), min(values.values())
    if measure == "mv":
        best, worst = worst, best
    return {best: "best", worst: "worst"}.get(values[detector], "")
