"""Which pieces of text are numbers, and which stand for a missing value."""

from __future__ import annotations

import re

# Compared in lower case, after blanks around them are gone.
MISSING = frozenset(
    {"", "?", "-", "--", ".", "na", "n/a", "#n/a", "#na", "nan", "null", "none", "nil", "nat",
     "missing", "<na>"}
)  # fmt: skip

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+")


def is_missing(text: str) -> bool:
    """Whether a value stands for nothing.

    Examples
    --------
    >>> [is_missing(text) for text in (" NA ", "?", "0")]
    [True, True, False]
    """
    return text.strip().lower() in MISSING


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a value is a number, written with this decimal sign.

    Examples
    --------
    >>> is_number(" -1.5e3"), is_number("1,5"), is_number("1,5", ","), is_number("1_000")
    (True, False, True, False)
    """
    try:
        float(text.replace(decimal, ".") if decimal != "." else text)
    except ValueError:
        return False
    # Python reads 1_000 and digits of other scripts as numbers; tables mean text by them.
    return "_" not in text and text.isascii()


def decimal_sign(values: list[str]) -> str:
    """Return the decimal sign that these values are written with."""
    commas = any(_DECIMAL_COMMA.fullmatch(value.strip()) for value in values)
    points = any(_DECIMAL_POINT.fullmatch(value.strip()) for value in values)
    return "," if commas and not points else "."
