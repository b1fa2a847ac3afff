"""Electronic mail: word and character frequencies of spam and of other messages."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, Route, Source, parsed, uci, uci_file

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


SOURCE = Source(
    name="spambase",
    counts=(4601, 57, 1813),
    anomaly_percent=39.4,
    anomaly_class="spam",
    **uci("Spambase", "Hopkins, M., Reeber, E., Forman, G., Suermondt, J.", 1999, "C53G6X"),
    original=Route(
        files=(
            uci_file("spambase", "spambase.data",
                     "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12"),
        ),
        parse=parse,
    ),
)  # fmt: skip
