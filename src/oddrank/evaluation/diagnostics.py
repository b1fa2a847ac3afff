"""When to trust a criterion: what was looked at, what was found, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from oddrank._text import Wording, counted, percent
from oddrank.criteria import (
    CRITERIA,
    CriteriaOptions,
    Criterion,
    DrawCriteria,
    Estimate,
    FitCriteria,
    rows_needed,
)
from oddrank.evaluation.evaluation import Diagnostic, Diagnostics
from oddrank.evaluation.measuring_plan import MeasuringPlan, few_rows_sentence, fewer_masses
from oddrank.reference import ReferenceSampler
from oddrank.rows import FEW_DISTINCT, BoundingBox, Table, few_valued_features

__all__ = ["check_ties", "diagnose_draws", "diagnose_fit", "worst_of"]

Estimates = Mapping[Criterion, Estimate]

ENOUGH_POINTS = 200
MANY_TIES, MANY_OUTSIDE, MANY_UNRESOLVED = 0.1, 0.001, 0.1
DOMINATED_SHARE = 0.01
LARGE_RELATIVE_ERROR = 0.1
LITTLE_MOVEMENT = 0.05
FEW_DRAWS_SHARE = 0.5

_MORE_POINTS = Wording(
    python="Draw more points, reference=AutoReference(max_points=2**20), or give more rows.",
    command="Give more rows.",
)
_ONLY_ROWS = Wording(python="Only more rows would help.", command="Only more rows would help.")
_FEWER_FEATURES = Wording(
    python="Measure volumes of a few features at a time: subsampling='auto'.",
    command="Use fewer columns: --columns.",
)


def diagnose_fit(
    table: Table, box: BoundingBox, fit: FitCriteria, joined: Estimates, plan: MeasuringPlan
) -> Diagnostics:
    """Look at what decides whether criteria can be trusted, of one fit and `joined` for all."""
    sampler, options = plan.sampler, plan.options
    checks = [
        _resolved(fit, plan),
        _points_inside(fit, options),
        *([_accuracy(fit, sampler, target)] if (target := sampler.target_error) else []),
        *([_chains(fit)] if sampler.has_chains else []),
        _relative_error(joined, _remedy(fit, joined)),
        _rows(fit.n_rows, options),
        check_ties(fit.share_tied),
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
    table: Table, criteria: DrawCriteria, joined: Estimates, options: CriteriaOptions
) -> Diagnostics:
    """Look at everything that decides whether averages over draws of features can be trusted."""
    checks = (
        _resolved_draws(criteria, options),
        _governed_by_few(criteria),
        _relative_error(
            joined,
            Wording(
                python="Set subsampling=FeatureSubsampling(n_draws=200) or give more rows.",
                command="Draw more often, --draws 200, or give more rows.",
            ),
        ),
        _rows(table.n_rows, options),
        _discrete(table),
    )
    return Diagnostics(checks=checks)


def worst_of(found: Sequence[Diagnostics]) -> Diagnostics:
    """Return every check once: of the fit where it is not fine, if there is one."""
    together = zip(*(each.checks for each in found), strict=True)
    return Diagnostics(checks=tuple(min(each, key=lambda check: check.ok) for each in together))


def _check(
    name: str, value: float, found: str, *, ok: bool, concern: str, advice: Wording
) -> Diagnostic:
    """Return what was found and, unless it is fine, what that means and what to do."""
    if ok:
        return Diagnostic(name=name, value=value, ok=True, message=found + ".")
    return Diagnostic(name=name, value=value, ok=False, message=found + concern, advice=advice)


def _resolved(fit: FitCriteria, plan: MeasuringPlan) -> Diagnostic:
    resolved = all(each.resolved for each in fit.criteria.values())
    finite = all(each.estimate(plan.confidence_level).resolved for each in fit.criteria.values())
    no_volume = np.isneginf(fit.level_sets.log_volume)
    inner_mass = float(fit.level_sets.mass[no_volume].max(initial=0.0))
    message, advice = "Both criteria have a value.", None
    if resolved and not finite:
        advice = _FEWER_FEATURES
        message = "A volume is too large or too small for a number of this machine."
    elif inner_mass >= plan.options.excess_mass_floor:
        advice = _MORE_POINTS
        message = (
            f"A level set of mass {inner_mass:.4g} holds no reference point, so the excess mass "
            "has no value."
        )
    elif not resolved:
        advice = _MORE_POINTS
        message = (
            "A criterion has no value once some of the reference points or half of the rows are "
            "left out, so it has no error either."
        )
    return Diagnostic(
        name="resolved",
        value=inner_mass,
        ok=resolved and finite,
        message=message,
        advice=advice,
    )


def _points_inside(fit: FitCriteria, options: CriteriaOptions) -> Diagnostic:
    effective = fit.inside_effective
    return _check(
        "points inside",
        effective,
        f"{fit.inside_floor:,} reference points (worth {effective:,.0f} of equal weight) lie "
        f"in the level set of mass {options.excess_mass_floor:g}",
        ok=effective >= ENOUGH_POINTS,
        concern=f"; below {ENOUGH_POINTS} volumes are coarse.",
        advice=_MORE_POINTS,
    )


def _accuracy(fit: FitCriteria, sampler: ReferenceSampler, target: float) -> Diagnostic:
    error, n_replicates = fit.points_error, fit.n_replicates
    errors = [
        f"{percent(fit.criteria[each].points_error)} in the {each.label}" for each in CRITERIA
    ]
    return _check(
        "accuracy",
        error,
        f"{n_replicates * sampler.points_per_replicate:,} reference points leave an error of "
        f"{' and '.join(errors)}",
        ok=sampler.is_reached(error, n_replicates),
        concern=f". That is more than {percent(target)}, and the points are used up.",
        advice=_MORE_POINTS,
    )


def _chains(fit: FitCriteria) -> Diagnostic:
    return _check(
        "chains",
        fit.movement,
        f"The chains accept {percent(fit.movement)} of their moves where they move least",
        ok=fit.movement >= LITTLE_MOVEMENT,
        concern=". They hardly spread, so do not trust the volume or its error.",
        advice=_FEWER_FEATURES,
    )


def _remedy(fit: FitCriteria, joined: Estimates) -> Wording:
    worst = max(CRITERIA, key=lambda each: np.nan_to_num(joined[each].relative_error))
    # Half of an error is a quarter of its square: the rest comes from the rows.
    if fit.criteria[worst].points_error < joined[worst].relative_error / 2.0:
        return _ONLY_ROWS
    return _MORE_POINTS


def _relative_error(joined: Estimates, remedy: Wording) -> Diagnostic:
    worst = max((each.relative_error for each in joined.values() if each.resolved), default=np.inf)
    uncertain = f"by {percent(worst, 0)}" if np.isfinite(worst) else "altogether"
    return _check(
        "relative error",
        worst,
        f"Volumes are uncertain {uncertain}",
        ok=worst <= LARGE_RELATIVE_ERROR,
        concern=".",
        advice=remedy,
    )


def _rows(n_rows: int, options: CriteriaOptions) -> Diagnostic:
    upper = options.mass_range[1]
    if n_rows >= rows_needed(upper):
        message = f"With {n_rows:,} test rows the curves stop at {100 * upper:g} % of the data."
        return Diagnostic(name="rows", value=n_rows, ok=True, message=message)
    message, advice = few_rows_sentence(n_rows, upper), fewer_masses(upper)
    return Diagnostic(name="rows", value=n_rows, ok=False, message=message, advice=advice)


def check_ties(share: float) -> Diagnostic:
    """Check whether too many rows share their score."""
    return _check(
        "tied scores",
        share,
        f"{percent(share)} of the rows share their score with another row",
        ok=share <= MANY_TIES,
        concern=", so these rows cannot be ordered.",
        advice=Wording(
            python="Drop repeated rows, or take a detector with finer scores.",
            command="Use --drop-duplicates if rows repeat, or a detector with finer scores.",
        ),
    )


def _discrete(table: Table) -> Diagnostic:
    few = few_valued_features(table)
    message, advice = f"Every feature has at least {FEW_DISTINCT} distinct values.", None
    if few:
        shown = ", ".join(repr(name) for name in few[:5]) + (" …" if len(few) > 5 else "")
        message = (
            f"{len(few)} of {table.n_features} features have fewer than {FEW_DISTINCT} distinct "
            f"values ({shown}). Volume says little about them."
        )
        advice = Wording(
            python="Drop them, or judge by reference measures: judge='references'.",
            command="Choose other columns with --columns.",
        )
    return Diagnostic(
        name="discrete features", value=len(few), ok=not few, message=message, advice=advice
    )


def _dominated(table: Table, box: BoundingBox) -> Diagnostic:
    low, high = np.quantile(table.values, (0.001, 0.999), axis=0)
    inner = np.clip((high - low) / box.widths, 0.0, 1.0)
    share = float(np.prod(inner) ** (1.0 / table.n_features))
    narrowest = int(np.argmin(inner))
    return _check(
        "box",
        share,
        f"The central 99.8 % of the rows span {percent(share, 0)} of the box per feature",
        # The share per feature that leaves 1 % of the volume of a five-feature box.
        ok=float(inner[narrowest]) >= DOMINATED_SHARE ** (1.0 / 5.0) / 2.0,
        concern=f", and only {percent(inner[narrowest])} in {table.feature_names[narrowest]!r}: a "
        "few rows set the size of the box.",
        advice=Wording(
            python="Clip or transform that feature, or pass a box of your own: box=.",
            command="Clip or transform that column, or choose others with --columns.",
        ),
    )


def _outside(table: Table, box: BoundingBox) -> Diagnostic:
    share = float(1.0 - box.contains(table.values).mean())
    return _check(
        "outside",
        share,
        f"{percent(share)} of the rows lie outside the box",
        ok=share <= MANY_OUTSIDE,
        concern=", where no volume is measured.",
        advice=Wording(python="Pass a box that holds the rows: box=.", command="Give more rows."),
    )


def _dimension(table: Table, sampler: ReferenceSampler) -> Diagnostic:
    return _check(
        "dimension",
        table.n_features,
        f"There {'is' if table.n_features == 1 else 'are'} {counted(table.n_features, 'feature')}",
        ok=table.n_features <= sampler.most_features,
        concern=f". Volumes can hardly be estimated above {sampler.most_features}.",
        advice=_FEWER_FEATURES,
    )


def _resolved_draws(criteria: DrawCriteria, options: CriteriaOptions) -> Diagnostic:
    n_draws = len(criteria.draws)
    shared = np.all(list(criteria.shared.values()), axis=0)
    unresolved = n_draws - int(np.count_nonzero(shared))
    return _check(
        "resolved",
        unresolved,
        f"{unresolved} of {n_draws} draws of features have no value",
        ok=all(each.resolved for each in criteria.criteria.values())
        and unresolved <= MANY_UNRESOLVED * n_draws,
        concern=f": some detector has a level set of mass {options.excess_mass_floor:g} without a "
        "reference point. These draws are left out for all detectors.",
        advice=_MORE_POINTS,
    )


def _governed_by_few(criteria: DrawCriteria) -> Diagnostic:
    shares = []
    for each in CRITERIA:
        if criteria.aggregation == "mean" and criteria.criteria[each].resolved:
            draws = np.array([draw.value * np.exp(draw.log_unit) for draw in criteria.single[each]])
            values = np.sort(draws[criteria.shared[each]])
            shares.append(float(values[-3:].sum() / values.sum()))
    share = max(shares, default=0.0)
    return _check(
        "few draws",
        share,
        f"The three largest draws make up {percent(share, 0)} of an average"
        if shares
        else "No few draws govern the averages",
        ok=share <= FEW_DRAWS_SHARE,
        concern=": a few boxes govern it.",
        advice=Wording(
            python="Set subsampling=FeatureSubsampling(aggregation='geometric').",
            command="Draw more often: --draws 200.",
        ),
    )
