"""Which seeds are complete: a run that is still going on must not spoil a mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from oddrank.benchmark.printed_tables import SETTINGS, printed_table
from oddrank.benchmark.seed_results import in_printed_order

__all__ = ["complete_seeds", "coverage_sentence"]

Row = Mapping[str, Any]


def complete_seeds(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows of complete seeds, and names of what is left out.

    A seed of a dataset, setting and preset is complete if it has as many rows, whatever their
    status, as the fullest among all datasets whose features are drawn, or among those where they
    are not.
    """
    drawn = {row["dataset"] for row in rows if _is_drawn(row)}
    counts = Counter(_key(row) for row in rows)
    fullest: dict[bool, int] = {}
    for (dataset, *_), number in counts.items():
        fullest[dataset in drawn] = max(number, fullest.get(dataset in drawn, 0))
    partial = {key for key, number in counts.items() if number < fullest[key[0] in drawn]}
    kept = [row for row in rows if _key(row) not in partial]
    named = {
        f"{dataset}, {setting}, seed {seed}, preset {preset}"
        for dataset, setting, seed, preset in partial
    }
    return kept, sorted(named)


def _key(row: Row) -> tuple[str, str, int, str]:
    return row["dataset"], row["setting"], row["seed"], row["preset"]


def _is_drawn(row: Row) -> bool:
    """Tell whether its dataset has draws; the row of all features then has no criteria."""
    return row["draw"] >= 0 or (row["status"] == "done" and "em" not in row)


def coverage_sentence(rows: Sequence[Row]) -> str:
    """Return how many seeds every dataset has, and which of the paper's datasets have none."""
    seeds: dict[str, dict[str, set[int]]] = {}
    for row in rows:
        of_setting = seeds.setdefault(row["dataset"], {})
        of_setting.setdefault(row["setting"], set()).add(row["seed"])
    parts = []
    for dataset in in_printed_order(seeds, 0):
        numbers = [len(seeds[dataset].get(setting, ())) for setting in SETTINGS]
        text = str(numbers[0]) if len(set(numbers)) == 1 else f"{numbers[0]} and {numbers[1]}"
        parts.append(f"{dataset} {text}")
    sentence = f"Seeds, {' and '.join(SETTINGS)} setting: {', '.join(parts)}."
    printed = dict.fromkeys(dataset for dataset, _ in printed_table(SETTINGS[0]))
    missing = [dataset for dataset in printed if dataset not in seeds]
    if missing and len(missing) < len(printed):
        sentence += f" Not run yet: {', '.join(missing)}."
    return sentence
