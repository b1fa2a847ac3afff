"""A public check to run on your own detector before you rank it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._text import percent
from oddrank._typing import FloatArray
from oddrank.detectors.candidates import Candidate, detector_name
from oddrank.detectors.normality import FittedDetector, normality_function
from oddrank.errors import OddrankError
from oddrank.rows import Table, as_table

__all__ = ["DetectorCheck", "check_detector"]


@dataclass(frozen=True, kw_only=True)
class DetectorCheck:
    """What `check_detector` found.

    Attributes
    ----------
    name : str
    problems : tuple of str
        Sentences that say why the detector cannot be ranked; none if it fits.
    remarks : tuple of str
        Sentences about what works less well than it could.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from oddrank import check_detector
    >>> check_detector(LocalOutlierFactor()).problems
    ('LocalOutlierFactor(novelty=False) cannot score new points. Use novelty=True.',)
    """

    name: str
    problems: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the detector can be ranked."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = f"{self.name} " + ("can be ranked." if self.ok else "cannot be ranked:")
        return "\n".join([head, *(f"  - {sentence}" for sentence in self.problems + self.remarks)])


def check_detector(
    detector: Any, X: Any = None, *, orientation: str | None = None, random_state: Any = None
) -> DetectorCheck:
    """Check whether a detector can be ranked, and say what is wrong if it cannot.

    A copy is fitted and scores rows (functions and models without `fit` are used as they are). It
    must return one number per row, and the same scores twice and in pieces. Rows far away must be
    less normal than rows in the middle. It should be possible to send it to another process.

    Parameters
    ----------
    detector : object
    X : array or frame, optional
        Rows to try it on; 400 Gaussian rows of 3 features by default.
    orientation : None, "normality" or "abnormality"
    random_state : None, int or numpy random state

    Returns
    -------
    DetectorCheck

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> print(check_detector(LocalOutlierFactor()))
    LocalOutlierFactor cannot be ranked:
      - LocalOutlierFactor(novelty=False) cannot score new points. Use novelty=True.
    >>> check_detector(LocalOutlierFactor(novelty=True)).ok
    True
    """
    root = root_of(random_state, "check_detector")
    table = as_table(stream(root, "check").normal(size=(400, 3)) if X is None else X)
    name = detector_name(detector)
    try:
        normality_function(detector, orientation=orientation)
        fitted = FittedDetector(name=name, detector=detector, orientation=orientation)
        if hasattr(detector, "fit"):
            candidate = Candidate(name=name, detector=detector, orientation=orientation)
            fitted = candidate.fit(table, root)
        scores = fitted.score(table)
    except OddrankError as error:
        return DetectorCheck(name=name, problems=(str(error),), remarks=())
    return DetectorCheck(
        name=name,
        problems=tuple(_found(fitted, table, scores)),
        remarks=tuple(_remarks(fitted, scores)),
    )


def _found(fitted: FittedDetector, table: Table, scores: FloatArray) -> Iterator[str]:
    try:
        yield from _problems(fitted, table, scores)
    except OddrankError as error:
        yield str(error)


def _problems(fitted: FittedDetector, table: Table, scores: FloatArray) -> Iterator[str]:
    name = fitted.name
    if (scores == scores[0]).all():
        yield f"{name} gives every row the same score, so it cannot rank them."
    if not np.allclose(fitted.score(table), scores, equal_nan=True):
        yield f"{name} gives different scores when it is called again. Set its random_state."
    half = table.rows(np.arange(table.n_rows // 2))
    if not np.allclose(fitted.score(half), scores[: half.n_rows]):
        yield (
            f"{name} scores a row differently when other rows are missing. "
            "A score must depend on its own row alone."
        )
    middle, spread = np.median(table.values, axis=0), np.ptp(table.values, axis=0)
    far = table.with_values(middle + 10.0 * spread * _corners(table.n_features))
    if np.median(fitted.score(far)) > np.median(scores):
        yield (
            f"{name} finds rows far away from the data more normal than the data. "
            "Its scores may be upside down: set orientation='abnormality' if high means odd."
        )


def _corners(n_features: int) -> FloatArray:
    signs = np.ones((2 * n_features, n_features))
    signs[np.arange(n_features), np.arange(n_features)] = -1.0
    signs[n_features:] *= -1.0
    return signs


def _remarks(fitted: FittedDetector, scores: FloatArray) -> Iterator[str]:
    name = fitted.name
    ties = 1.0 - len(np.unique(scores)) / len(scores)
    if ties > 0.1:
        yield f"{percent(ties, 0)} of the scores of {name} are ties, so its curves will be coarse."
    try:
        pickle.dumps(fitted.detector)
    except Exception:
        yield (
            f"{name} cannot be pickled, so it can be evaluated in this process only. "
            "Define it in a module, not in a notebook cell or as a lambda."
        )
