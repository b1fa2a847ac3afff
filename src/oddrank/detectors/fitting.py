"""Fitting a copy of a detector, with seeds that do not depend on the company it is in."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from oddrank._random import integer_seed
from oddrank.detectors.fitted_detector import FittedDetector, detector_name
from oddrank.detectors.normality import normality_function
from oddrank.errors import DetectorError, DetectorFailedError
from oddrank.rows import Table

__all__ = ["Candidate", "check_can_fit", "copy_detector", "fit_detector"]


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

    def fit(self, table: Table, root: np.random.SeedSequence) -> FittedDetector:
        """Fit a copy on these rows."""
        fitted = fit_detector(self.detector, table, root)
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


def fit_detector(detector: Any, table: Table, root: np.random.SeedSequence) -> Any:
    """Return a fitted copy; where its `random_state` is None it is given one.

    The seed is the same for every detector, whatever their order or number.
    """
    check_can_fit(detector)
    try:
        fitted = copy_detector(detector)
        _seed(fitted, integer_seed(root, "detector"))
        fitted.fit(table.wrap(table.values))
    except Exception as error:
        raise DetectorFailedError(
            f"{detector_name(detector)} failed to fit {table.n_rows} rows of {table.n_features} "
            f"features: {type(error).__name__}: {error}"
        ) from error
    return fitted


def _seed(detector: Any, seed: int) -> None:
    if not hasattr(detector, "get_params"):
        return
    unset = {
        name: seed
        for name, value in detector.get_params().items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    if unset:
        detector.set_params(**unset)
