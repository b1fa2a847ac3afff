"""Measures of every dataset, seed and detector, and their means over seeds.

Rows are averaged over draws of features first. Seeds drawn again with replacement give other
tables of means, which show how much of a count is chance.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark.goix2016 import MEASURES, in_printed_order

__all__ = ["SeedResults", "SeedTables", "chosen_rows", "seed_results", "shared_draws"]

Row = Mapping[str, Any]
SeedResults = dict[str, dict[int, dict[str, dict[str, float]]]]
MeanTable = dict[tuple[str, str], dict[str, float]]


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


def _measures(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    shared = {measure: shared_draws(rows, measure) for measure in MEASURES}
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


def shared_draws(rows: Sequence[Row], measure: str) -> set[int]:
    """Return the draws in which all detectors have a value."""
    measured: dict[int, set[str]] = {}
    for row in rows:
        if row.get(measure) is not None:
            measured.setdefault(row["draw"], set()).add(row["detector"])
    everyone = {row["detector"] for row in rows if measure in row}
    return {draw for draw, detectors in measured.items() if detectors == everyone}


class SeedTables:
    """The labelled datasets of a benchmark, seed by seed.

    Parameters
    ----------
    results : mapping of dataset, seed, detector to measures
        From `seed_results`. Datasets without labels, and detectors that failed on a dataset, are
        left out, because nothing can be compared with them.
    """

    def __init__(self, results: SeedResults) -> None:
        self._names: dict[str, list[str]] = {}
        self._values: dict[str, FloatArray] = {}
        for dataset, by_seed in results.items():
            names = in_printed_order(_labelled(by_seed), 1)
            nothing = dict.fromkeys(MEASURES, np.nan)
            if names:
                self._names[dataset] = names
                self._values[dataset] = np.array([
                    [list(measures.get(name, nothing).values()) for name in names]
                    for measures in by_seed.values()
                ])  # fmt: skip

    @property
    def n_seeds(self) -> dict[str, int]:
        """Number of seeds of every dataset."""
        return {dataset: len(values) for dataset, values in self._values.items()}

    def mean(self) -> MeanTable:
        """Return the measures of every dataset and detector, averaged over seeds."""
        return self._table({name: np.arange(len(each)) for name, each in self._values.items()})

    def resampled(self, n_resamples: int, random_state: Any = None) -> Iterator[MeanTable]:
        """Yield tables of seeds drawn with replacement, within each dataset on its own.

        A dataset with one seed is the same in all tables, so it adds nothing to a spread. If all
        datasets have one seed, there is nothing to draw.
        """
        if max(self.n_seeds.values(), default=0) < 2:
            return
        random = stream(root_of(random_state, "SeedTables"), "seeds")
        for _ in range(n_resamples):
            yield self._table({
                name: random.integers(len(each), size=len(each))
                for name, each in self._values.items()
            })  # fmt: skip

    def _table(self, chosen: dict[str, Any]) -> MeanTable:
        table: MeanTable = {}
        with warnings.catch_warnings():
            # seeds without a value are left out; if no seed has one, there is no mean
            warnings.filterwarnings("ignore", "Mean of empty slice", RuntimeWarning)
            for dataset, seeds in chosen.items():
                means = np.nanmean(self._values[dataset][seeds], axis=0)
                for name, measures in zip(self._names[dataset], means.tolist(), strict=True):
                    table[dataset, name] = dict(zip(MEASURES, measures, strict=True))
        return table


def _labelled(by_seed: Mapping[int, Mapping[str, Mapping[str, float]]]) -> set[str]:
    return {
        name
        for measures in by_seed.values()
        for name, each in measures.items()
        if np.isfinite(each["roc"])
    }
