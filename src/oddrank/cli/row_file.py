"""Rows written to a file: what was found, and every cell of the source unchanged."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from oddrank._files import write_whole

if TYPE_CHECKING:
    from oddrank.inspection import OddRows
    from oddrank.io import UserTable

__all__ = ["NEW_HEAD", "OWN_HEAD", "harmless", "own_cells", "write_cells", "write_rows"]

# What is written beside the rows of a ranked table, and beside new rows.
OWN_HEAD = ("oddness", "steady", "reasons")
NEW_HEAD = ("oddness", "p_value", "adjusted_p_value", "flagged", "reasons")
CellsOf = Callable[[int], list[str]]
# Spreadsheets take cells that begin so for formulas, and skip blanks before them.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
# Numbers begin with a sign too; groups of digits, a power of ten and a unit belong to them.
_NUMBER = re.compile(
    r"\s*[+-]|\s*[+-]?[€$£]?[\d.,'\u00a0\u202f ]*\d[.,]?(?:[eE][+-]?\d+)?\s*[%€$£]?\s*"
)
NOT_SCORED = "not scored: left out by --drop-gaps, --drop-duplicates or --sample"


def own_cells(odd: OddRows) -> CellsOf:
    """Return a function of a place: the new cells of that row of a ranked table."""
    explained = odd.reasons_at(odd.order[: odd.n_explained].tolist())

    def cells(place: int) -> list[str]:
        return [
            f"{odd.oddness[place]:.4g}",
            str(odd.steady[place]),
            odd.why(place) if place in explained else "",
        ]

    return cells


def write_rows(path: str, read: UserTable, cells_of: CellsOf, head: Sequence[str]) -> None:
    """Write all rows of the source in their order, every cell as it stands there."""
    write_cells(path, _lines(read, cells_of, head))


def _lines(read: UserTable, cells_of: CellsOf, head: Sequence[str]) -> Iterator[list[Any]]:
    file = ["file"] if read.files else []
    yield [*file, "line" if read.has_lines else "row", *head, *read.column_names]
    scored = {number: place for place, number in enumerate(read.row_numbers.tolist())}
    every_row = zip(read.places(np.arange(read.n_rows_read)), read.cells(), strict=True)
    nothing = [*[""] * (len(head) - 1), NOT_SCORED]
    for number, (where, cells) in enumerate(every_row):
        place = scored.get(number)
        yield [*where, *(nothing if place is None else cells_of(place)), *cells]


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
