"""What a benchmark runs: datasets, settings, detectors, presets, seeds, in TOML."""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from oddrank.benchmark.goix2016 import SETTINGS
from oddrank.errors import InvalidParameterError

__all__ = ["BenchmarkSpec", "DatasetSpec", "DetectorSpec", "load_spec"]

PRESETS = ("paper", "oddrank", "verdict")
OWN_SPECIFICATIONS = ("goix2016", "verdict")


@dataclass(frozen=True, kw_only=True)
class DatasetSpec:
    """One dataset of a benchmark.

    Attributes
    ----------
    name : str
        One of `oddrank.datasets.list_datasets()`, or any name with a `path`.
    path : str
        The user's own table; empty for the paper's datasets.
    label : str
        Its label column, if there is one.
    anomaly : str, optional
        The label's value that marks an anomaly. By default it is 1 (of 0 and 1), true (of false
        and true), or else the rarer of two values, as for `oddrank rank --label`.
    seeds : tuple of int
        Seeds of this dataset, if it has fewer than the others.
    paper_seeds : tuple of int
        Seeds of the preset "paper", if there are fewer: its 100,000 points cost most.
    draws : bool
        Whether features are sub-sampled (Algorithm 1).
    """

    name: str
    path: str = ""
    label: str = ""
    anomaly: str | None = None
    seeds: tuple[int, ...] = ()
    paper_seeds: tuple[int, ...] = ()
    draws: bool = False


@dataclass(frozen=True, kw_only=True)
class DetectorSpec:
    """One detector: an import path such as "sklearn.svm.OneClassSVM", with parameters.

    Attributes
    ----------
    name : str
    path : str
    parameters : mapping
    max_training_rows : int
        0 for all.
    """

    name: str
    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    max_training_rows: int = 0

    def make(self) -> Any:
        """Return the detector, not fitted."""
        module, _, name = self.path.rpartition(".")
        try:
            return getattr(importlib.import_module(module), name)(**self.parameters)
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise InvalidParameterError(
                f"The detector {self.name!r} cannot be made from {self.path!r}: {error}. "
                "Give the full import path of a class and parameters it takes."
            ) from error


@dataclass(frozen=True, kw_only=True)
class BenchmarkSpec:
    """Everything a benchmark runs.

    Attributes
    ----------
    name : str
    datasets : tuple of DatasetSpec
    detectors : tuple of DetectorSpec
    settings : tuple of "novelty", "unsupervised"
    presets : tuple of "paper", "oddrank"; or "verdict" alone
    seeds : tuple of int
    n_draws, draw_features : int
        Algorithm 1.
    max_rows : int
        A sample of this many rows is used; 0 takes all.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from oddrank.benchmark import load_spec
    >>> quick = replace(load_spec("goix2016"), seeds=(0,), presets=("oddrank",), max_rows=2000)
    >>> len(quick.datasets), quick.seeds, quick.max_rows
    (12, (0,), 2000)
    """

    name: str
    datasets: tuple[DatasetSpec, ...]
    detectors: tuple[DetectorSpec, ...]
    settings: tuple[str, ...] = SETTINGS
    presets: tuple[str, ...] = ("paper", "oddrank")
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    n_draws: int = 50
    draw_features: int = 5
    max_rows: int = 0

    def __post_init__(self) -> None:
        _check_all(self.settings, SETTINGS, "settings")
        _check_all(self.presets, PRESETS, "presets")
        if "verdict" in self.presets and len(self.presets) > 1:
            raise InvalidParameterError(
                "The preset 'verdict' of a benchmark measures all detectors together, so it cannot "
                "be combined with another preset. Make two specifications."
            )
        for what, named in (("datasets", self.datasets), ("detectors", self.detectors)):
            names = [each.name for each in named]
            if not names or len(set(names)) < len(names):
                raise InvalidParameterError(
                    f"A benchmark needs one or more {what} with different names. Got {names}."
                )


def load_spec(source: str | os.PathLike[str] = "goix2016") -> BenchmarkSpec:
    """Read a specification from a TOML file; "goix2016" is the paper's, "verdict" the judges'.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import load_spec
    >>> spec = load_spec()
    >>> len(spec.datasets), [detector.name for detector in spec.detectors]
    (12, ['iforest', 'ocsvm', 'lof'])
    """
    if str(source) in OWN_SPECIFICATIONS:
        text = (resources.files("oddrank.benchmark") / "paper" / f"{source}.toml").read_text(
            "utf-8"
        )
    else:
        text = _read(Path(source))
    try:
        return _from_mapping(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise InvalidParameterError(
            f"The specification '{source}' cannot be understood: {error}. "
            "See the benchmark page of the documents for an example."
        ) from error


def _from_mapping(content: dict[str, Any]) -> BenchmarkSpec:
    datasets = tuple(
        DatasetSpec(
            **{**each, **{name: tuple(each.get(name, ())) for name in ("seeds", "paper_seeds")}}
        )
        for each in content.pop("datasets")
    )
    detectors = tuple(DetectorSpec(**each) for each in content.pop("detectors"))
    options: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
    }
    return BenchmarkSpec(datasets=datasets, detectors=detectors, **options)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameterError(
            f"The specification '{path}' cannot be read: {error}. "
            "Name a TOML file, 'goix2016' or 'verdict'."
        ) from error


def _check_all(values: tuple[str, ...], options: tuple[str, ...], name: str) -> None:
    for value in values:
        if value not in options:
            raise InvalidParameterError(
                f"The {name!r} of a benchmark must be among {', '.join(map(repr, options))}. "
                f"Got {value!r} instead."
            )
