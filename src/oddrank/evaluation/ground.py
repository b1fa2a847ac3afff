"""The options of an evaluation, checked before any work starts, and the rows it is measured on."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._plain_text import Wording
from oddrank._validation import check_fraction, check_mass_range
from oddrank.criteria import CriteriaOptions
from oddrank.errors import (
    InvalidDataError,
    InvalidParameterError,
    OddrankWarning,
    ResolutionWarning,
)
from oddrank.reference import (
    AutoReference,
    ImportanceMixture,
    MultilevelSplitting,
    ReferenceMixture,
    ReferenceSampler,
)
from oddrank.rows import (
    DIRECT_FEATURES,
    BoundingBox,
    Draw,
    FeatureSubsampling,
    Folds,
    Table,
    check_continuous,
    check_draws_of_folds,
    choose_subsampling,
    random_draws,
)

__all__ = ["MeasuringGround", "draw_sampler", "importance_sampler", "lay_ground", "shown_sampler"]


def draw_sampler() -> AutoReference:
    """Return the sampler for draws of features.

    There are many draws, so each has a larger error and fewer points than a single evaluation.
    """
    return AutoReference(relative_error=0.05, max_points=2**15, n_points=2**10)


def importance_sampler() -> AutoReference:
    """Return the sampler for importances: averages over draws, whose spread is most of the error.

    More points per draw hardly lower the errors of importances (docs/measurements.md).
    """
    return AutoReference(relative_error=0.2, max_points=2**15, n_points=2**8)


def shown_sampler() -> ImportanceMixture:
    """Return the sampler for volumes that are shown and decide nothing.

    The same few points for all detectors: mass volume to about 5 %, excess mass to 3 to 10 %.
    """
    return ImportanceMixture(n_points=2**7, n_kernels=2**10)


def criteria_options(mass_range: Any, excess_mass_floor: Any, owner: str) -> CriteriaOptions:
    """Check the options of the criteria."""
    return CriteriaOptions(
        mass_range=check_mass_range(mass_range, "mass_range", owner),
        excess_mass_floor=check_fraction(excess_mass_floor, "excess_mass_floor", owner),
    )


def check_direct_sampler(reference: Any, table: Table, owner: str) -> ReferenceSampler:
    """Return the sampler for all features at once, by default one that suits them."""
    kind = MultilevelSplitting if table.n_features > DIRECT_FEATURES else AutoReference
    return check_sampler(reference, kind, owner, table=table)


def check_sampler(
    reference: Any,
    default: Callable[[], ReferenceSampler],
    owner: str,
    *,
    auto: Callable[[], ReferenceSampler] | None = None,
    table: Table | None = None,
) -> ReferenceSampler:
    """Return the sampler; the default factory also makes "auto", unless `auto` is given.

    Rows that are not all numbers have no volume. By default reference measures are used for them,
    and samplers of volume are refused.
    """
    if table is not None and not table.is_plain:
        if reference is None:
            return ReferenceMixture()
        if not isinstance(reference, ReferenceSampler) or reference.of_volume:
            check_continuous(table, owner)
    if reference is None:
        return default()
    if isinstance(reference, str) and reference == "auto":
        return (auto or default)()
    if not isinstance(reference, ReferenceSampler):
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
    """Return the given box if it fits the tables, or the range of all their rows."""
    if box is None and not tables[0].is_plain:
        return BoundingBox.around_constants(*tables)
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


def rows_needed(upper_mass: float) -> int:
    """Return how many rows a mass needs so that at least one row lies beyond it."""
    return int(np.ceil(round(1.0 / (1.0 - upper_mass), 6))) if upper_mass < 1.0 else sys.maxsize


def fewer_masses(upper_mass: float) -> Wording:
    """Return what to do where rows are too few for a mass."""
    if upper_mass == 1.0:
        return Wording(python="Set mass_range=(0.9, 0.999).", command="Use --judge references.")
    fewer = "Set mass_range=(0.9, 0.95) or give more rows." if upper_mass > 0.95 else ""
    return Wording(python=fewer or "Give more rows.", command="Give more rows.")


def few_rows_sentence(n_rows: int, upper_mass: float) -> str:
    """Say that rows are too few for a mass."""
    needed = "No number of rows is enough"
    if upper_mass < 1.0:
        needed = f"{rows_needed(upper_mass):,} are needed"
    return (
        f"{n_rows:,} rows are too few for volumes at a mass of {upper_mass:g}. {needed}: a single "
        "row decides where the mass-volume curve ends."
    )


def warn_of_few_rows(n_rows: int, options: CriteriaOptions, *, stacklevel: int = 3) -> None:
    """Warn, before work starts, if the upper mass cannot be resolved."""
    upper = options.mass_range[1]
    if n_rows < rows_needed(upper):
        message = f"{few_rows_sentence(n_rows, upper)} {fewer_masses(upper).python}"
        warnings.warn(message, ResolutionWarning, stacklevel=stacklevel)


def warn_of_constants(folds: Folds, *, stacklevel: int = 3) -> bool:
    """Warn if features are the same in all rows, where volumes decide nothing; return whether."""
    constant = folds.constant_features
    if constant:
        several = len(constant) > 1
        warnings.warn(
            f"{'Features' if several else 'Feature'} {', '.join(map(repr, constant))} "
            f"{'are' if several else 'is'} constant and cannot tell rows apart. The ranking goes "
            f"on without volumes, which would be zero: drop {'them' if several else 'it'} to see "
            "volumes.",
            OddrankWarning,
            stacklevel=stacklevel,
        )
    return bool(constant)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuringGround:
    """What all detectors of an evaluation or ranking are measured on.

    Attributes
    ----------
    subsampling : FeatureSubsampling or None
    draws : sequence of draws, or None
        None for all features at once.
    sampler : ReferenceSampler
    box : BoundingBox or None
        None takes the range of the test rows in each draw.
    options : CriteriaOptions
    confidence_level : float
    """

    subsampling: FeatureSubsampling | None
    draws: Sequence[Draw] | None
    sampler: ReferenceSampler
    box: BoundingBox | None
    options: CriteriaOptions
    confidence_level: float

    @property
    def aggregation(self) -> str:
        """How draws are averaged."""
        return self.subsampling.aggregation if self.subsampling else "mean"


def lay_ground(
    folds: Folds,
    *,
    subsampling: Any,
    reference: Any,
    box: Any,
    options: CriteriaOptions,
    confidence_level: Any,
    root: np.random.SeedSequence,
    owner: str,
) -> MeasuringGround:
    """Check the options that were given, and fill in the others."""
    test = folds.test_rows
    if subsampling == "auto" and reference is None and not test.is_plain:
        subsampling = None
    of_volume = not isinstance(reference, ReferenceSampler) or reference.of_volume
    if subsampling == "auto" and not of_volume:
        subsampling = None  # all features at once, however many
    chosen = choose_subsampling(subsampling, test, owner)
    sampler = (
        check_sampler(reference, draw_sampler, owner, table=test)
        if chosen
        else check_direct_sampler(reference, test, owner)
    )
    if box is not None or chosen is None:
        box = check_box(box, *folds.extent, owner=owner)
    draws = None
    if chosen is not None:
        check_draws_of_folds(chosen, len(folds))
        draws = random_draws(chosen, test, root, varying=folds.varying_features)
    return MeasuringGround(
        subsampling=chosen,
        draws=draws,
        sampler=sampler,
        box=box,
        options=options,
        confidence_level=check_fraction(confidence_level, "confidence_level", owner),
    )
