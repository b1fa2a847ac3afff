"""Where detectors are measured: draws of features, reference points, box, masses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oddrank._text import Wording, counted
from oddrank._validation import check_fraction
from oddrank.criteria import CriteriaOptions, check_masses, rows_needed
from oddrank.errors import InvalidDataError, InvalidParameterError, ResolutionWarning
from oddrank.reference import (
    AutoReference,
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

# Points that the fits of all folds score, at least: half as many gave the same verdicts on twins.
COMMON_POINTS = 192

__all__ = [
    "MeasuringPlan",
    "check_box",
    "check_sampler",
    "criteria_options",
    "draw_sampler",
    "few_rows_sentence",
    "fewer_masses",
    "plan_measures",
    "plan_volumes",
    "warn_of_few_rows",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuringPlan:
    """What all detectors of an evaluation or ranking are measured with.

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
    judged : bool
        Whether the points are those of a judge, which have a stream of their own.
    common : ReferenceMixture or None
        Draws a few points that the fits of all folds score: they show how much fits differ.
    """

    subsampling: FeatureSubsampling | None
    draws: Sequence[Draw] | None
    sampler: ReferenceSampler
    box: BoundingBox | None
    options: CriteriaOptions
    confidence_level: float
    judged: bool = False
    common: ReferenceMixture | None = None

    @property
    def aggregation(self) -> str:
        """How draws are averaged."""
        return self.subsampling.aggregation if self.subsampling else "mean"

    def in_words(self, folds: Folds) -> str:
        """Return one line about rows, features, draws and points."""
        chosen, sampler = self.subsampling, self.sampler
        features = counted(folds.train_rows.n_features, "feature")
        if chosen:
            average = "" if chosen.aggregation == "mean" else ", geometric averages"
            features += f" in {chosen.n_draws} draws of {chosen.n_features} (Algorithm 1{average})"
        fits = f"{counted(len(folds), 'fit')} of about {len(folds.train[0]):,} rows each"
        return (
            f"{fits}, tested on {len(folds.test[0]):,} others; {features}; "
            f"{sampler.points_in_words} reference points{' per draw' if chosen else ' per fit'}, "
            f"{sampler.measure}{' measure' if sampler.of_volume else ''}"
        )


def plan_volumes(
    folds: Folds,
    *,
    subsampling: Any,
    reference: Any,
    box: Any,
    mass_range: Any,
    excess_mass_floor: Any,
    confidence_level: Any,
    root: np.random.SeedSequence,
    owner: str,
) -> MeasuringPlan:
    """Check how volumes are to be measured, and fill in what was not said."""
    test, n_tested = folds.test_rows, len(folds.test[0])
    options = criteria_options(mass_range, excess_mass_floor, n_tested, owner)
    of_measures = isinstance(reference, ReferenceSampler) and not reference.of_volume
    if subsampling == "auto" and (of_measures or (reference is None and not test.is_plain)):
        subsampling = None  # measures around the data take all features at once, however many
    chosen = choose_subsampling(subsampling, test, owner)
    default = draw_sampler if chosen else _direct_sampler(test)
    sampler = check_sampler(reference, default, owner, table=test)
    if box is not None or chosen is None:
        box = check_box(box, folds.train_rows, test, owner=owner, of_volume=sampler.of_volume)
    draws = None
    if chosen is not None:
        check_draws_of_folds(chosen, len(folds))
        draws = random_draws(chosen, test, root, varying=folds.varying_features)
    warn_of_few_rows(n_tested, options)
    return MeasuringPlan(
        subsampling=chosen,
        draws=draws,
        sampler=sampler,
        box=box,
        options=options,
        confidence_level=check_fraction(confidence_level, "confidence_level", owner),
    )


def plan_measures(
    folds: Folds, measures: ReferenceMixture, confidence_level: float
) -> MeasuringPlan:
    """Plan a judgement by reference measures, in all features at once."""
    return MeasuringPlan(
        subsampling=None,
        draws=None,
        sampler=measures,
        box=BoundingBox.around_constants(folds.train_rows, folds.test_rows),
        options=CriteriaOptions(),
        confidence_level=confidence_level,
        judged=True,
        common=_few_points(measures) if len(folds) > 1 else None,
    )


def _few_points(measures: ReferenceMixture) -> ReferenceMixture:
    """Return the same measures with few points, a power of two of each."""
    n_replicates = len(measures.measures) * measures.n_replicates
    needed = -(-COMMON_POINTS // n_replicates)
    return replace(measures, n_points=1 << (needed - 1).bit_length())


def draw_sampler() -> AutoReference:
    """Return the sampler for draws of features.

    There are many draws, whose errors average out. So each has fewer points than a single
    evaluation, and more of them only where a criterion would have no value.
    """
    return AutoReference(relative_error=0.2, max_points=2**15, n_points=2**10)


def _direct_sampler(table: Table) -> Callable[[], ReferenceSampler]:
    return MultilevelSplitting if table.n_features > DIRECT_FEATURES else AutoReference


def criteria_options(
    mass_range: Any, excess_mass_floor: Any, n_rows: int, owner: str
) -> CriteriaOptions:
    """Check the options of the criteria; masses that were not said suit the number of rows."""
    return CriteriaOptions(
        mass_range=check_masses(mass_range, n_rows, owner),
        excess_mass_floor=check_fraction(excess_mass_floor, "excess_mass_floor", owner),
    )


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


def check_box(box: Any, *tables: Table, owner: str, of_volume: bool = True) -> BoundingBox:
    """Return the given box if it fits the tables, or the range of all their rows.

    Only volumes need a width in every feature.
    """
    if box is None:
        with_width = of_volume and tables[0].is_plain
        return (BoundingBox.from_arrays if with_width else BoundingBox.around_constants)(*tables)
    if not isinstance(box, BoundingBox):
        raise InvalidParameterError(
            f"The 'box' parameter of {owner} must be a BoundingBox. Got {box!r} instead."
        )
    if not tables:
        return box
    if box.n_features != tables[0].n_features:
        raise InvalidDataError(
            f"The box has {box.n_features} features but the rows have {tables[0].n_features}. "
            "Make the box from rows with the same columns: BoundingBox.from_arrays(X)."
        )
    named = all(each.container != "numpy" for each in tables)
    if named and box.has_names and box.feature_names != tables[0].feature_names:
        raise InvalidDataError(
            f"The box has the features {', '.join(box.feature_names[:5])} but the rows have "
            f"{', '.join(tables[0].feature_names[:5])}. Give both the same columns, in the same "
            "order."
        )
    return box


def fewer_masses(upper_mass: float) -> Wording:
    """Return what to do where rows are too few for a mass."""
    if upper_mass == 1.0:
        return Wording(python="Set mass_range='auto'.", command="Give more rows.")
    fewer = "Set mass_range='auto' or give more rows." if upper_mass > 0.95 else "Give more rows."
    return Wording(python=fewer, command="Give more rows.")


def few_rows_sentence(n_rows: int, upper_mass: float) -> str:
    """Say that rows are too few for a mass."""
    needed = "No number of rows is enough"
    if upper_mass < 1.0:
        needed = f"{rows_needed(upper_mass):,} are needed"
    return (
        f"{n_rows:,} rows are too few for volumes at a mass of {upper_mass:g}. {needed}: a single "
        "row decides where the mass-volume curve ends."
    )


def warn_of_few_rows(n_rows: int, options: CriteriaOptions, *, stacklevel: int = 4) -> None:
    """Warn, before work starts, if the upper mass cannot be resolved."""
    upper = options.mass_range[1]
    if n_rows < rows_needed(upper):
        message = f"{few_rows_sentence(n_rows, upper)} {fewer_masses(upper).python}"
        warnings.warn(message, ResolutionWarning, stacklevel=stacklevel)
