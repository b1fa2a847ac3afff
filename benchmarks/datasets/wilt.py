"""Wilt: diseased trees among other land cover, in satellite images."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, RawFile, Route, Source, parsed, uci

_NAMES = ["GLCM_pan", "Mean_Green", "Mean_Red", "Mean_NIR", "SD_pan"]


def parse(training: BinaryIO, testing: BinaryIO) -> Parsed:
    """Join both files; class `w` is the anomaly."""
    table = np.concatenate([
        np.loadtxt(file, dtype="U24", delimiter=",", skiprows=1) for file in (training, testing)
    ])  # fmt: skip
    return parsed(table[:, 1:].astype(np.float64), table[:, 0] == "w", _NAMES)


def _file(name: str, sha256: str) -> RawFile:
    # nobody has published a hash of wilt.zip, so the two files inside are checked
    return RawFile(folder="wilt", name=name, sha256=sha256, addresses=("{UCI}00285/wilt.zip",),
                   packed_name="wilt.zip")  # fmt: skip


SOURCE = Source(
    name="wilt",
    counts=(4839, 5, 261),
    anomaly_percent=5.39,
    anomaly_class="class w (diseased trees)",
    **uci("Wilt", "Johnson, B.", 2013, "C5KS4M"),
    original=Route(
        files=(
            _file("training.csv",
                  "2e439f523f913c8e6bf1ad8d975d3b0f8a7249f43d6f427a7ecf0e30841f6caa"),
            _file("testing.csv",
                  "00b50577283aac9f1e54e31074fd5a8866fc954ccb5d3523d2974d0d95ed6994"),
        ),
        parse=parse,
    ),
)  # fmt: skip
