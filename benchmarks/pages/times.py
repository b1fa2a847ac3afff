"""Where the time of a benchmark goes: fitting, scoring rows, scoring reference points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank._plain_text import markdown_table
from oddrank.benchmark import in_printed_order

__all__ = ["cpu_times", "times_markdown", "times_sentence"]

Row = Mapping[str, Any]
Times = Mapping[tuple[str, str, str], float]
PARTS = {
    "fit_cpu": "fitting",
    "rows_cpu": "scoring rows",
    "points_cpu": "scoring reference points",
}


def cpu_times(rows: Sequence[Row], preset: str, seed: int) -> dict[tuple[str, str, str], float]:
    """Return CPU seconds by (dataset, detector, part) of one seed, both settings together.

    Presets share a fitted model and its scores of the rows; both are counted in full here, as if
    this preset had been run alone.
    """
    seconds: dict[tuple[str, str, str], float] = {}
    for row in rows:
        if row["preset"] != preset or row["seed"] != seed or row["status"] != "done":
            continue
        for part in PARTS:
            key = (row["dataset"], row["detector"], part)
            seconds[key] = seconds.get(key, 0.0) + row.get(part, 0.0)
    return seconds


def times_sentence(times: Times) -> str:
    """Return the total, and which part dominates it."""
    total = sum(times.values())
    (dataset, detector, part), largest = max(times.items(), key=lambda item: item[1])
    by_detector = {
        name: sum(seconds for key, seconds in times.items() if key[1] == name)
        for name in in_printed_order({key[1] for key in times}, 1)
    }
    slowest = max(by_detector, key=lambda name: by_detector[name])
    return (
        f"Both settings of one seed take {total / 60:.1f} minutes of CPU time, half of that on two "
        f"cores ({total / 120:.1f} minutes). {slowest} has "
        f"{100 * by_detector[slowest] / total:.0f} % of it; the largest single part is "
        f"{PARTS[part]} with {detector} on {dataset}, "
        f"{largest / 60:.1f} minutes ({100 * largest / total:.0f} %)."
    )


def times_markdown(times: Times) -> str:
    """Return CPU seconds per dataset, with a column for each detector and part."""
    detectors = in_printed_order({key[1] for key in times}, 1)
    columns = [(detector, part) for detector in detectors for part in PARTS]
    head = ["dataset", *(f"{detector}: {PARTS[part]}" for detector, part in columns), "all"]
    lines = []
    datasets = in_printed_order({key[0] for key in times}, 0)
    for dataset in datasets:
        seconds = [times.get((dataset, *column), 0.0) for column in columns]
        lines.append([dataset, *(f"{each:.1f}" for each in (*seconds, sum(seconds)))])
    sums = [sum(times.get((name, *column), 0.0) for name in datasets) for column in columns]
    lines.append(["all", *(f"{each:.1f}" for each in (*sums, sum(sums)))])
    return markdown_table(head, lines)
