"""Estimates with errors: from reference points, from data rows, and in pairs.

A criterion is known up to two independent errors. Leaving out one replicate of the reference points
at a time (the jackknife) shows the first; random halves of the data rows, weights on scores that
are already sorted, show the second: the spread of the criterion over halves is the spread of the
criterion over samples. Both also show the upward bias of a maximum such as the excess mass.

Criteria are positive and have a unit, so everything is done with their logarithms. Errors are then
relative, corrected values stay positive, and scaling a feature changes the unit only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtrit

from oddrank._typing import FloatArray
from oddrank.criteria.criterion import Criterion

__all__ = ["Estimate", "PairedRatio", "SampledCriterion", "holm"]

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
        Confidence interval.

    Examples
    --------
    >>> from oddrank import Estimate
    >>> print(Estimate(value=2.0, standard_error=0.1, interval=(1.8, 2.2)))
    2 ± 0.1 [1.8, 2.2]
    """

    value: float
    standard_error: float
    interval: tuple[float, float]

    @classmethod
    def normal(cls, value: float, standard_error: float, confidence_level: float) -> Estimate:
        """Return an estimate whose error is normal: the interval is the same on both sides."""
        reach = float(ndtri(0.5 + confidence_level / 2.0)) * standard_error
        return Estimate(
            value=value, standard_error=standard_error, interval=(value - reach, value + reach)
        )

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
    """The logarithm of a ratio of two criteria that were measured on the same rows.

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

    The parts that are left out one at a time are replicates of the reference points or, for an
    average over draws of features, these draws.

    Attributes
    ----------
    value : float
        From everything; NaN or 0 where the criterion is unresolved.
    leave_one_out : array of shape (n_parts,)
        With one part left out.
    fewer_points_value : float
        The mean with one replicate of the reference points left out, whatever the parts are.
    points_share : float
        Share of the reference points that `fewer_points_value` rests on.
    half_values : array of shape (n_halves,)
        On random halves of the rows.
    criterion : Criterion
    log_unit : float
        Logarithm of the unit that all these values are in: a box of many features has a volume that
        no float can hold.
    """

    value: float
    leave_one_out: FloatArray
    fewer_points_value: float
    points_share: float
    half_values: FloatArray
    criterion: Criterion
    log_unit: float = 0.0

    @classmethod
    def of_replicates(
        cls,
        criterion: Criterion,
        value: float,
        without_replicate: FloatArray,
        half_values: FloatArray,
        log_unit: float = 0.0,
    ) -> SampledCriterion:
        """Return the criterion of one fit: the parts are replicates of the reference points."""
        n_replicates = len(without_replicate)
        return cls(
            value=value,
            leave_one_out=without_replicate,
            fewer_points_value=float(without_replicate.mean()),
            points_share=(n_replicates - 1) / n_replicates,
            half_values=half_values,
            criterion=criterion,
            log_unit=log_unit,
        )

    @property
    def resolved(self) -> bool:
        """Whether the criterion and all its resamples have a positive value."""
        return self.value > 0.0 and bool(
            (self.leave_one_out > 0.0).all() and (self.half_values > 0.0).all()
        )

    @property
    def log_value(self) -> float:
        """Logarithm of the plain value, in absolute units; NaN where it has none."""
        return float(np.log(self.value)) + self.log_unit if self.value > 0.0 else float("nan")

    @property
    def log_bias(self) -> float:
        """Estimated bias of the logarithm, from fewer points and from fewer rows."""
        if not self.criterion.is_maximum:
            return 0.0
        return self.points_bias + bias_of_maximum(self.value, self.half_values, 0.5)

    @property
    def points_bias(self) -> float:
        """The part of `log_bias` that more reference points would lower."""
        if not self.criterion.is_maximum:
            return 0.0
        return bias_of_maximum(self.value, self.fewer_points_value, self.points_share)

    @property
    def points_error(self) -> float:
        """The part of the relative standard error that more reference points would lower.

        It is known where the parts are replicates of the points; infinite where the criterion is
        unresolved without one of them.
        """
        if not (self.value > 0 and (self.leave_one_out > 0).all()):
            return float("inf")
        variance, _ = jackknife_variance(np.log(self.leave_one_out))
        return float(np.sqrt(variance + self.points_bias**2))

    def estimate(self, confidence_level: float) -> Estimate:
        """Return the corrected value with both errors."""
        if not self.resolved:
            return UNRESOLVED
        log_value = np.log(self.value) - self.log_bias + self.log_unit
        log_error, freedom = pooled_error(
            jackknife_variance(np.log(self.leave_one_out)),
            variance_over_halves(np.log(self.half_values)),
            self.log_bias,
        )
        reach = interval_reach(log_error, freedom, confidence_level)
        return log_estimate(float(log_value), log_error, reach)

    def log_ratio(
        self, other: SampledCriterion, confidence_level: float, *, corrected: bool = True
    ) -> PairedRatio:
        """Return the logarithm of `self / other`, both measured on the same rows.

        What moves both alike cancels, so this is the error of a difference. Both use the same
        random numbers in a replicate, and the same points if the sampler does not depend on the
        detector. If one has more replicates, the first ones are common to both. The bias of a
        maximum is subtracted, unless the two are averages over the same fits (`corrected=False`).
        """
        if not (self.resolved and other.resolved):
            return UNRESOLVED_RATIO
        bias = self.log_bias - other.log_bias if corrected else 0.0
        log_value = np.log(self.value / other.value) - bias + (self.log_unit - other.log_unit)
        log_error, freedom = pooled_error(
            _paired_jackknife(np.log(self.leave_one_out), np.log(other.leave_one_out)),
            variance_over_halves(np.log(self.half_values / other.half_values)),
            bias,
        )
        return paired_ratio(float(log_value), log_error, freedom, confidence_level)


def log_estimate(log_value: float, log_error: float, reach: float) -> Estimate:
    """Return the estimate of a positive figure from its logarithm."""
    with np.errstate(over="ignore", under="ignore"):
        value, low, high = (float(np.exp(log_value + shift)) for shift in (0.0, -reach, reach))
    if not 0.0 < value < np.inf:
        return UNRESOLVED  # no float can hold it
    return Estimate(value=value, standard_error=value * log_error, interval=(low, high))


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
    return float(stdtrit(freedom, 0.5 + confidence_level / 2.0)) * error


def _paired_jackknife(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Return the variance of a difference that leaving out common replicates shows.

    What each replicate adds to an average is subtracted replicate by replicate. A replicate that
    only one of the two has moves that one alone. With as many replicates on both sides this is
    `jackknife_variance` of the difference. With more on one side, Welch and Satterthwaite give the
    freedom, which is small if it rests on few replicates.
    """
    shifts = np.zeros(max(len(first), len(second)))
    for sign, without_each in ((1.0, first), (-1.0, second)):
        n_parts = len(without_each)
        scale = sign * np.sqrt((n_parts - 1) / n_parts)
        shifts[:n_parts] += scale * (without_each.mean() - without_each)
    variance = float((shifts**2).sum())
    if len(first) == len(second):
        return variance, len(shifts) - 1.0
    parts = [jackknife_variance(without_each) for without_each in (first, second)]
    spread = sum(part**2 / freedom for part, freedom in parts)
    total = sum(part for part, _ in parts)
    return variance, total**2 / spread if spread > 0.0 else len(shifts) - 1.0


def pooled_error(
    points_or_draws: tuple[float, float], rows: tuple[float, float], bias: float
) -> tuple[float, float]:
    """Add two independent variances, each with its degrees of freedom, and a bias.

    By Welch and Satterthwaite, few replicates make a wide interval if they matter. A correction is
    uncertain by its own size, so its square counts as variance.
    """
    (first, first_freedom), (second, second_freedom) = points_or_draws, rows
    spread = first**2 / first_freedom + second**2 / second_freedom
    freedom = (first + second) ** 2 / spread if spread > 0 else np.inf
    return float(np.sqrt(first + second + bias**2)), float(freedom)


def jackknife_variance(without_each: FloatArray) -> tuple[float, float]:
    """Return the variance that leaving out one part at a time shows, and its freedom."""
    n_parts = len(without_each)
    return float((n_parts - 1) * without_each.var()), n_parts - 1.0


def variance_over_halves(half_values: FloatArray) -> tuple[float, float]:
    """Return the variance over halves, and its freedom.

    The spread over halves is the spread over samples. A half and its complement move against each
    other, and count once.
    """
    return float(half_values.var(ddof=1)), len(half_values) / 2 - 1.0


def bias_of_maximum(value: float, on_fewer: FloatArray | float, share: float) -> float:
    """Return the bias of the logarithm of a maximum, from its values on a share of the sample."""
    return float(np.log(np.mean(on_fewer) / value) / (share**-_MAXIMUM_RATE - 1.0))


def holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values for their number (Holm, 1979)."""
    n_tests = len(p_values)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(n_tests, 0, -1)
    corrected = np.empty(n_tests)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
