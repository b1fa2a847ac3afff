"""Tables of means over seeds, and the same over seeds drawn again with replacement."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark.printed_tables import MEASURES
from oddrank.benchmark.seed_results import SeedResults, in_printed_order

__all__ = ["SeedTables"]

MeanTable = dict[tuple[str, str], dict[str, float]]


class SeedTables:
    """The labelled datasets of a benchmark, seed by seed.

    Parameters
    ----------
    results : mapping of dataset, seed, detector to measures
        From `seed_results`. Datasets without labels, and detectors that have failed on one, are
        left out: nothing can agree with them.
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

        A dataset with one seed is the same in all of them, and so adds nothing to a spread; where
        all have one, there is nothing to draw.
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
            # seeds without a value are left out; where none has one, there is no mean
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
