"""The excess-mass curve and the exact area below it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_fraction
from oddrank.curves.levels import LevelSets, increments
from oddrank.errors import InvalidParameterError, UnresolvedWarning

__all__ = ["ExcessMassCurve", "excess_mass_area", "excess_mass_areas", "excess_mass_curve"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcessMassCurve:
    """`EM(t) = max(0, max_k mass_k - t · volume_k)`: convex, decreasing, piecewise linear.

    It is the upper envelope of lines, that is, the conjugate of the concave hull of the pairs and
    (0, 0): each vertex of the hull is one linear piece (equation 4 of Goix, 2016). A better scoring
    function has the higher curve.

    Attributes
    ----------
    mass, relative_volume : arrays
        Vertices of the hull from the largest level set inwards; volumes in units of
        `exp(log_scale)`.
    inner_mass : float
        Largest mass of a level set whose volume is 0 at this resolution: `EM` never falls below it.
    log_scale : float

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import level_sets, excess_mass_curve
    >>> levels = level_sets([3.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> curve = excess_mass_curve(levels)
    >>> curve.breakpoints
    array([1.33333333])
    """

    mass: FloatArray
    relative_volume: FloatArray
    inner_mass: float
    log_scale: float

    @cached_property
    def _relative_breakpoints(self) -> FloatArray:
        inner_mass = np.append(self.mass[1:], self.inner_mass)
        inner_volume = np.append(self.relative_volume[1:], 0.0)
        return np.asarray((self.mass - inner_mass) / (self.relative_volume - inner_volume))

    @property
    def breakpoints(self) -> FloatArray:
        """Levels `t` at which the curve changes its slope, increasing."""
        return np.asarray(self._relative_breakpoints * np.exp(-self.log_scale))

    def __repr__(self) -> str:
        return f"<ExcessMassCurve of {len(self.mass):,} lines>"

    def __call__(self, t: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the excess mass at one or several levels `t >= 0`."""
        levels = np.asarray(t, dtype=np.float64)
        if not (levels >= 0).all():
            raise InvalidParameterError(
                f"The excess-mass curve is defined for levels t >= 0. Got {t!r}."
            )
        # A volume may be too large for a float: at t = 0 the product is 0 all the same.
        with np.errstate(over="ignore", invalid="ignore"):
            relative = np.where(levels > 0.0, levels * np.exp(self.log_scale), 0.0)
        piece = np.searchsorted(self._relative_breakpoints, relative, side="left")
        mass = np.append(self.mass, self.inner_mass)[piece]
        volume = np.append(self.relative_volume, 0.0)[piece]
        with np.errstate(invalid="ignore"):
            return np.asarray(mass - np.where(volume > 0.0, relative * volume, 0.0))

    def resolves(self, floor: float = 0.9) -> bool:
        """Tell whether the curve falls to `floor` at all.

        It does not if a level set of at least that mass holds no reference point.
        """
        return self.inner_mass < check_fraction(floor, "floor", "ExcessMassCurve")

    def inverse(self, floor: float = 0.9) -> float:
        """Return `EM⁻¹(floor)`, the first `t` with `EM(t) <= floor`.

        NaN with an `UnresolvedWarning` where it does not exist at this resolution.
        """
        if not self._say_whether_resolved(floor):
            return float("nan")
        return float(self._levels_and_heights(floor)[0][-1] * np.exp(-self.log_scale))

    def area(self, floor: float = 0.9) -> float:
        """Return the exact area below the curve over [0, EM⁻¹(floor)]; bigger is better.

        NaN with an `UnresolvedWarning` where `EM⁻¹(floor)` does not exist at this resolution.

        Examples
        --------
        >>> from oddrank import level_sets
        >>> curve = excess_mass_curve(level_sets([2.0, 1.0], [2.5, 1.5, 0.5, 0.0]))
        >>> curve.inverse(0.5), curve.area(0.5)
        (1.0, 0.75)
        """
        if not self._say_whether_resolved(floor):
            return float("nan")
        with np.errstate(over="ignore"):
            return float(np.exp(np.log(self._relative_area(floor)) - self.log_scale))

    def log_area(self, floor: float = 0.9) -> float:
        """Return the logarithm of `area`, which neither over- nor underflows."""
        if not self._say_whether_resolved(floor):
            return float("nan")
        return float(np.log(self._relative_area(floor)) - self.log_scale)

    def _say_whether_resolved(self, floor: float) -> bool:
        resolved = self.resolves(floor)
        if not resolved:
            warnings.warn(_unresolved_sentence(self.inner_mass, floor), UnresolvedWarning, 3)
        return resolved

    def _relative_area(self, floor: float) -> float:
        levels, heights = self._levels_and_heights(floor)
        return float(np.diff(levels) @ (heights[1:] + heights[:-1])) / 2.0

    def _levels_and_heights(self, floor: float) -> tuple[FloatArray, FloatArray]:
        # Corners of the curve on [0, EM⁻¹(floor)]; between them it is straight.
        breakpoints = self._relative_breakpoints
        heights = self.mass - breakpoints * self.relative_volume
        heights[-1] = self.inner_mass  # exactly, whatever the rounding
        last = int(np.argmax(heights <= floor))
        end = max(0.0, (self.mass[last] - floor) / self.relative_volume[last])
        return (
            np.concatenate(([0.0], breakpoints[:last], [end])),
            np.concatenate(([self.mass[0]], heights[:last], [floor])),
        )


def excess_mass_curve(levels: LevelSets) -> ExcessMassCurve:
    """Return the excess-mass curve of these level sets.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import level_sets, excess_mass_curve
    >>> levels = level_sets([3.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> float(excess_mass_curve(levels)(0.0))
    1.0
    """
    scale = float(levels.log_volume[-1])
    if not np.isfinite(scale):
        scale = 0.0
    return _curve(levels.mass, np.exp(levels.log_volume - scale), scale)


def excess_mass_area(mass: FloatArray, volume: FloatArray, floor: float) -> float:
    """Return the area over [0, EM⁻¹(floor)] for pairs of mass and volume; NaN if unresolved.

    The fast path of `ExcessMassCurve.area` for resampling. Where `EM(t) >= floor` the best pair has
    a mass of at least `floor`; the others are replaced by one of that mass and no volume, whose
    line the envelope meets at `EM⁻¹(floor)`. With slopes `s_k` of the hull over steps `v_k` of
    volume, decreasing from there outwards, `EM(t) = floor + Σ v_k (s_k - t)₊`, and its area up to
    `s_1` is `floor · s_1 + Σ v_k s_k² / 2`.
    """
    if volume[np.searchsorted(mass, floor, side="left")] == 0.0:
        return float("nan")
    outer = int(np.searchsorted(mass, floor, side="right"))
    mass, volume = mass[outer:], volume[outer:]
    if len(mass) == 0:
        return 0.0
    best = _best_of_volume(volume)
    steps = increments(volume[best], 0.0)
    slopes = increments(mass[best], floor) / steps
    slopes = isotonic_regression(slopes, weights=steps, increasing=False).x
    return float(floor * slopes[0] + 0.5 * (steps @ slopes**2))


def excess_mass_areas(masses: FloatArray, volume: FloatArray, floor: float) -> list[float]:
    """Return `excess_mass_area` of every row of masses, all with the same increasing volumes."""
    steps, added = increments(volume, 0.0), np.diff(masses, axis=1)
    inner, outer = ((masses < floor).sum(axis=1), (masses <= floor).sum(axis=1))
    areas = []
    for row, first, start in zip(range(len(masses)), inner.tolist(), outer.tolist(), strict=True):
        if volume[first] == 0.0:
            areas.append(float("nan"))
        elif start == masses.shape[1]:
            areas.append(0.0)
        else:
            widths = steps[start:].copy()
            widths[0] = volume[start]
            slopes = np.empty(len(widths))
            slopes[0] = masses[row, start] - floor
            slopes[1:] = added[row, start:]
            slopes /= widths
            slopes = isotonic_regression(slopes, weights=widths, increasing=False).x
            areas.append(float(floor * slopes[0] + 0.5 * (widths @ slopes**2)))
    return areas


def _best_of_volume(volume: FloatArray) -> BoolArray:
    # Of all pairs with one volume only the one with the largest mass can be on the envelope.
    best = np.ones(len(volume), dtype=bool)
    np.greater(volume[1:], volume[:-1], out=best[:-1])
    return best


def _unresolved_sentence(inner_mass: float, floor: float) -> str:
    """Say why EM has no value, and what to do."""
    return (
        f"A level set of mass {inner_mass:.4g} holds no reference point, so the excess-mass curve "
        f"does not fall to {floor:g} at this resolution and its area is unresolved. "
        "Draw more reference points, or evaluate on fewer features."
    )


def _curve(mass: FloatArray, volume: FloatArray, log_scale: float) -> ExcessMassCurve:
    best = _best_of_volume(volume)
    mass, volume = mass[best], volume[best]
    inner_mass = 0.0
    if volume[0] == 0.0:
        inner_mass, mass, volume = float(mass[0]), mass[1:], volume[1:]
    if len(mass) == 0:
        return ExcessMassCurve(
            mass=np.empty(0), relative_volume=np.empty(0), inner_mass=inner_mass, log_scale=0.0
        )
    vertices = _hull_vertices(mass, volume, inner_mass)
    return ExcessMassCurve(
        mass=mass[vertices],
        relative_volume=volume[vertices],
        inner_mass=inner_mass,
        log_scale=log_scale,
    )


def _hull_vertices(mass: FloatArray, volume: FloatArray, inner_mass: float) -> FloatArray:
    """Return the vertices of the concave hull, outermost first.

    Slopes of the hull are the decreasing isotonic regression of the slopes between neighbouring
    pairs, weighted by their volume; a vertex ends each block of it.
    """
    steps = increments(volume, 0.0)
    slopes = increments(mass, inner_mass) / steps
    blocks = isotonic_regression(slopes, weights=steps, increasing=False).blocks
    return np.asarray(blocks[:0:-1] - 1)
