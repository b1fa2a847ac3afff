"""Measures of every dataset, seed and detector: rows averaged over draws of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from oddrank.benchmark.printed_tables import MEASURES, SETTINGS, printed_table

__all__ = [
    "SeedResults",
    "chosen_rows",
    "draws_sentence",
    "in_printed_order",
    "seed_results",
]

Row = Mapping[str, Any]
SeedResults = dict[str, dict[int, dict[str, dict[str, float]]]]


def seed_results(rows: Iterable[Row], setting: str, preset: str) -> SeedResults:
    """Return measures by dataset, seed, detector and name; NaN where there is no value.

    A draw counts for EM or MV if all detectors have a value in it, as in `rank_detectors`.
    """
    groups: dict[str, dict[int, list[Row]]] = {}
    for row in chosen_rows(rows, setting, preset):
        groups.setdefault(row["dataset"], {}).setdefault(row["seed"], []).append(row)
    return {
        dataset: {seed: _measures(groups[dataset][seed]) for seed in sorted(groups[dataset])}
        for dataset in in_printed_order(groups, 0)
    }


def chosen_rows(rows: Iterable[Row], setting: str, preset: str) -> list[Row]:
    """Return the rows of one setting and preset that have a result."""
    return [
        row
        for row in rows
        if row["setting"] == setting and row["preset"] == preset and row["status"] == "done"
    ]


def in_printed_order(names: Iterable[str], position: int) -> list[str]:
    """Return datasets (position 0) or detectors (1) as the paper lists them, then by name.

    Rows come in the order in which cells were finished, which should change nothing.
    """
    printed = list(dict.fromkeys(key[position] for key in printed_table(SETTINGS[0])))
    given = set(names)
    return [name for name in printed if name in given] + sorted(given - set(printed))


def draws_sentence(rows: Iterable[Row], setting: str, preset: str) -> str:
    """Return where EM or MV is the mean of fewer draws than there are; empty if nowhere."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in chosen_rows(rows, setting, preset):
        if row["draw"] >= 0:
            groups.setdefault((row["dataset"], row["seed"]), []).append(row)
    parts = []
    for dataset in in_printed_order({name for name, _ in groups}, 0):
        of_seeds = [each for (name, _), each in groups.items() if name == dataset]
        total = sum(len({row["draw"] for row in each}) for each in of_seeds)
        for measure in ("em", "mv"):
            used = sum(len(_shared_draws(each, measure)) for each in of_seeds)
            if used < total:
                parts.append(f"{measure.upper()} of {dataset} {used} of {total}")
    if not parts:
        return ""
    return f"Draws in which all detectors have a value, where not all do: {', '.join(parts)}.\n\n"


def _measures(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    shared = {measure: _shared_draws(rows, measure) for measure in MEASURES}
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        values = found.setdefault(row["detector"], {measure: [] for measure in MEASURES})
        for measure in MEASURES:
            if row["draw"] in shared[measure]:
                values[measure].append(row[measure])
    return {
        detector: {
            measure: float(np.mean(values)) if values else np.nan
            for measure, values in found[detector].items()
        }
        for detector in in_printed_order(found, 1)
    }


def _shared_draws(rows: Sequence[Row], measure: str) -> set[int]:
    measured: dict[int, set[str]] = {}
    for row in rows:
        if row.get(measure) is not None:
            measured.setdefault(row["draw"], set()).add(row["detector"])
    everyone = {row["detector"] for row in rows if measure in row}
    return {draw for draw, detectors in measured.items() if detectors == everyone}
