"""The cells of a benchmark: each is fitted once, scored once, and gives one row per preset."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib

from oddrank.benchmark.specification import BenchmarkSpec, DatasetSpec, DetectorSpec
from oddrank.execution import code_of

__all__ = ["ALL_FEATURES", "Cell", "CellDigests", "CellKey", "cells_of"]

CellKey = tuple[str, str, str, int, int]

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
    def name(self) -> str:
        """What it is called in messages."""
        return (
            f"{self.detector.name} on {self.dataset.name} "
            f"({self.setting}, seed {self.seed}, draw {self.draw})"
        )

    @property
    def key(self) -> CellKey:
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


class CellDigests:
    """What the rows of every cell depend on, beside its key; each file is looked at once.

    Other parameters, other data or other code are another cell.

    Parameters
    ----------
    spec : BenchmarkSpec
    """

    def __init__(self, spec: BenchmarkSpec) -> None:
        self._spec = spec
        self._files: dict[str, str] = {}
        self._detectors: dict[str, Any] = {}

    def of(self, cell: Cell) -> str:
        """Return what the rows of a cell depend on, beside its key."""
        spec, of_pool = self._spec, cell.presets == ("verdict",)
        detectors = spec.detectors if of_pool else (cell.detector,)
        drawn = of_pool or cell.draw != ALL_FEATURES
        parts = (
            self._of_dataset(cell.dataset),
            [self._of_detector(each) for each in detectors],
            spec.max_rows,
            spec.draw_features if drawn else None,
            spec.n_draws if of_pool else None,
        )
        return str(joblib.hash(parts))

    def _of_dataset(self, dataset: DatasetSpec) -> Any:
        path = dataset.path
        if path and path not in self._files:
            self._files[path] = _content(Path(path).expanduser())
        # the paper's datasets are proved by their hashes when they are loaded
        return (dataset.name, dataset.label, dataset.anomaly, dataset.draws, self._files.get(path))

    def _of_detector(self, detector: DetectorSpec) -> Any:
        if detector.name not in self._detectors:
            code = code_of(detector.make())
            # where it cannot be read, nobody can tell whether it has changed: run it again
            known = secrets.token_hex(16) if code is None else code
            self._detectors[detector.name] = (asdict(detector), known)
        return self._detectors[detector.name]


def _content(path: Path) -> str:
    files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for each in files:
        digest.update(each.name.encode("utf-8", errors="surrogateescape"))
        if each.is_file():
            with each.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
