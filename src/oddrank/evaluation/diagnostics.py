"""When to trust a criterion: what was looked at, what was found, and what to do about it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray
from oddrank._validation import check_option
from oddrank.criteria import CriteriaOptions, Estimate, SampledCriteria
from oddrank.curves import unresolved_sentence
from oddrank.reference import ReferenceSampler
from oddrank.rows import BoundingBox, Table

__all__ = ["Diagnostic", "Diagnostics", "diagnose"]

ENOUGH_POINTS = 200
MANY_TIES = 0.1
FEW_DISTINCT = 10
DOMINATED_SHARE = 0.01
LARGE_RELATIVE_ERROR = 0.1
MANY_OUTSIDE = 0.001
LITTLE_MOVEMENT = 0.05


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One thing that was looked at.

    Attributes
    ----------
    name : str
    value : float
    ok : bool
    message : str
        What was found and, unless it is fine, what to do.
    """

    name: str
    value: float
    ok: bool
    message: str

    def __str__(self) -> str:
        return f"{'ok ' if self.ok else '!  '}{self.message}"


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """Everything that was looked at; iterate over it, or print it.

    Attributes
    ----------
    checks : tuple of Diagnostic
    """

    checks: tuple[Diagnostic, ...]

    @property
    def trustworthy(self) -> bool:
        """Whether every check is fine."""
        return all(check.ok for check in self.checks)

    @property
    def concerns(self) -> tuple[Diagnostic, ...]:
        """The checks that are not fine."""
        return tuple(check for check in self.checks if not check.ok)

    def __getitem__(self, name: str) -> Diagnostic:
        names = [check.name for check in self.checks]
        check_option(name, "name", "Diagnostics", names)
        return self.checks[names.index(name)]

    def __str__(self) -> str:
        return "\n".join(str(check) for check in self.checks)


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
    checks = (
        _resolved(criteria, estimates, options),
        _points_inside(criteria, options),
        *([_accuracy(criteria, sampler)] if sampler.target_error else []),
        *([_chains(criteria)] if sampler.has_chains else []),
        check_relative_error(estimates, _remedy(criteria, estimates)),
        check_rows(table, options),
        _ties(criteria, table.n_rows),
        *(_volume_checks(table, box, sampler) if sampler.of_volume else ()),
    )
    return Diagnostics(checks=checks)


def _volume_checks(
    table: Table, box: BoundingBox, sampler: ReferenceSampler
) -> tuple[Diagnostic, ...]:
    return (
        check_discrete(table),
        _dominated(table, box),
        _outside(table, box),
        _dimension(table, sampler),
    )


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
    ok = effective >= ENOUGH_POINTS
    message = (
        f"{criteria.inside_floor} reference points (effective number {effective:.0f}) lie in the "
        f"level set of mass {options.excess_mass_floor:g}"
    )
    message += "." if ok else f"; below {ENOUGH_POINTS} volumes are coarse. Draw more points."
    return Diagnostic(name="points inside", value=effective, ok=ok, message=message)


def _accuracy(criteria: SampledCriteria, sampler: ReferenceSampler) -> Diagnostic:
    error, n_replicates = criteria.points_error, len(criteria.excess_mass.without_replicate)
    reached = sampler.is_reached(error, n_replicates)
    # A ranking stops where more points would not change its order.
    ok = reached or n_replicates < sampler.n_replicates
    message = (
        f"{n_replicates * sampler.points_per_replicate:,} reference points "
        f"({sampler.pilot_points:,} more showed where to draw them) leave a relative standard error "
        "of "
        f"{criteria.excess_mass.points_error:.1%} in the excess mass and "
        f"{criteria.mass_volume.points_error:.1%} in the mass volume"
    )
    if reached:
        message += "."
    elif ok:
        message += (
            f"; {sampler.target_error:.1%} would take more points, which the ranking does not need."
        )
    else:
        message += (
            f", where {sampler.target_error:.1%} was asked for, and the budget is used up. "
            "Raise max_points of AutoReference."
        )
    return Diagnostic(name="accuracy", value=error, ok=ok, message=message)


def _chains(criteria: SampledCriteria) -> Diagnostic:
    ok = criteria.movement >= LITTLE_MOVEMENT
    message = (
        f"chains accept {criteria.movement:.1%} of their moves in the level set where they move "
        "least"
    )
    message += (
        "."
        if ok
        else "; they hardly spread inside it, and its volume and error are not to be trusted. "
        "Sub-sample the features."
    )
    return Diagnostic(name="chains", value=criteria.movement, ok=ok, message=message)


def _remedy(criteria: SampledCriteria, estimates: tuple[Estimate, Estimate]) -> str:
    of_points = (criteria.excess_mass.points_error, criteria.mass_volume.points_error)
    worst = max(range(2), key=lambda position: np.nan_to_num(estimates[position].relative_error))
    # Half of an error is a quarter of its square: the rest comes from the rows.
    if of_points[worst] < estimates[worst].relative_error / 2.0:
        return "Give more rows: reference points have little part in it."
    return "Draw more reference points or give more rows."


def check_relative_error(estimates: tuple[Estimate, Estimate], remedy: str) -> Diagnostic:
    """Look at the standard errors of the two criteria."""
    errors = [estimate.relative_error for estimate in estimates if estimate.resolved]
    worst = max(errors, default=float("inf"))
    ok = worst <= LARGE_RELATIVE_ERROR
    message = f"the larger relative standard error of the two criteria is {worst:.1%}"
    message += "." if ok else f". {remedy}"
    return Diagnostic(name="relative error", value=worst, ok=ok, message=message)


def rows_needed(upper_mass: float) -> int:
    """Return how many rows a mass needs so that at least one row lies beyond it."""
    return int(np.ceil(round(1.0 / (1.0 - upper_mass), 6))) if upper_mass < 1.0 else sys.maxsize


def few_rows_sentence(n_rows: int, upper_mass: float) -> str:
    """Say that rows are too few for a mass, and what to do."""
    if upper_mass == 1.0:
        return (
            "No number of rows resolves a mass of 1: the outermost row alone decides the end of "
            "the mass-volume curve. Lower the upper end of mass_range."
        )
    return (
        f"{n_rows} rows cannot resolve a mass of {upper_mass:g}; {rows_needed(upper_mass)} are "
        "needed. The outermost row alone decides the end of the mass-volume curve. "
        "Lower the upper end of mass_range or give more rows."
    )


def check_rows(table: Table, options: CriteriaOptions) -> Diagnostic:
    """Look at whether the highest mass can be resolved."""
    upper = options.mass_range[1]
    ok = table.n_rows >= rows_needed(upper)
    message = f"{table.n_rows} rows resolve a mass of {upper:g}."
    if not ok:
        message = few_rows_sentence(table.n_rows, upper)
    return Diagnostic(name="rows", value=table.n_rows, ok=ok, message=message)


def _ties(criteria: SampledCriteria, n_rows: int) -> Diagnostic:
    counts = np.diff(np.round(criteria.level_sets.mass * n_rows), prepend=0.0)
    share = float(counts[counts > 1].sum() / n_rows)
    ok = share <= MANY_TIES
    message = f"{share:.1%} of the rows share their score with another row"
    message += (
        "." if ok else "; the curves are coarse there. Look for repeated rows or a coarse detector."
    )
    return Diagnostic(name="tied scores", value=share, ok=ok, message=message)


def check_discrete(table: Table) -> Diagnostic:
    """Look for features with few distinct values."""
    few = [
        name
        for name, column in zip(table.feature_names, table.values.T, strict=True)
        if _n_distinct(column) < FEW_DISTINCT
    ]
    message = f"every feature has at least {FEW_DISTINCT} distinct values."
    if few:
        shown = ", ".join(repr(name) for name in few[:5]) + (" …" if len(few) > 5 else "")
        message = (
            f"{len(few)} of {table.n_features} features have fewer than {FEW_DISTINCT} distinct "
            f"values ({shown}), and volume says little about them. Drop them."
        )
    return Diagnostic(name="discrete features", value=len(few), ok=not few, message=message)


def _n_distinct(column: FloatArray) -> int:
    # A look at the first rows settles it for almost every continuous feature.
    seen = len(np.unique(column[:1000]))
    return seen if seen >= FEW_DISTINCT else len(np.unique(column))


def _dominated(table: Table, box: BoundingBox) -> Diagnostic:
    low, high = np.quantile(table.values, (0.001, 0.999), axis=0)
    inner = np.clip((high - low) / box.widths, 0.0, 1.0)
    share = float(np.prod(inner) ** (1.0 / table.n_features))
    narrowest = int(np.argmin(inner))
    # The share per feature that leaves 1 % of the volume of a five-feature box.
    ok = float(inner[narrowest]) >= DOMINATED_SHARE ** (1.0 / 5.0) / 2.0
    message = f"the central 99.8 % of the rows span {share:.0%} of the box per feature"
    message += (
        "."
        if ok
        else f", and only {inner[narrowest]:.1%} in {table.feature_names[narrowest]!r}: a few rows "
        "set the size of the box. Clip or transform that feature, or pass a box of your own."
    )
    return Diagnostic(name="box", value=share, ok=ok, message=message)


def _outside(table: Table, box: BoundingBox) -> Diagnostic:
    share = float(1.0 - box.contains(table.values).mean())
    ok = share <= MANY_OUTSIDE
    message = f"{share:.1%} of the rows lie outside the box"
    message += "." if ok else ", where no volume is measured. Take a box that holds the rows."
    return Diagnostic(name="outside", value=share, ok=ok, message=message)


def _dimension(table: Table, sampler: ReferenceSampler) -> Diagnostic:
    limit = sampler.most_features
    ok = table.n_features <= limit
    message = f"{table.n_features} feature{'s' if table.n_features != 1 else ''}"
    message += (
        "." if ok else f": volumes can hardly be estimated above {limit}. Sub-sample the features."
    )
    return Diagnostic(name="dimension", value=table.n_features, ok=ok, message=message)
