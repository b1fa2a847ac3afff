"""Sheets of workbooks (.xlsx, .xls, .ods), read by python-calamine."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require
from oddrank.io.tables.frames import column_of_values
from oddrank.io.tables.raw_table import RawTable, Request, SheetSource, listed
from oddrank.io.tables.text import is_below_the_table, table_area

_SAMPLE_ROWS = 1000


def read_workbook(path: Path, request: Request) -> RawTable:
    """Read one sheet: the one that the user names, or the first that holds a table."""
    calamine = require("python_calamine", "Reading workbooks")
    try:
        # Given a path, the library would trust its ending.
        with path.open("rb") as file, calamine.CalamineWorkbook.from_filelike(file) as workbook:
            name, rows = _choose_sheet(workbook, request)
            notes = [f"{request.what}: sheet {name!r}{_others(workbook.sheet_names, name)}."]
    except BaseException as error:
        # A panic in the library's Rust code is not an Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise InvalidDataError(
            f"{request.what} is damaged: it cannot be read as a workbook. Save it again."
        ) from error
    return _read_sheet(rows, notes, request, partial(SheetSource, path=path, sheet=name))


def _others(names: Sequence[str], chosen: str) -> str:
    others = [repr(name) for name in names if name != chosen]
    return f"; it also has {listed(others)}, which --sheet reads" if others else ""


def _choose_sheet(workbook: Any, request: Request) -> tuple[str, list[list[Any]]]:
    names = list(workbook.sheet_names)
    if request.sheet is not None:
        if request.sheet not in names:
            raise InvalidDataError(
                f"{request.what} has no sheet {request.sheet!r}. "
                f"It has {listed([repr(name) for name in names])}."
            )
        names = [request.sheet]
    for name in names:
        rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
        filled = sum(sum(cell not in ("", None) for cell in row) > 0 for row in rows)
        if filled > 2 or (request.sheet is not None and filled):
            return name, rows
    raise InvalidDataError(f"{request.what} has no sheet with a table. Give another file.")


def _read_sheet(
    rows: list[list[Any]], notes: list[str], request: Request, origin: Callable[..., SheetSource]
) -> RawTable:
    numbers = [number for number, row in enumerate(rows, 1) if any(_as_text(cell) for cell in row)]
    used = [
        j
        for j in range(max(map(len, rows)))
        if any(_as_text(row[j]) for row in rows[:_SAMPLE_ROWS] if j < len(row))
    ]
    rows = [[rows[number - 1][j] for j in used] for number in numbers]
    texts = [[_as_text(cell) for cell in row] for row in rows[:_SAMPLE_ROWS]]
    area = table_area(texts, request.header, numbers)
    if area.n_titles:
        title = next(cell for cell in texts[0] if cell)
        lines = "1 row" if area.n_titles == 1 else f"{area.n_titles} rows"
        skipped = "was skipped" if area.n_titles == 1 else "were skipped"
        notes.append(
            f"{lines} above the column names {skipped}: {title[:40]!r} in row {numbers[0]}."
        )
    end = _end_of_table(rows, area.first, notes, numbers)
    if end <= area.first:
        raise InvalidDataError(
            f"{request.what} has column names and no rows. Give a file with data."
        )
    request.check_names(area.names)
    columns = [
        column_of_values(name, (row[j] for row in rows[area.first : end]))
        for j, name in enumerate(area.names)
        if request.wants(name)
    ]
    return RawTable(
        n_rows=end - area.first,
        columns=columns,
        line_numbers=np.array(numbers[area.first : end], dtype=np.int64),
        notes=notes,
        origin=origin(
            columns=tuple(used),
            top_line=numbers[area.first - area.has_names],
            has_names=area.has_names,
            end=numbers[end - 1] + 1,
        ),
    )


def _end_of_table(
    rows: Sequence[Sequence[Any]], first: int, notes: list[str], numbers: Sequence[int]
) -> int:
    sample = rows[first : first + _SAMPLE_ROWS]
    texts = Counter(_as_text(cell) for row in sample for cell in row)
    end = len(rows)
    while end > first:
        row = [_as_text(cell) for cell in rows[end - 1]]
        if not is_below_the_table(row, len(row), texts):
            break
        end -= 1
        shown = next(cell for cell in row if cell)
        notes.append(f"Row {numbers[end]} below the table was skipped: {shown[:40]!r}.")
    return end


def _as_text(cell: Any) -> str:
    if cell is None or isinstance(cell, str):
        return (cell or "").strip()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ")
    return str(cell)
