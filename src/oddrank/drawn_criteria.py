"""Criteria that are averages over draws of features.

Their error has two sources. Draws: another set of draws would give another average; leaving out one
draw at a time shows it. Rows: all draws see the same test rows, so that no number of draws shows
what another sample would change; random halves of the rows, the same in every draw, do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank.table import FloatArray
from oddrank.uncertainty import (
    UNRESOLVED,
    UNRESOLVED_RATIO,
    Estimate,
    PairedRatio,
    bias_of_maximum,
    interval_reach,
    jackknife_variance,
    log_estimate,
    paired_ratio,
    pooled_error,
    variance_over_halves,
)

__all__ = ["DrawnCriteria", "DrawnCriterion"]

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnCriterion:
    """One criterion of one detector in every draw of features.

    Attributes
    ----------
    values : array of shape (n_draws,)
        NaN or 0 where the criterion is unresolved in that draw.
    without_replicate : array of shape (n_draws, n_replicates)
    on_halves : array of shape (n_draws, n_halves)
        As in `SampledCriterion`; a half is the same rows in every draw.
    is_maximum : bool
    aggregation : "mean" or "geometric"
    shared : array of bool of shape (n_draws,)
        Draws that are averaged: those in which every detector of the comparison is resolved.
    """

    values: FloatArray
    without_replicate: FloatArray
    on_halves: FloatArray
    is_maximum: bool
    aggregation: str
    shared: BoolArray

    @property
    def in_draws(self) -> BoolArray:
        """Tell the draws in which the criterion and all its resamples have a value."""
        resamples = np.column_stack([self.values, self.without_replicate, self.on_halves])
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
        if not self.is_maximum:
            return 0.0
        value = np.exp(self.log_average)
        n_replicates = self.without_replicate.shape[1]
        on_fewer_points = np.exp(self._log_average(self.without_replicate))
        on_fewer_rows = np.exp(self._log_average(self.on_halves))
        return bias_of_maximum(
            value, on_fewer_points, (n_replicates - 1) / n_replicates
        ) + bias_of_maximum(value, on_fewer_rows, 0.5)

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
