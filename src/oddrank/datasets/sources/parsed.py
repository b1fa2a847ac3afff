"""What a source makes of its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray

# The paper keeps attributes with at least this many distinct values.
MIN_DISTINCT = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Parsed:
    """Rows, labels (1 = anomaly) and feature names."""

    X: FloatArray
    y: npt.NDArray[np.int64]
    feature_names: tuple[str, ...]


def parsed(X: Any, is_anomaly: Any, feature_names: Sequence[str]) -> Parsed:
    """Return `Parsed` with contiguous numbers and 0/1 labels."""
    return Parsed(
        X=np.ascontiguousarray(X, dtype=np.float64),
        y=np.asarray(is_anomaly).astype(np.int64),
        feature_names=tuple(feature_names),
    )


def column_names(columns: Sequence[int]) -> list[str]:
    """Name columns by their position in the original file, counted from 0.

    Examples
    --------
    >>> column_names([0, 15])
    ['column_0', 'column_15']
    """
    return [f"column_{j}" for j in columns]


def continuous_columns(X: FloatArray) -> list[int]:
    """Return the positions of the columns that have at least 10 distinct values.

    Examples
    --------
    >>> import numpy as np
    >>> continuous_columns(np.column_stack([np.arange(12.0), np.arange(12.0) % 9]))
    [0]
    """
    return [j for j, column in enumerate(X.T) if np.unique(column).size >= MIN_DISTINCT]
