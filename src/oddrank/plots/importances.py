"""Feature importances as a picture, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank.inspection import FeatureImportance, feature_importance
from oddrank.plots.axes import draw_intervals

__all__ = ["FeatureImportanceDisplay"]


class FeatureImportanceDisplay:
    """How much better a detector is when each feature may be used.

    Parameters
    ----------
    importance : FeatureImportance
    max_features : int
        Only the most important ones are drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from oddrank import FeatureImportanceDisplay, FeatureSubsampling
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> display = FeatureImportanceDisplay.from_estimator(
    ...     EllipticEnvelope(), X, subsampling=FeatureSubsampling(2, n_draws=8),
    ...     mass_range=(0.9, 0.95), random_state=0,
    ... )
    >>> len(display.frame())
    4
    """

    def __init__(self, importance: FeatureImportance, *, max_features: int = 30) -> None:
        self.importance = importance
        self.max_features = max_features

    @classmethod
    def from_importance(
        cls, importance: FeatureImportance, *, max_features: int = 30, ax: Any = None
    ) -> FeatureImportanceDisplay:
        """Draw the result of `oddrank.feature_importance`.

        Parameters
        ----------
        importance : FeatureImportance
        max_features : int
        ax : matplotlib axes, optional
        """
        return cls(importance, max_features=max_features).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, detector: Any, X: Any, X_test: Any = None, *, ax: Any = None, **options: Any
    ) -> FeatureImportanceDisplay:
        """Compute the importances for a detector, then draw them.

        Parameters
        ----------
        detector, X, X_test, **options
            As in `oddrank.feature_importance`.
        ax : matplotlib axes, optional
        """
        return cls.from_importance(feature_importance(detector, X, X_test, **options), ax=ax)

    def plot(self, ax: Any = None) -> FeatureImportanceDisplay:
        """Draw on the axes, or on new ones, and return the display."""
        named = zip(self.importance.feature_names, self.importance.importances, strict=True)
        rows = [
            {
                "feature": name,
                "gain": 100.0 * np.expm1(each.value),
                "lower": 100.0 * np.expm1(each.interval[0]),
                "upper": 100.0 * np.expm1(each.interval[1]),
            }
            for name, each in named
        ][: self.max_features]
        self.ax_ = draw_intervals(ax, rows, name="feature", value="gain", one_style=True)
        self.figure_ = self.ax_.figure
        self.ax_.axvline(0.0, color="0.5", linewidth=1)
        criterion = self.importance.criterion.replace("_", " ")
        self.ax_.set_xlabel(f"gain in {criterion} when the feature may be used (%)")
        return self

    def frame(self) -> Any:
        """Return all importances as a pandas frame, on the logarithmic scale."""
        return self.importance.frame()
