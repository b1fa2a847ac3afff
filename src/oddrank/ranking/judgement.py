"""What a judge found: the order, every pair compared, and what each measure says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from oddrank._text import shortened
from oddrank.criteria import Criterion, Estimate
from oddrank.ranking.comparison import Comparison

__all__ = ["Judgement", "KindOfAnomaly"]


@dataclass(frozen=True, kw_only=True)
class KindOfAnomaly:
    """What one reference measure says.

    Attributes
    ----------
    measure : str
    expected : str
        The kind of anomaly that it stands for, as in "if you expect …".
    favourite : str
        The detector with the largest area.
    is_clear : bool
        Whether the favourite beats the winner there by more than chance explains.
    """

    measure: str
    expected: str
    favourite: str
    is_clear: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgement:
    """What the judge found.

    Attributes
    ----------
    judge : "volume", "references" or "consensus"
    criterion : Criterion
        What the scores measure.
    polluted : bool or None
        Whether the training rows hold anomalies, as far as the user knows.
    scores : mapping of name to Estimate
        They decide; best first. The mean area over reference measures and folds, or excess mass or
        mass volume. Detectors whose criterion is unresolved are left out.
    comparisons : tuple of Comparison
        Every two detectors.
    confidence_level : float
        Of intervals, and of what counts as told apart.
    measures : tuple of str
        Reference measures that decide or are shown; none if volumes decide.
    areas : mapping of name to tuple of Estimate
        Area under the ROC curve of rows against the points of each measure.
    consensus : mapping of name to float
        How well it sees what the others find odd, an area under the ROC curve; NaN for a
        detector alone.
    kinds : tuple of KindOfAnomaly
        What each measure says, in the order of `measures`.
    fit_spreads : mapping of name to float
        By how much another fit would move the score, a standard deviation; empty where the fits
        were not asked about the same points.
    n_fits : int
        Fits of each detector. With one fit the verdict holds for these fitted models only: another
        training sample might give another order.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> detectors = {"density": KernelDensity(), "ellipse": EllipticEnvelope()}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> ranking.judgement.order == ranking.order, len(ranking.judgement.measures)
    (True, 6)
    """

    judge: str
    criterion: Criterion
    polluted: bool | None
    scores: Mapping[str, Estimate]
    comparisons: tuple[Comparison, ...]
    confidence_level: float
    measures: tuple[str, ...] = ()
    areas: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    consensus: Mapping[str, float] = field(default_factory=dict)
    kinds: tuple[KindOfAnomaly, ...] = ()
    fit_spreads: Mapping[str, float] = field(default_factory=dict)
    n_fits: int = 1

    @property
    def order(self) -> tuple[str, ...]:
        """Names from best to worst."""
        return tuple(self.scores)

    @property
    def favourites(self) -> Mapping[str, str]:
        """The detector that each measure puts first."""
        return {each.measure: each.favourite for each in self.kinds}

    def __repr__(self) -> str:
        best = f": {shortened(self.order[0], 60)!r} is first" if self.order else ""
        return f"<Judgement of {len(self.order)} detectors by {self.criterion.label}{best}>"

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
