"""Text tables (CSV and its relatives), read by pyarrow.

Columns that the sample shows to be plain numbers are converted by pyarrow itself. The others are
read as text, every different text once, and interpreted later from the whole column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require
from oddrank.io.tables.column_choice import MOST_LEVELS
from oddrank.io.tables.compressed import open_unpacked
from oddrank.io.tables.raw_table import (
    Pieces,
    RawColumn,
    RawTable,
    Request,
    TextCells,
    TextSource,
    shortened,
)
from oddrank.io.tables.text.dates import read_clock_times, read_dates
from oddrank.io.tables.text.encoding import (
    SAMPLE_BYTES,
    bad_byte_notes,
    detect_encoding,
    text_of,
)
from oddrank.io.tables.text.interpret import MISSING, is_missing
from oddrank.io.tables.text.layout import BLANKS, detect_separator
from oddrank.io.tables.text.numbers import NumberTexts, is_plain_number
from oddrank.io.tables.text.plain_file import Region, line_numbers, plain_file
from oddrank.io.tables.text.sample import TextTable, look_at, ragged_row

_BLOCK_BYTES = (2**20, 2**26)
_LARGE = 2**25
_SEPARATOR_LINES = 200
_FAILED_COLUMN = re.compile(r"In CSV column #(\d+): CSV conversion error[^']*'?([^']*)")
_NULLS = sorted({form for text in MISSING for form in (text, text.upper(), text.title(), "NaN")})


def read_text(path: Path, request: Request) -> RawTable:
    """Read a text table, compressed or not."""
    what = request.what
    with open_unpacked(path, what, request.max_bytes) as stream:
        sample = stream.read(SAMPLE_BYTES)
    if not sample.strip(b"\r\n\t \x00"):
        raise InvalidDataError(f"{what} is empty, so there is nothing to read. Give another file.")
    encoding = request.encoding or detect_encoding(sample, what)
    told = request.encoding is None
    text = text_of(sample, encoding, what, strict=not told or encoding != "utf-8")
    separator = request.separator or detect_separator(
        text.split("\n", _SEPARATOR_LINES)[:_SEPARATOR_LINES]
    )
    with plain_file(
        path, what, request.max_bytes, encoding=encoding, separator=separator, sample=sample
    ) as file:
        table = look_at(file, separator, request)
        request.check_names(table.names)
        # The rest of the file seldom differs from the sample.
        raw = _Reader(file, table, request, "cp1252" if sample.isascii() else "utf-8").read()
    commas = ", decimal commas" if raw.decimal == "," else ""
    raw.notes[:] = [f"{what}: {encoding}, {table}{commas}.", *table.notes]
    if told and encoding == "utf-8":
        raw.notes.extend(bad_byte_notes(sample))
    source = TextSource(
        path=path,
        encoding=encoding,
        separator=separator,
        top_line=table.top_line,
        has_names=table.has_names,
        max_bytes=request.max_bytes,
    )
    return replace(raw, origin=source)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """How one column is read: as float64, as int64, as text, or not at all."""

    how: str
    sign: str = ""
    column: RawColumn | None = None


class _Reader:
    """Reads one text table, more than once if a column turns out to be text late."""

    def __init__(self, file: BinaryIO, table: TextTable, request: Request, fallback: str) -> None:
        self._file = file
        self._fallback = fallback
        self._table = table
        self._request = request
        self._large = table.end - table.begin > _LARGE
        self._points = table.separator == ","
        self._decimal, self._plans = self._make_plans()
        self._quotes = table.has_quotes
        # Looking for gaps such as `--` slows negative numbers down, so one has to be seen first.
        dashes = any(cell[:1] == "-" and is_missing(cell) for row in table.rows for cell in row)
        self._nulls = [text for text in _NULLS if dashes or not text.startswith("-")]
        self._pyarrow = require("pyarrow", "Reading text tables")
        self._csv = require("pyarrow.csv", "Reading text tables")

    def _make_plans(self) -> tuple[str, dict[int, _Plan]]:
        plans = {
            j: self._plan(name, [row[j].strip() for row in self._table.rows])
            for j, name in enumerate(self._table.names)
            if self._request.wants(name)
        }
        signs = [plan.sign for plan in plans.values() if plan.sign]
        commas = signs.count(",") > signs.count(".")
        decimal = self._request.decimal or ("," if commas else ".")
        for j, plan in plans.items():
            if plan.sign and plan.sign != decimal:
                plans[j] = _Plan(how="text")
        return decimal, plans

    def _plan(self, name: str, values: Sequence[str]) -> _Plan:
        present = [value for value in values if not is_missing(value)]
        distinct = list(dict.fromkeys(present))
        given = self._request.decimal
        if present and all(re.fullmatch("[+-]?[0-9]{1,18}", value) for value in distinct):
            if any(re.match("0[0-9]{2}", value) for value in distinct):
                return _Plan(how="text")  # perhaps codes
            return _Plan(how="float" if self._points or given == "." else "integer")
        counts = np.ones(len(distinct), dtype=np.intp)
        for sign in (given,) if given else (".", ","):
            if present and all(is_plain_number(value, sign) for value in distinct):
                sure = given == sign or (sign == "." and self._points)
                if sure or NumberTexts(distinct, counts).decisive_sign() == sign:
                    return _Plan(how="float", sign=sign)
        chosen = self._request.columns is not None or name == self._request.label
        if self._large and len(distinct) > MOST_LEVELS and not chosen:
            return self._not_worth_reading(name, values, distinct) or _Plan(how="text")
        return _Plan(how="text")

    def _not_worth_reading(
        self, name: str, values: Sequence[str], distinct: list[str]
    ) -> _Plan | None:
        """Do not read free text: in a large file it would take most of the memory."""
        counts = np.ones(len(distinct), dtype=np.intp)
        codes = np.arange(len(distinct), dtype=np.int32)
        may_be_typed = (
            NumberTexts(distinct, counts).may_be_numbers
            or read_clock_times(distinct, counts) is not None
            or read_dates(distinct, counts, codes) is not None
        )
        if may_be_typed:
            return None
        row = next(row for row, value in enumerate(values) if not is_missing(value))
        shown = f"{shortened(values[row])} in row {row:,}"
        reason = (
            f"text: {shown}"
            if self._request.encode == "none"
            else f"free text: {len(distinct):,} different texts in the first {len(values):,} rows"
        )
        return _Plan(
            how="skip", column=RawColumn(name=name, kind="text", shown=shown, reason=reason)
        )

    def read(self) -> RawTable:
        """Read the table; columns that fail to convert are read again as text."""
        names = self._table.names
        found, region = self._read_until_it_fits()
        n_rows = found.num_rows
        arrays = dict(zip(found.column_names, found.columns, strict=True))
        del found  # so that every column's memory is free once it is converted
        with ThreadPoolExecutor(2) as pool:
            columns = list(
                pool.map(
                    lambda j: (
                        self._plans[j].column
                        or self._column(names[j], self._plans[j].how, arrays.pop(f"c{j}"))
                    ),
                    self._plans,
                )
            )
        signs = {plan.sign for plan in self._plans.values() if plan.how == "float"} - {""}
        return RawTable(
            n_rows=n_rows,
            columns=columns,
            line_numbers=self._line_numbers(region, n_rows),
            decimal=signs.pop() if len(signs) == 1 else "",
            points_are_decimal=self._points,
        )

    def _read_until_it_fits(self) -> tuple[Any, Region]:
        failures = 0
        while True:
            try:
                found, region = self._arrow_table()
            except self._pyarrow.ArrowInvalid as error:
                failed = _FAILED_COLUMN.search(str(error))
                if failed is None:
                    raise
                if failed[2] in _NULLS and len(self._nulls) < len(_NULLS):
                    self._nulls = _NULLS
                    continue
                failures += 1
                for j, plan in self._plans.items():
                    # After a second failure all columns that might fail are read as text.
                    if plan.how != "skip" and (j == int(failed[1]) or failures > 1):
                        self._plans[j] = _Plan(how="text")
                continue
            if region.has_quotes and not self._quotes:
                self._quotes = True  # seen late: from now on line breaks inside quotes are expected
                continue
            return found, region

    def _arrow_table(self) -> tuple[Any, Region]:
        region = Region(self._file, self._table.begin, self._table.end)
        try:
            return self._read_csv(region, _BLOCK_BYTES[0], threads=True), region
        except self._pyarrow.ArrowInvalid as error:
            if "straddling" not in str(error) and not isinstance(error.__cause__, InvalidDataError):
                raise
            again = Region(self._file, self._table.begin, self._table.end)
            # Without threads a ragged row has a number.
            ragged = isinstance(error.__cause__, InvalidDataError)
            found = self._read_csv(again, _BLOCK_BYTES[1], threads=not ragged)
            return found, again

    def _read_csv(self, region: Region, block_size: int, *, threads: bool) -> Any:
        ragged: list[InvalidDataError] = []

        def remember(row: Any) -> str:
            number = row.number - 1 if row.number is not None else None
            ragged.append(
                ragged_row(self._request.what, number, row.expected_columns, row.actual_columns)
            )
            return "error"

        table, types = self._table, self._types()
        try:
            return self._csv.read_csv(
                self._pyarrow.PythonFile(region, mode="r"),
                read_options=self._csv.ReadOptions(
                    column_names=[f"c{j}" for j in range(len(table.names))],
                    block_size=block_size,
                    use_threads=threads,
                ),
                parse_options=self._csv.ParseOptions(
                    delimiter=" " if table.separator == BLANKS else table.separator,
                    newlines_in_values=self._quotes,
                    ignore_empty_lines=len(table.names) > 1,
                    invalid_row_handler=remember,
                ),
                convert_options=self._csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=self._nulls,
                    decimal_point=self._decimal,
                ),
            )
        except self._pyarrow.ArrowInvalid as error:
            if ragged and not threads:
                raise ragged[0] from error
            if ragged:
                raise error from ragged[0]
            raise

    def _types(self) -> dict[str, Any]:
        text = self._pyarrow.dictionary(self._pyarrow.int32(), self._pyarrow.binary())
        known = {"float": self._pyarrow.float64(), "integer": self._pyarrow.int64(), "text": text}
        types = {f"c{j}": known[plan.how] for j, plan in self._plans.items() if plan.how != "skip"}
        return types or {"c0": self._pyarrow.binary()}

    def _line_numbers(self, region: Region, n_rows: int) -> Any:
        table = self._table
        if not region.has_quotes and region.n_lines == n_rows:
            return np.arange(table.first_line, table.first_line + n_rows)
        return line_numbers(
            self._file,
            (table.begin, table.end),
            table.first_line,
            n_rows,
            blank_rows=len(table.names) == 1,
        )

    def _column(self, name: str, how: str, values: Any) -> RawColumn:
        if how == "text":
            return RawColumn(name=name, kind="text", content=_cells(values, self._fallback))
        if how == "float" and not values.null_count and values.num_chunks:
            pieces = Pieces([chunk.to_numpy() for chunk in values.chunks])
            return RawColumn(name=name, kind="number", content=pieces)
        numbers = np.asarray(values.to_numpy(), dtype=np.float64)
        return RawColumn(name=name, kind="number", content=numbers)


def _cells(values: Any, fallback: str) -> TextCells:
    values = values.unify_dictionaries()
    if not values.num_chunks:
        return TextCells(codes=np.empty(0, dtype=np.int32), levels=[])
    codes = [chunk.indices.fill_null(-1).to_numpy() for chunk in values.chunks]
    texts = (_decoded(content, fallback) for content in values.chunk(0).dictionary.to_pylist())
    return TextCells.of(np.concatenate(codes), texts)


def _decoded(content: bytes, fallback: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode(fallback, errors="replace")
