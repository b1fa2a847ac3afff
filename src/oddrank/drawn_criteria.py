"""Criteria that are averages over draws of features, with errors that come from the draws."""

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
    interval_reach,
    paired_ratio,
)

__all__ = ["DrawnCriteria", "DrawnCriterion"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnCriterion:
    """One criterion of one detector in every draw of features.

    Attributes
    ----------
    values : array of shape (n_draws,)
        NaN or 0 where the criterion is unresolved in that draw.
    aggregation : "mean" or "geometric"
    shared : array of bool of shape (n_draws,)
        Draws that are averaged: those in which every detector of the comparison is resolved.
    """

    values: FloatArray
    aggregation: str
    shared: npt.NDArray[np.bool_]

    @property
    def resolved(self) -> bool:
        """Whether at least half of the draws, and two of them, can be averaged."""
        n_shared = np.count_nonzero(self.shared)
        return bool(n_shared >= 2 and 2 * n_shared >= len(self.values))

    def estimate(self, confidence_level: float) -> Estimate:
        """Return the average over draws with the error of an average."""
        if not self.resolved:
            return UNRESOLVED
        log_value, error = _jackknife(self._log_averages())
        reach = interval_reach(error, self._freedom, confidence_level)
        value = float(np.exp(log_value))
        interval = (float(np.exp(log_value - reach)), float(np.exp(log_value + reach)))
        return Estimate(value=value, standard_error=value * error, interval=interval)

    def log_ratio(self, other: DrawnCriterion, confidence_level: float) -> PairedRatio:
        """Return the logarithm of the ratio of the averages over the same draws."""
        if not (self.resolved and other.resolved):
            return UNRESOLVED_RATIO
        value, error = _jackknife(self._log_averages() - other._log_averages())
        return paired_ratio(value, error, self._freedom, confidence_level)

    @property
    def _freedom(self) -> float:
        return float(np.count_nonzero(self.shared) - 1)

    def gain_from(self, drawn: npt.NDArray[np.bool_], confidence_level: float) -> PairedRatio:
        """Return the log average over all draws less that over the draws that are not `drawn`."""
        others = ~drawn[self.shared]
        if not self.resolved or np.count_nonzero(others) < 2:
            return UNRESOLVED_RATIO
        value, error = _jackknife(self._log_averages() - self._log_averages(others))
        return paired_ratio(value, error, self._freedom, confidence_level)

    def _log_averages(self, subset: npt.NDArray[np.bool_] | None = None) -> FloatArray:
        """Return the log average over the subset, followed by those without each shared draw."""
        values = self.values[self.shared]
        geometric = self.aggregation == "geometric"
        counts = np.ones(len(values)) if subset is None else subset.astype(float)
        terms = counts * (np.log(values) if geometric else values / values.max())
        averages = np.append(
            terms.sum() / counts.sum(), (terms.sum() - terms) / (counts.sum() - counts)
        )
        return averages if geometric else np.asarray(np.log(averages) + np.log(values.max()))


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


def _jackknife(with_and_without: FloatArray) -> tuple[float, float]:
    """Return a value and its standard error, from leaving out one draw at a time."""
    value, without = float(with_and_without[0]), with_and_without[1:]
    return value, float(np.sqrt((len(without) - 1) * without.var()))
