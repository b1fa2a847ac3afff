"""EM and MV of one scoring function, with errors and with the reasons to trust them or not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._validation import check_fraction
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions, SampledCriteria, sample_criteria
from oddrank.diagnostics import Diagnostics, diagnose
from oddrank.errors import UnresolvedWarning
from oddrank.evaluation_inputs import (
    check_box,
    check_sampler,
    criteria_options,
    train_and_test,
    warn_of_few_rows,
)
from oddrank.fitting import check_can_fit, fit_detector
from oddrank.frames import data_frame
from oddrank.level_sets import LevelSets
from oddrank.normality import normality_function
from oddrank.reference import ReferenceSampler
from oddrank.scoring import detector_name, score_reference, score_table
from oddrank.table import FloatArray, Table, as_table
from oddrank.uncertainty import Estimate

__all__ = ["Evaluation", "evaluate_detector", "evaluate_scores"]


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
    level_sets : LevelSets
        Everything that both curves are made of.
    diagnostics : Diagnostics
        Whether to trust the figures, and why.
    measure : str
        The reference measure that volumes are in.
    criteria : SampledCriteria
        Both criteria under resampling, for paired comparisons.
    """

    name: str
    excess_mass: Estimate
    mass_volume: Estimate
    level_sets: LevelSets
    diagnostics: Diagnostics
    measure: str
    criteria: SampledCriteria

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers and sentences, ready for JSON."""
        return {
            "name": self.name,
            "measure": self.measure,
            "excess_mass": self.excess_mass.to_dict(),
            "mass_volume": self.mass_volume.to_dict(),
            "trustworthy": self.diagnostics.trustworthy,
            "concerns": [check.message for check in self.diagnostics.concerns],
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
            for criterion, estimate in (
                ("excess_mass", self.excess_mass),
                ("mass_volume", self.mass_volume),
            )
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
        return "\n".join(lines + [f"    {check}" for check in self.diagnostics.checks])


def evaluate_scores(
    detector: Any,
    X: Any,
    *,
    orientation: str | None = None,
    reference: ReferenceSampler | None = None,
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
        See `oddrank.normality.normality_function` for what is understood.
    X : array or frame of shape (n_rows, n_features)
    orientation : None, "normality" or "abnormality"
        What high scores mean; None asks for each library's convention.
    reference : sampler, optional
        Where volumes come from; `UniformBox()` by default.
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
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> evaluation = evaluate_scores(density, X, random_state=0)
    >>> low, high = evaluation.mass_volume.interval
    >>> low < 2.0254 < high  # the truth for a standard Gaussian in two dimensions
    True
    """
    owner = "evaluate_scores"
    options = criteria_options(mass_range, excess_mass_floor, owner)
    check_fraction(confidence_level, "confidence_level", owner)
    sampler = check_sampler(reference, owner)
    table = as_table(X)
    box = check_box(box, table, owner=owner)
    root = root_of(random_state, owner)
    function = normality_function(detector, orientation=orientation)
    warn_of_few_rows(table, options)
    return evaluate_function(
        function,
        detector_name(detector),
        table,
        box,
        sampler,
        options=options,
        confidence_level=confidence_level,
        root=root,
    )


def evaluate_detector(
    detector: Any,
    X_train: Any,
    X_test: Any = None,
    *,
    test_size: float = 0.5,
    orientation: str | None = None,
    reference: ReferenceSampler | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> Evaluation:
    """Fit a copy of a detector on some rows and evaluate it on others.

    Parameters
    ----------
    detector : detector with a `fit` method
        It is cloned, never changed.
    X_train : array or frame
    X_test : array or frame, optional
        Without it the rows of `X_train` are split at random.
    test_size : float
        Share of the rows that is kept for the evaluation when there is no `X_test`.
    box : BoundingBox, optional
        The range of training and test rows by default.
    orientation, reference, mass_range, excess_mass_floor, confidence_level, random_state
        As in `evaluate_scores`. A detector whose own `random_state` is None is given one.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> evaluation = evaluate_detector(IsolationForest(), X, random_state=0)
    >>> bool(evaluation.mass_volume.value > 2.0)  # no detector is better than the density itself
    True
    """
    owner = "evaluate_detector"
    options = criteria_options(mass_range, excess_mass_floor, owner)
    check_fraction(confidence_level, "confidence_level", owner)
    sampler = check_sampler(reference, owner)
    root = root_of(random_state, owner)
    train, test = train_and_test(X_train, X_test, test_size, root, owner)
    box = check_box(box, train, test, owner=owner)
    check_can_fit(detector)
    normality_function(detector, orientation=orientation)
    warn_of_few_rows(test, options)
    fitted = fit_detector(detector, train, root)
    return evaluate_function(
        normality_function(fitted, orientation=orientation),
        detector_name(detector),
        test,
        box,
        sampler,
        options=options,
        confidence_level=confidence_level,
        root=root,
    )


def evaluate_function(
    function: Callable[[Any], Any],
    name: str,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    options: CriteriaOptions,
    confidence_level: float,
    root: np.random.SeedSequence,
) -> Evaluation:
    """Evaluate a function that is known to be higher for more normal rows; all is checked."""
    scores = score_table(function, table, name)
    replicates = score_reference(function, sampler, box, table, name, root=root)
    criteria = sample_criteria(
        scores[_order_of_rows(table.values, box, root)],
        replicates,
        log_volume=box.log_volume,
        options=options,
        random=stream(root, "rows", 0),
    )
    estimates = (
        criteria.excess_mass.estimate(confidence_level),
        criteria.mass_volume.estimate(confidence_level),
    )
    diagnostics = diagnose(table, box, criteria, estimates, options)
    if not diagnostics["resolved"].ok:
        message = f"{name}: {diagnostics['resolved'].message}"
        warnings.warn(message, UnresolvedWarning, stacklevel=3)
    return Evaluation(
        name=name,
        excess_mass=estimates[0],
        mass_volume=estimates[1],
        level_sets=criteria.level_sets,
        diagnostics=diagnostics,
        measure=sampler.measure,
        criteria=criteria,
    )


def _order_of_rows(values: FloatArray, box: BoundingBox, root: np.random.SeedSequence) -> Any:
    # Random halves belong to rows, not to their places: in an order that the rows themselves give,
    # a shuffled table has the same halves, and so the same errors and corrections.
    direction = stream(root, "rows", 1).normal(size=box.n_features)
    return np.argsort(((values - box.lower) / box.widths * direction).sum(axis=1), kind="stable")
