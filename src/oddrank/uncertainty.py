"""Estimates with errors: from reference points, from data rows, and in pairs.

A criterion is known up to two independent errors. Leaving out one replicate of the reference points
at a time (the jackknife) shows the first; random halves of the data rows, weights on scores that
are already sorted, show the second: the spread of the criterion over halves is the spread of the
criterion over samples. Both also show the upward bias of a maximum such as the excess mass.

Criteria are positive and have a unit, so that everything is done with their logarithms: errors are
relative, corrected values stay positive, and scaling a feature changes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import t as student

from oddrank.table import FloatArray

__all__ = ["Estimate", "SampledCriterion"]

# The argument of a maximum of an empirical process is found at cube-root rate, and the excess it
# brings falls as n^(-2/3) (Kim and Pollard, "Cube root asymptotics", 1990).
_MAXIMUM_RATE = 2.0 / 3.0


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value, its standard error and its confidence interval.

    Attributes
    ----------
    value : float
        NaN where the criterion is unresolved: see `resolved`.
    standard_error : float
    interval : (float, float)
        Confidence interval, at the level that was asked for.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]

    @property
    def resolved(self) -> bool:
        """Whether there is a value at all."""
        return bool(np.isfinite(self.value))

    @property
    def relative_error(self) -> float:
        """Standard error as a share of the value."""
        return self.standard_error / abs(self.value) if self.value else float("nan")

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers; None where the criterion is unresolved."""
        if not self.resolved:
            return {"value": None, "standard_error": None, "interval": None}
        return {
            "value": self.value,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
        }

    def __str__(self) -> str:
        if not self.resolved:
            return "unresolved"
        low, high = self.interval
        return f"{self.value:.4g} ± {self.standard_error:.2g} [{low:.4g}, {high:.4g}]"


@dataclass(frozen=True, kw_only=True)
class PairedRatio(Estimate):
    """The logarithm of a ratio of two criteria that were seen on the same points and rows.

    Attributes
    ----------
    degrees_of_freedom : float
        Of the standard error.
    """

    degrees_of_freedom: float

    def reversed(self) -> PairedRatio:
        """Return the ratio the other way round."""
        low, high = self.interval
        return replace(self, value=-self.value, interval=(-high, -low))


_NAN = float("nan")
UNRESOLVED = Estimate(value=_NAN, standard_error=_NAN, interval=(_NAN, _NAN))
UNRESOLVED_RATIO = PairedRatio(
    value=_NAN, standard_error=_NAN, interval=(_NAN, _NAN), degrees_of_freedom=_NAN
)


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledCriterion:
    """A criterion with its values under resampling, enough for its error and for paired ones.

    Attributes
    ----------
    value : float
        From all reference points and all rows.
    without_replicate : array of shape (n_replicates,)
        With one replicate of the reference points left out.
    on_halves : array of shape (n_halves,)
        On random halves of the rows.
    is_maximum : bool
        Whether the criterion is a maximum over noise, and so biased upwards.
    """

    value: float
    without_replicate: FloatArray
    on_halves: FloatArray
    is_maximum: bool

    @property
    def resolved(self) -> bool:
        """Whether the criterion and all its resamples have a positive value."""
        parts = (np.atleast_1d(self.value), self.without_replicate, self.on_halves)
        return all(bool((part > 0).all()) for part in parts)

    @property
    def log_bias(self) -> float:
        """Estimated bias of the logarithm, from fewer points and from fewer rows."""
        if not self.is_maximum:
            return 0.0
        fewer_rows = np.log(self.on_halves.mean() / self.value)
        rows_factor = 2.0**_MAXIMUM_RATE - 1.0
        return float(self._points_bias + fewer_rows / rows_factor)

    @property
    def _points_bias(self) -> float:
        if not self.is_maximum:
            return 0.0
        n_replicates = len(self.without_replicate)
        fewer_points = np.log(self.without_replicate.mean() / self.value)
        return float(fewer_points / ((n_replicates / (n_replicates - 1)) ** _MAXIMUM_RATE - 1.0))

    @property
    def points_error(self) -> float:
        """The part of the relative standard error that more reference points would lower.

        Infinite where the criterion is unresolved without one of the replicates.
        """
        if not (self.value > 0 and (self.without_replicate > 0).all()):
            return float("inf")
        shifts = _shifts(np.log(self.without_replicate))
        return float(np.sqrt((shifts**2).sum() + self._points_bias**2))

    def estimate(self, confidence_level: float) -> Estimate:
        """Return the corrected value with both errors."""
        if not self.resolved:
            return UNRESOLVED
        log_value = np.log(self.value) - self.log_bias
        log_error, freedom = _log_error(
            _shifts(np.log(self.without_replicate)), np.log(self.on_halves), self.log_bias
        )
        reach = interval_reach(log_error, freedom, confidence_level)
        value = float(np.exp(log_value))
        interval = np.exp(log_value - reach), np.exp(log_value + reach)
        return Estimate(
            value=value,
            standard_error=value * log_error,
            interval=(float(interval[0]), float(interval[1])),
        )

    def log_ratio(self, other: SampledCriterion, confidence_level: float) -> PairedRatio:
        """Return the logarithm of `self / other`, both seen on the same points and rows.

        What moves both of them alike cancels: that is the error of a difference. Where one has
        seen more replicates than the other, the first ones are common to both.
        """
        if not (self.resolved and other.resolved):
            return UNRESOLVED_RATIO
        log_value = (np.log(self.value) - self.log_bias) - (np.log(other.value) - other.log_bias)
        log_error, freedom = _log_error(
            _difference(
                _shifts(np.log(self.without_replicate)), _shifts(np.log(other.without_replicate))
            ),
            np.log(self.on_halves / other.on_halves),
            self.log_bias - other.log_bias,
        )
        return paired_ratio(float(log_value), log_error, freedom, confidence_level)


def paired_ratio(
    value: float, error: float, freedom: float, confidence_level: float
) -> PairedRatio:
    """Return a ratio with the interval of its error."""
    reach = interval_reach(error, freedom, confidence_level)
    return PairedRatio(
        value=value,
        standard_error=error,
        interval=(value - reach, value + reach),
        degrees_of_freedom=freedom,
    )


def interval_reach(error: float, freedom: float, confidence_level: float) -> float:
    """Return how far a two-sided interval reaches to each side."""
    return float(student.ppf(0.5 + confidence_level / 2.0, freedom)) * error


def _shifts(without_replicate: FloatArray) -> FloatArray:
    """Return what each replicate adds to an average, so that the squares sum to its variance.

    This is the jackknife: `(n - 1) / n` times the sum of the squared deviations.
    """
    n_replicates = len(without_replicate)
    scale = np.sqrt((n_replicates - 1) / n_replicates)
    return np.asarray(scale * (without_replicate.mean() - without_replicate))


def _difference(first: FloatArray, second: FloatArray) -> FloatArray:
    # A replicate that only one of the two has seen moves that one alone.
    difference = np.zeros(max(len(first), len(second)))
    difference[: len(first)] += first
    difference[: len(second)] -= second
    return difference


def _log_error(shifts: FloatArray, on_halves: FloatArray, bias: float) -> tuple[float, float]:
    """Return the standard error of a logarithm and its degrees of freedom.

    A correction is no better known than its own size, so that its square counts as variance.
    """
    n_replicates, n_pairs = len(shifts), len(on_halves) // 2
    points = float((shifts**2).sum())
    rows = float(on_halves.var(ddof=1))
    # Welch and Satterthwaite: few replicates make a wide interval, if they matter at all. A half
    # and its complement move against each other, and count once.
    spread = points**2 / (n_replicates - 1) + rows**2 / (n_pairs - 1)
    freedom = (points + rows) ** 2 / spread if spread > 0 else np.inf
    return float(np.sqrt(points + rows + bias**2)), float(freedom)
