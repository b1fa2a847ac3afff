"""Detectors that look at the one value of a row that is farthest off.

A density adds up what all features say, and one wrong cell in a wide row is lost in the sum. These
two take the largest term instead of the sum.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.covariance import ShrunkCovariance
from sklearn.utils.validation import check_is_fitted, validate_data

from oddrank._typing import FloatArray

__all__ = ["LargestResidual", "LargestValue"]


class LargestValue(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """How far the farthest value of a row is from the median of its feature.

    Distances beyond the typical one (the median of all) are measured in their mean, so that a
    heavy-tailed feature does not stand out by itself, nor a level that few rows have.

    Attributes
    ----------
    middle_, typical_, beyond_ : arrays of shape (n_features,)
        Median, median distance from it, and mean distance beyond that one.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 4))
    >>> LargestValue().fit(X).score_samples([[0, 0, 0, 0], [0, 0, 9, 0]]).round()
    array([  1., -14.])
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn medians and distances."""
        X = validate_data(self, X, dtype=np.float64)
        self.middle_ = np.median(X, axis=0)
        distance = np.abs(X - self.middle_)
        self.typical_ = np.median(distance, axis=0)
        excess = np.maximum(distance - self.typical_, 0.0)
        n_beyond = np.maximum((excess > 0.0).sum(axis=0), 1)
        mean = excess.sum(axis=0) / n_beyond
        self.beyond_ = np.where(mean > 0.0, mean, 1.0)
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return minus the largest distance."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        distance = (np.abs(X - self.middle_) - self.typical_) / self.beyond_
        return np.asarray(-distance.max(axis=1))


class LargestResidual(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """How far the value of a row that the others predict worst is from its prediction.

    Every feature is predicted by all others, as in one Gaussian; residuals are measured in their
    standard deviations.

    Parameters
    ----------
    shrinkage : float
        Of the covariance, as in scikit-learn's `ShrunkCovariance`.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 1)) + [0.0, 1.0, 2.0]
    >>> X += 0.1 * np.random.default_rng(1).normal(size=X.shape)
    >>> bool(np.diff(LargestResidual().fit(X).score_samples([[1, 2, 3], [0, 2, 2]])) < -5)
    True
    """

    def __init__(self, *, shrinkage: float = 1e-3) -> None:
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the mean and the inverse of the covariance."""
        X = validate_data(self, X, dtype=np.float64)
        found = ShrunkCovariance(shrinkage=self.shrinkage).fit(X)
        self.mean_, precision = found.location_, found.precision_
        diagonal = np.sqrt(np.maximum(np.diag(precision), np.finfo(float).tiny))
        self.residual_ = precision / diagonal
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return minus the largest residual."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(-np.abs((X - self.mean_) @ self.residual_).max(axis=1))
