"""When to trust a criterion: what was looked at, what was found, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oddrank._plain_text import counted
from oddrank.criteria import CriteriaOptions, DrawnCriteria, Estimate, SampledCriteria
from oddrank.curves import unresolved_sentence
from oddrank.evaluation.evaluation import Diagnostic, Diagnostics
from oddrank.evaluation.ground import few_rows_sentence, rows_needed
from oddrank.reference import ReferenceSampler
from oddrank.rows import FEW_DISTINCT, BoundingBox, Table, few_valued_features

__all__ = ["diagnose", "diagnose_draws", "worst_of"]

ENOUGH_POINTS = 200
MANY_TIES = 0.1
DOMINATED_SHARE = 0.01
LARGE_RELATIVE_ERROR = 0.1
MANY_OUTSIDE = 0.001
LITTLE_MOVEMENT = 0.05
MANY_UNRESOLVED = 0.1
FEW_DRAWS_SHARE = 0.5


def diagnose(
    table: Table,
    box: BoundingBox,
    criteria: SampledCriteria,
    estimates: tuple[Estimate, Estimate],
    *,
    options: CriteriaOptions,
    sampler: ReferenceSampler,
) -> Diagnostics:
    """Look at everything that decides whether the two criteria can be trusted."""
    checks = [
        _resolved(criteria, estimates, options),
        _points_inside(criteria, options),
        *([_accuracy(criteria, sampler)] if sampler.target_error else []),
        *([_chains(criteria)] if sampler.has_chains else []),
        _relative_error(estimates, _remedy(criteria, estimates)),
        _rows(table, options),
        _ties(criteria, table.n_rows),
    ]
    if sampler.of_volume:
        checks += [
            _discrete(table),
            _dominated(table, box),
            _outside(table, box),
            _dimension(table, sampler),
        ]
    return Diagnostics(checks=tuple(checks))


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
        _relative_error(estimates, "Raise n_draws or give more rows."),
        _rows(table, options),
        _discrete(table),
    )
    return Diagnostics(checks=checks)


def worst_of(found: Sequence[Diagnostics]) -> Diagnostics:
    """Return every check as the fit has it that is worst off."""
    together = zip(*(each.checks for each in found), strict=True)
    return Diagnostics(checks=tuple(min(each, key=lambda check: check.ok) for each in together))


def _check(name: str, value: float, found: str, *, ok: bool, concern: str) -> Diagnostic:
    """Return what was found and, unless it is fine, what that means and what to do."""
    return Diagnostic(name=name, value=value, ok=ok, message=found + ("." if ok else concern))


def _resolved(
    criteria: SampledCriteria, estimates: tuple[Estimate, Estimate], options: CriteriaOptions
) -> Diagnostic:
    ok = criteria.excess_mass.resolved and criteria.mass_volume.resolved
    no_volume = np.isneginf(criteria.level_sets.log_volume)
    inner_mass = float(criteria.level_sets.mass[no_volume].max(initial=0.0))
    message = "both criteria have a value at this resolution."
    if not all(estimate.resolved for estimate in estimates) and ok:
        ok = False
        message = (
            "a criterion is too large or too small for a number of this machine. "
            "Scale the features, or sub-sample them."
        )
    elif inner_mass >= options.excess_mass_floor:
        message = unresolved_sentence(inner_mass, options.excess_mass_floor)
    elif not ok:
        message = (
            "a criterion is unresolved: without one replicate of the reference points, or on half "
            "of the rows, it has no value. Draw more reference points or give more rows."
        )
    return Diagnostic(name="resolved", value=inner_mass, ok=ok, message=message)


def _points_inside(criteria: SampledCriteria, options: CriteriaOptions) -> Diagnostic:
    effective = criteria.inside_effective
    return _check(
        "points inside",
        effective,
        f"{criteria.inside_floor} reference points (effective number {effective:.0f}) lie in the "
        f"level set of mass {options.excess_mass_floor:g}",
        ok=effective >= ENOUGH_POINTS,
        concern=f"; below {ENOUGH_POINTS} volumes are coarse. Draw more points.",
    )


def _accuracy(criteria: SampledCriteria, sampler: ReferenceSampler) -> Diagnostic:
    error, n_replicates = criteria.points_error, criteria.n_replicates
    reached = sampler.is_reached(error, n_replicates)
    # A ranking stops where more points would not change its order.
    stopped_early = n_replicates < sampler.n_replicates
    found = (
        f"{n_replicates * sampler.points_per_replicate:,} reference points "
        f"({sampler.pilot_points:,} more showed where to draw them) leave a relative standard "
        f"error of {criteria.excess_mass.points_error:.1%} in the excess mass and "
        f"{criteria.mass_volume.points_error:.1%} in the mass volume"
    )
    if stopped_early and not reached:
        found += f"; {sampler.target_error:.1%} takes more points, which the ranking does not need"
    return _check(
        "accuracy",
        error,
        found,
        ok=reached or stopped_early,
        concern=f", where {sampler.target_error:.1%} was asked for, and the budget is used up. "
        "Raise max_points of AutoReference.",
    )


def _chains(criteria: SampledCriteria) -> Diagnostic:
    return _check(
        "chains",
        criteria.movement,
        f"chains accept {criteria.movement:.1%} of their moves where they move least",
        ok=criteria.movement >= LITTLE_MOVEMENT,
        concern="; they hardly spread inside it, and its volume and error are not to be trusted. "
        "Sub-sample the features.",
    )


def _remedy(criteria: SampledCriteria, estimates: tuple[Estimate, Estimate]) -> str:
    of_points = (criteria.excess_mass.points_error, criteria.mass_volume.points_error)
    worst = max(range(2), key=lambda position: np.nan_to_num(estimates[position].relative_error))
    # Half of an error is a quarter of its square: the rest comes from the rows.
    if of_points[worst] < estimates[worst].relative_error / 2.0:
        return "Give more rows: reference points have little part in it."
    return "Draw more reference points or give more rows."


def _relative_error(estimates: tuple[Estimate, Estimate], remedy: str) -> Diagnostic:
    errors = [estimate.relative_error for estimate in estimates if estimate.resolved]
    worst = max(errors, default=float("inf"))
    return _check(
        "relative error",
        worst,
        f"the larger relative standard error of the two criteria is {worst:.1%}",
        ok=worst <= LARGE_RELATIVE_ERROR,
        concern=f". {remedy}",
    )


def _rows(table: Table, options: CriteriaOptions) -> Diagnostic:
    upper = options.mass_range[1]
    ok = table.n_rows >= rows_needed(upper)
    message = f"{table.n_rows} rows resolve a mass of {upper:g}."
    message = message if ok else few_rows_sentence(table.n_rows, upper)
    return Diagnostic(name="rows", value=table.n_rows, ok=ok, message=message)


def _ties(criteria: SampledCriteria, n_rows: int) -> Diagnostic:
    counts = np.diff(np.round(criteria.level_sets.mass * n_rows), prepend=0.0)
    share = float(counts[counts > 1].sum() / n_rows)
    return _check(
        "tied scores",
        share,
        f"{share:.1%} of the rows share their score with another row",
        ok=share <= MANY_TIES,
        concern="; the curves are coarse there. Look for repeated rows or a coarse detector.",
    )


def _discrete(table: Table) -> Diagnostic:
    few = few_valued_features(table)
    message = f"every feature has at least {FEW_DISTINCT} distinct values."
    if few:
        shown = ", ".join(repr(name) for name in few[:5]) + (" …" if len(few) > 5 else "")
        message = (
            f"{len(few)} of {table.n_features} features have fewer than {FEW_DISTINCT} distinct "
            f"values ({shown}), and volume says little about them. Drop them."
        )
    return Diagnostic(name="discrete features", value=len(few), ok=not few, message=message)


def _dominated(table: Table, box: BoundingBox) -> Diagnostic:
    low, high = np.quantile(table.values, (0.001, 0.999), axis=0)
    inner = np.clip((high - low) / box.widths, 0.0, 1.0)
    share = float(np.prod(inner) ** (1.0 / table.n_features))
    narrowest = int(np.argmin(inner))
    return _check(
        "box",
        share,
        f"the central 99.8 % of the rows span {share:.0%} of the box per feature",
        # The share per feature that leaves 1 % of the volume of a five-feature box.
        ok=float(inner[narrowest]) >= DOMINATED_SHARE ** (1.0 / 5.0) / 2.0,
        concern=f", and only {inner[narrowest]:.1%} in {table.feature_names[narrowest]!r}: a few "
        "rows set the size of the box. Clip or transform that feature, or pass a box of your own.",
    )


def _outside(table: Table, box: BoundingBox) -> Diagnostic:
    share = float(1.0 - box.contains(table.values).mean())
    return _check(
        "outside",
        share,
        f"{share:.1%} of the rows lie outside the box",
        ok=share <= MANY_OUTSIDE,
        concern=", where no volume is measured. Take a box that holds the rows.",
    )


def _dimension(table: Table, sampler: ReferenceSampler) -> Diagnostic:
    return _check(
        "dimension",
        table.n_features,
        counted(table.n_features, "feature"),
        ok=table.n_features <= sampler.most_features,
        concern=f": volumes can hardly be estimated above {sampler.most_features}. "
        "Sub-sample the features.",
    )


def _resolved_draws(criteria: DrawnCriteria, options: CriteriaOptions) -> Diagnostic:
    excess, volume = criteria.excess_mass, criteria.mass_volume
    n_draws = len(criteria.draws)
    unresolved = n_draws - int(np.count_nonzero(excess.shared & volume.shared))
    return _check(
        "resolved",
        unresolved,
        f"{unresolved} of {n_draws} draws are unresolved",
        ok=excess.resolved and volume.resolved and unresolved <= MANY_UNRESOLVED * n_draws,
        concern=f": there some detector has a level set of mass {options.excess_mass_floor:g} "
        "without a single reference point. They are left out for all detectors. Draw more "
        "reference points, or clip heavy tails.",
    )


def _governed_by_few(criteria: DrawnCriteria) -> Diagnostic:
    shares = [
        float(np.sort(values)[-3:].sum() / values.sum())
        for criterion in (criteria.excess_mass, criteria.mass_volume)
        if criterion.aggregation == "mean" and criterion.resolved
        for values in [criterion.values[criterion.shared]]
    ]
    share = max(shares, default=0.0)
    return _check(
        "few draws",
        share,
        f"the three largest draws make up {share:.0%} of an average"
        if shares
        else "no few draws govern the averages",
        ok=share <= FEW_DRAWS_SHARE,
        concern=": a few small or large boxes govern it. Use "
        "FeatureSubsampling(aggregation='geometric') or more draws.",
    )
