"""Rows written to a file: what was found, and every cell of the source unchanged."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.inspection import OddRows

__all__ = ["cells_of", "write_rows"]

HEAD = ("oddness", "p_value", "adjusted_p_value", "flagged", "reasons")
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
    """Write all rows of the source in their order, including those that were not read."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        lines = _of_text(read, odd) if read.text is not None else _of_frame(read, odd)
        writer.writerows(lines)


def _of_text(read: UserTable, odd: OddRows) -> Iterator[list[str]]:
    from oddrank.datasets import original_rows

    assert read.text is not None
    assert read.line_numbers is not None
    numbers = iter(enumerate(read.line_numbers.tolist()))
    place, line = next(numbers, (-1, -1))
    names = read.text.has_names
    for number, cells in original_rows(read.text):
        if number == read.text.top_line:
            head = cells if names else [f"x{j}" for j in range(len(cells))]
            yield ["line", *HEAD, *head]
            if names:
                continue
        if number == line:
            yield [str(number), *cells_of(odd, place), *cells]
            place, line = next(numbers, (-1, -1))
        else:
            yield [str(number), "", "", "", "", NOT_SCORED, *cells]


def _of_frame(read: UserTable, odd: OddRows) -> Iterator[list[Any]]:
    frame = read.frame().astype(object)
    yield ["row", *HEAD, *frame.columns]
    places = {int(number): place for place, number in enumerate(read.row_numbers)}
    for number in range(read.n_rows_read):
        place = places.get(number)
        if place is None:
            yield [str(number), "", "", "", "", NOT_SCORED]
        else:
            values = frame.iloc[place].where(frame.iloc[place].notna(), None).tolist()
            yield [str(number), *cells_of(odd, place), *values]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"
