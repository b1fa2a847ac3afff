"""When to trust an average over draws of features."""

from __future__ import annotations

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import CriteriaOptions, DrawnCriteria, Estimate
from oddrank.evaluation.diagnostics import (
    Diagnostic,
    Diagnostics,
    check_discrete,
    check_relative_error,
    check_rows,
)
from oddrank.rows import Table

__all__ = ["diagnose_draws"]

MANY_UNRESOLVED = 0.1
FEW_DRAWS_SHARE = 0.5


def diagnose_draws(
    table: Table,
    criteria: DrawnCriteria,
    estimates: tuple[Estimate, Estimate],
    options: CriteriaOptions,
) -> Diagnostics:
    """Look at everything that decides whether averages over draws of features can be trusted."""
    checks = (
        _resolved_draws(criteria, options),
        _governed_by_few(criteria),
        check_relative_error(estimates, "Raise n_draws or give more rows."),
        check_rows(table, options),
        check_discrete(table),
    )
    return Diagnostics(checks=checks)


def _resolved_draws(criteria: DrawnCriteria, options: CriteriaOptions) -> Diagnostic:
    excess, volume = criteria.excess_mass, criteria.mass_volume
    n_draws = len(criteria.draws)
    unresolved = n_draws - int(np.count_nonzero(excess.shared & volume.shared))
    ok = excess.resolved and volume.resolved and unresolved <= MANY_UNRESOLVED * n_draws
    message = f"{unresolved} of {n_draws} draws are unresolved"
    if not ok:
        message += (
            f": there some detector has a level set of mass {options.excess_mass_floor:g} without "
            "a single reference point. They are left out for all detectors. Draw more reference "
            "points, or clip heavy tails"
        )
    return Diagnostic(name="resolved", value=unresolved, ok=ok, message=message + ".")


def _governed_by_few(criteria: DrawnCriteria) -> Diagnostic:
    shares = [
        _share_of_largest(criterion.values[criterion.shared])
        for criterion in (criteria.excess_mass, criteria.mass_volume)
        if criterion.aggregation == "mean" and criterion.resolved
    ]
    share = max(shares, default=0.0)
    ok = share <= FEW_DRAWS_SHARE
    message = f"the three largest draws make up {share:.0%} of an average"
    if not shares:
        message = "no few draws govern the averages"
    if not ok:
        message += (
            ": a few small or large boxes govern it. Use "
            "FeatureSubsampling(aggregation='geometric') or more draws"
        )
    return Diagnostic(name="few draws", value=share, ok=ok, message=message + ".")


def _share_of_largest(values: FloatArray) -> float:
    return float(np.sort(values)[-3:].sum() / values.sum())
