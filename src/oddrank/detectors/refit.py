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

from oddrank._typing import BoolArray
from oddrank.detectors.candidates import Candidate, FittedDetector
from oddrank.detectors.normality import is_pyod, normality_function
from oddrank.rows import Table, natural_order

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
    trusted : array of bool, or None
        Rows that detectors may be fitted on, where the others were found odd.
    """

    candidates: Mapping[str, Candidate]
    rows: Table
    scale: bool
    root: np.random.SeedSequence
    trusted: BoolArray | None = None

    def fitted(self, name: str, *, fold: int | None = None) -> FittedDetector:
        """Return the detector of this name, behind a scaler if the rows are scaled."""
        candidate, table = self.candidates[name], self._training_rows()
        if not self.scale:
            return candidate.fit(table, self.root, fold=fold)
        scaler = StandardScaler()
        if table.container != "numpy":
            scaler.set_output(transform=table.container)
        if _fits_into_pipeline(candidate.detector):
            pipeline = make_pipeline(scaler, candidate.detector)
            return replace(candidate, detector=pipeline).fit(table, self.root, fold=fold)
        scaled = scaler.fit_transform(table.wrap(table.values))
        rows = table.with_values(np.asarray(scaled, dtype=np.float64))
        fitted = candidate.fit(rows, self.root, fold=fold)
        # the scores of a ScaledDetector have their sign already
        return FittedDetector(name=name, detector=ScaledDetector(scaler, fitted))

    def _training_rows(self) -> Table:
        # in an order that the rows themselves give: a shuffled table is fitted alike
        order = natural_order(self.rows.values, self.root)
        return self.rows.rows(order if self.trusted is None else order[self.trusted[order]])


def _fits_into_pipeline(detector: Any) -> bool:
    if not (isinstance(detector, BaseEstimator) or is_pyod(detector)):
        return False
    parameters = inspect.signature(detector.fit).parameters.values()
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return takes_any or len([p for p in parameters if p.kind is not p.KEYWORD_ONLY]) >= 2
