"""CPU times as Markdown, with the part that dominates."""

from __future__ import annotations

from collections.abc import Mapping

from oddrank.benchmark.seed_results import in_printed_order
from oddrank.benchmark.times import PARTS

__all__ = ["times_markdown", "times_sentence"]

Times = Mapping[tuple[str, str, str], float]


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
    lines = [head, ["---"] * len(head)]
    datasets = in_printed_order({key[0] for key in times}, 0)
    for dataset in datasets:
        seconds = [times.get((dataset, *column), 0.0) for column in columns]
        lines.append([dataset, *(f"{each:.1f}" for each in (*seconds, sum(seconds)))])
    sums = [sum(times.get((name, *column), 0.0) for name in datasets) for column in columns]
    lines.append(["all", *(f"{each:.1f}" for each in (*sums, sum(sums)))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
