"""Rows written to a file: what was found, and every cell of the source unchanged."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import IO, TYPE_CHECKING, Any

from oddrank._files import write_whole
from oddrank.cli.user_rows import row_places

if TYPE_CHECKING:
    from oddrank.inspection import OddRows
    from oddrank.io import UserTable

__all__ = ["cells_of", "harmless", "write_cells", "write_rows"]

HEAD = ("oddness", "p_value", "adjusted_p_value", "flagged", "reasons")
# Spreadsheets take cells that begin so for formulas, and skip blanks before them.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
# Numbers begin with a sign too; groups of digits, a power of ten and a unit belong to them.
_NUMBER = re.compile(r"\s*[+-]?[\d.,'\u00a0\u202f ]*\d[.,]?(?:[eE][+-]?\d+)?\s*[%€$£]?\s*")
NOT_SCORED = "not scored: dropped when the table was read"


def cells_of(odd: OddRows, place: int) -> list[str]:
    """Return the new cells of a row."""
    return [
        f"{odd.oddness[place]:.4g}",
        _number(odd.p_values[place]),
        _number(odd.adjusted_p_values[place]),
        "yes" if odd.flagged[place] else "no",
        odd.why(place),
    ]


def write_rows(path: str, read: UserTable, odd: OddRows) -> None:
    """Write all rows of the source, or of the sample of it, in their order."""
    write_cells(path, _of_frame(read, odd) if read.origin is None else _of_origin(read, odd))


def write_cells(path: str, lines: Iterator[list[Any]]) -> None:
    """Write lines of cells as CSV, the whole file or nothing."""

    def write(file: IO[bytes]) -> None:
        text = io.TextIOWrapper(
            file, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
        )
        csv.writer(text).writerows([harmless(cell) for cell in line] for line in lines)
        text.flush()
        text.detach()

    write_whole(path, write)


def harmless(cell: Any) -> Any:
    """Return a cell that a spreadsheet shows, and does not run as a formula.

    Examples
    --------
    >>> harmless("=HYPERLINK(1)"), harmless("-2.5e3"), harmless("+49 30")
    ("'=HYPERLINK(1)", '-2.5e3', '+49 30')
    """
    if not isinstance(cell, str) or _FORMULA.match(cell) is None or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _of_origin(read: UserTable, odd: OddRows) -> Iterator[list[Any]]:
    from oddrank.io import original_rows

    assert read.origin is not None
    called = "row" if read.line_numbers is None else "line"
    scored = read.row_numbers if read.line_numbers is None else read.line_numbers
    numbers = iter(enumerate(scored.tolist()))
    place, next_number = next(numbers, (-1, -1))
    for number, cells in original_rows(read.origin):
        if number is None:
            yield [called, *HEAD, *cells]
        elif number == next_number:
            yield [str(number), *cells_of(odd, place), *cells]
            place, next_number = next(numbers, (-1, -1))
        elif read.sample is None:
            yield [str(number), "", "", "", "", NOT_SCORED, *cells]


def _of_frame(read: UserTable, odd: OddRows) -> Iterator[list[Any]]:
    frame = read.frame().astype(object)
    called = ["file"] if read.files else []
    yield [*called, "row" if read.line_numbers is None else "line", *HEAD, *frame.columns]
    names = row_places(read)
    places = {int(number): place for place, number in enumerate(read.row_numbers)}
    for number in range(read.n_rows_read) if read.sample is None else sorted(places):
        place = places.get(number)
        if place is not None:
            values = frame.iloc[place].where(frame.iloc[place].notna(), None).tolist()
            yield [*names[place], *cells_of(odd, place), *values]
        else:
            yield [*_whereabouts(read, number), "", "", "", "", NOT_SCORED]


def _whereabouts(read: UserTable, number: int) -> list[str]:
    """Return what is known of a row that was dropped: its number, or its file."""
    if not read.files:
        return [str(number)]
    ends = accumulate(n_rows for _, n_rows in read.files)
    return [next(file for (file, _), end in zip(read.files, ends, strict=True) if number < end), ""]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"
