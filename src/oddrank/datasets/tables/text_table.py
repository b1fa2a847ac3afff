"""Text tables (CSV and its relatives), block by block.

Every block is split by pyarrow into columns of bytes; those that are numbers are converted and kept
as float64, the text of the block is then forgotten. So a file of several gigabytes needs the memory
of its numeric columns, plus one block. Columns that the sample shows to be text are not even split.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from oddrank._typing import FloatArray
from oddrank.datasets.optional_libraries import require
from oddrank.datasets.tables.compressed import open_unpacked
from oddrank.datasets.tables.raw_table import RawColumn, RawTable, Request, numbers_or_text
from oddrank.datasets.tables.text_layout import BLANKS, SAMPLE_BYTES, TextLayout, detect_layout
from oddrank.datasets.tables.text_values import MISSING, is_missing, is_number
from oddrank.errors import InvalidDataError

BLOCK_BYTES = 2**24
_AS_IT_IS = ("utf-8", "utf-8-sig", "ascii")


def read_text(path: Path, request: Request, **layout_options: Any) -> RawTable:
    """Read a text table, compressed or not."""
    with open_unpacked(path, request.what, request.max_bytes) as stream:
        sample = stream.read(SAMPLE_BYTES)
    layout = detect_layout(sample, request.what, **layout_options)
    request.check_names(layout.names)
    if not layout.rows:
        raise InvalidDataError(
            f"{request.what} has column names and no rows. Give a file with data."
        )
    _check_widths(layout, request.what)
    with open_unpacked(path, request.what, request.max_bytes) as stream:
        return _read_blocks(_as_bytes(stream, layout), layout, request)


class _Text(Exception):  # noqa: N818
    """A column is text: the value that shows it, and its row."""

    def __init__(self, value: str, row: int) -> None:
        shown = value if len(value) <= 30 else value[:27] + "..."
        self.reason = f"text: {shown!r} in row {row:,}"


def _check_widths(layout: TextLayout, what: str) -> None:
    width = len(layout.names)
    for number, row in enumerate(layout.rows):
        if len(row) != width:
            raise _ragged(what, number, width, len(row))


def _ragged(what: str, row: int | None, width: int, found: int) -> InvalidDataError:
    where = f"Row {row:,}" if row is not None else "A row"
    return InvalidDataError(
        f"{where} of {what} (counted from 0, below the column names) has {found} "
        f"value{'s' if found != 1 else ''} where {width} "
        f"{'are' if width != 1 else 'is'} expected, so columns do not line up. Mend that row, or "
        "give another separator=."
    )


def _read_blocks(stream: Any, layout: TextLayout, request: Request) -> RawTable:
    columns = {name: _Numbers(name, layout.decimal) for name in layout.names if request.wants(name)}
    for position, name in enumerate(layout.names):
        if name in columns:
            columns[name].look_at_sample([row[position] for row in layout.rows])
    split = [name for name, column in columns.items() if not column.text]
    label = _Labels()
    n_rows = 0
    included = [*split, *([request.label] if request.label is not None else [])]
    for block in _blocks(stream, layout, request, included or list(layout.names[:1])):
        for name in split:
            columns[name].add(block.column(f"c{layout.names.index(name)}"), n_rows)
        if request.label is not None:
            label.add(block.column(f"c{layout.names.index(request.label)}"))
        n_rows += block.num_rows
    return RawTable(
        n_rows=n_rows,
        columns=[column.finish() for column in columns.values()],
        labels=label.finish() if request.label is not None else None,
        notes=[f"{request.what}: {layout}."],
    )


def _blocks(stream: Any, layout: TextLayout, request: Request, included: list[str]) -> Any:
    pyarrow = require("pyarrow", "Reading text tables")
    csv = require("pyarrow.csv", "Reading text tables")
    ragged: list[InvalidDataError] = []

    def remember(row: Any) -> str:
        # Arrow counts from 1, and counts the lines skipped and the line of names.
        before = 1 + layout.skip_lines + int(layout.has_header)
        number = row.number - before if row.number is not None else None
        ragged.append(_ragged(request.what, number, row.expected_columns, row.actual_columns))
        return "error"

    keys = [f"c{j}" for j in range(len(layout.names))]
    wanted = [f"c{layout.names.index(name)}" for name in included]
    try:
        yield from csv.open_csv(
            stream,
            read_options=csv.ReadOptions(
                column_names=keys,
                skip_rows=layout.skip_lines,
                skip_rows_after_names=int(layout.has_header),
                block_size=BLOCK_BYTES,
                use_threads=False,  # as fast here, and bad rows have numbers
            ),
            parse_options=csv.ParseOptions(
                delimiter=" " if layout.separator == BLANKS else layout.separator,
                newlines_in_values=True,
                invalid_row_handler=remember,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, pyarrow.binary()), include_columns=wanted
            ),
        )
    except pyarrow.ArrowInvalid as error:
        if ragged:
            raise ragged[0] from error
        raise


class _Numbers:
    """A column in the making: numbers so far, or the reason why it is text."""

    def __init__(self, name: str, decimal: str) -> None:
        self.name = name
        self.text = ""
        self._decimal = decimal
        self._values = np.empty(0)
        self._n = 0

    def look_at_sample(self, values: list[str]) -> None:
        for row, value in enumerate(values):
            if not is_missing(value) and not is_number(value, self._decimal):
                self.text = _Text(value, row).reason
                return

    def add(self, values: Any, first_row: int) -> None:
        if self.text:
            return
        try:
            numbers = _as_numbers(values, self._decimal, first_row)
        except _Text as found:
            self.text = found.reason
            self._values = np.empty(0)
            return
        end = self._n + len(numbers)
        if end > len(self._values):
            # Grown in place: a list of blocks, joined at the end, would need twice the memory.
            self._values.resize(max(end, int(1.2 * len(self._values))), refcheck=False)
        self._values[self._n : end] = numbers
        self._n = end

    def finish(self) -> RawColumn:
        if self.text:
            return RawColumn(name=self.name, not_numeric=self.text)
        values, self._values = self._values, np.empty(0)
        values.resize(self._n, refcheck=False)
        return RawColumn(name=self.name, values=values)


def _as_numbers(values: Any, decimal: str, first_row: int) -> FloatArray:
    pyarrow = require("pyarrow", "Reading text tables")
    compute = require("pyarrow.compute", "Reading text tables")
    try:
        text = compute.ascii_trim_whitespace(values.cast(pyarrow.string()))
        missing = compute.is_in(compute.ascii_lower(text), value_set=_missing_values(pyarrow))
        if decimal == ",":
            text = compute.replace_substring(text, ",", ".")
        numbers = compute.if_else(missing, None, text).cast(pyarrow.float64())
    except pyarrow.ArrowInvalid:
        return _as_numbers_one_by_one(values, decimal, first_row)
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _as_numbers_one_by_one(values: Any, decimal: str, first_row: int) -> FloatArray:
    # Rare: once per text column that the sample did not show, to name the value that is text.
    numbers = np.empty(len(values))
    for index, content in enumerate(values.to_pylist()):
        value = content.decode("utf-8", errors="replace")
        if is_missing(value):
            numbers[index] = np.nan
        elif is_number(value, decimal):
            numbers[index] = float(value.replace(",", ".") if decimal == "," else value)
        else:
            raise _Text(value, first_row + index)
    return numbers


def _missing_values(pyarrow: Any) -> Any:
    return pyarrow.array(sorted(MISSING))


class _Labels:
    """The label column, one entry per distinct text and block."""

    def __init__(self) -> None:
        self._parts: list[np.ndarray[Any, Any]] = []

    def add(self, values: Any) -> None:
        encoded = values.dictionary_encode()
        texts = [
            content.decode("utf-8", errors="replace").strip()
            for content in encoded.dictionary.to_pylist()
        ]
        self._parts.append(np.array([*texts, ""], dtype=object)[encoded.indices.to_numpy()])

    def finish(self) -> np.ndarray[Any, Any]:
        labels = np.concatenate(self._parts) if self._parts else np.empty(0, dtype=object)
        return numbers_or_text(labels)


def _as_bytes(stream: BinaryIO, layout: TextLayout) -> BinaryIO:
    """Make other encodings UTF-8, and runs of blanks one blank."""
    as_it_is = layout.encoding in _AS_IT_IS
    if as_it_is and layout.separator != BLANKS:
        return stream
    chunks = (
        iter(lambda: stream.read(2**20), b"") if as_it_is else _utf8_chunks(stream, layout.encoding)
    )
    if layout.separator == BLANKS:
        chunks = _single_blanks(chunks)
    return cast("BinaryIO", io.BufferedReader(_Chunks(chunks), buffer_size=2**20))


def _utf8_chunks(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
    try:
        while chunk := text.read(2**20):
            yield chunk.encode("utf-8", errors="replace")
    finally:
        text.detach()


def _single_blanks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield b"".join(b" ".join(line.split()) + b"\n" for line in lines)
    yield b" ".join(rest.split())


class _Chunks(io.RawIOBase):
    """A stream of the bytes that an iterator gives."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = chunk
        content = self._left[: len(buffer)]
        self._left = self._left[len(content) :]
        buffer[: len(content)] = content
        return len(content)
