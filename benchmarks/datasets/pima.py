"""Pima Indians diabetes: eight measurements, and whether diabetes followed."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, RawFile, Route, Source, parsed

_NAMES = ["pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi",
          "pedigree", "age"]  # fmt: skip


def parse(file: BinaryIO) -> Parsed:
    """Read columns 0-7; column 8 = 1 is the anomaly."""
    table = np.loadtxt(file, delimiter=",")
    return parsed(table[:, :8], table[:, 8] == 1, _NAMES)


SOURCE = Source(
    name="pima",
    counts=(768, 8, 268),
    anomaly_percent=34.9,
    anomaly_class="pos (class 1)",
    title='NIDDK, "Pima Indians Diabetes" (formerly at the UCI repository)',
    citation="Smith, J. W., Everhart, J. E., Dickson, W. C., Knowler, W. C., Johannes, R. S. "
    "(1988). Using the ADAP learning algorithm to forecast the onset of diabetes mellitus. "
    "Proc. Annu. Symp. Comput. Appl. Med. Care, 261-265.",
    licence="not stated by the UCI repository, which has withdrawn the file",
    original=Route(
        files=(
            # The UCI repository has withdrawn the file; this copy has the same hash.
            RawFile(
                folder="pima",
                name="pima-indians-diabetes.data",
                sha256="06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
                addresses=(
                    "{GITHUB}nebiljabari/Pima-Indian-Diabetes-Study/"
                    "644641bcb55ac6bf7750c4ab54a26b5e8e922925/pima-indians-diabetes.data",
                ),
            ),
        ),
        parse=parse,
    ),
)
