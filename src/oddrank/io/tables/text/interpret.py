"""What the texts of a column mean: numbers, booleans, dates, or just text.

If 95 % of the cells are of one kind, the column is of that kind. The other cells become gaps, and
are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.io.tables.raw_table import (
    MAX_NAMED,
    RawColumn,
    RawTable,
    Request,
    TextCells,
    shortened,
)
from oddrank.io.tables.text.dates import (
    dates_from_digits,
    is_named_like_date,
    read_clock_times,
    read_dates,
)
from oddrank.io.tables.text.numbers import NumberTexts, few_bad

# Compared in lower case, without blanks around them.
MISSING = frozenset(
    {"", "?", "-", "--", "---", "–", "—", ".", "..", "na", "n/a", "n.a.", "#n/a", "#na", "nan",
     "-nan", "null", "none", "nil", "nat", "missing", "<na>", "(null)", "#null!", "#div/0!",
     "#value!", "#ref!", "#name?", "#num!", "\\n"}
)  # fmt: skip
_BOOLEANS = (
    ("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("nein", "ja"), ("non", "oui"),
    ("no", "si"), ("no", "sí"), ("off", "on"), ("falsch", "wahr"), ("faux", "vrai"),
)  # fmt: skip


def is_missing(text: str) -> bool:
    """Whether a text stands for a missing value.

    Examples
    --------
    >>> [is_missing(text) for text in (" NA ", "?", "0")]
    [True, True, False]
    """
    return text.strip().lower() in MISSING


def interpret(table: RawTable, request: Request) -> tuple[list[RawColumn], list[str]]:
    """Return the columns with their texts interpreted, and notes; the table's list is emptied.

    A column whose numbers are ambiguous takes the decimal sign that the rest of the file shows.
    """
    cells = [_without_missing(column) for column in table.columns]
    label = {column.name: column for column in table.columns if column.name == request.label}
    table.columns.clear()
    numbers = {
        position: NumberTexts(
            column.values.levels,
            column.values.counts(),
            points_are_decimal=table.points_are_decimal,
            sign_given=request.decimal is not None,
        )
        for position, column in enumerate(cells)
        if column.kind == "text" and column.values is not None and column.values.levels
    }
    signs = {table.decimal, *(texts.decisive_sign() for texts in numbers.values())} - {""}
    shared = signs.pop() if len(signs) == 1 else ""
    reading = _Reading(table, request, shared)
    understood = []
    for position, column in enumerate(cells):
        texts = numbers.pop(position, None)
        if column.name in label:
            understood.append(reading.label(column, texts, label[column.name]))
        else:
            understood.append(reading.column(column, texts))
    return understood, reading.notes


def _without_missing(column: RawColumn) -> RawColumn:
    cells = column.content
    if column.kind != "text" or cells is None:
        return column
    counts = cells.counts()
    kept = [
        position
        for position, text in enumerate(cells.levels)
        if counts[position] and not is_missing(text)
    ]
    recode = np.full(len(cells.levels) + 1, -1, dtype=np.int32)
    recode[kept] = np.arange(len(kept))
    levels = [cells.levels[position] for position in kept]
    return replace(column, content=TextCells(codes=recode[cells.codes], levels=levels))


class _Reading:
    """Interprets the columns of one table, and collects notes."""

    def __init__(self, table: RawTable, request: Request, shared: str) -> None:
        self.notes: list[str] = []
        self._lines = table.line_numbers
        self._points_are_decimal = table.points_are_decimal
        self._given = request.decimal or ""
        self._kinds = request.kinds
        self._shared = shared

    def column(self, column: RawColumn, numbers: NumberTexts | None) -> RawColumn:
        """Interpret one column."""
        cells = column.content
        if column.kind == "number":
            return self._maybe_dates(column)
        if column.kind != "text" or cells is None:
            return column
        if not cells.levels:
            return replace(column, kind="number", content=np.full(len(cells.codes), np.nan))
        if column.shown:
            return column  # the source says that these are categories, whatever they look like
        shown = f"{shortened(cells.levels[0])} in row {cells.first_row(0):,}"
        column = replace(column, shown=shown)
        known = self._kinds.get(column.name)
        if known == "category":
            return column
        return (
            _booleans(column, one_will_do=known == "boolean")
            or (self._numbers(column, numbers) if numbers is not None else None)
            or self._times(column)
            or column
        )

    def label(
        self, column: RawColumn, numbers: NumberTexts | None, as_found: RawColumn
    ) -> RawColumn:
        """Read a label as numbers if it holds numbers; otherwise keep its texts as they are."""
        understood = as_found
        if numbers is not None and as_found.kind == "text":
            found = self._numbers(column, numbers) or as_found
            if found.kind == "unusable":
                self.notes.append(f"The label {column.name!r} is kept as text: {found.reason}.")
            understood = found if found.kind == "number" else as_found
        n_gaps = _n_gaps(understood)
        if n_gaps:
            rows = "1 row" if n_gaps == 1 else f"{n_gaps:,} rows"
            self.notes.append(f"The label {column.name!r} has no value in {rows}.")
        return understood

    def _maybe_dates(self, column: RawColumn) -> RawColumn:
        if not is_named_like_date(column.name):
            return column
        dates = dates_from_digits(column.values)
        if dates is None:
            return column
        example = column.values[np.isfinite(column.values)][0]
        return replace(column, kind="date", content=dates, shown=f"such as {example:.0f}")

    def _numbers(self, column: RawColumn, numbers: NumberTexts) -> RawColumn | None:
        if not numbers.may_be_numbers:
            return None
        if numbers.two_scales:
            reason = f"{numbers.two_scales} are on two scales"
            return replace(column, kind="unusable", content=None, reason=reason)
        sign = self._sign(numbers)
        if not sign:
            remedy = "--decimal . or --decimal ,"
            return replace(
                column, kind="unusable", content=None, reason=numbers.doubt(), remedy=remedy
            )
        values, bad = numbers.read(sign)
        if not few_bad(column.values.counts(), bad):
            return None
        self._tell_bad_cells(column, bad)
        understood = _spread(column, "number", values, np.nan)
        return self._maybe_dates(understood)

    def _sign(self, numbers: NumberTexts) -> str:
        """Return the decimal sign to read with, "" if nothing decides."""
        sign = self._given or numbers.decisive_sign()
        if sign or not numbers.doubt():
            return sign or "."
        if self._points_are_decimal:
            return "."
        return numbers.sign_by_small_integers() or self._shared

    def _times(self, column: RawColumn) -> RawColumn | None:
        cells = column.values
        counts = cells.counts()
        seconds = read_clock_times(cells.levels, counts)
        if seconds is not None:
            self._tell_bad_cells(column, np.flatnonzero(np.isnan(seconds)).tolist())
            return _spread(column, "number", seconds, np.nan)
        dates = read_dates(cells.levels, counts, cells.codes)
        if dates is None:
            return None
        self._tell_bad_cells(column, dates.bad)
        self.notes += [f"Dates of {column.name!r}: {note}." for note in dates.notes]
        return _spread(column, "date", dates.values, np.datetime64("NaT"))

    def _tell_bad_cells(self, column: RawColumn, bad: Sequence[int]) -> None:
        if not bad:
            return
        cells = column.values
        rows = np.flatnonzero(np.isin(cells.codes, bad))
        named = [
            f"{shortened(cells.levels[cells.codes[row]])} in {self._place(row)}"
            for row in rows[:MAX_NAMED].tolist()
        ]
        more = f" and {len(rows) - MAX_NAMED:,} more cells" if len(rows) > MAX_NAMED else ""
        verb = "is read as a gap" if len(rows) == 1 else "are read as gaps"
        self.notes.append(f"{', '.join(named)}{more} of {column.name!r} {verb}.")

    def _place(self, row: int) -> str:
        return f"row {row:,}" if self._lines is None else f"line {self._lines[row]}"


def _n_gaps(column: RawColumn) -> int:
    values = column.values
    if isinstance(values, TextCells):
        nothing = [position for position, text in enumerate(values.levels) if not text]
        return int(np.isin(values.codes, [-1, *nothing]).sum())
    if values is None or column.kind == "date":
        return 0
    return int(np.isnan(values).sum())


def _booleans(column: RawColumn, *, one_will_do: bool = False) -> RawColumn | None:
    folded = [text.lower() for text in column.values.levels]
    for no, yes in _BOOLEANS:
        if {no, yes} == set(folded) or (one_will_do and {no, yes} > set(folded)):
            values = np.array([float(text == yes) for text in folded])
            return _spread(column, "boolean", values, np.nan)
    return None


def _spread(column: RawColumn, kind: str, of_levels: npt.NDArray[Any], nothing: Any) -> RawColumn:
    """Give every row the value of its text."""
    values = np.append(of_levels, nothing).astype(of_levels.dtype)
    return replace(column, kind=kind, content=values[column.values.codes])
