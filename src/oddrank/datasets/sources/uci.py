"""Small tables of the UCI repository, one function each: plain numbers, an easy label."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, column_names, continuous_columns, parsed

_ANNTHYROID_COLUMNS = {0: "age", 16: "TSH", 17: "T3", 18: "TT4", 19: "T4U", 20: "FTI"}
_ARRHYTHMIA_LABEL = 279
_ARRHYTHMIA_WITH_MISSING = range(10, 15)
_IONOSPHERE_COLUMNS = list(range(2, 34))
_PENDIGITS_NAMES = [f"{axis}{point}" for point in range(1, 9) for axis in "xy"]
_PIMA_NAMES = ["pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi",
          "pedigree", "age"]  # fmt: skip
_SPAMBASE_WORDS = [
    "make", "address", "all", "3d", "our", "over", "remove", "internet", "order", "mail",
    "receive", "will", "people", "report", "addresses", "free", "business", "email", "you",
    "credit", "your", "font", "000", "money", "hp", "hpl", "george", "650", "lab", "labs",
    "telnet", "857", "data", "415", "85", "technology", "1999", "parts", "pm", "direct", "cs",
    "meeting", "original", "project", "re", "edu", "table", "conference",
]  # fmt: skip
_SPAMBASE_NAMES = [
    *(f"word_freq_{word}" for word in _SPAMBASE_WORDS),
    *(f"char_freq_{character}" for character in ";([!$#"),
    *(f"capital_run_length_{which}" for which in ("average", "longest", "total")),
]
_WILT_NAMES = ["GLCM_pan", "Mean_Green", "Mean_Red", "Mean_NIR", "SD_pan"]


def annthyroid(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Thyroid disease, the version made for neural networks.

    Join both files; columns 1-15 are binary and go; classes other than 3 are anomalies.
    """
    table = np.concatenate([np.loadtxt(train), np.loadtxt(test)])
    return parsed(
        table[:, list(_ANNTHYROID_COLUMNS)], table[:, 21] != 3, list(_ANNTHYROID_COLUMNS.values())
    )


def arrhythmia(file: BinaryIO) -> Parsed:
    """Cardiac arrhythmia, from electrocardiograms.

    Drop the five columns with missing values, then those with fewer than 10 distinct ones.
    """
    columns = [j for j in range(_ARRHYTHMIA_LABEL) if j not in _ARRHYTHMIA_WITH_MISSING]
    table = np.loadtxt(file, delimiter=",", usecols=[*columns, _ARRHYTHMIA_LABEL])
    keep = continuous_columns(table[:, :-1])
    return parsed(table[:, keep], table[:, -1] != 1, column_names([columns[j] for j in keep]))


def ionosphere(file: BinaryIO) -> Parsed:
    """Radar returns from the ionosphere: good ones show structure, bad ones pass through.

    Columns 0 and 1 (2 and 1 distinct values) go; label `b` is the anomaly.
    """
    table = np.loadtxt(file, dtype="U16", delimiter=",", usecols=[*_IONOSPHERE_COLUMNS, 34])
    return parsed(
        table[:, :-1].astype(np.float64), table[:, -1] == "b", column_names(_IONOSPHERE_COLUMNS)
    )


def pendigits(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Handwritten digits as eight points of the pen's path.

    Join both files; the digit 4 is the anomaly.
    """
    table = np.concatenate([np.loadtxt(file, delimiter=",") for file in (train, test)])
    return parsed(table[:, :16], table[:, 16] == 4, _PENDIGITS_NAMES)


def pima(file: BinaryIO) -> Parsed:
    """Pima Indians diabetes: eight measurements, and whether diabetes followed.

    Read columns 0-7; column 8 = 1 is the anomaly.
    """
    table = np.loadtxt(file, delimiter=",")
    return parsed(table[:, :8], table[:, 8] == 1, _PIMA_NAMES)


def spambase(file: BinaryIO) -> Parsed:
    """Electronic mail: word and character frequencies of spam and of other messages.

    Read columns 0-56; column 57 = 1 is spam.
    """
    table = np.loadtxt(file, delimiter=",")
    return parsed(table[:, :57], table[:, 57] == 1, _SPAMBASE_NAMES)


def wilt(training: BinaryIO, testing: BinaryIO) -> Parsed:
    """Wilt: diseased trees among other land cover, in satellite images.

    Join both files; class `w` is the anomaly.
    """
    rows = [
        np.loadtxt(file, dtype="U24", delimiter=",", skiprows=1) for file in (training, testing)
    ]
    table = np.concatenate(rows)
    return parsed(table[:, 1:].astype(np.float64), table[:, 0] == "w", _WILT_NAMES)
