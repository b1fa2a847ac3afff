"""EM and MV of one scoring function, with errors and with the reasons to trust them or not."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from oddrank._frames import data_frame
from oddrank._random import root_of
from oddrank._validation import check_fraction
from oddrank.criteria import (
    CRITERIA,
    EXCESS_MASS,
    MASS_VOLUME,
    Criterion,
    Estimate,
    FoldedCriteria,
    SampledCriteria,
)
from oddrank.curves import LevelSets
from oddrank.detectors import FittedDetector, detector_name, normality_function
from oddrank.errors import UnresolvedWarning
from oddrank.evaluation.diagnostics import Diagnostics, diagnose, diagnose_draws
from oddrank.evaluation.ground import (
    MeasuringGround,
    check_box,
    check_direct_sampler,
    criteria_options,
    warn_of_few_rows,
)
from oddrank.evaluation.measurement import measure
from oddrank.reference import LEBESGUE, ReferenceSampler
from oddrank.rows import BoundingBox, Folds, as_table, natural_order

__all__ = ["Evaluation", "evaluate_scores"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """How good a scoring function is, as far as data without labels can tell.

    Attributes
    ----------
    name : str
        The detector's name.
    excess_mass : Estimate
        Area below the excess-mass curve over [0, EM⁻¹(floor)]; bigger is better. The upward bias of
        the maximum in it is estimated and removed; `level_sets` give the plain area.
    mass_volume : Estimate
        Area below the mass-volume curve over the mass range; smaller is better.
    level_sets : LevelSets or None
        Everything that both curves are made of, from the first fit; None where features were
        sub-sampled, since then there are level sets in every draw.
    diagnostics : Diagnostics
        Whether to trust the figures, and why.
    measure : str
        The reference measure that volumes are in.
    criteria : FoldedCriteria
        Both criteria on every fold, under resampling: for paired comparisons.
    roc_area : Estimate or None
        Area under the ROC curve of rows against reference points; None for volumes.
    """

    name: str
    excess_mass: Estimate
    mass_volume: Estimate
    level_sets: LevelSets | None
    diagnostics: Diagnostics
    measure: str
    criteria: FoldedCriteria
    roc_area: Estimate | None = None

    def __getitem__(self, criterion: Criterion) -> Estimate:
        return {EXCESS_MASS: self.excess_mass, MASS_VOLUME: self.mass_volume}[criterion]

    @property
    def in_volume(self) -> bool:
        """Whether both criteria are in ordinary volume."""
        return self.measure == LEBESGUE

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers and sentences, ready for JSON."""
        return {
            "name": self.name,
            "measure": self.measure,
            "excess_mass": self.excess_mass.to_dict(),
            "mass_volume": self.mass_volume.to_dict(),
            "trustworthy": self.diagnostics.trustworthy,
            "concerns": [check.message for check in self.diagnostics.concerns],
            **({} if self.roc_area is None else {"roc_area": self.roc_area.to_dict()}),
        }

    def frame(self) -> Any:
        """Return one row per criterion as a pandas frame."""
        rows = [
            {
                "detector": self.name,
                "criterion": criterion,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "lower": estimate.interval[0],
                "upper": estimate.interval[1],
            }
            for criterion, estimate in ((each.name, self[each]) for each in CRITERIA)
        ]
        return data_frame(rows)

    def __str__(self) -> str:
        verdict = "yes" if self.diagnostics.trustworthy else "with care, see the lines with '!'"
        lines = [
            self.name,
            f"  excess mass (bigger is better)   {self.excess_mass}",
            f"  mass volume (smaller is better)  {self.mass_volume}",
            f"  to be trusted: {verdict}",
        ]
        if self.roc_area is not None:
            lines.insert(3, f"  ROC area (bigger is better)      {self.roc_area}")
        return "\n".join(lines + [f"    {check}" for check in self.diagnostics.checks])


def evaluate_scores(
    detector: Any,
    X: Any,
    *,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> Evaluation:
    """Evaluate a scoring function or a fitted detector on data it was not fitted on.

    Parameters
    ----------
    detector : function of rows, or fitted detector
        See `oddrank.normality_function` for what is understood.
    X : array or frame of shape (n_rows, n_features)
    orientation : None, "normality" or "abnormality"
        What high scores mean; None asks for each library's convention.
    reference : sampler or "auto", optional
        Where volumes come from. By default "auto": as many points as an error of 2 % needs, up to
        8 features (see `oddrank.reference.AutoReference`), and `MultilevelSplitting()` above.
    box : BoundingBox, optional
        Where volumes are measured; the range of `X` by default. Evaluations are comparable only in
        the same box.
    mass_range : (float, float)
        Masses between which the area below the mass-volume curve is taken.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.
    confidence_level : float
    random_state : None, int or numpy random state
        The same seed gives the same result.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    from threadpoolctl import threadpool_limits
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> evaluation = evaluate_scores(density, X, random_state=0)
    >>> low, high = evaluation.mass_volume.interval
    >>> low < 2.0254 < high  # the truth for a standard Gaussian in two dimensions
    True
    """
    owner = "evaluate_scores"
    options = criteria_options(mass_range, excess_mass_floor, owner)
    root = root_of(random_state, owner)
    table = as_table(X)
    ground = MeasuringGround(
        subsampling=None,
        draws=None,
        sampler=check_direct_sampler(reference, table, owner),
        box=check_box(box, table, owner=owner),
        options=options,
        confidence_level=check_fraction(confidence_level, "confidence_level", owner),
    )
    normality_function(detector, orientation=orientation)  # refuses what cannot score
    warn_of_few_rows(table, options)
    name = detector_name(detector)
    fitted = FittedDetector(name=name, detector=detector, orientation=orientation)
    order = natural_order(table.values, root)
    folds = Folds(train_rows=table, test_rows=table, train=(order,), test=(order,))
    assert ground.box is not None
    # Linear algebra on one thread, as in rankings: sums depend on the number of threads, and small
    # products on a busy machine wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        measured = measure(
            fitted,
            folds.test_table(0),
            ground.box,
            ground.sampler,
            options=options,
            root=root,
        )
    evaluation = conclude(name, FoldedCriteria(folds=(measured.criteria,)), folds, ground)
    warn_if_unresolved(evaluation)
    return evaluation


def conclude(
    name: str, criteria: FoldedCriteria, folds: Folds, ground: MeasuringGround
) -> Evaluation:
    """Turn criteria under resampling into estimates, and look at whether to trust them."""
    level = ground.confidence_level
    found = []
    for fold, each in enumerate(criteria.folds):
        test = folds.test_table(fold)
        estimates = (each.excess_mass.estimate(level), each.mass_volume.estimate(level))
        if isinstance(each, SampledCriteria):
            box = ground.box or BoundingBox.from_arrays(test)
            found.append(
                diagnose(test, box, each, estimates, options=ground.options, sampler=ground.sampler)
            )
        else:
            found.append(diagnose_draws(test, each, estimates, ground.options))
    first = criteria.first_fit
    return Evaluation(
        name=name,
        excess_mass=criteria.excess_mass.estimate(level),
        mass_volume=criteria.mass_volume.estimate(level),
        level_sets=None if first is None else first.level_sets,
        diagnostics=Diagnostics.worst_of(found),
        measure=ground.sampler.measure,
        criteria=criteria,
        roc_area=None if first is None else _roc_area(first, level),
    )


def _roc_area(criteria: SampledCriteria, confidence_level: float) -> Estimate | None:
    if np.isnan(criteria.roc_value):
        return None
    return Estimate.normal(criteria.roc_value, criteria.roc_error, confidence_level)


def warn_if_unresolved(evaluation: Evaluation, *, stacklevel: int = 3) -> None:
    """Say it where a criterion has no value."""
    check = evaluation.diagnostics["resolved"]
    if not check.ok:
        message = f"{evaluation.name}: {check.message}"
        warnings.warn(message, UnresolvedWarning, stacklevel=stacklevel)
