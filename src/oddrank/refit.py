"""The winner, fitted anew on all training rows, taking rows as the user has them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddrank.fitting import fit_detector
from oddrank.normality import is_pyod, normality_function
from oddrank.table import Table

__all__ = ["Refit", "ScaledDetector"]


class ScaledDetector:
    """A fitted detector behind a fitted scaler, for detectors that cannot be in a `Pipeline`.

    Parameters
    ----------
    scaler : fitted StandardScaler
    detector : fitted detector
    orientation : None, "normality" or "abnormality"
    """

    def __init__(self, scaler: Any, detector: Any, orientation: str | None) -> None:
        self.scaler = scaler
        self.detector = detector
        self.orientation = orientation

    def score_samples(self, X: Any) -> Any:
        """Return scores of raw rows, higher = more normal."""
        function = normality_function(self.detector, orientation=self.orientation)
        return function(self.scaler.transform(X))


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """What is needed to fit a ranked detector once more.

    Attributes
    ----------
    detectors : mapping of name to detector
    orientations : mapping of name to None, "normality" or "abnormality"
    rows : Table
        All training rows, as they came; with the test rows where oddrank split them itself.
    scale : bool
    root : SeedSequence
    """

    detectors: Mapping[str, Any]
    orientations: Mapping[str, str | None]
    rows: Table
    scale: bool
    root: np.random.SeedSequence

    def fitted(self, name: str) -> Any:
        """Return the detector of this name, behind a scaler if the ranking scaled the rows."""
        detector = self.detectors[name]
        if not self.scale:
            return fit_detector(detector, self.rows, self.root)
        scaler = StandardScaler()
        if self.rows.container != "numpy":
            scaler.set_output(transform=self.rows.container)
        if _fits_into_pipeline(detector):
            return fit_detector(make_pipeline(scaler, detector), self.rows, self.root)
        scaled = scaler.fit_transform(self.rows.wrap(self.rows.values))
        rows = self.rows.with_values(np.asarray(scaled, dtype=np.float64))
        fitted = fit_detector(detector, rows, self.root)
        return ScaledDetector(scaler, fitted, self.orientations[name])

    def orientation(self, name: str) -> str | None:
        """Return what high scores of the refitted detector mean, if that was said."""
        if self.scale and not _fits_into_pipeline(self.detectors[name]):
            return None  # ScaledDetector has turned them already
        return self.orientations[name]


def _fits_into_pipeline(detector: Any) -> bool:
    if not (isinstance(detector, BaseEstimator) or is_pyod(detector)):
        return False
    parameters = inspect.signature(detector.fit).parameters.values()
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return takes_any or len([p for p in parameters if p.kind is not p.KEYWORD_ONLY]) >= 2
