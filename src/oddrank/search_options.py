"""What a search is asked for, checked before any work starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from oddrank._validation import check_fraction, check_integer, check_option
from oddrank.errors import InvalidParameterError
from oddrank.evaluation_inputs import check_box, check_sampler, warn_of_few_rows
from oddrank.feature_subsampling import balanced_draws, choose_subsampling
from oddrank.reference import ImportanceMixture
from oddrank.search_candidates import SearchCandidate
from oddrank.search_scores import SearchPlan
from oddrank.search_splits import make_splits
from oddrank.table import Table
from oddrank.target_mass import criteria_around
from oddrank.tuning import CRITERIA_OF_SEARCHES

__all__ = ["check_search_options", "plan_search", "simplicity_order"]

_OWNER = "LabelFreeSearchCV"
# Points crowd where the rows are: a quarter of those that fill a box evenly show as much in the
# plane, and far more in five dimensions.
SEARCH_POINTS = ImportanceMixture(n_points=2**10, n_replicates=4)


def check_search_options(search: Any) -> None:
    """Refuse parameters of a `LabelFreeSearchCV` that do not depend on the rows."""
    check_option(search.criterion, "criterion", _OWNER, CRITERIA_OF_SEARCHES)
    check_integer(search.n_splits, "n_splits", _OWNER, minimum=2)
    for name in ("test_size", "mass", "confidence_level"):
        check_fraction(getattr(search, name), name, _OWNER)
    if search.calibration_size is not None:
        check_fraction(search.calibration_size, "calibration_size", _OWNER)
    check_option(search.refit, "refit", _OWNER, ("best", "simplest", "cheapest"))
    for name in ("halving", "progress"):
        check_option(getattr(search, name), name, _OWNER, (True, False))
    criteria_around(search.mass, 1, search.mass_range, search.excess_mass_floor, _OWNER)
    check_sampler(search.reference, SEARCH_POINTS, _OWNER)
    if search.simplicity is not None and not callable(search.simplicity):
        raise InvalidParameterError(
            "The 'simplicity' parameter of LabelFreeSearchCV must be None or a function of a "
            f"mapping of parameters. Got {search.simplicity!r} instead."
        )


def plan_search(
    search: Any, table: Table, root: np.random.SeedSequence, client: Any = None
) -> SearchPlan:
    """Fix everything that candidates share: rows, box, points, features."""
    chosen = choose_subsampling(search.subsampling, table, _OWNER)
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
    if search.criterion == "neg_mass_volume":
        warn_of_few_rows(table.rows(splits.rows(0)[1]), options)
    draws = None
    if chosen is not None:
        draws = balanced_draws(replace(chosen, n_draws=search.n_splits), table, root)
    return SearchPlan(
        table=table,
        splits=splits,
        box=check_box(search.box, table, owner=_OWNER),
        sampler=check_sampler(search.reference, SEARCH_POINTS, _OWNER),
        options=options,
        criterion=search.criterion,
        draws=draws,
        root=root,
        n_jobs=search.n_jobs,
        client=client,
        checkpoint=search.checkpoint,
        progress=search.progress,
    )


def simplicity_order(
    candidates: Sequence[SearchCandidate], simplicity: Callable[[Mapping[str, Any]], Any] | None
) -> list[int]:
    """Return candidates from the simplest on: by the user's key, then by their order."""
    positions = list(range(len(candidates)))
    if simplicity is None:
        return positions
    return sorted(positions, key=lambda position: simplicity(candidates[position].params))
