"""Which columns become features, and why the others do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.io.optional_libraries import require
from oddrank.io.reading import ColumnReading

# More different texts or numbers than this share of the rows name the rows, and say nothing else.
NEARLY_ALL = 0.95
# Fewer rows may be numbered by chance: a day has the hours 0 to 23.
_FEWEST_NUMBERED = 50
_FEWEST_NAMED = 20
_FIRST_ROWS = 1000
_FIRST_YEAR, _LAST_YEAR = 1500, 2200
_ID = re.compile(
    r"(?i:(^|[_\W])(id|ids|ident|identifier|uid|uuid|guid|oid|pk|key|index|idx|rownames?|row|no|nr|num|number|"
    r"record|seq|sequence|serial|reference|ref|ssn|iban)\.?$)|(?i:^(id[_\W]|unnamed: ?\d+$|$))"
    r"|[a-z](Id|ID|Uid|UID|Uuid|UUID|No|Nr|Num|Number|Key|Index|Idx)$|(?i:\w{3,}(nummer|nr)\.?$)"
)
_LABEL = re.compile(
    r"(is_?|has_?)?(label|labels|target|y|y_?true|class|fraud|fraudulent|anomaly|anomalous|"
    r"outlier|abnormal|attack|malicious|ground_?truth|anomalie|ausrei(ss|ß)er|betrug)"
    r"(_?(label|flag|class))?",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A column that is not used.

    Attributes
    ----------
    column : str
    reason : str
        Why it is not used.
    remedy : str
        The flag that changes that; "" if none does.
    """

    column: str
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.column!r} ({self.reason})"


def why_not_used(
    column: ColumnReading, values: Any, row_numbers: npt.NDArray[np.int64]
) -> LeftOut | None:
    """Return why a column carries nothing, None if it carries something.

    Parameters
    ----------
    column : ColumnReading
    values : array or None
        One value per row.
    row_numbers : array
        The places of these rows in the table, or in that which they are a sample of.
    """
    if column.kind == "other":
        return LeftOut(column=column.name, reason=f"not a single value per cell: {column.form}")
    pandas = require("pandas", "Reading tables")
    series = pandas.Series(values, copy=False)
    reason = _reason(column, series, row_numbers)
    if not reason:
        return None
    label = reason == "looks like a label"
    remedy = f"--label {column.name}" if label else f"--use {column.name}"
    return LeftOut(column=column.name, reason=reason, remedy=remedy)


def _reason(column: ColumnReading, series: Any, row_numbers: Any) -> str:
    if column.kind == "number" and _are_measurements(series):
        return ""
    present = series.dropna()
    if not len(present):
        return "no values"
    n_first = present.iloc[:_FIRST_ROWS].nunique()
    if n_first == 1 and len(present) == len(series) and present.nunique() == 1:
        return f"constant: always {_short(present.iloc[0])}"
    if n_first <= 2 and _LABEL.fullmatch(column.name.strip()) and present.nunique() == 2:
        return "looks like a label"
    whole = column.kind == "number" and bool((present % 1 == 0).all())
    labels = re.fullmatch(r"__index_level_\d+__", column.name) is not None  # of pandas' rows
    if labels or (whole and _numbers_the_rows(series, row_numbers)):
        return "row numbers"
    named = _ID.search(column.name.strip()) is not None
    return _why_names_rows(present, named) if column.kind == "category" or (named and whole) else ""


def _are_measurements(series: Any) -> bool:
    """Whether the first rows show many numbers that are not whole: no need to look at all."""
    first = series.iloc[:_FIRST_ROWS].to_numpy()
    if first.dtype.kind != "f" or len(first) < _FIRST_ROWS:
        return False
    first = first[np.isfinite(first)]
    return bool((first % 1 != 0).any()) and len(np.unique(first)) > _FIRST_ROWS / 2


def _why_names_rows(present: Any, named: bool) -> str:
    n_distinct, n_rows = present.nunique(), len(present)
    if n_distinct <= NEARLY_ALL * n_rows or (named and n_rows < _FEWEST_NAMED) or n_rows < 3:
        return ""
    found = f"{n_distinct:,} different values in {n_rows:,} rows"
    return f"identifier: by its name, and {found}" if named else f"one text per row: {found}"


def _numbers_the_rows(series: Any, row_numbers: Any) -> bool:
    """Whether a column counts the rows of its table one by one; years do that too."""
    if len(series) < _FEWEST_NUMBERED or series.isna().any():
        return False
    values = series.to_numpy().astype(np.float64)
    are_years = values[0] >= _FIRST_YEAR and values[-1] <= _LAST_YEAR
    return bool((values - row_numbers == values[0] - row_numbers[0]).all()) and not are_years


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return repr(text if len(text) <= 30 else text[:27] + "...") if isinstance(value, str) else text
