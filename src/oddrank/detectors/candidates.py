"""Detectors under a name, their fitted copies, and scores that are higher for more normal rows."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from oddrank._random import integer_seed
from oddrank._typing import FloatArray
from oddrank._validation import check_option
from oddrank.detectors.normality import ORIENTATIONS, normality_function
from oddrank.errors import DetectorError, DetectorFailedError, InvalidParameterError
from oddrank.rows import CHUNK_ROWS, Table

__all__ = [
    "Candidate",
    "FittedDetector",
    "check_can_fit",
    "copy_detector",
    "detector_name",
    "fit_detector",
    "name_candidates",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedDetector:
    """A fitted detector, and the one place where its scores get their sign.

    Attributes
    ----------
    name : str
        What it is called in messages.
    detector : object
        As its library has it: `oddrank.detectors.normality` says what is understood.
    orientation : None, "normality" or "abnormality"
        What high scores mean; None asks for the library's convention.
    """

    name: str
    detector: Any
    orientation: str | None = None

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return normality_function(self.detector, orientation=self.orientation)

    def score(self, table: Table) -> FloatArray:
        """Score all rows of a table, in chunks: higher = more normal."""
        chunks = [
            self._score_chunk(table, table.values[start : start + CHUNK_ROWS])
            for start in range(0, table.n_rows, CHUNK_ROWS)
        ]
        return np.concatenate(chunks)

    def score_of_points(self, like: Table) -> Callable[[FloatArray], FloatArray]:
        """Return a function of plain points, which are handed over as rows of `like` would be."""
        return lambda points: self.score(like.with_values(points))

    def _score_chunk(self, table: Table, values: FloatArray) -> FloatArray:
        try:
            with warnings.catch_warnings():
                # Some of scikit-learn's detectors drop a frame's names before they ask themselves.
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                scores = self._function(table.wrap(values))
        except NotFittedError:
            raise DetectorError(
                f"{self.name} is not fitted, so it cannot score rows. "
                "Fit it first, or let evaluate_detector fit it."
            ) from None
        except Exception as error:
            raise DetectorFailedError(
                f"{self.name} failed to score {len(values)} rows of {table.n_features} features: "
                f"{type(error).__name__}: {error}"
            ) from error
        return _checked(scores, len(values), self.name)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A detector under the name it has in results.

    Attributes
    ----------
    name : str
    detector : object
    orientation : None, "normality" or "abnormality"
    """

    name: str
    detector: Any
    orientation: str | None = None

    def check(self) -> None:
        """Refuse, before any work starts, what cannot be fitted or has no known direction."""
        normality_function(self.detector, orientation=self.orientation)
        check_can_fit(self.detector)

    def fit(
        self, table: Table, root: np.random.SeedSequence, *, fold: int | None = None
    ) -> FittedDetector:
        """Fit a copy on these rows; folds have seeds of their own."""
        fitted = fit_detector(self.detector, table, root, fold=fold)
        return FittedDetector(name=self.name, detector=fitted, orientation=self.orientation)


def check_can_fit(detector: Any) -> None:
    """Refuse what has no fit method."""
    if not hasattr(detector, "fit"):
        raise DetectorError(
            f"{detector_name(detector)} has no fit method, so it cannot be fitted. "
            "Use evaluate_scores for a function or a fitted model."
        )


def copy_detector(detector: Any) -> Any:
    """Return an unfitted copy; a deep one of what scikit-learn cannot clone."""
    check_can_fit(detector)
    try:
        return clone(detector)
    except Exception:
        return copy.deepcopy(detector)


def fit_detector(
    detector: Any, table: Table, root: np.random.SeedSequence, *, fold: int | None = None
) -> Any:
    """Return a fitted copy; where its `random_state` is None it is given one.

    That seed is the same for every detector, whatever their order or number. A number is the root
    of the seeds of all folds: two forests that differ in their seed differ in every fold anew.
    """
    check_can_fit(detector)
    try:
        fitted = copy_detector(detector)
        _seed(fitted, root, fold)
        fitted.fit(table.wrap(table.values))
    except Exception as error:
        raise DetectorFailedError(
            f"{detector_name(detector)} failed to fit {table.n_rows} rows of {table.n_features} "
            f"features: {type(error).__name__}: {error}"
        ) from error
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


def _checked(scores: Any, n_rows: int, name: str) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise DetectorFailedError(
            f"{name} returned scores that are not numbers. It must return one number per row."
        ) from None
    if values.shape == (n_rows, 1):
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise DetectorFailedError(
            f"{name} returned scores of shape {values.shape} for {n_rows} rows. "
            "It must return one number per row."
        )
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        raise DetectorFailedError(
            f"{name} returned NaN for {n_missing} of {n_rows} rows, which have no place in an "
            "order. Mend the detector, or clip what it divides by."
        )
    return values


def name_candidates(
    detectors: Mapping[str, Any] | Sequence[Any], orientation: str | Mapping[str, str] | None
) -> list[Candidate]:
    """Name every detector, and refuse what can be seen to be unfit before any work starts."""
    pairs = _pairs(detectors)
    if not pairs:
        raise InvalidParameterError("There are no detectors to rank. Pass at least one.")
    names = [name for name, _ in pairs]
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidParameterError(
                f"{count} detectors are called {name!r}. Give every detector a name of its own."
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


def _pairs(detectors: Any) -> list[tuple[str, Any]]:
    if isinstance(detectors, Mapping):
        return [(_checked_name(name), detector) for name, detector in detectors.items()]
    single = hasattr(detectors, "fit") or isinstance(detectors, str)
    if single or not isinstance(detectors, Iterable):
        raise InvalidParameterError(
            "The 'detectors' parameter of rank_detectors must be a mapping of names to detectors "
            f"or a sequence of detectors. Got {type(detectors).__name__} instead; "
            "put a single detector into a list."
        )
    listed = list(detectors)
    if listed and all(_is_pair(item) for item in listed):
        return [(_checked_name(name), detector) for name, detector in listed]
    seen: Counter[str] = Counter()
    pairs = []
    for detector in listed:
        name = detector_name(detector)
        seen[name] += 1
        pairs.append((name if seen[name] == 1 else f"{name}-{seen[name]}", detector))
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
