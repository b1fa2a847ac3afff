"""Pima Indians diabetes: eight measurements, and whether diabetes followed."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_NAMES = ["pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi",
          "pedigree", "age"]  # fmt: skip


def parse(file: BinaryIO) -> Parsed:
    """Read columns 0-7; column 8 = 1 is the anomaly."""
    table = np.loadtxt(file, delimiter=",")
    return parsed(table[:, :8], table[:, 8] == 1, _NAMES)
