"""The criteria of one detector on every fold, joined to one estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddrank.criteria.criterion import Criterion
from oddrank.criteria.draws import DrawCriteria
from oddrank.criteria.estimate import (
    UNRESOLVED,
    UNRESOLVED_RATIO,
    Estimate,
    PairedRatio,
    SampledCriterion,
    interval_reach,
    log_estimate,
    paired_ratio,
)
from oddrank.criteria.fits import FitPrior, combine_fits
from oddrank.criteria.sampled import FitCriteria

__all__ = ["FoldedCriteria", "FoldedCriterion", "combine_ratios"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedCriterion:
    """One criterion of one detector, on every fold.

    Attributes
    ----------
    folds : tuple of SampledCriterion
    prior : FitPrior
        How much fits of such figures differ.
    """

    folds: tuple[SampledCriterion, ...]
    prior: FitPrior

    @property
    def resolved(self) -> bool:
        """Whether it has a value on every fold."""
        return all(fold.resolved for fold in self.folds)

    def estimate(self, confidence_level: float) -> Estimate:
        """Return the mean over folds, of logarithms, with its error."""
        if len(self.folds) == 1:
            return self.folds[0].estimate(confidence_level)
        found = [fold.estimate(confidence_level) for fold in self.folds]
        if not all(each.resolved for each in found):
            return UNRESOLVED
        value, error, freedom = combine_fits(
            np.log([each.value for each in found]),
            np.square([each.relative_error for each in found]),
            self.prior,
        )
        return log_estimate(value, error, interval_reach(error, freedom, confidence_level))

    def log_ratio(self, other: FoldedCriterion, confidence_level: float) -> PairedRatio:
        """Return the logarithm of `self / other`, fold by fold on the same rows."""
        pairs = zip(self.folds, other.folds, strict=True)
        ratios = [first.log_ratio(second, confidence_level) for first, second in pairs]
        return combine_ratios(ratios, confidence_level, self.prior)


def combine_ratios(
    ratios: Sequence[PairedRatio], confidence_level: float, prior: FitPrior
) -> PairedRatio:
    """Return the mean of the folds' ratios, with an error that counts other fits too."""
    if len(ratios) == 1:
        return ratios[0]
    if not all(each.resolved for each in ratios):
        return UNRESOLVED_RATIO
    value, error, freedom = combine_fits(
        np.array([each.value for each in ratios]),
        np.square([each.standard_error for each in ratios]),
        prior,
    )
    return paired_ratio(value, error, freedom, confidence_level)


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedCriteria:
    """All criteria of one detector, on every fold.

    Attributes
    ----------
    folds : tuple of FitCriteria, or tuple of DrawCriteria
        In draws of features each fold has its own draws.
    """

    folds: tuple[FitCriteria, ...] | tuple[DrawCriteria, ...]

    def __getitem__(self, criterion: Criterion) -> FoldedCriterion:
        return FoldedCriterion(
            folds=tuple(fold.criteria[criterion] for fold in self.folds), prior=self.folds[0].prior
        )
