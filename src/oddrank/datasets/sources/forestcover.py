"""Forest cover types of the Roosevelt National Forest, from maps alone."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, continuous_columns, parsed

_NAMES = [
    "Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways", "Hillshade_9am",
    "Hillshade_Noon", "Hillshade_3pm", "Horizontal_Distance_To_Fire_Points",
]  # fmt: skip
_INDICATORS = [*(f"Wilderness_Area_{j}" for j in range(4)), *(f"Soil_Type_{j}" for j in range(40))]

# SHA-256 of all 55 columns of the UCI file as little-endian int16, row by row.
VALUES_SHA256 = "374d5311b45f82216fef53d5f74bda06336ef91e24f09b2a62ff374ddf9fb206"


def parse(file: BinaryIO) -> Parsed:
    """Keep classes 2 and 4, then columns with at least 10 distinct values; class 4 is the anomaly.

    `file` is the uncompressed text.
    """
    return _select(np.loadtxt(file, delimiter=",", dtype=np.int16))


def scikit_learn_files() -> list[Path]:
    """Return the files of a copy that scikit-learn has fetched earlier, if there is one."""
    return sorted(_scikit_learn_folder().glob("covertype/*"))


def from_scikit_learn() -> Parsed | None:
    """Return the rows of scikit-learn's copy, or None if they are not those of the UCI file."""
    from sklearn.datasets import fetch_covtype

    try:
        X, y = fetch_covtype(
            data_home=_scikit_learn_folder(), download_if_missing=False, return_X_y=True
        )
    except OSError:
        return None
    table = np.column_stack([X, y]).astype("<i2")
    if hashlib.sha256(table.tobytes()).hexdigest() != VALUES_SHA256:
        return None
    return _select(table)


def _scikit_learn_folder() -> Path:
    # Not sklearn.datasets.get_data_home(): that would create the folder.
    return Path(os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")).expanduser()


def _select(table: Any) -> Parsed:
    cover_type = table[:, 54]
    table = table[(cover_type == 2) | (cover_type == 4)]
    X = table[:, :54].astype(np.float64)
    keep = continuous_columns(X)
    names = [*_NAMES, *_INDICATORS]
    return parsed(X[:, keep], table[:, 54] == 4, [names[j] for j in keep])
