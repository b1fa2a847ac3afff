"""Which detectors of a ranking need more reference points: those that more points may separate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations

from scipy.stats import norm

from oddrank.comparison import Comparison, compare_pairs
from oddrank.evaluation import Evaluation

__all__ = ["rule_of_growth", "undecided", "unresolved"]

# How far the true lead may be from the observed one, in errors that reference points bring.
REACH = 2.0


def rule_of_growth(
    criterion: str, confidence_level: float, *, volumes_decide: bool
) -> Callable[[Mapping[str, Evaluation]], frozenset[str]]:
    """Return what tells the detectors that need more points; those that decide nothing need few."""
    if not volumes_decide:
        return unresolved
    return partial(undecided, criterion=criterion, confidence_level=confidence_level)


def unresolved(evaluations: Mapping[str, Evaluation]) -> frozenset[str]:
    """Return the detectors that lack one of the criteria."""
    return frozenset(
        name
        for name, evaluation in evaluations.items()
        if not (evaluation.excess_mass.resolved and evaluation.mass_volume.resolved)
    )


def undecided(
    evaluations: Mapping[str, Evaluation], criterion: str, confidence_level: float
) -> frozenset[str]:
    """Return the detectors of pairs that are not separated but would be, if points had no error.

    Where a lead is small beside the error that comes from the rows, more points do not help. A pair
    that cannot be compared, since one of the two is unresolved, is undecided too.
    """
    if criterion == "auto":
        criterion = "excess_mass"
    compared = {
        frozenset((each.better, each.worse)): each
        for each in compare_pairs(evaluations, criterion, confidence_level)
    }
    pairs = map(frozenset, combinations(evaluations, 2))
    open_pairs = [
        pair
        for pair in pairs
        if pair not in compared or _may_part(compared[pair], confidence_level)
    ]
    return frozenset().union(*open_pairs)


def _may_part(comparison: Comparison, confidence_level: float) -> bool:
    if comparison.separated:
        return False
    lead = comparison.log_ratio
    of_rows = max(lead.standard_error**2 - lead.points_error**2, 0.0) ** 0.5
    needed = float(norm.ppf(0.5 + confidence_level / 2.0)) * of_rows
    return bool(lead.value + REACH * lead.points_error > needed)
