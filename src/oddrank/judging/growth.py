"""Which detectors of a ranking need more reference points: more may break their ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from oddrank._typing import FloatArray
from oddrank.criteria import Criterion, FoldedCriteria, PairedRatio, holm
from oddrank.judging.judgement import Comparison, compare_volumes

__all__ = ["undecided"]

# Testing twice and stopping at the first success is wrong twice as often. So a first test counts
# only if its p-value is this many times smaller than the ranking requires.
SURER = 10.0
# How far the true lead may be from the observed one, in errors that reference points bring.
REACH = 2.0


def undecided(
    criteria: Mapping[str, FoldedCriteria], criterion: Criterion, confidence_level: float
) -> frozenset[str]:
    """Return the detectors of pairs that tie, or nearly tie, but might not without that error.

    If a lead is small beside the error that comes from the rows, more points do not help. A pair
    that cannot be compared, because one of the two is unresolved, is undecided too. So is a single
    detector, for which only the accuracy counts.
    """
    if len(criteria) == 1:
        return frozenset(criteria)
    comparisons = compare_volumes(criteria, criterion, confidence_level)
    level = 1.0 - confidence_level
    decided = {
        frozenset((each.better, each.worse))
        for each, hopeful in zip(comparisons, _p_values_at_best(comparisons), strict=True)
        if each.adjusted_p_value < level / SURER or hopeful >= level
    }
    pairs = map(frozenset, combinations(criteria, 2))
    return frozenset().union(*(pair for pair in pairs if pair not in decided))


def _p_values_at_best(comparisons: Sequence[Comparison]) -> FloatArray:
    """Return p-values as if points had no error, and leads were as large as it allows."""
    leads = [each.lead for each in comparisons if isinstance(each.lead, PairedRatio)]
    of_points = np.array([lead.points_error for lead in leads])
    total = np.array([lead.standard_error for lead in leads])
    largest = np.array([lead.value for lead in leads]) + REACH * of_points
    of_rows = np.sqrt(np.maximum(total**2 - of_points**2, 0.0))
    standardised = np.divide(
        largest, of_rows, out=np.where(largest > 0.0, np.inf, 0.0), where=of_rows > 0.0
    )
    return holm(2.0 * ndtr(-standardised))
