"""What a search is asked for, checked before any work starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from oddrank._validation import check_fraction, check_integer, check_option
from oddrank.criteria import CriteriaOptions
from oddrank.errors import InvalidParameterError
from oddrank.evaluation_inputs import check_box, check_sampler, criteria_options, warn_of_few_rows
from oddrank.feature_subsampling import balanced_draws, choose_subsampling
from oddrank.search_candidates import SearchCandidate
from oddrank.search_scores import SearchPlan
from oddrank.search_splits import make_splits
from oddrank.table import Table
from oddrank.tuning import CRITERIA_OF_SEARCHES, SEARCH_SAMPLER

__all__ = ["check_search_options", "plan_search", "simplicity_order"]

_OWNER = "LabelFreeSearchCV"


def check_search_options(search: Any) -> None:
    """Refuse parameters of a `LabelFreeSearchCV` that do not depend on the rows."""
    check_option(search.criterion, "criterion", _OWNER, CRITERIA_OF_SEARCHES)
    check_integer(search.n_splits, "n_splits", _OWNER, minimum=2)
    for name in ("test_size", "mass", "confidence_level"):
        check_fraction(getattr(search, name), name, _OWNER)
    if search.calibration_size is not None:
        check_fraction(search.calibration_size, "calibration_size", _OWNER)
    check_option(search.refit, "refit", _OWNER, ("best", "simplest"))
    for name in ("halving", "progress"):
        check_option(getattr(search, name), name, _OWNER, (True, False))
    _criteria_around(search)
    check_sampler(search.reference, SEARCH_SAMPLER, _OWNER)
    if search.simplicity is not None and not callable(search.simplicity):
        raise InvalidParameterError(
            "The 'simplicity' parameter of LabelFreeSearchCV must be None or a function of a "
            f"mapping of parameters. Got {search.simplicity!r} instead."
        )


def plan_search(
    search: Any, table: Table, root: np.random.SeedSequence, client: Any = None
) -> SearchPlan:
    """Fix everything that candidates share: rows, box, points, features."""
    options = _criteria_around(search)
    chosen = choose_subsampling(search.subsampling, table, _OWNER)
    splits = make_splits(
        table.n_rows,
        search.n_splits,
        test_size=search.test_size,
        calibration_size=search.calibration_size,
        root=root,
    )
    if search.criterion == "neg_mass_volume":
        warn_of_few_rows(table.rows(splits.rows(0)[1]), options)
    draws = None
    if chosen is not None:
        draws = balanced_draws(replace(chosen, n_draws=search.n_splits), table, root)
    return SearchPlan(
        table=table,
        splits=splits,
        box=check_box(search.box, table, owner=_OWNER),
        sampler=check_sampler(search.reference, SEARCH_SAMPLER, _OWNER),
        options=options,
        criterion=search.criterion,
        draws=draws,
        root=root,
        n_jobs=search.n_jobs,
        client=client,
        checkpoint=search.checkpoint,
        progress=search.progress,
    )


def _criteria_around(search: Any) -> CriteriaOptions:
    """Return the criteria that look at the target mass, unless others were asked for.

    With the paper's floor of 0.9 the excess mass looks at larger sets: those of a Gaussian in the
    plane have a mass of 0.98 there. At the border of the set of mass `1 - e` its density times the
    volume of the set is `e log(1/e)`, so that the curve has fallen to `1 - e - e log(1/e)`.
    """
    outside = 1.0 - search.mass
    mass_range, floor = search.mass_range, search.excess_mass_floor
    if mass_range is None:
        mass_range = (search.mass - outside / 2.0, search.mass + outside / 2.0)
    if floor is None:
        floor = 1.0 - outside * (1.0 - float(np.log(outside)))
    return criteria_options(mass_range, floor, _OWNER)


def simplicity_order(
    candidates: Sequence[SearchCandidate], simplicity: Callable[[Mapping[str, Any]], Any] | None
) -> list[int]:
    """Return candidates from the simplest on: by the user's key, then by their order."""
    positions = list(range(len(candidates)))
    if simplicity is None:
        return positions
    return sorted(positions, key=lambda position: simplicity(candidates[position].params))
