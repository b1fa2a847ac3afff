"""Criteria that are averages over draws of features.

Their error has two sources. Draws: another set of draws would give another average. Leaving out one
draw at a time shows this error. Rows: all draws see the same test rows, so draws do not show what
another sample would change. Random halves of the rows, the same in every draw, show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria.criterion import EXCESS_MASS, MASS_VOLUME, Criterion
from oddrank.criteria.estimate import (
    UNRESOLVED,
    UNRESOLVED_RATIO,
    Estimate,
    PairedRatio,
    SampledCriterion,
    bias_of_maximum,
    interval_reach,
    jackknife_variance,
    log_estimate,
    paired_ratio,
    pooled_error,
    variance_over_halves,
)
from oddrank.criteria.sampled import SampledCriteria

__all__ = ["DrawAreas", "DrawnArea", "DrawnCriteria", "DrawnCriterion"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnArea:
    """One criterion in one draw of features, in plain units.

    Samplers may stop at different numbers of replicates in different draws. So only the value on
    fewer reference points is kept.

    Attributes
    ----------
    value : float
        NaN or 0 where it is unresolved.
    on_fewer_points : float
        Average of the values with one replicate of the reference points left out.
    on_halves : array of shape (n_halves,)
    n_replicates : int
    """

    value: float
    on_fewer_points: float
    on_halves: FloatArray
    n_replicates: int

    @classmethod
    def of(cls, sampled: SampledCriterion) -> DrawnArea:
        """Keep what an average over draws needs."""
        unit = np.exp(sampled.log_unit)
        without = sampled.without_replicate
        fewer = without.mean() if (without > 0).all() else np.nan
        return cls(
            value=float(sampled.value * unit),
            on_fewer_points=float(fewer * unit),
            on_halves=sampled.on_halves * unit,
            n_replicates=len(without),
        )

    @property
    def log_value(self) -> float:
        """Logarithm of the value; NaN where it has none."""
        return float(np.log(self.value)) if self.value > 0.0 else float("nan")


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawAreas:
    """Both criteria of one detector in one draw of features.

    Attributes
    ----------
    excess_mass, mass_volume : DrawnArea
    points_error : float
        The larger of the relative standard errors that reference points bring to them.
    """

    excess_mass: DrawnArea
    mass_volume: DrawnArea
    points_error: float

    @classmethod
    def of(cls, criteria: SampledCriteria) -> DrawAreas:
        """Keep what averages over draws need."""
        return cls(
            excess_mass=DrawnArea.of(criteria.excess_mass),
            mass_volume=DrawnArea.of(criteria.mass_volume),
            points_error=criteria.points_error,
        )

    def __getitem__(self, criterion: Criterion) -> DrawnArea:
        return {EXCESS_MASS: self.excess_mass, MASS_VOLUME: self.mass_volume}[criterion]

    @property
    def n_replicates(self) -> int:
        """Replicates of the reference points that both rest on."""
        return self.excess_mass.n_replicates


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnCriterion:
    """One criterion of one detector in every draw of features.

    Attributes
    ----------
    values : array of shape (n_draws,)
        NaN or 0 where the criterion is unresolved in that draw.
    on_fewer_points : array of shape (n_draws,)
        Average of the values with one replicate of the reference points left out.
    points_share : float
        Share of the reference points that these rest on, on average.
    on_halves : array of shape (n_draws, n_halves)
        On random halves of the rows; a half is the same rows in every draw.
    criterion : Criterion
    aggregation : "mean" or "geometric"
    shared : array of bool of shape (n_draws,)
        Draws that are averaged: those in which every detector of the comparison is resolved.
    """

    values: FloatArray
    on_fewer_points: FloatArray
    points_share: float
    on_halves: FloatArray
    criterion: Criterion
    aggregation: str
    shared: BoolArray

    @classmethod
    def over(
        cls, criterion: Criterion, draws: Sequence[DrawAreas], aggregation: str
    ) -> DrawnCriterion:
        """Put the draws of one detector side by side; all of them count at first."""
        areas = [draw[criterion] for draw in draws]
        n_replicates = np.array([area.n_replicates for area in areas])
        return cls(
            values=np.array([area.value for area in areas]),
            on_fewer_points=np.array([area.on_fewer_points for area in areas]),
            points_share=float(((n_replicates - 1) / n_replicates).mean()),
            on_halves=np.array([area.on_halves for area in areas]),
            criterion=criterion,
            aggregation=aggregation,
            shared=np.ones(len(areas), dtype=bool),
        )

    @property
    def in_draws(self) -> BoolArray:
        """Return the draws in which the criterion and all its resamples have a value."""
        resamples = np.column_stack([self.values, self.on_fewer_points, self.on_halves])
        return np.asarray((resamples > 0).all(axis=1))

    @property
    def resolved(self) -> bool:
        """Whether at least half of the draws, and two of them, can be averaged."""
        n_shared = np.count_nonzero(self.shared)
        return bool(n_shared >= 2 and 2 * n_shared >= len(self.values))

    @property
    def log_average(self) -> float:
        """Logarithm of the plain average over the shared draws, the paper's criterion."""
        return float(self._log_average(self.values))

    @property
    def log_bias(self) -> float:
        """Estimated bias of `log_average`, from fewer points and from fewer rows."""
        if not self.criterion.is_maximum:
            return 0.0
        value = np.exp(self.log_average)
        on_fewer_points = np.exp(self._log_average(self.on_fewer_points))
        on_fewer_rows = np.exp(self._log_average(self.on_halves))
        return bias_of_maximum(value, on_fewer_points, self.points_share) + bias_of_maximum(
            value, on_fewer_rows, 0.5
        )

    def estimate(self, confidence_level: float) -> Estimate:
        """Return the corrected average over draws with both errors."""
        if not self.resolved:
            return UNRESOLVED
        error, freedom = pooled_error(
            jackknife_variance(self._log_without_each()),
            variance_over_halves(self._log_average(self.on_halves)),
            self.log_bias,
        )
        reach = interval_reach(error, freedom, confidence_level)
        return log_estimate(self.log_average - self.log_bias, error, reach)

    def log_ratio(self, other: DrawnCriterion, confidence_level: float) -> PairedRatio:
        """Return the logarithm of the ratio of the averages over the same draws and rows."""
        if not (self.resolved and other.resolved):
            return UNRESOLVED_RATIO
        bias = self.log_bias - other.log_bias
        error, freedom = pooled_error(
            jackknife_variance(self._log_without_each() - other._log_without_each()),
            variance_over_halves(
                self._log_average(self.on_halves) - other._log_average(other.on_halves)
            ),
            bias,
        )
        value = self.log_average - other.log_average - bias
        return paired_ratio(value, error, freedom, confidence_level)

    def gain_from(self, drawn: BoolArray, confidence_level: float) -> PairedRatio:
        """Return the log average over all draws less that over the draws that are not `drawn`."""
        others = ~drawn[self.shared]
        n_others = np.count_nonzero(others)
        if not self.resolved or n_others < 2 or n_others == len(others):
            return UNRESOLVED_RATIO
        error, freedom = pooled_error(
            jackknife_variance(self._log_without_each() - self._log_without_each(others)),
            variance_over_halves(
                self._log_average(self.on_halves) - self._log_average(self.on_halves, others)
            ),
            0.0,
        )
        value = self.log_average - float(self._log_average(self.values, others))
        return paired_ratio(value, error, freedom, confidence_level)

    def _log_average(self, values: FloatArray, subset: BoolArray | None = None) -> FloatArray:
        """Return the log average over shared draws of each column, or over a subset of them."""
        chosen = values[self.shared] if subset is None else values[self.shared][subset]
        if self.aggregation == "geometric":
            return np.asarray(np.log(chosen).mean(axis=0))
        return np.asarray(np.log(chosen.mean(axis=0)))

    def _log_without_each(self, subset: BoolArray | None = None) -> FloatArray:
        """Return the log averages over the subset without each shared draw."""
        values = self.values[self.shared]
        counts = np.ones(len(values)) if subset is None else subset.astype(float)
        geometric = self.aggregation == "geometric"
        terms = counts * (np.log(values) if geometric else values)
        averages = (terms.sum() - terms) / (counts.sum() - counts)
        return averages if geometric else np.asarray(np.log(averages))


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnCriteria:
    """Both criteria of one detector over the same draws.

    Attributes
    ----------
    excess_mass, mass_volume : DrawnCriterion
    draws : tuple of tuples of int
        The features of each draw.
    """

    excess_mass: DrawnCriterion
    mass_volume: DrawnCriterion
    draws: tuple[tuple[int, ...], ...]

    def __getitem__(self, criterion: Criterion) -> DrawnCriterion:
        return {EXCESS_MASS: self.excess_mass, MASS_VOLUME: self.mass_volume}[criterion]
