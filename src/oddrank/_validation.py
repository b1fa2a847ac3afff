"""Parameter checks, whose errors say what was expected and what was given instead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from oddrank.errors import InvalidDataError, InvalidParameterError

__all__ = []


def check_integer(value: Any, name: str, owner: str, *, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`, or refuse it."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be an int in the range [{minimum}, inf). "
            f"Got {value!r} instead."
        )
    return int(value)


def check_power_of_two(value: Any, name: str, owner: str) -> int:
    """Return `value` as a power of two, at which Sobol points are balanced, or refuse it."""
    number = check_integer(value, name, owner)
    if number & (number - 1):
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be a power of 2 for Sobol points. "
            f"Got {number} instead; {2 ** (number.bit_length() - 1)} and "
            f"{2 ** number.bit_length()} are the nearest."
        )
    return number


def check_fraction(value: Any, name: str, owner: str) -> float:
    """Return `value` as a float strictly between 0 and 1, or refuse it."""
    if not is_real(value) or not 0.0 < value < 1.0:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be a float in the range (0, 1). "
            f"Got {value!r} instead."
        )
    return float(value)


def check_non_negative(value: Any, name: str, owner: str) -> float:
    """Return `value` as a finite float of at least 0, or refuse it."""
    if not is_real(value) or not 0.0 <= value < math.inf:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be a float in the range [0, inf). "
            f"Got {value!r} instead."
        )
    return float(value)


def check_finite(value: Any, name: str, owner: str) -> float:
    """Return `value` as a finite float, or refuse it."""
    if not is_real(value) or not math.isfinite(value):
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be a finite number. Got {value!r} instead."
        )
    return float(value)


def check_positive(value: Any, name: str, owner: str) -> float:
    """Return `value` as a finite float above 0, or refuse it."""
    if not is_real(value) or not 0.0 < value < math.inf:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be above 0. Got {value!r} instead."
        )
    return float(value)


def check_mass_range(value: Any, name: str, owner: str) -> tuple[float, float]:
    """Return `value` as masses (lower, upper) with 0 <= lower < upper <= 1, or refuse it."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    is_pair = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2
    if not is_pair or not all(map(is_real, value)) or not 0 <= value[0] < value[1] <= 1:
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be two masses (lower, upper) with "
            f"0 <= lower < upper <= 1. Got {value!r} instead."
        )
    return float(value[0]), float(value[1])


def check_option(value: Any, name: str, owner: str, options: Sequence[Any]) -> Any:
    """Return `value` if it is one of `options`, or refuse it and list them."""
    if not any(value is option or value == option for option in options):
        listed = ", ".join(repr(option) for option in options)
        raise InvalidParameterError(
            f"The {name!r} parameter of {owner} must be one of {listed}. Got {value!r} instead."
        )
    return value


def check_groups(groups: Any, n_rows: int, owner: str) -> None:
    """Refuse groups that are not one for each row."""
    if len(groups) != n_rows:
        raise InvalidParameterError(
            f"The 'groups' parameter of {owner} must have one entry for each of the "
            f"{n_rows:,} rows. Got {len(groups):,}."
        )


def is_real(value: Any) -> bool:
    """Return whether this is a number, and not True or False."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_exists(path: Path) -> None:
    """Refuse a path where there is nothing."""
    text = path.as_posix()
    if "://" in text or text.startswith(("http:/", "https:/")):
        raise InvalidDataError(f"{text} is an address. Download the file and give its path.")
    if not path.exists():
        raise InvalidDataError(f"There is no file {path}. Check the path.")
