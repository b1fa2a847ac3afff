"""What a search chooses between: detectors with their parameters set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

from oddrank._random import integer_seed
from oddrank._validation import check_integer, check_option
from oddrank.detectors import (
    ORIENTATIONS,
    Candidate,
    copy_detector,
    detector_name,
    normality_function,
)
from oddrank.errors import DetectorError, InvalidParameterError

__all__ = ["SearchCandidate", "make_candidates"]

_OWNER = "LabelFreeSearchCV"


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchCandidate:
    """An unfitted detector with its parameters set.

    Attributes
    ----------
    detector : object
    params : mapping of str to object
        As results name them; "detector" is the name where there are several detectors.
    orientation : None, "normality" or "abnormality"
    preprocess : transformer or None
    """

    detector: Any
    params: Mapping[str, Any]
    orientation: str | None
    preprocess: Any = None

    @property
    def name(self) -> str:
        """What the candidate is called in messages."""
        listed = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{detector_name(self.detector)}({listed})"

    @property
    def named(self) -> Candidate:
        """The same as a detector under a name."""
        return Candidate(
            name=self.name,
            detector=self.detector,
            orientation=self.orientation,
            preprocess=self.preprocess,
        )


def make_candidates(
    estimator: Any,
    param_grid: Any,
    n_iter: int | None,
    orientation: str | Mapping[str, str] | None,
    root: np.random.SeedSequence,
) -> list[SearchCandidate]:
    """List every candidate, in the order of the detectors and of their grids."""
    if n_iter is not None:
        check_integer(n_iter, "n_iter", _OWNER)
    candidates = []
    detectors = _detectors(estimator, param_grid)
    _check_orientation(orientation, [name for name, _, _ in detectors])
    for position, (name, detector, grid) in enumerate(detectors):
        oriented = _orientation_of(orientation, name)
        _check_can_score(detector, oriented)
        for params in _settings(grid, n_iter, integer_seed(root, "search", 1, position)):
            named = params if name is None else {"detector": name, **params}
            candidates.append(
                SearchCandidate(
                    detector=_with(detector, params), params=named, orientation=oriented
                )
            )
    return candidates


def _check_orientation(orientation: Any, names: list[str | None]) -> None:
    if not isinstance(orientation, Mapping):
        check_option(orientation, "orientation", _OWNER, ORIENTATIONS)
        return
    for name, each in orientation.items():
        if name not in names:
            raise InvalidParameterError(
                "The 'orientation' parameter of LabelFreeSearchCV must name detectors of "
                f"'estimator', which are {', '.join(map(repr, names))}. Got {name!r} instead."
            )
        check_option(each, "orientation", _OWNER, ORIENTATIONS)


def _orientation_of(orientation: Any, name: str | None) -> str | None:
    return orientation.get(name) if isinstance(orientation, Mapping) else orientation


def _detectors(estimator: Any, param_grid: Any) -> list[tuple[str | None, Any, Any]]:
    if not isinstance(estimator, Mapping):
        return [(None, estimator, param_grid)]
    if param_grid is not None:
        raise InvalidParameterError(
            "The 'param_grid' parameter of LabelFreeSearchCV must be None if 'estimator' is a "
            "mapping, because each detector then has its own grid. "
            f"Got {param_grid!r} instead."
        )
    is_pair = [isinstance(each, tuple) and len(each) == 2 for each in estimator.values()]
    if not is_pair or not all(is_pair):
        raise InvalidParameterError(
            "The 'estimator' parameter of LabelFreeSearchCV must be a detector, or a mapping of "
            f"names to pairs (detector, grid). Got {dict(estimator)!r} instead."
        )
    return [(str(name), detector, grid) for name, (detector, grid) in estimator.items()]


def _check_can_score(detector: Any, orientation: str | None) -> None:
    if not hasattr(detector, "fit"):
        raise InvalidParameterError(
            "The 'estimator' parameter of LabelFreeSearchCV must be a detector with a fit method, "
            f"or a mapping of names to pairs (detector, grid). Got {detector!r} instead."
        )
    normality_function(detector, orientation=orientation)


def _settings(grid: Any, n_iter: int | None, seed: int) -> list[dict[str, Any]]:
    grids = [grid] if isinstance(grid, Mapping) else grid
    is_list = isinstance(grids, list) and len(grids) > 0
    if not is_list or not all(isinstance(each, Mapping) for each in grids):
        raise InvalidParameterError(_grid_sentence(grid))
    drawn = any(hasattr(values, "rvs") for each in grids for values in each.values())
    if drawn and n_iter is None:
        raise InvalidParameterError(
            "The 'n_iter' parameter of LabelFreeSearchCV must be an int in the range [1, inf) "
            "if a parameter has a distribution. Got None instead."
        )
    try:
        if drawn or (n_iter is not None and n_iter < len(ParameterGrid(grids))):
            return list(ParameterSampler(grids, n_iter, random_state=seed))
        return list(ParameterGrid(grids))
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(_grid_sentence(grid)) from error


def _grid_sentence(grid: Any) -> str:
    return (
        "The 'param_grid' parameter of LabelFreeSearchCV must be a mapping of parameter names to "
        "lists of values or distributions, or a list of at least one such mapping. "
        f"Got {grid!r} instead."
    )


def _with(detector: Any, params: Mapping[str, Any]) -> Any:
    copied = copy_detector(detector)
    if not params:
        return copied
    try:
        return copied.set_params(**params)
    except (AttributeError, TypeError, ValueError) as error:
        raise DetectorError(
            f"{detector_name(detector)} cannot be given the parameters {dict(params)!r}: {error}"
        ) from error
