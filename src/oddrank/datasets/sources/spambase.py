"""Electronic mail: word and character frequencies of spam and of other letters."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_WORDS = [
    "make", "address", "all", "3d", "our", "over", "remove", "internet", "order", "mail",
    "receive", "will", "people", "report", "addresses", "free", "business", "email", "you",
    "credit", "your", "font", "000", "money", "hp", "hpl", "george", "650", "lab", "labs",
    "telnet", "857", "data", "415", "85", "technology", "1999", "parts", "pm", "direct", "cs",
    "meeting", "original", "project", "re", "edu", "table", "conference",
]  # fmt: skip
_NAMES = [
    *(f"word_freq_{word}" for word in _WORDS),
    *(f"char_freq_{character}" for character in ";([!$#"),
    *(f"capital_run_length_{which}" for which in ("average", "longest", "total")),
]


def parse(file: BinaryIO) -> Parsed:
    """Read columns 0-56; column 57 = 1 is spam."""
    table = np.loadtxt(file, delimiter=",")
    return parsed(table[:, :57], table[:, 57] == 1, _NAMES)
