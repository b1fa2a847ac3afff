"""A table with known anomalies, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require

LabelArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Rows, features, and which rows are anomalies.

    Attributes
    ----------
    name : str
    X : array of shape (n_rows, n_features)
    y : array of shape (n_rows,)
        1 for an anomaly, 0 for a normal row. Detectors never see it.
    feature_names : tuple of str
    source : str
        Who published the data and under which title.
    citation : str
        How to cite it.
    licence : str

    Examples
    --------
    >>> from oddrank.io import load_embedded
    >>> print(load_embedded("wine"))
    wine: 178 rows x 13 features, 48 anomalies (26.97 %)
    source: scikit-learn's copy of UCI "Wine"; anomalies: the third cultivar
    licence: CC BY 4.0
    """

    name: str
    X: FloatArray
    y: LabelArray
    feature_names: tuple[str, ...]
    source: str
    citation: str
    licence: str

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.y.shape != (len(self.X),):
            raise InvalidDataError(
                f"Dataset {self.name!r} has X of shape {self.X.shape} and y of shape "
                f"{self.y.shape}. Give a table and one label per row."
            )
        if len(self.feature_names) != self.X.shape[1]:
            raise InvalidDataError(
                f"Dataset {self.name!r} has {self.X.shape[1]} features but "
                f"{len(self.feature_names)} feature names. Give one name per feature."
            )
        if not np.isin(self.y, (0, 1)).all():
            raise InvalidDataError(
                f"Dataset {self.name!r} has labels other than 0 and 1. "
                "Give 1 for an anomaly and 0 for a normal row."
            )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_anomalies(self) -> int:
        """Number of rows that are anomalies."""
        return int(self.y.sum())

    def frame(self) -> Any:
        """Return a pandas frame of the features, with the labels in a last column `anomaly`.

        The labels are in it: drop `anomaly` before a detector sees the frame.
        """
        pandas = require("pandas", "Dataset.frame()")
        frame = pandas.DataFrame(self.X, columns=list(self.feature_names))
        frame["anomaly"] = self.y
        return frame

    def __str__(self) -> str:
        percent = 100.0 * self.n_anomalies / self.n_rows if self.n_rows else 0.0
        return (
            f"{self.name}: {self.n_rows:,} rows x {self.n_features} features, "
            f"{self.n_anomalies:,} anomalies ({percent:.2f} %)\n"
            f"source: {self.source}\nlicence: {self.licence}"
        )

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.n_rows} rows, {self.n_features} features)"
