"""Two detectors compared: the lead, its p-value, and whether the two can be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from oddrank._text import percent, shortened
from oddrank.criteria import Criterion, Estimate, FoldedCriteria, holm
from oddrank.ranking.sureness import Sureness, sureness_of

__all__ = ["MARGIN", "Comparison", "compare_volumes", "conclude_pairs", "p_value_of_lead"]

# Below this lead (a difference of mean areas, or the logarithm of a ratio of volumes) labels agreed
# no better than a coin toss, however small its error. With a million rows every two detectors
# differ, and few differences matter. See docs/judging.md.
MARGIN = 0.01


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two detectors, compared on the same rows, points and draws.

    Attributes
    ----------
    criterion : Criterion
    better, worse : str
        Names, in the order that the criterion gives.
    lead : Estimate
        How far the better one is ahead, never negative: a difference of scores or, for excess mass
        and mass volume, the logarithm of their ratio.
    p_value : float
        Of the hypothesis that the two are equal.
    adjusted_p_value : float
        The same, corrected for the number of comparisons (Holm).
    separated : bool
        Whether the two can be told apart: the corrected p-value is below 1 - confidence_level, and
        the lead is at least 0.01. Below that labels agree no better than a coin toss.
    sureness : Sureness
        How often a lead like this was right on datasets with labels; withheld if the two tie.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> detectors = {"density": KernelDensity(), "ellipse": EllipticEnvelope()}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> comparison = ranking.compare("density", "ellipse")
    >>> {comparison.better, comparison.worse} == {"density", "ellipse"}
    True
    """

    criterion: Criterion
    better: str
    worse: str
    lead: Estimate
    p_value: float
    adjusted_p_value: float
    separated: bool
    sureness: Sureness

    @property
    def holds(self) -> float:
        """Probability that another sample gives the same order, if the lead is the true one."""
        return float(ndtr(-ndtri(self.p_value / 2.0) / np.sqrt(2.0)))

    @property
    def lead_in_words(self) -> str:
        """The lead as people read it: in per cent if it is a ratio."""
        if self.criterion.unit:
            return percent(float(np.expm1(self.lead.value)))
        return f"{self.lead.value:.3f} ± {self.lead.standard_error:.3f}"

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        return {
            "criterion": self.criterion.name,
            "better": self.better,
            "worse": self.worse,
            "lead": self.lead.to_dict(),
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "separated": self.separated,
            "holds": self.holds,
            "probability_right": self.sureness.probability,
        }

    def __repr__(self) -> str:
        names = [repr(shortened(name, 60)) for name in (self.better, self.worse)]
        verb = "beats" if self.separated else "ties with"
        return f"<Comparison by {self.criterion.label}: {names[0]} {verb} {names[1]}>"

    def __str__(self) -> str:
        verdict = "told apart" if self.separated else "cannot be told apart"
        return (
            f"{self.better} leads {self.worse} by {self.lead_in_words} in "
            f"{self.criterion.label}: {verdict} (p = {self.adjusted_p_value:.2g}). "
            f"{self.sureness.sentence}"
        )


def conclude_pairs(
    criterion: Criterion,
    pairs: Sequence[tuple[str, str, Estimate, float]],
    *,
    judge: str,
    polluted: bool | None,
    confidence_level: float,
) -> tuple[Comparison, ...]:
    """Correct the p-values of (better, worse, lead, p-value), and decide which pairs tie."""
    adjusted = holm(np.array([p_value for *_, p_value in pairs]))
    return tuple(
        Comparison(
            criterion=criterion,
            better=better,
            worse=worse,
            lead=lead,
            p_value=p_value,
            adjusted_p_value=float(corrected),
            separated=(
                separated := bool(corrected < 1.0 - confidence_level) and lead.value >= MARGIN
            ),
            sureness=sureness_of(judge, polluted, lead, separated=separated),
        )
        for (better, worse, lead, p_value), corrected in zip(pairs, adjusted, strict=True)
    )


def p_value_of_lead(value: float, error: float, freedom: float) -> float:
    """Return the p-value of the hypothesis that a lead is 0, by Student's distribution."""
    # Equal detectors have a difference and an error of 0, so there is no lead.
    if value == 0.0 or error == 0.0:
        return 1.0 if value == 0.0 else 0.0
    return float(2.0 * stdtr(freedom, -abs(value) / error))


def compare_volumes(
    criteria: Mapping[str, FoldedCriteria],
    criterion: Criterion,
    confidence_level: float,
    polluted: bool | None = None,
) -> tuple[Comparison, ...]:
    """Compare every two detectors whose excess mass or mass volume is resolved."""
    pairs = []
    for first, second in combinations(sorted(criteria), 2):
        ratio = criteria[first][criterion].log_ratio(criteria[second][criterion], confidence_level)
        if not ratio.resolved:
            continue
        first_leads = criterion.sign * ratio.value >= 0.0
        better, worse = (first, second) if first_leads else (second, first)
        lead = ratio if ratio.value >= 0.0 else ratio.reversed()
        p_value = p_value_of_lead(lead.value, lead.standard_error, lead.degrees_of_freedom)
        pairs.append((better, worse, lead, p_value))
    return conclude_pairs(
        criterion, pairs, judge="volume", polluted=polluted, confidence_level=confidence_level
    )
