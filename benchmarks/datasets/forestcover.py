"""Forest cover types of the Roosevelt National Forest, from maps alone."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import (
    Parsed,
    RawFile,
    Route,
    Source,
    continuous_columns,
    parsed,
    uci,
)

_NAMES = [
    "Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways", "Hillshade_9am",
    "Hillshade_Noon", "Hillshade_3pm", "Horizontal_Distance_To_Fire_Points",
    *(f"Wilderness_Area_{j}" for j in range(4)), *(f"Soil_Type_{j}" for j in range(40)),
]  # fmt: skip


def parse(file: BinaryIO) -> Parsed:
    """Keep classes 2 and 4, then columns with at least 10 distinct values; class 4 is the anomaly.

    `file` is the uncompressed text.
    """
    table = np.loadtxt(file, delimiter=",", dtype=np.int16)
    table = table[np.isin(table[:, 54], (2, 4))]
    X = table[:, :54].astype(np.float64)
    keep = continuous_columns(X)
    return parsed(X[:, keep], table[:, 54] == 4, [_NAMES[j] for j in keep])


SOURCE = Source(
    name="forestcover",
    counts=(286048, 10, 2747),
    anomaly_percent=0.96,
    anomaly_class="class 4 (against class 2)",
    **uci("Covertype", "Blackard, J.", 1998, "C50K5N"),
    original=Route(
        files=(
            RawFile(
                folder="forestcover",
                name="covtype.data",
                sha256="0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
                addresses=("{UCI}covtype/covtype.data.gz", "{FIGSHARE}5976039"),
                packed_name="covtype.data.gz",
                packed_sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
            ),
        ),
        parse=parse,
    ),
)
