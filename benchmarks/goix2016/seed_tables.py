"""Measures of every dataset, seed and detector, and their means over seeds.

Values are averaged over draws of features first. Seeds drawn again with replacement give other
tables of means, which show how much of a count is chance.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.goix2016.paper import MEASURES, in_printed_order
from benchmarks.prepare import FloatArray
from benchmarks.rows import Row
from oddrank._random import stream

SeedResults = dict[str, dict[int, dict[str, dict[str, float]]]]
MeanTable = dict[tuple[str, str], dict[str, float]]


def complete_rows(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows of complete seeds, and names of what is left out.

    A run that is still going on must not spoil a mean: a seed of a dataset and setting is complete
    if all detectors have a row, whatever its status.
    """
    groups: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["setting"], row["seed"]), []).append(row)
    fullest = max(map(len, groups.values()), default=0)
    partial = [key for key, each in groups.items() if len(each) < fullest]
    left_out = sorted(f"{dataset}, {setting}, seed {seed}" for dataset, setting, seed in partial)
    kept = [row for key, each in groups.items() if key not in partial for row in each]
    return [row for row in kept if row.get("status", "done") == "done"], left_out


def groups_of(rows: Iterable[Row], setting: str, preset: str) -> dict[str, dict[int, list[Row]]]:
    """Return the rows that have a result by dataset, in the paper's order, and seed."""
    groups: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        if row["setting"] == setting and preset in row:
            groups.setdefault(row["dataset"], {}).setdefault(row["seed"], []).append(row)
    return {
        dataset: {seed: groups[dataset][seed] for seed in sorted(groups[dataset])}
        for dataset in in_printed_order(groups, 0)
    }


def seed_results(rows: Iterable[Row], setting: str, preset: str) -> SeedResults:
    """Return measures by dataset, seed, detector and name; NaN where there is no value.

    A draw counts for EM or MV if all detectors have a value in it, as in `rank_detectors`.
    """
    return {
        dataset: {seed: _measures(each, preset) for seed, each in by_seed.items()}
        for dataset, by_seed in groups_of(rows, setting, preset).items()
    }


def _measures(rows: Sequence[Row], preset: str) -> dict[str, dict[str, float]]:
    of_detector = {row["detector"]: row for row in rows}
    shared = {measure: shared_draws(rows, preset, measure) for measure in ("em", "mv")}
    found = {}
    for detector in in_printed_order(of_detector, 1):
        row = of_detector[detector]
        values = {name: np.nan if row[name] is None else row[name] for name in ("roc", "pr")}
        for measure, draws in shared.items():
            known = [row[preset][measure][draw] for draw in draws]
            values[measure] = float(np.mean(known)) if known else np.nan
        found[detector] = values
    return found


def shared_draws(rows: Sequence[Row], preset: str, measure: str) -> list[int]:
    """Return the draws in which all detectors have a value."""
    columns = zip(*(row[preset][measure] for row in rows), strict=True)
    return [draw for draw, values in enumerate(columns) if None not in values]


class SeedTables:
    """The datasets of the benchmark, seed by seed.

    Parameters
    ----------
    results : mapping of dataset, seed, detector to measures
        From `seed_results`. Detectors without ROC areas on a dataset are left out, because nothing
        can be compared with them.
    """

    def __init__(self, results: SeedResults) -> None:
        self._names: dict[str, list[str]] = {}
        self._values: dict[str, FloatArray] = {}
        nothing = dict.fromkeys(MEASURES, np.nan)
        for dataset, by_seed in results.items():
            names = in_printed_order(
                {
                    name
                    for measures in by_seed.values()
                    for name, each in measures.items()
                    if np.isfinite(each["roc"])
                },
                1,
            )
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

    def resampled(self, n_resamples: int, root: np.random.SeedSequence) -> Iterator[MeanTable]:
        """Yield tables of seeds drawn with replacement, within each dataset on its own.

        A dataset with one seed is the same in all tables, so it adds nothing to a spread. If all
        datasets have one seed, there is nothing to draw.
        """
        if max(self.n_seeds.values(), default=0) < 2:
            return
        random = stream(root, "seeds")
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
