"""Figures of several fits: their mean, and an error that counts what another fit would change.

Rows and reference points give the error of one fit. Another training sample, and another seed of
the detector, move a figure too, and only the spread over fits shows by how much. Two fits have a
single degree of freedom, so a prior that ships with the package moderates them, as in empirical
Bayes tests of many genes (Smyth, "Linear models and empirical Bayes methods for assessing
differential expression in microarray experiments", Statistical Applications in Genetics and
Molecular Biology 3, 2004). The prior comes from datasets, never from the detectors at hand: a lead
does not change when a third detector joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria.criterion import EXCESS_MASS, MASS_VOLUME, Criterion
from oddrank.criteria.drawn import DrawnCriteria, DrawnCriterion
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
from oddrank.criteria.sampled import SampledCriteria

__all__ = [
    "AREA_PRIOR",
    "VOLUME_PRIOR",
    "FitPrior",
    "FoldedCriteria",
    "FoldedCriterion",
    "combine_fits",
]


@dataclass(frozen=True, kw_only=True)
class FitPrior:
    """How much fits differ, before any fit is made.

    Attributes
    ----------
    freedom : float
        Degrees of freedom that the prior is worth.
    scale : float
        Variance of one fit's figure, in units of what its rows and points explain.
    floor : float
        Added to that, because a forest's seed moves its figures however many rows there are.
    """

    freedom: float
    scale: float
    floor: float


# Chosen on pairs and twins of datasets with labels, with families of datasets left out.
# docs/judging.md has the rates at which twins are told apart, and the power.
AREA_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2e-5)
# For logarithms of excess mass and mass volume.
VOLUME_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2.5e-3)
# For averages over draws of features. Every draw is a separate fit, so the spread of draws already
# contains much of the difference between fits.
DRAWN_PRIOR = FitPrior(freedom=5.0, scale=1.0, floor=0.0)


def combine_fits(
    values: FloatArray, variances: FloatArray, prior: FitPrior = AREA_PRIOR
) -> tuple[float, float, float]:
    """Return the mean over fits, its standard error, and the degrees of freedom of that.

    The variance `s²` of one fit's value is `(d₀ (c V + τ²) + (K - 1) B) / (d₀ + K - 1)`: `V` is
    what rows and points explain, `B` the variance seen over `K` fits, and the prior says
    `c V + τ²` with `d₀` degrees of freedom. It is never below `V`. Rows and points average out over
    folds, `V / K`. The differences between fits average out over two independent halves, and no
    further: with more folds training rows overlap (Nadeau and Bengio, 2003).

    Parameters
    ----------
    values, variances : arrays of shape (n_folds,)
        Each fit's value, and its variance as rows and points explain it.
    prior : FitPrior

    Examples
    --------
    >>> value, error, freedom = combine_fits(np.array([1.0, 3.0]), np.array([0.1, 0.1]))
    >>> value, round(error, 3), freedom
    (2.0, 0.577, 6.0)
    """
    n_folds = len(values)
    if n_folds == 1:  # one fit says nothing about others
        return float(values[0]), float(np.sqrt(variances[0])), np.inf
    explained = float(np.mean(variances))
    seen = float(np.var(values, ddof=1))
    freedom = prior.freedom + n_folds - 1.0
    expected = prior.scale * explained + prior.floor
    moderated = (prior.freedom * expected + (n_folds - 1.0) * seen) / freedom
    variance = explained / n_folds + max(moderated - explained, 0.0) / 2.0
    return float(np.mean(values)), float(np.sqrt(variance)), freedom


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedCriterion:
    """One criterion of one detector, on every fold.

    Attributes
    ----------
    folds : tuple of SampledCriterion or DrawnCriterion
    """

    folds: tuple[SampledCriterion | DrawnCriterion, ...]

    @property
    def resolved(self) -> bool:
        """Whether it has a value on every fold."""
        return all(fold.resolved for fold in self.folds)

    @property
    def _prior(self) -> FitPrior:
        return DRAWN_PRIOR if isinstance(self.folds[0], DrawnCriterion) else VOLUME_PRIOR

    @property
    def points_error(self) -> float:
        """The part of the relative standard error that more reference points would lower."""
        errors = [f.points_error for f in self.folds if isinstance(f, SampledCriterion)]
        return float(np.sqrt(np.sum(np.square(errors)))) / len(errors) if errors else np.nan

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
            self._prior,
        )
        return log_estimate(value, error, interval_reach(error, freedom, confidence_level))

    def log_ratio(self, other: FoldedCriterion, confidence_level: float) -> PairedRatio:
        """Return the logarithm of `self / other`, fold by fold on the same rows."""
        pairs = zip(self.folds, other.folds, strict=True)
        ratios = [a.log_ratio(b, confidence_level) for a, b in pairs]  # type: ignore[arg-type]
        return _combined(ratios, confidence_level, self._prior)

    def gain_from(self, drawn: Sequence[BoolArray], confidence_level: float) -> PairedRatio:
        """Return the log average over all draws less that over the draws that are not `drawn`."""
        ratios = [
            fold.gain_from(held, confidence_level)
            for fold, held in zip(self.folds, drawn, strict=True)
            if isinstance(fold, DrawnCriterion)
        ]
        return _combined(ratios, confidence_level, self._prior)


def _combined(
    ratios: Sequence[PairedRatio], confidence_level: float, prior: FitPrior
) -> PairedRatio:
    if len(ratios) == 1:
        return ratios[0]
    if not all(each.resolved for each in ratios):
        return UNRESOLVED_RATIO
    value, error, freedom = combine_fits(
        np.array([each.value for each in ratios]),
        np.square([each.standard_error for each in ratios]),
        prior,
    )
    of_points = float(np.sqrt(np.sum([each.points_error**2 for each in ratios]))) / len(ratios)
    ratio = paired_ratio(value, error, freedom, confidence_level)
    return replace(ratio, points_error=of_points)


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedCriteria:
    """Both criteria of one detector, on every fold.

    Attributes
    ----------
    folds : tuple of SampledCriteria or DrawnCriteria
        In draws of features each fold has its own draws.
    """

    folds: tuple[SampledCriteria | DrawnCriteria, ...]

    def __getitem__(self, criterion: Criterion) -> FoldedCriterion:
        return FoldedCriterion(folds=tuple(fold[criterion] for fold in self.folds))

    @property
    def excess_mass(self) -> FoldedCriterion:
        """The excess mass of every fold."""
        return self[EXCESS_MASS]

    @property
    def mass_volume(self) -> FoldedCriterion:
        """The mass volume of every fold."""
        return self[MASS_VOLUME]

    @property
    def drawn(self) -> bool:
        """Whether these are averages over draws of features."""
        return isinstance(self.folds[0], DrawnCriteria)

    @property
    def draws(self) -> tuple[tuple[int, ...], ...]:
        """Features of all draws, fold after fold; none where all features were used at once."""
        return tuple(d for f in self.folds if isinstance(f, DrawnCriteria) for d in f.draws)

    @property
    def first_fit(self) -> SampledCriteria | None:
        """The first fit, whose level sets give the curves; None in draws of features."""
        first = self.folds[0]
        return first if isinstance(first, SampledCriteria) else None
