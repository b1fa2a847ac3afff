"""Detectors with their names and their preprocessing, and their fitted copies."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from oddrank._random import integer_seed
from oddrank._validation import check_option
from oddrank.detectors.named_detectors import pool_of
from oddrank.detectors.normality import ORIENTATIONS, FittedDetector, LentRows, normality_function
from oddrank.detectors.preprocessing import (
    PreparedDetector,
    as_preprocess,
    check_rows_suit,
    fits_into_pipeline,
    preparation,
)
from oddrank.errors import DetectorError, DetectorFailedError, InvalidParameterError
from oddrank.rows import Table, as_table

__all__ = [
    "Candidate",
    "check_can_fit",
    "copy_detector",
    "detector_name",
    "fit_detector",
    "name_candidates",
    "names_detectors",
    "prepare_candidates",
]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A detector under the name it has in results.

    Attributes
    ----------
    name : str
    detector : object
    orientation : None, "normality" or "abnormality"
    preprocess : transformer or None
        Fitted on the training rows before the detector, which gets its output.
    """

    name: str
    detector: Any
    orientation: str | None = None
    preprocess: Any = None

    def check(self) -> None:
        """Refuse, before any work starts, what cannot be fitted or has no known direction."""
        normality_function(self.detector, orientation=self.orientation)
        check_can_fit(self.detector)

    def fit(
        self,
        table: Table,
        root: np.random.SeedSequence,
        *,
        fold: int | None = None,
        scale: bool = False,
    ) -> FittedDetector:
        """Fit a copy on these rows, behind its preprocessing; every fold has its own seed.

        With `scale` every feature is standardised after the preprocessing. Frames that are not all
        numbers stay as they are if there is no preprocessing.
        """
        steps: list[Any] = []
        if scale or self.preprocess is not None:
            steps = preparation(self.preprocess, table, scale=scale)
        if not steps:
            fitted = fit_detector(self.detector, table, root, fold=fold, name=self.name)
            return FittedDetector(name=self.name, detector=fitted, orientation=self.orientation)
        if fits_into_pipeline(self.detector):
            pipeline = make_pipeline(*steps, self.detector)
            fitted = fit_detector(pipeline, table, root, fold=fold, name=self.name)
            return FittedDetector(name=self.name, detector=fitted, orientation=self.orientation)
        before = fit_detector(make_pipeline(*steps), table, root, fold=fold, name=self.name)
        prepared = as_table(before.transform(table.wrap(table.values)))
        inner = replace(self, preprocess=None).fit(prepared, root, fold=fold)
        # the scores of a PreparedDetector already have their sign
        return FittedDetector(name=self.name, detector=PreparedDetector(before, inner))


def check_can_fit(detector: Any) -> None:
    """Refuse what has no fit method."""
    if not hasattr(detector, "fit"):
        raise DetectorError(
            f"{detector_name(detector)} has no fit method, so it cannot be fitted. "
            "Use evaluate_scores for a function or a fitted model, or put it into a class with fit "
            "and score_samples."
        )


def copy_detector(detector: Any) -> Any:
    """Return an unfitted copy; a deep copy if scikit-learn cannot clone it."""
    check_can_fit(detector)
    try:
        return clone(detector)
    except Exception:
        return copy.deepcopy(detector)


def fit_detector(
    detector: Any,
    table: Table,
    root: np.random.SeedSequence,
    *,
    fold: int | None = None,
    name: str = "",
) -> Any:
    """Return a fitted copy; if its `random_state` is None it gets one.

    That seed is the same for every detector, whatever their order or number. A number is the root
    of the seeds of all folds: two forests with different seeds are new draws in every fold.
    """
    check_can_fit(detector)
    called = name or detector_name(detector)
    rows = LentRows(table, table.values)
    try:
        fitted = copy_detector(detector)
        _seed(fitted, root, fold)
        fitted.fit(rows.lent)
    except (Exception, SystemExit) as error:
        raise DetectorFailedError(
            f"{called} failed to fit {table.n_rows} rows of {table.n_features} "
            f"features: {type(error).__name__}: {error}"
        ) from error
    rows.check_unchanged(called)
    return fitted


def _seed(detector: Any, root: np.random.SeedSequence, fold: int | None) -> None:
    if not hasattr(detector, "get_params"):
        return
    given = {
        name: value
        for name, value in detector.get_params().items()
        if name == "random_state" or name.endswith("__random_state")
    }
    seeds = {name: integer_seed(root, "detector") for name, value in given.items() if value is None}
    if fold is not None:
        seeds |= {
            name: integer_seed(np.random.SeedSequence(int(value)), "detector", fold)
            for name, value in given.items()
            if isinstance(value, Integral)
        }
    if seeds:
        detector.set_params(**seeds)


def detector_name(detector: Any) -> str:
    """Return what a detector or function is called in messages."""
    return getattr(detector, "__name__", None) or type(detector).__name__


def name_candidates(
    detectors: Mapping[str, Any] | Sequence[Any], orientation: str | Mapping[str, str] | None
) -> list[Candidate]:
    """Name every detector, and refuse unfit ones before any work starts."""
    pairs = _pairs(detectors)
    if not pairs:
        raise InvalidParameterError("There are no detectors to rank. Pass at least one.")
    names = [name for name, _ in pairs]
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidParameterError(
                f"{count} detectors are called {name!r}. Give every detector a different name."
            )
    directions = _orientations(orientation, names)
    candidates = []
    for name, detector in pairs:
        candidate = Candidate(name=name, detector=detector, orientation=directions[name])
        try:
            candidate.check()
        except DetectorError as error:
            raise DetectorError(f"{name}: {error}") from None
        candidates.append(candidate)
    return candidates


def names_detectors(detectors: Any) -> bool:
    """Return whether a pool, or some of its detectors, are given by name."""
    if isinstance(detectors, str):
        return True
    return not isinstance(detectors, Mapping) and any(isinstance(each, str) for each in detectors)


def _pairs(detectors: Any) -> list[tuple[str, Any]]:
    if isinstance(detectors, str):
        return list(pool_of([detectors]).items())
    if isinstance(detectors, Mapping):
        return [(_checked_name(name), detector) for name, detector in detectors.items()]
    if hasattr(detectors, "fit") or not isinstance(detectors, Iterable):
        raise InvalidParameterError(
            "The 'detectors' parameter of rank_detectors must be the name of a pool, a mapping of "
            "names to detectors or a sequence of names and detectors. "
            f"Got {type(detectors).__name__} instead; put a single detector into a list."
        )
    listed, seen = list(detectors), Counter[str]()
    pairs = list(pool_of([each for each in listed if isinstance(each, str)]).items())
    for each in listed:
        if isinstance(each, str):
            continue
        if _is_pair(each):
            pairs.append((_checked_name(each[0]), each[1]))
        else:
            name = detector_name(each)
            seen[name] += 1
            pairs.append((name if seen[name] == 1 else f"{name}-{seen[name]}", each))
    return pairs


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameterError(
            f"A detector's name must be a text that is not empty. Got {name!r} instead."
        )
    return name


def _orientations(
    orientation: str | Mapping[str, str] | None, names: list[str]
) -> dict[str, str | None]:
    if isinstance(orientation, Mapping):
        for name in orientation:
            check_option(name, "orientation", "rank_detectors", names)
        given = {name: orientation.get(name) for name in names}
    else:
        given = dict.fromkeys(names, orientation)
    for each in given.values():
        check_option(each, "orientation", "rank_detectors", ORIENTATIONS)
    return given


def prepare_candidates(
    candidates: Sequence[Candidate], preprocess: Any, table: Table, owner: str, name: str = "X"
) -> list[Candidate]:
    """Put the preprocessing before every detector, and refuse rows that none of them can take."""
    if table.is_plain and (preprocess is None or preprocess == "auto"):
        return list(candidates)
    chosen = as_preprocess(preprocess, table, owner)
    check_rows_suit([each.detector for each in candidates], table, chosen, name)
    return [replace(each, preprocess=chosen) for each in candidates]
