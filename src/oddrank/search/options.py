"""The options of a search, checked before any work starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import chi2

from oddrank._validation import check_fraction, check_integer, check_option
from oddrank.criteria import MASS_VOLUME, CriteriaOptions, Criterion, criterion_named
from oddrank.errors import InvalidParameterError
from oddrank.evaluation import check_box, check_sampler, criteria_options, warn_of_few_rows
from oddrank.execution import Workers
from oddrank.reference import AutoReference, ImportanceMixture
from oddrank.rows import Table, balanced_draws, choose_subsampling
from oddrank.search.candidates import SearchCandidate
from oddrank.search.rounds import SearchPlan
from oddrank.search.splits import make_splits

__all__ = [
    "check_search_options",
    "criteria_around",
    "gaussian_excess_mass",
    "plan_search",
    "simplicity_order",
]

_OWNER = "LabelFreeSearchCV"


def search_sampler() -> ImportanceMixture:
    """Return the default points.

    Most of them are near the rows. A quarter as many give the accuracy of evenly spread points in
    the plane, and a far better one in five dimensions.
    """
    return ImportanceMixture(n_points=2**10, n_replicates=4)


def check_search_options(search: Any) -> None:
    """Refuse parameters of a `LabelFreeSearchCV` that do not depend on the rows."""
    deciding_criterion(search.criterion)
    check_integer(search.n_splits, "n_splits", _OWNER, minimum=2)
    for name in ("test_size", "mass", "confidence_level"):
        check_fraction(getattr(search, name), name, _OWNER)
    if search.calibration_size is not None:
        check_fraction(search.calibration_size, "calibration_size", _OWNER)
    check_option(search.refit, "refit", _OWNER, ("best", "simplest", "cheapest"))
    for name in ("halving", "progress"):
        check_option(getattr(search, name), name, _OWNER, (True, False))
    criteria_around(search.mass, 1, search.mass_range, search.excess_mass_floor, _OWNER)
    check_sampler(search.reference, search_sampler, _OWNER, auto=AutoReference)
    if search.simplicity is not None and not callable(search.simplicity):
        raise InvalidParameterError(
            "The 'simplicity' parameter of LabelFreeSearchCV must be None or a function of a "
            f"mapping of parameters. Got {search.simplicity!r} instead."
        )


def plan_search(
    search: Any, table: Table, root: np.random.SeedSequence, client: Any = None
) -> SearchPlan:
    """Fix everything that candidates share: rows, box, points, features."""
    subsampling = search.subsampling
    if subsampling == "auto" and not table.is_plain:
        subsampling = None  # measures judge in all features at once
    chosen = choose_subsampling(subsampling, table, _OWNER)
    n_features = table.n_features if chosen is None else chosen.n_features
    options = criteria_around(
        search.mass, n_features, search.mass_range, search.excess_mass_floor, _OWNER
    )
    splits = make_splits(
        table.n_rows,
        search.n_splits,
        test_size=search.test_size,
        calibration_size=search.calibration_size,
        root=root,
    )
    criterion = deciding_criterion(search.criterion)
    if criterion == MASS_VOLUME:
        warn_of_few_rows(len(splits.rows(0)[1]), options)
    draws = None
    if chosen is not None:
        draws = balanced_draws(replace(chosen, n_draws=search.n_splits), table, root)
    return SearchPlan(
        table=table,
        splits=splits,
        box=check_box(search.box, table, owner=_OWNER),
        sampler=check_sampler(
            search.reference, search_sampler, _OWNER, auto=AutoReference, table=table
        ),
        options=options,
        criterion=criterion,
        draws=draws,
        root=root,
        workers=Workers(
            n_jobs=search.n_jobs,
            client=client,
            checkpoint=search.checkpoint,
            progress=search.progress,
            timeout=search.timeout,
        ),
    )


def deciding_criterion(name: Any) -> Criterion:
    """Return the criterion of a search; scores have a sign, so the name has no "neg_"."""
    if isinstance(name, str) and name.startswith("neg_"):
        raise InvalidParameterError(
            f"The 'criterion' parameter of {_OWNER} is now {name.removeprefix('neg_')!r}, as in "
            f"rank_detectors. Got {name!r}, a name that only scorers for scikit-learn have."
        )
    return criterion_named(name, _OWNER)


def simplicity_order(
    candidates: Sequence[SearchCandidate], simplicity: Callable[[Mapping[str, Any]], Any] | None
) -> list[int]:
    """Return candidates from the simplest on: by the user's key, then by their order."""
    positions = list(range(len(candidates)))
    if simplicity is None:
        return positions
    return sorted(positions, key=lambda position: simplicity(candidates[position].params))


def criteria_around(
    mass: float, n_features: int, mass_range: Any, excess_mass_floor: Any, owner: str
) -> CriteriaOptions:
    """Return the criteria that measure at the target mass, unless the user sets others.

    The mass-volume area extends to either side by half of what the mass leaves out. The excess-mass
    area ends where the curve of a Gaussian reaches the set of that mass.
    """
    half = min(1.0 - mass, mass) / 2.0
    if mass_range is None:
        mass_range = (mass - half, mass + half)
    if excess_mass_floor is None:
        excess_mass_floor = gaussian_excess_mass(mass, n_features)
    return criteria_options(mass_range, excess_mass_floor, owner)


def gaussian_excess_mass(mass: float, n_features: int) -> float:
    """Return `EM(t) = mass - t · volume` at the level set of this mass of a Gaussian.

    With `x` the squared radius of the set, its density at the border times its volume is
    `exp(-x/2) (x/2)^(d/2) / Γ(d/2 + 1)`, that is `2x/d` times the density of a chi-squared of `d`
    degrees of freedom.

    Examples
    --------
    >>> round(gaussian_excess_mass(0.95, 2), 4)  # 0.95 - 0.05 log(1 / 0.05)
    0.8002
    >>> round(gaussian_excess_mass(0.95, 5), 4)
    0.8644
    """
    squared_radius = chi2.ppf(mass, n_features)
    density = chi2.pdf(squared_radius, n_features)
    return float(mass - 2.0 * squared_radius / n_features * density)
