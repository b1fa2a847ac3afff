"""What an evaluation is asked for, checked before any work starts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from oddrank._validation import check_fraction, check_mass_range
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions
from oddrank.diagnostics import few_rows_sentence, rows_needed
from oddrank.errors import InvalidDataError, InvalidParameterError, ResolutionWarning
from oddrank.feature_subsampling import DIRECT_FEATURES
from oddrank.fitting import split_rows
from oddrank.reference import (
    AdaptingSampler,
    AutoReference,
    FollowingSampler,
    MultilevelSplitting,
    PointSampler,
    ReferenceSampler,
)
from oddrank.table import Table, as_table, check_same_features

_KINDS = (PointSampler, AdaptingSampler, FollowingSampler)


def criteria_options(mass_range: Any, excess_mass_floor: Any, owner: str) -> CriteriaOptions:
    """Check what the criteria are."""
    return CriteriaOptions(
        mass_range=check_mass_range(mass_range, "mass_range", owner),
        excess_mass_floor=check_fraction(excess_mass_floor, "excess_mass_floor", owner),
    )


def check_direct_sampler(reference: Any, table: Table, owner: str) -> ReferenceSampler:
    """Return the sampler for all features at once, by default one that suits their number."""
    if table.n_features > DIRECT_FEATURES:
        return check_sampler(reference, MultilevelSplitting(), owner, auto=MultilevelSplitting())
    return check_sampler(reference, AutoReference(), owner)


def check_sampler(
    reference: Any,
    default: ReferenceSampler,
    owner: str,
    *,
    auto: ReferenceSampler = AutoReference(),  # noqa: B008  (it is frozen)
) -> ReferenceSampler:
    """Return the sampler, the default one if there is none, and `auto` for "auto"."""
    if reference is None:
        return default
    if isinstance(reference, str) and reference == "auto":
        return auto
    if isinstance(reference, type) or not isinstance(reference, _KINDS):
        raise InvalidParameterError(
            f"The 'reference' parameter of {owner} must be a sampler such as "
            f"oddrank.reference.UniformBox(), or 'auto'. Got {reference!r} instead."
        )
    return reference


def check_is_box(box: Any, owner: str) -> BoundingBox:
    """Return the box, and refuse anything that is not one."""
    if not isinstance(box, BoundingBox):
        raise InvalidParameterError(
            f"The 'box' parameter of {owner} must be a BoundingBox. Got {box!r} instead."
        )
    return box


def check_box(box: Any, *tables: Table, owner: str) -> BoundingBox:
    """Return a box that fits the tables, the range of all their rows if there is none."""
    if box is None:
        return BoundingBox.from_arrays(*tables)
    given = check_is_box(box, owner)
    if given.n_features != tables[0].n_features:
        raise InvalidDataError(
            f"The box has {given.n_features} features but the rows have {tables[0].n_features}. "
            "Make the box from rows with the same columns: BoundingBox.from_arrays(X)."
        )
    named = all(table.container != "numpy" for table in tables)
    if named and given.has_names and given.feature_names != tables[0].feature_names:
        raise InvalidDataError(
            f"The box has the features {', '.join(given.feature_names[:5])} but the rows have "
            f"{', '.join(tables[0].feature_names[:5])}. Give both the same columns, in the same "
            "order."
        )
    return given


def train_and_test(
    X_train: Any, X_test: Any, test_size: Any, root: np.random.SeedSequence, owner: str
) -> tuple[Table, Table]:
    """Read both tables, or split one."""
    check_fraction(test_size, "test_size", owner)
    train = as_table(X_train, name="X_train" if X_test is not None else "X")
    if X_test is None:
        return split_rows(train, test_size, root)
    test = as_table(X_test, name="X_test")
    check_same_features(train, test, "X_train", "X_test")
    return train, test


def warn_of_few_rows(table: Table, options: CriteriaOptions) -> None:
    """Say so, before work starts, if the upper mass cannot be resolved."""
    upper = options.mass_range[1]
    if table.n_rows < rows_needed(upper):
        message = few_rows_sentence(table.n_rows, upper)
        warnings.warn(message, ResolutionWarning, stacklevel=3)
