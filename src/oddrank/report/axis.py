"""A chart's axis: where values lie, and the round numbers beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Axis", "axis_for"]

WIDE_RATIO = 8.0


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Values from `low` to `high`, linear or logarithmic.

    Examples
    --------
    >>> Axis(low=0.0, high=10.0, log=False).ticks(5)
    (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)
    >>> Axis(low=0.9, high=300.0, log=True).ticks(5)
    (1.0, 10.0, 100.0)
    >>> Axis(low=0.9, high=30.0, log=True).ticks(5)
    (1.0, 2.0, 5.0, 10.0, 20.0)
    """

    low: float
    high: float
    log: bool

    def share(self, value: float) -> float:
        """Return how far along the axis a value is, from 0 to 1; values beyond stay at the ends."""
        if self.log:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0)

    def ticks(self, number: int) -> tuple[float, ...]:
        """Return about this many round values."""
        return self._round_powers() if self.log else self._even(number)

    def _even(self, number: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / number
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return tuple(float(f"{index * step:.10g}") for index in range(first, last + 1))

    def _round_powers(self) -> tuple[float, ...]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        step = 1 + (last - first) // 7
        leading = (1, 2, 5) if self.high / self.low < 300 else (1,)
        ticks = [float(f"{digit}e{power}") for power in range(first, last + 1, step)
                 for digit in leading]  # fmt: skip
        return tuple(tick for tick in ticks if self.low <= tick <= self.high)


def axis_for(values: Iterable[float], *, log: bool = False) -> Axis:
    """Return an axis that holds all finite values, with room where they would be all one.

    A logarithmic axis is used for positive values only, and only where they span a wide range.
    """
    finite = [value for value in values if math.isfinite(value)]
    positive = [value for value in finite if value > 0.0]
    if log and positive and max(positive) / min(positive) >= WIDE_RATIO:
        return Axis(low=min(positive), high=max(positive), log=True)
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if low == high:
        room = abs(low) / 10.0 or 1.0
        low, high = low - room, high + room
    return Axis(low=low, high=high, log=False)
