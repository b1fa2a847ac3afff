"""The winner, fitted anew on all training rows, taking rows as the user has them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddrank.detectors.fitted_detector import Candidate, FittedDetector
from oddrank.detectors.normality import is_pyod, normality_function
from oddrank.rows import Table

__all__ = ["Refit", "ScaledDetector"]


class ScaledDetector:
    """A fitted detector behind a fitted scaler, for detectors that cannot be in a `Pipeline`.

    Parameters
    ----------
    scaler : fitted StandardScaler
    fitted : FittedDetector
    """

    def __init__(self, scaler: Any, fitted: FittedDetector) -> None:
        self.scaler = scaler
        self.fitted = fitted

    def score_samples(self, X: Any) -> Any:
        """Return scores of raw rows, higher = more normal."""
        function = normality_function(self.fitted.detector, orientation=self.fitted.orientation)
        return function(self.scaler.transform(X))


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """What is needed to fit a ranked detector once more.

    Attributes
    ----------
    candidates : mapping of name to Candidate
    rows : Table
        All training rows, as they came; with the test rows where oddrank split them itself.
    scale : bool
    root : SeedSequence
    """

    candidates: Mapping[str, Candidate]
    rows: Table
    scale: bool
    root: np.random.SeedSequence

    def fitted(self, name: str) -> FittedDetector:
        """Return the detector of this name, behind a scaler if the ranking scaled the rows."""
        candidate = self.candidates[name]
        if not self.scale:
            return candidate.fit(self.rows, self.root)
        scaler = StandardScaler()
        if self.rows.container != "numpy":
            scaler.set_output(transform=self.rows.container)
        if _fits_into_pipeline(candidate.detector):
            pipeline = make_pipeline(scaler, candidate.detector)
            return replace(candidate, detector=pipeline).fit(self.rows, self.root)
        scaled = scaler.fit_transform(self.rows.wrap(self.rows.values))
        rows = self.rows.with_values(np.asarray(scaled, dtype=np.float64))
        fitted = candidate.fit(rows, self.root)
        # the scores of a ScaledDetector have their sign already
        return FittedDetector(name=name, detector=ScaledDetector(scaler, fitted))


def _fits_into_pipeline(detector: Any) -> bool:
    if not (isinstance(detector, BaseEstimator) or is_pyod(detector)):
        return False
    parameters = inspect.signature(detector.fit).parameters.values()
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return takes_any or len([p for p in parameters if p.kind is not p.KEYWORD_ONLY]) >= 2
