"""Paired comparisons: who beats whom, how surely, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from scipy.stats import t as student

from oddrank.evaluation import Evaluation
from oddrank.table import FloatArray
from oddrank.uncertainty import PairedRatio

__all__ = ["Comparison", "compare_pairs", "holm", "inseparable_groups"]

CRITERIA = ("excess_mass", "mass_volume")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two detectors, compared by one criterion on the same rows and draws.

    Attributes
    ----------
    criterion : "excess_mass" or "mass_volume"
    better, worse : str
        Names, in the order that the criterion gives.
    log_ratio : PairedRatio
        Logarithm of the better value over the worse one (excess mass) or of the worse over the
        better one (mass volume): positive, and larger for a clearer lead.
    holds : float
        Probability that another sample of rows and points would give the same order, if the
        observed difference is the true one up to its error.
    p_value : float
        Of the hypothesis that the two are equal, corrected for the number of comparisons (Holm).
    separated : bool
        Whether the corrected p-value is below 1 - confidence_level.
    """

    criterion: str
    better: str
    worse: str
    log_ratio: PairedRatio
    holds: float
    p_value: float
    separated: bool

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        return {
            "criterion": self.criterion,
            "better": self.better,
            "worse": self.worse,
            "log_ratio": self.log_ratio.to_dict(),
            "holds": self.holds,
            "p_value": self.p_value,
            "separated": self.separated,
        }

    def __str__(self) -> str:
        lead, criterion = np.expm1(self.log_ratio.value), self.criterion.replace("_", " ")
        verdict = "separated" if self.separated else "cannot be separated"
        return (
            f"{self.better} leads {self.worse} by {lead:.1%} in {criterion}: {verdict} "
            f"(order would hold with probability {self.holds:.2f}, p = {self.p_value:.2g})"
        )


def compare_pairs(
    evaluations: Mapping[str, Evaluation], criterion: str, confidence_level: float
) -> tuple[Comparison, ...]:
    """Compare every two detectors whose criterion is resolved."""
    sign = 1.0 if criterion == "excess_mass" else -1.0
    pairs = []
    for first, second in combinations(sorted(evaluations), 2):
        left, right = (getattr(evaluations[name].criteria, criterion) for name in (first, second))
        ratio = left.log_ratio(right, confidence_level)
        if not ratio.resolved:
            continue
        first_leads = sign * ratio.value >= 0.0
        better, worse = (first, second) if first_leads else (second, first)
        pairs.append((better, worse, ratio if ratio.value >= 0.0 else ratio.reversed()))
    lead = np.array([_standardised(ratio) for _, _, ratio in pairs])
    freedom = np.array([ratio.degrees_of_freedom for _, _, ratio in pairs])
    corrected = holm(2.0 * student.sf(lead, freedom))
    return tuple(
        Comparison(
            criterion=criterion,
            better=better,
            worse=worse,
            log_ratio=ratio,
            holds=float(student.cdf(lead[position] / np.sqrt(2.0), freedom[position])),
            p_value=float(corrected[position]),
            separated=bool(corrected[position] < 1.0 - confidence_level),
        )
        for position, (better, worse, ratio) in enumerate(pairs)
    )


class Compared(Protocol):
    """Two detectors, and whether they can be told apart."""

    @property
    def better(self) -> str:
        """The one that leads."""

    @property
    def worse(self) -> str:
        """The other."""

    @property
    def separated(self) -> bool:
        """Whether the lead is surely none of chance."""


def inseparable_groups(
    ordered: Sequence[str], comparisons: Sequence[Compared]
) -> tuple[tuple[str, ...], ...]:
    """Return groups, in the order given, in which no two detectors are separated.

    A detector may be in several groups: A ~ B and B ~ C do not make A ~ C. One with a large error
    may also be inseparable from a better one though a detector between them is not.
    """
    separated = {frozenset((c.better, c.worse)) for c in comparisons if c.separated}
    groups: list[tuple[str, ...]] = []
    for start, first in enumerate(ordered):
        group = [first]
        for name in ordered[start + 1 :]:
            if not any(frozenset((name, other)) in separated for other in group):
                group.append(name)
        if not any(set(group) <= set(other) for other in groups):
            groups.append(tuple(group))
    return tuple(groups)


def _standardised(ratio: PairedRatio) -> float:
    # Equal detectors differ by nothing with no error: no lead at all.
    if ratio.value == 0.0:
        return 0.0
    return ratio.value / ratio.standard_error if ratio.standard_error > 0.0 else float("inf")


def holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values for their number (Holm, 1979)."""
    n_tests = len(p_values)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(n_tests, 0, -1)
    corrected = np.empty(n_tests)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
