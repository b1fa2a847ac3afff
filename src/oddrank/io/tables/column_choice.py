"""Which columns become features, and why the others do not."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.io.tables.raw_table import RawColumn, Request, listed, present_values, shortened

_FEW_LEVELS, MOST_LEVELS = 40, 100
_ROWS_OF_A_LEVEL = 20
_NEARLY_ALL = 0.95
_ALL_DIGITS = 2.0**53
_FIRST_ROWS = 10_000
_STRONG_ID = re.compile(
    r"(?i:(^|[_\W])(id|ids|uid|uuid|guid|oid|pk|ssn|iban)$)|(?i:^id[_\W])|[a-z](Id|ID|Uid|UID|Uuid|UUID|Guid|GUID)$"
)
_WEAK_ID = re.compile(
    r"(?i:(^|[_\W])(no|nr|num|number|nummer|key|index|idx|row|rows|rownum|row_number|line|record|"
    r"seq|sequence|serial|code|reference|ref|lfd)\.?$)|[a-z](No|Nr|Num|Number|Key|Index|Idx)$"
    r"|(?i:\w{3,}(nummer|nr)\.?$)"
)
_LABEL = re.compile(
    r"(is_?|has_?)?(label|labels|target|y|y_?true|class|fraud|fraudulent|anomaly|anomalous|"
    r"is_?anomaly|outlier|abnormal|attack|malicious|ground_?truth|anomalie|ausrei(ss|ß)er|betrug)"
    r"(_?(label|flag|class))?",
    re.I,
)
_IS = re.compile(r"(?i:^is_\w)|^is[A-Z]")


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A column that is not used.

    Attributes
    ----------
    column : str
    reason : str
        Why it is not used.
    remedy : str
        The option that would change that, such as `--encode auto`; "" if none would.

    Examples
    --------
    >>> import pandas
    >>> from oddrank import io
    >>> numbers = {"number": range(1, 101), "value": [i % 37 / 7 for i in range(100)]}
    >>> table = io.read_table(pandas.DataFrame(numbers))
    >>> table.left_out[0].column
    'number'
    """

    column: str
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.column!r} ({self.reason})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """The columns to use, those skipped, and those that look like a label."""

    kept: list[RawColumn]
    left_out: list[LeftOut]
    label_like: tuple[str, ...]
    notes: list[str]


def choose_columns(columns: list[RawColumn], request: Request, min_distinct: int) -> Choice:
    """Choose features; columns that the user names are used whatever they hold."""
    if request.columns is not None:
        asked = [_as_asked_for(column, request) for column in columns]
        asked.sort(key=lambda column: (request.columns or ()).index(column.name))
        return Choice(kept=asked, left_out=[], label_like=(), notes=[])
    rule = _every_kind if request.encode == "auto" else _numbers_only
    kept: list[RawColumn] = []
    left_out: list[LeftOut] = []
    label_like = []
    for column in columns:
        two_values = _has_two_values(column)
        named_as_label = two_values and _LABEL.fullmatch(column.name.strip()) is not None
        reason = "looks like a label" if named_as_label else rule(column, min_distinct)
        if named_as_label or (two_values and _is_flag(column)):
            label_like.append(column.name)
        if reason:
            left_out.append(LeftOut(column=column.name, reason=reason))
        else:
            kept.append(_as_category(column) if column.kind == "text" else column)
    names = [column.name for column in kept]
    remedies = {column.name: column.remedy for column in columns}
    left_out = [
        replace(each, remedy=remedies[each.column] or _remedy(each, names, request.encode))
        for each in left_out
    ]
    if not kept:
        raise _nothing_left(left_out, request)
    return Choice(
        kept=kept,
        left_out=left_out,
        label_like=tuple(label_like),
        notes=_label_notes(label_like, names, request),
    )


def add_left_out(choice: Choice, column: str, reason: str) -> None:
    """Skip a column after all; its remedy is to name it in `columns`."""
    names = [each.name for each in choice.kept]
    choice.left_out.append(
        LeftOut(column=column, reason=reason, remedy=_columns_remedy(names, column))
    )


def _remedy(left_out: LeftOut, kept: Sequence[str], encode: str) -> str:
    if left_out.reason == "looks like a label":
        return f"--label {shlex.quote(left_out.column)}"
    if left_out.reason == "no values" or left_out.reason.startswith("nested"):
        return ""
    if left_out.reason.endswith("on two scales"):
        return ""
    describes_kind = left_out.reason.startswith(("text", "dates", "booleans", "only"))
    if encode == "none" and describes_kind:
        return "--encode auto"
    return _columns_remedy(kept, left_out.column)


def _columns_remedy(kept: Sequence[str], name: str) -> str:
    if len(kept) > 5:
        return "--columns with its name and all others to use"
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([*kept, name])
    return f"--columns {shlex.quote(line.getvalue())}"


def _label_notes(label_like: Sequence[str], kept: Sequence[str], request: Request) -> list[str]:
    if request.label is not None:
        return []
    return [
        f"{name!r} has two values and may be a label. It is "
        f"{'used as a feature' if name in kept else 'not used'}; --label {shlex.quote(name)} "
        "keeps it apart."
        for name in label_like
    ]


def _nothing_left(left_out: Sequence[LeftOut], request: Request) -> InvalidDataError:
    reasons = listed([str(column) for column in left_out]) or "it has no columns"
    numeric = "numeric column" if request.encode == "none" else "column"
    others = "or give --encode auto" if request.encode == "none" else ""
    remedy = f"Name columns with --columns, {others}".rstrip(", ")
    if any(column.remedy.startswith("--decimal") for column in left_out):
        remedy = "Give --decimal . or --decimal ,"
    return InvalidDataError(
        f"{request.what} has no {numeric} that can be a feature: {reasons}. {remedy}."
    )


def _as_asked_for(column: RawColumn, request: Request) -> RawColumn:
    numeric = column.kind in ("number", "boolean")
    if column.kind == "unusable" or (request.encode == "none" and not numeric):
        reason = column.reason or _what_it_is(column)
        remedy = column.remedy or (
            "--encode auto" if column.kind != "unusable" else "another choice of --columns"
        )
        raise InvalidDataError(
            f"--columns names column {column.name!r} of {request.what} ({reason}), which does not "
            f"hold numbers. Give {remedy}, or leave it out of --columns."
        )
    if request.encode == "none" and column.kind == "boolean":
        return replace(column, kind="number")
    return _as_category(column) if column.kind == "text" else column


def _as_category(column: RawColumn) -> RawColumn:
    return replace(column, kind="category")


def _numbers_only(column: RawColumn, min_distinct: int) -> str:
    """Return why a column is skipped with encode="none", "" if it is used."""
    if column.reason:
        return column.reason
    if column.kind != "number":
        return _what_it_is(column)
    first = present_values(column.first(_FIRST_ROWS))
    if _varies(first, max(min_distinct, 2)) and (first % 1).any():
        return ""  # real measurements show it in their first rows already
    return _why_not_number(column, min_distinct)


def _why_not_number(column: RawColumn, min_distinct: int) -> str:
    present = present_values(column.values)
    if present.size == 0:
        return "no values"
    distinct = _distinct_up_to(present, max(min_distinct, 2))
    if distinct == 1:
        # longer numbers are rounded to the digits that a float has
        same = "constant" if abs(present[0]) < _ALL_DIGITS else "constant in its first 15 digits"
        return f"{same}: always {present[0]:g}"
    if distinct < min_distinct:
        return f"only {distinct} distinct values, fewer than {min_distinct}"
    return _why_identifier(column.name, column.values, present)


def _every_kind(column: RawColumn, min_distinct: int) -> str:  # noqa: ARG001
    """Return why a column is skipped with encode="auto", "" if it is used."""
    if column.reason:
        return column.reason
    if column.kind == "text":
        return _why_not_category(column)
    if column.kind == "number":
        return _numbers_only(column, 2)
    gaps = np.isnat(column.values) if column.kind == "date" else np.isnan(column.values)
    present = column.values[~gaps]
    if present.size == 0:
        return "no values"
    return "constant: one value only" if (present == present[0]).all() else ""


def _what_it_is(column: RawColumn) -> str:
    kind = {"date": "dates or times", "boolean": "booleans"}.get(column.kind, "text")
    if kind == "text" and " in row " in column.shown:
        return f"text: {column.shown}"
    return f"{kind} ({column.shown})" if column.shown else kind


def _why_not_category(column: RawColumn) -> str:
    cells = column.values
    n_levels, n_present = len(cells.levels), int((cells.codes >= 0).sum())
    if n_levels == 1:
        return f"constant: always {shortened(cells.levels[0])}"
    named = _identifier_by_name(column.name, n_levels, n_present)
    if named:
        return f"identifier: by its name, and {n_levels:,} different texts in {n_present:,} rows"
    n_rows = len(cells.codes)
    most = max(_FEW_LEVELS, min(MOST_LEVELS, n_rows / _ROWS_OF_A_LEVEL))
    if n_levels > most or n_levels > n_present / 2:
        return f"free text: {n_levels:,} different texts in {n_present:,} rows"
    return ""


def _identifier_by_name(name: str, n_distinct: int, n_present: int) -> bool:
    name = name.strip()
    strong, weak = _STRONG_ID.search(name) is not None, _WEAK_ID.search(name) is not None
    if strong and n_distinct > _FEW_LEVELS:
        return True
    return (strong or weak) and n_distinct >= _NEARLY_ALL * n_present


def _distinct_up_to(values: FloatArray, enough: int) -> int:
    """Return the number of distinct values; it stops counting once there are enough."""
    return enough if _varies(values[:_FIRST_ROWS], enough) else int(np.unique(values).size)


def _varies(values: FloatArray, enough: int) -> bool:
    return any(np.unique(first).size >= enough for first in (values[:100], values))


def _why_identifier(name: str, values: FloatArray, present: FloatArray) -> str:
    if (present % 1).any():
        return ""
    distinct = np.unique(present).size
    consecutive = present.max() - present.min() + 1 == distinct
    if consecutive and distinct == values.size:
        return "row numbers: consecutive integers, each once"
    rising = float((np.diff(values) == 1).mean()) if values.size > 1 else 0.0
    if rising >= _NEARLY_ALL:
        return f"row numbers: they rise by 1 in {100 * rising:.3g} % of the rows"
    if _identifier_by_name(name, distinct, present.size):
        return (
            f"identifier: by its name, and {distinct:,} different integers in {present.size:,} rows"
        )
    return ""


def _has_two_values(column: RawColumn) -> bool:
    if column.kind == "text" and column.content is not None:
        return len(column.content.levels) == 2
    if column.kind not in ("number", "boolean"):
        return False
    if np.unique(present_values(column.first(100))).size > 2:
        return False
    return _distinct_up_to(present_values(column.values), 3) == 2


def _is_flag(column: RawColumn) -> bool:
    if _IS.search(column.name.strip()) is None or column.kind == "text":
        return False
    return bool(np.isin(present_values(column.values), (0.0, 1.0)).all())
