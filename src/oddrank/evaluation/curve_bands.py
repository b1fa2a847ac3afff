"""Both curves with error bands, from what an evaluation keeps.

If there are several fits, the curves are those of the first. A band combines two independent
errors. Rows: the mass of a level set is a share of `n` rows, with the
binomial error `sqrt(mass (1 - mass) / n)`. Reference points: the spread of its volume over the
replicates of the sampler. Bands are pointwise: each holds the truth at one point of the x-axis with
the given confidence, not at all points at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from scipy.stats import t as student

from oddrank._typing import FloatArray
from oddrank.criteria import EXCESS_MASS, FitCriteria
from oddrank.curves import LevelSets, excess_mass_curve
from oddrank.errors import InvalidDataError
from oddrank.evaluation.evaluation import Evaluation

__all__ = ["CurveBand", "excess_mass_band", "levels_to_show", "mass_volume_band"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveBand:
    """A curve at chosen points of the x-axis, with its band.

    Attributes
    ----------
    name : str
        The detector.
    x, y, lower, upper : arrays of one shape
    """

    name: str
    x: FloatArray
    y: FloatArray
    lower: FloatArray
    upper: FloatArray


def mass_volume_band(
    evaluation: Evaluation, masses: npt.ArrayLike, confidence_level: float = 0.95
) -> CurveBand:
    """Return `MV(α)` at these masses with its band.

    An error of the mass moves the curve sideways: the volumes at `α ± z · sqrt(α (1 - α) / n)`
    bound the error from the rows, as order statistics bound a quantile.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> evaluation = evaluate_scores(lambda X: -(X**2).sum(axis=1), X, random_state=0)
    >>> band = mass_volume_band(evaluation, [0.95])
    >>> bool(band.lower[0] < 2 * np.pi * -np.log(0.05) < band.upper[0])  # the truth
    True
    """
    criteria, levels = sampled_levels(evaluation)
    wanted = np.asarray(masses, dtype=np.float64)
    log_value = _log_volume_at(levels, wanted)
    row_reach = _row_quantile(confidence_level) * _mass_error(evaluation, wanted)
    inner = _log_volume_at(levels, np.clip(wanted - row_reach, 1e-12, 1.0))
    outer = _log_volume_at(levels, np.clip(wanted + row_reach, 1e-12, 1.0))
    point_error = criteria.log_volume_error[pair_at(levels, wanted)]
    reach = _point_quantile(criteria, confidence_level) * np.nan_to_num(point_error)
    with np.errstate(invalid="ignore", over="ignore"):
        below = np.hypot(np.where(np.isneginf(log_value), 0.0, log_value - inner), reach)
        above = np.hypot(np.where(np.isneginf(log_value), 0.0, outer - log_value), reach)
        value = np.exp(log_value)
        upper = np.where(np.isneginf(log_value), np.exp(outer), value * np.exp(above))
        lower = value * np.exp(-below)
    return CurveBand(name=evaluation.name, x=wanted, y=value, lower=lower, upper=upper)


def excess_mass_band(
    evaluation: Evaluation,
    levels: npt.ArrayLike,
    confidence_level: float = 0.95,
    *,
    floor: float = 0.9,
) -> CurveBand:
    """Return `EM(t)` at these levels with its band.

    At the best level set of each `t`, the error of `mass - t · volume` is the binomial error of the
    mass and `t` times the error of the volume. A maximum over noise lies above the truth; the bias
    that was estimated for the area down to `floor` lowers the band, and widens it by as much.
    """
    criteria, level_sets = sampled_levels(evaluation)
    t = np.asarray(levels, dtype=np.float64)
    value = excess_mass_curve(level_sets)(t)
    best = best_pair(level_sets, t)
    mass, volume = level_sets.mass[best], level_sets.volume[best]
    volume_error = np.nan_to_num(criteria.log_volume_error[best]) * volume
    reach = np.hypot(
        _row_quantile(confidence_level) * _mass_error(evaluation, mass),
        _point_quantile(criteria, confidence_level) * t * volume_error,
    )
    # EM(0) is 1 whatever the rows; elsewhere the bias hardly depends on t.
    bias = np.where(t > 0.0, _bias(criteria, floor), 0.0)
    return CurveBand(
        name=evaluation.name,
        x=t,
        y=value,
        lower=np.maximum(value - bias - np.hypot(reach, bias), 0.0),
        upper=np.minimum(value + reach, 1.0),
    )


def _bias(criteria: FitCriteria, floor: float) -> float:
    """Return how much too high the curve is, from how much too large its area is.

    A curve that is too high by `b` has `b · t` more area up to `t = EM⁻¹(floor)`, and reaches the
    floor later by `b / volume`, which adds `floor · b / volume`.
    """
    curve = excess_mass_curve(criteria.level_sets)
    if not (criteria.criteria[EXCESS_MASS].resolved and curve.resolves(floor)):
        return 0.0
    end = curve.inverse(floor)
    volume = criteria.level_sets.volume[best_pair(criteria.level_sets, np.array([end]))[0]]
    too_much = curve.area(floor) * -np.expm1(-criteria.criteria[EXCESS_MASS].log_bias)
    return max(0.0, float(too_much / (end + floor / volume)))


def levels_to_show(evaluations: Mapping[str, Evaluation], floor: float, number: int) -> FloatArray:
    """Return levels from 0 to where the last resolved curve falls to the floor."""
    ends = [_largest_level(evaluation, floor) for evaluation in evaluations.values()]
    resolved = [end for end in ends if np.isfinite(end) and end > 0.0]
    if not resolved:
        raise InvalidDataError(
            f"No excess-mass curve falls to {floor:g} at this resolution, so there is nothing to "
            "draw. Evaluate with more reference points."
        )
    return np.linspace(0.0, max(resolved), number)


def _largest_level(evaluation: Evaluation, floor: float) -> float:
    curve = excess_mass_curve(sampled_levels(evaluation)[1])
    return curve.inverse(floor) if curve.resolves(floor) else float("nan")


def sampled_levels(evaluation: Evaluation) -> tuple[FitCriteria, LevelSets]:
    """Return what the curves are made of, or say why there are none."""
    first = evaluation.criteria.folds[0]
    if not isinstance(first, FitCriteria):
        raise InvalidDataError(
            f"{evaluation.name} was evaluated in draws of features, and every draw has its own "
            "curves. Use RankingDisplay, or evaluate with subsampling=None."
        )
    return first, first.level_sets


def pair_at(levels: LevelSets, masses: FloatArray) -> npt.NDArray[np.intp]:
    """Return, for each mass, the first pair that holds it."""
    # The last mass is 1 up to rounding, and may be requested as exactly 1.
    return np.minimum(np.searchsorted(levels.mass, masses, side="left"), len(levels) - 1)


def _log_volume_at(levels: LevelSets, masses: FloatArray) -> FloatArray:
    return levels.log_volume[pair_at(levels, masses)]


def best_pair(levels: LevelSets, t: FloatArray) -> npt.NDArray[np.intp]:
    """Return, for each level, the pair of the largest `mass - t · volume`."""
    # Only vertices of the hull can be best; there are few of them.
    curve = excess_mass_curve(levels)
    vertices = np.searchsorted(levels.mass, np.append(curve.mass, curve.inner_mass))
    vertices = np.minimum(vertices, len(levels) - 1)
    gains = levels.mass[vertices] - np.multiply.outer(t, levels.volume[vertices])
    return np.asarray(vertices[np.argmax(gains, axis=-1)])


def _mass_error(evaluation: Evaluation, masses: FloatArray) -> FloatArray:
    n_rows = evaluation.diagnostics["rows"].value
    return np.asarray(np.sqrt(masses * (1.0 - masses) / n_rows))


def _row_quantile(confidence_level: float) -> float:
    return float(norm.ppf(0.5 + confidence_level / 2.0))


def _point_quantile(criteria: FitCriteria, confidence_level: float) -> float:
    freedom = criteria.n_replicates - 1
    return float(student.ppf(0.5 + confidence_level / 2.0, freedom))
