"""Handwritten digits as eight points of the pen's path."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, Route, Source, parsed, uci, uci_file


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Join both files; the digit 4 is the anomaly."""
    table = np.concatenate([np.loadtxt(file, delimiter=",") for file in (train, test)])
    names = [f"{axis}{point}" for point in range(1, 9) for axis in "xy"]
    return parsed(table[:, :16], table[:, 16] == 4, names)


SOURCE = Source(
    name="pendigits",
    counts=(10992, 16, 1144),
    anomaly_percent=10.4,
    anomaly_class="class 4",
    **uci("Pen-Based Recognition of Handwritten Digits", "Alpaydin, E., Alimoglu, F.", 1996,
          "C5MG6K"),
    original=Route(
        files=(
            uci_file("pendigits", "pendigits.tra",
                     "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3"),
            uci_file("pendigits", "pendigits.tes",
                     "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015"),
        ),
        parse=parse,
    ),
)  # fmt: skip
