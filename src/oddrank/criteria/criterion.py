"""The criteria that measure a detector, and which way is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oddrank._validation import check_option

__all__ = ["CRITERIA", "EXCESS_MASS", "MASS_VOLUME", "SCORE", "Criterion", "criterion_named"]


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A figure that orders detectors.

    Attributes
    ----------
    name : str
        What parameters, frames and JSON call it.
    label : str
        What people read.
    unit : str
        Of its values; empty for a share.
    higher_is_better : bool
    is_maximum : bool
        Whether it is a maximum over noise, and so biased upwards.
    """

    name: str
    label: str
    unit: str
    higher_is_better: bool
    is_maximum: bool = False

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        return "bigger is better" if self.higher_is_better else "smaller is better"

    @property
    def sign(self) -> float:
        """Times its sign, a higher value is better."""
        return 1.0 if self.higher_is_better else -1.0

    def __str__(self) -> str:
        return self.name


EXCESS_MASS = Criterion(
    name="excess_mass",
    label="excess mass",
    unit="1/volume",
    higher_is_better=True,
    is_maximum=True,
)
MASS_VOLUME = Criterion(
    name="mass_volume", label="mass volume", unit="volume", higher_is_better=False
)
# What judges other than volumes decide by.
SCORE = Criterion(name="mean_area", label="mean area", unit="", higher_is_better=True)

CRITERIA = (EXCESS_MASS, MASS_VOLUME)


def criterion_named(
    name: Any, owner: str, known: Sequence[Criterion] = CRITERIA, parameter: str = "criterion"
) -> Criterion:
    """Return the criterion of this name, or refuse it and list the known ones.

    Examples
    --------
    >>> criterion_named("mass_volume", "rank_detectors").direction
    'smaller is better'
    """
    if isinstance(name, Criterion):
        name = name.name
    names = [each.name for each in known]
    check_option(name, parameter, owner, names)
    return known[names.index(name)]
