"""The cells of a benchmark: each is fitted once, scored once, and gives one row per preset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oddrank.benchmark.specification import BenchmarkSpec, DatasetSpec, DetectorSpec

__all__ = ["ALL_FEATURES", "Cell", "cells_of"]

ALL_FEATURES = -1


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One detector on one dataset, setting, seed, and draw of features.

    Attributes
    ----------
    dataset : DatasetSpec
    detector : DetectorSpec
    setting : str
    seed : int
    draw : int
        -1 for all features: there ROC and PR are measured, and EM and MV where features are not
        sub-sampled.
    presets : tuple of str
        What is measured; a row each.
    """

    dataset: DatasetSpec
    detector: DetectorSpec
    setting: str
    seed: int
    draw: int
    presets: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What makes it this cell, in stored rows too."""
        return (self.dataset.name, self.setting, self.detector.name, self.seed, self.draw)


def cells_of(spec: BenchmarkSpec) -> Iterator[Cell]:
    """Yield every cell of a benchmark; the same order every time."""
    if spec.presets == ("verdict",):
        yield from _pools_of(spec)
        return
    for dataset in spec.datasets:
        draws = [ALL_FEATURES, *range(spec.n_draws)] if dataset.draws else [ALL_FEATURES]
        for setting in spec.settings:
            for seed in dataset.seeds or spec.seeds:
                for draw in draws:
                    for detector in spec.detectors:
                        yield Cell(
                            dataset=dataset,
                            detector=detector,
                            setting=setting,
                            seed=seed,
                            draw=draw,
                            presets=_presets(spec, dataset, seed),
                        )


def _pools_of(spec: BenchmarkSpec) -> Iterator[Cell]:
    # judges need all detectors together: one cell for all, under the name of the pool
    pool = DetectorSpec(name="pool", path="")
    for seed in spec.seeds:
        for dataset in spec.datasets:
            if seed in (dataset.seeds or spec.seeds):
                for setting in spec.settings:
                    yield Cell(
                        dataset=dataset,
                        detector=pool,
                        setting=setting,
                        seed=seed,
                        draw=ALL_FEATURES,
                        presets=spec.presets,
                    )


def _presets(spec: BenchmarkSpec, dataset: DatasetSpec, seed: int) -> tuple[str, ...]:
    if not dataset.paper_seeds or seed in dataset.paper_seeds:
        return spec.presets
    return tuple(preset for preset in spec.presets if preset != "paper")
