"""The result of `read_table`: typed columns, and a list of what was done to get them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.io.optional_libraries import require
from oddrank.io.tables.column_choice import LeftOut
from oddrank.io.tables.raw_table import Origin, Pieces, RawColumn
from oddrank.rows import RowSample

_ROWS_AT_A_TIME = 8192


@dataclass(frozen=True, kw_only=True, eq=False)
class UserTable:
    """A user's table, ready for `rank_detectors(detectors, table.X)`.

    Attributes
    ----------
    source : str
        The file's name, or "the frame".
    X : array of shape (n_rows, n_features), or frame
        An array of numbers if all features are numbers, otherwise a pandas frame of typed columns.
        The label is not among them. Nothing is missing unless gaps were kept.
    feature_names : tuple of str
    kinds : tuple of str
        What each feature holds: "number", "boolean", "category" or "date".
    labels : array of shape (n_rows,) or None
        The label column, if one was named: numbers if all values are numbers, text otherwise.
    left_out : tuple of LeftOut
        The columns not used, each with its `reason` and the `remedy` that changes it.
    label_like : tuple of str
        Columns of two values that look like a label, but were not named as one.
    row_numbers : array of shape (n_rows,)
        The place of each row in the source, counted from 0: `row_numbers[i]` belongs to `X[i]`.
    line_numbers : array of shape (n_rows,) or None
        The line of each row in a text file, or its row in a sheet, counted from 1 as an editor
        does. None for frames and binary files.
    n_rows_read : int
        Rows in the source or in the sample of it, dropped ones included.
    n_imputed : int
        Values that were missing and have been put in.
    n_repeated : int
        Rows that repeat an earlier row; `--drop-duplicates` drops them.
    notes : tuple of str
        What was decided, in sentences.
    origin : TextSource, ArrowSource, SheetSource or None
        A single file, whose rows `original_rows` reads again with all their columns.
    files : tuple of (str, int)
        Where several files were read as one: their names, and how many rows each has.
    sample : RowSample or None
        Which rows of a larger table these are.

    Examples
    --------
    >>> import pandas
    >>> from oddrank import io
    >>> numbers = {"number": range(1, 101), "value": [i % 37 / 7 for i in range(100)]}
    >>> table = io.read_table(pandas.DataFrame(numbers))
    >>> table.feature_names, table.n_rows
    (('value',), 100)
    """

    source: str
    X: Any
    feature_names: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: npt.NDArray[Any] | None
    left_out: tuple[LeftOut, ...]
    label_like: tuple[str, ...]
    row_numbers: npt.NDArray[np.intp]
    line_numbers: npt.NDArray[np.int64] | None
    n_rows_read: int
    n_imputed: int
    n_repeated: int
    notes: tuple[str, ...]
    origin: Origin | None = None
    files: tuple[tuple[str, int], ...] = ()
    sample: RowSample | None = None

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
        """Number of rows dropped: those with gaps, and repeated ones with `drop_duplicates`."""
        return self.n_rows_read - self.n_rows

    def frame(self) -> Any:
        """Return a pandas frame of the features, indexed by row number; no labels in it."""
        pandas = require("pandas", "UserTable.frame()")
        if isinstance(self.X, np.ndarray):
            names = list(self.feature_names)
            return pandas.DataFrame(self.X, columns=names, index=self.row_numbers)
        return self.X.set_axis(self.row_numbers, axis="index")

    def to_dict(self) -> dict[str, Any]:
        """Return the facts, without the rows."""
        return {
            "source": self.source,
            "n_rows": self.n_rows,
            "n_rows_read": self.n_rows_read,
            "n_rows_dropped": self.n_rows_dropped,
            "n_imputed": self.n_imputed,
            "n_repeated": self.n_repeated,
            "feature_names": list(self.feature_names),
            "kinds": list(self.kinds),
            "left_out": {column.column: column.reason for column in self.left_out},
            "label_like": list(self.label_like),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.n_rows:,} rows x {self.n_features} features"]
        lines += [f"  skipped {column}" for column in self.left_out[:20]]
        if len(self.left_out) > 20:
            lines.append(f"  skipped {len(self.left_out) - 20:,} more columns")
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"UserTable({self.source!r}, {self.n_rows} rows, {self.n_features} features)"


def joined(columns: Sequence[RawColumn], n_rows: int) -> Any:
    """Return an array if all columns are numbers, a frame of typed columns otherwise."""
    if all(column.kind == "number" for column in columns):
        return _array(columns, n_rows)
    pandas = require("pandas", "A table of columns that are not all numbers")
    series = {column.name: _typed(column, pandas) for column in columns}
    return pandas.DataFrame(series, index=pandas.RangeIndex(n_rows))


def _array(columns: Sequence[RawColumn], n_rows: int) -> FloatArray:
    """Copy a few rows of all columns at a time: they stay in the processor's cache."""
    X = np.empty((n_rows, len(columns)))
    pieces = [column.content for column in columns if isinstance(column.content, Pieces)]
    ends = pieces[0].ends if pieces else [*range(_ROWS_AT_A_TIME, n_rows, _ROWS_AT_A_TIME), n_rows]

    def fill(k: int) -> None:
        rows = slice(ends[k - 1] if k else 0, ends[k])
        for j, column in enumerate(columns):
            content = column.content
            X[rows, j] = content.part(k) if isinstance(content, Pieces) else content[rows]

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(fill, range(len(ends))))
    return X


def _typed(column: RawColumn, pandas: Any) -> Any:
    values = column.values
    if column.kind == "category":
        used = np.flatnonzero(values.counts())
        order = sorted(used.tolist(), key=lambda level: values.levels[level])
        recode = np.full(len(values.levels) + 1, -1, dtype=np.int32)
        recode[order] = np.arange(len(order))
        levels = pandas.Index([values.levels[level] for level in order], dtype=object).astype("str")
        return pandas.Categorical.from_codes(recode[values.codes], categories=levels)
    if column.kind == "boolean":
        missing = np.isnan(values)
        truth = np.nan_to_num(values).astype(bool)
        return pandas.arrays.BooleanArray(truth, missing) if missing.any() else truth
    return values
