"""What a judge found: an order, the scores behind it, and every pair compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from oddrank.criteria import Criterion, Estimate
from oddrank.judging.comparison import Comparison

__all__ = ["Judgement"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgement:
    """What the judge found.

    Attributes
    ----------
    judge : "volume", "references", "combined" or "consensus"
    criterion : Criterion
        What scores are.
    polluted : bool or None
        Whether the training rows hold anomalies, as far as the user knows.
    scores : mapping of name to Estimate
        What decides, best first: the mean area over measures and folds, or excess mass or mass
        volume. Detectors whose criterion is unresolved are left out.
    comparisons : tuple of Comparison
        Every two detectors.
    measures : tuple of str
        Reference measures that were asked; none where volumes decide.
    areas : mapping of name to tuple of Estimate
        Area under the ROC curve of rows against the points of each measure.
    consensus : mapping of name to float
        How well it sees what the others see: see `oddrank.consensus`; NaN for a detector alone.
    n_fits : int
        Fits of each detector. With one of them the verdict speaks of these fitted models, and not
        of the detectors: another training sample might order them otherwise.
    """

    judge: str
    criterion: Criterion
    polluted: bool | None
    scores: Mapping[str, Estimate]
    comparisons: tuple[Comparison, ...]
    measures: tuple[str, ...] = ()
    areas: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    consensus: Mapping[str, float] = field(default_factory=dict)
    n_fits: int = 1

    @property
    def order(self) -> tuple[str, ...]:
        """Names from best to worst."""
        return tuple(self.scores)

    @property
    def favourites(self) -> Mapping[str, str]:
        """The detector that each measure puts first."""
        return {
            measure: max(self.areas, key=lambda name: self.areas[name][position].value)
            for position, measure in enumerate(self.measures)
            if self.areas
        }

    def mean_area(self, name: str) -> float:
        """Return the area under the ROC curve, averaged over the measures."""
        return float(np.mean([area.value for area in self.areas[name]]))

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        return {
            "judge": self.judge,
            "criterion": self.criterion.name,
            "polluted": self.polluted,
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "comparisons": [each.to_dict() for each in self.comparisons],
            "measures": list(self.measures),
            "areas": {name: [a.to_dict() for a in areas] for name, areas in self.areas.items()},
            "consensus": {n: None if np.isnan(v) else v for n, v in self.consensus.items()},
            "n_fits": self.n_fits,
            "favourites": dict(self.favourites),
        }
