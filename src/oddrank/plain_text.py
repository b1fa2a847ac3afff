"""Names and sentences that fit a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

__all__ = ["LONGEST_NAME", "listed", "shortened", "wrapped"]

WIDTH = 79
LONGEST_NAME = 28


def shortened(name: str, width: int) -> str:
    """Return a name on one line, cut with an ellipsis."""
    name = " ".join(name.split())
    return name if len(name) <= width else name[: width - 1] + "…"


def listed(names: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def wrapped(sentence: str) -> str:
    """Return a sentence in lines, all but the first indented."""
    return textwrap.fill(sentence, WIDTH, subsequent_indent="  ")
