"""How much every feature contributes: the result, and how it prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._frames import data_frame
from oddrank._text import listed, wrapped
from oddrank.criteria import (
    PairedRatio,
)
from oddrank.rows import (
    FEW_DISTINCT,
)

__all__ = ["FeatureImportance"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureImportance:
    """How much better the criterion is when each feature may be drawn.

    Attributes
    ----------
    feature_names : tuple of str
        Most important first.
    importances : tuple of PairedRatio
        In that order. Logarithm of the average over all draws against the average over the draws
        without the feature (excess mass; the other way round for mass volume): positive if the
        detector is better when it may use the feature.
    criterion : "excess_mass" or "mass_volume"
    detector : str
    n_draws : int
    few_valued : tuple of str
        Features with few distinct values; ignore their gain.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from oddrank import FeatureSubsampling, feature_importance
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> importance = feature_importance(
    ...     EllipticEnvelope(), X, subsampling=FeatureSubsampling(2, n_draws=8),
    ...     mass_range=(0.9, 0.95), random_state=0,
    ... )
    >>> importance.n_draws, len(importance.frame())
    (8, 4)
    """

    feature_names: tuple[str, ...]
    importances: tuple[PairedRatio, ...]
    criterion: str
    detector: str
    n_draws: int
    few_valued: tuple[str, ...] = ()

    @property
    def cautions(self) -> tuple[str, ...]:
        """Features whose gain means little, in sentences."""
        known = [name for name in self.feature_names if name in self.few_valued]
        if not known:
            return ()
        return (
            f"Fewer than {FEW_DISTINCT} distinct values: {listed([repr(name) for name in known])}. "
            "Volume says little about such features. Ignore their gain.",
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one mapping per feature, most important first."""
        return [
            {
                "feature": name,
                "importance": each.value,
                "standard_error": each.standard_error,
                "lower": each.interval[0],
                "upper": each.interval[1],
                "few_valued": name in self.few_valued,
            }
            for name, each in zip(self.feature_names, self.importances, strict=True)
        ]

    def frame(self) -> Any:
        """Return the importances as a pandas frame, most important first."""
        return data_frame(self.rows())

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        pairs = zip(self.feature_names, self.importances, strict=True)
        return {
            "detector": self.detector,
            "criterion": self.criterion,
            "n_draws": self.n_draws,
            "features": [{"feature": name, **each.to_dict()} for name, each in pairs],
            "cautions": list(self.cautions),
        }

    def __repr__(self) -> str:
        return f"<FeatureImportance of {self.detector!r}: {len(self.feature_names)} features>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the importances with matplotlib, and return the `FeatureImportanceDisplay`."""
        from oddrank.plots import FeatureImportanceDisplay

        return FeatureImportanceDisplay.from_importance(self, ax=ax)

    def __str__(self) -> str:
        width = max(len("feature"), *(len(name) for name in self.feature_names))
        head = f"{'feature':<{width}}  {'gain':>7}  {'± error':>8}"
        lines = [
            f"{self.detector}: gain in {self.criterion.replace('_', ' ')} when a feature may be "
            f"used, over {self.n_draws} draws",
            head,
            "-" * len(head),
        ]
        for name, each in zip(self.feature_names, self.importances, strict=True):
            if not each.resolved:
                lines.append(f"{name:<{width}}  never drawn or unresolved")
                continue
            mark = "" if each.interval[0] > 0 or each.interval[1] < 0 else "  (not sure)"
            lines.append(
                f"{name:<{width}}  {100 * np.expm1(each.value):>+6.1f}%  "
                f"{100 * each.standard_error:>7.1f}%{mark}"
            )
        return "\n".join([*lines, *(wrapped(f"Caution: {each}") for each in self.cautions)])
