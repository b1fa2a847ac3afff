"""The mass-volume curve and the exact area below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank._validation import check_mass_range
from oddrank.curves.levels import LevelSets, increments
from oddrank.errors import InvalidParameterError

__all__ = ["MassVolumeCurve", "mass_volume_area", "mass_volume_areas", "mass_volume_curve"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MassVolumeCurve:
    """`MV(α)`: the volume of the smallest level set that holds a mass of at least `α`.

    A step function: `MV(α)` is the volume at the first pair with mass >= α (equation 3 of
    Goix, 2016). A better scoring function has the lower curve.

    Attributes
    ----------
    mass, log_volume : arrays
        The steps: on masses up to `mass[k]` (and above `mass[k - 1]`) the volume is that of `k`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import level_sets, mass_volume_curve
    >>> levels = level_sets([3.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> curve = mass_volume_curve(levels)
    >>> round(curve.area(0.0, 1.0), 4)
    0.25
    """

    mass: FloatArray
    log_volume: FloatArray

    def __repr__(self) -> str:
        return f"<MassVolumeCurve of {len(self.mass):,} steps>"

    def __call__(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the volume at one or several masses in (0, 1]."""
        wanted = np.asarray(mass, dtype=np.float64)
        if not ((wanted > 0) & (wanted <= 1)).all():
            raise InvalidParameterError(
                f"The mass-volume curve is defined for masses in the range (0, 1]. Got {mass!r}."
            )
        with np.errstate(over="ignore"):
            return np.exp(self.log_volume[np.searchsorted(self.mass, wanted, side="left")])

    def log_area(self, lower: float = 0.9, upper: float = 0.999) -> float:
        """Return the logarithm of `area`, which neither over- nor underflows."""
        check_mass_range((lower, upper), "(lower, upper)", "MassVolumeCurve.area")
        largest = self.log_volume[-1]
        if not np.isfinite(largest):
            return -np.inf
        relative = np.exp(self.log_volume - largest)
        with np.errstate(divide="ignore"):
            return float(np.log(mass_volume_area(self.mass, relative, lower, upper)) + largest)

    def area(self, lower: float = 0.9, upper: float = 0.999) -> float:
        """Return the exact area below the curve between two masses; smaller is better.

        Examples
        --------
        >>> from oddrank import level_sets
        >>> mass_volume_curve(level_sets([2.0, 1.0], [1.5, 0.5])).area(0.4, 1.0)
        0.25
        """
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_area(lower, upper)))


def mass_volume_curve(levels: LevelSets) -> MassVolumeCurve:
    """Return the mass-volume curve of these level sets.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import level_sets, mass_volume_curve
    >>> levels = level_sets([3.0, 2.0, 1.0], [2.5, 1.5, 0.5, 0.0])
    >>> float(mass_volume_curve(levels)(0.5))
    0.25
    """
    return MassVolumeCurve(mass=levels.mass, log_volume=levels.log_volume)


def mass_volume_area(mass: FloatArray, volume: FloatArray, lower: float, upper: float) -> float:
    """Sum `(min(mass_k, upper) - max(mass_{k-1}, lower))₊ · volume_k` over the pairs."""
    first = int(np.searchsorted(mass, lower, side="right"))
    within = np.minimum(mass[first:], upper)
    return float(increments(within, lower) @ volume[first:])


def mass_volume_areas(
    masses: FloatArray, volume: FloatArray, lower: float, upper: float
) -> list[float]:
    """Return `mass_volume_area` of every row of masses, all with the same volumes."""
    within = np.clip(masses, lower, upper)
    within[:, 1:] -= within[:, :-1].copy()
    within[:, 0] -= lower
    return list(map(float, within @ volume))
