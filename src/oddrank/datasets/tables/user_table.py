"""The result of `read_table`: numbers, and an account of what was done to get them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.datasets.optional_libraries import require
from oddrank.datasets.tables.column_choice import LeftOut


@dataclass(frozen=True, kw_only=True, eq=False)
class UserTable:
    """A user's table, ready for `rank_detectors(detectors, table.X)`.

    Attributes
    ----------
    source : str
        The file's name, or "the frame".
    X : array of shape (n_rows, n_features)
        Finite numbers. The label is not among them.
    feature_names : tuple of str
    labels : array of shape (n_rows,) or None
        The label column, if one was named: numbers if all of it is, text otherwise.
    left_out : tuple of LeftOut
        The columns not used, each with its `reason`.
    row_numbers : array of shape (n_rows,)
        Where each row stands in the source, counted from 0: `row_numbers[i]` belongs to `X[i]`.
    n_rows_read : int
        Rows in the source, dropped ones included.
    n_imputed : int
        Values that were missing and have been put in.
    notes : tuple of str
        What was decided on the way, in sentences.
    """

    source: str
    X: FloatArray
    feature_names: tuple[str, ...]
    labels: npt.NDArray[Any] | None
    left_out: tuple[LeftOut, ...]
    row_numbers: npt.NDArray[np.intp]
    n_rows_read: int
    n_imputed: int
    notes: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows kept."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_rows_dropped(self) -> int:
        """Number of rows left out because of missing values."""
        return self.n_rows_read - self.n_rows

    def frame(self) -> Any:
        """Return a pandas frame of the features, indexed by row number; no labels in it."""
        pandas = require("pandas", "UserTable.frame()")
        return pandas.DataFrame(self.X, columns=list(self.feature_names), index=self.row_numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the account, without the rows."""
        return {
            "source": self.source,
            "n_rows": self.n_rows,
            "n_rows_read": self.n_rows_read,
            "n_rows_dropped": self.n_rows_dropped,
            "n_imputed": self.n_imputed,
            "feature_names": list(self.feature_names),
            "left_out": {column.column: column.reason for column in self.left_out},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.n_rows:,} rows x {self.n_features} features"]
        lines += [f"  left out {column}" for column in self.left_out[:20]]
        if len(self.left_out) > 20:
            lines.append(f"  left out {len(self.left_out) - 20:,} more")
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"UserTable({self.source!r}, {self.n_rows} rows, {self.n_features} features)"
