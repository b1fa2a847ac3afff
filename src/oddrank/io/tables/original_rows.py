"""The unchanged rows of a file, with all their columns, for result files that repeat them."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator
from typing import Any

from oddrank.io.optional_libraries import require
from oddrank.io.tables.compressed import open_unpacked
from oddrank.io.tables.raw_table import ArrowSource, Origin, SheetSource, TextSource
from oddrank.io.tables.text.layout import BLANKS

__all__ = ["original_rows"]


def original_rows(source: Origin) -> Iterator[tuple[int | None, list[Any]]]:
    """Yield the column names, without a number, and every row.

    Rows have the number of the line where they begin, or of their row in a sheet, counted from 1;
    rows of Arrow files are counted from 0.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas
    >>> from oddrank import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "table.csv"
    ...     frame = pandas.DataFrame({"a": range(3, 180, 3), "b": [i % 23 for i in range(59)]})
    ...     frame.to_csv(path, index=False)
    ...     table = io.read_table(path)
    ...     print(list(io.original_rows(table.origin))[:2])
    [(None, ['a', 'b']), (2, ['3', '0'])]
    """
    if isinstance(source, ArrowSource):
        yield from _of_arrow(source)
        return
    rows = _of_text(source) if isinstance(source, TextSource) else _of_sheet(source)
    for number, cells in rows:
        if number == source.top_line:
            yield None, cells if source.has_names else [f"x{j}" for j in range(len(cells))]
            if source.has_names:
                continue
        yield number, cells


def _of_text(source: TextSource) -> Iterator[tuple[int, list[str]]]:
    with open_unpacked(source.path, source.path.name, source.max_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding=source.encoding, errors="replace", newline="")
        for line, cells in _split(text, source.separator):
            if line >= source.top_line and cells:
                yield line, cells
        text.detach()


def _split(text: io.TextIOWrapper, separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == BLANKS:
        for number, line in enumerate(text, start=1):
            yield number, line.split()
        return
    reader = csv.reader(text, delimiter=separator)
    before = 0
    for cells in reader:
        yield before + 1, cells
        before = reader.line_num


def _of_sheet(source: SheetSource) -> Iterator[tuple[int, list[Any]]]:
    calamine = require("python_calamine", "Reading workbooks")
    with source.path.open("rb") as file, calamine.CalamineWorkbook.from_filelike(file) as workbook:
        rows = workbook.get_sheet_by_name(source.sheet).to_python(skip_empty_area=False)
    for number, row in enumerate(rows[: source.end - 1], start=1):
        cells = [_cell(row[j]) if j < len(row) else "" for j in source.columns]
        if number >= source.top_line and any(cell not in ("", None) for cell in cells):
            yield number, cells


def _of_arrow(source: ArrowSource) -> Iterator[tuple[int | None, list[Any]]]:
    number = 0
    for batch in _batches(source):
        if not number:
            yield None, list(batch.schema.names)
        columns = [column.to_pylist() for column in batch.columns]
        for cells in zip(*columns, strict=True):
            yield number, [_cell(cell) for cell in cells]
            number += 1


def _batches(source: ArrowSource) -> Iterator[Any]:
    if source.is_parquet:
        parquet = require("pyarrow.parquet", "Reading Parquet files")
        with parquet.ParquetFile(source.path) as file:
            yield from file.iter_batches()
        return
    pyarrow = require("pyarrow", "Reading Feather files")
    ipc = require("pyarrow.ipc", "Reading Feather files")
    with pyarrow.OSFile(str(source.path)) as file:
        reader = ipc.open_file(file)
        yield from (reader.get_batch(k) for k in range(reader.num_record_batches))


def _cell(value: Any) -> Any:
    """Return a value as a CSV file shows it: whole numbers without a point, ISO dates."""
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 2**53
        return "" if value != value else int(value) if whole else value  # noqa: PLR0124
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time.min else str(value)
    return "" if value is None else value
