"""The paper keeps attributes with at least 10 distinct values; this is that rule."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MIN_DISTINCT = 10


def continuous_columns(X: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions of the columns that have at least 10 distinct values.

    Examples
    --------
    >>> import numpy as np
    >>> continuous_columns(np.column_stack([np.arange(12.0), np.arange(12.0) % 9]))
    [0]
    """
    return [j for j, column in enumerate(X.T) if np.unique(column).size >= MIN_DISTINCT]
