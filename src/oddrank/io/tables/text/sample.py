"""The first and the last lines of a text file, and where its table begins and ends."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from oddrank.errors import InvalidDataError
from oddrank.io.tables.raw_table import Request, shortened
from oddrank.io.tables.text.encoding import SAMPLE_BYTES
from oddrank.io.tables.text.layout import (
    BLANKS,
    MOST_TITLES,
    is_below_the_table,
    is_rule,
    split_rows,
    table_area,
)
from oddrank.io.tables.text.plain_file import size_of

_SAMPLE_LINES = 400
_TAIL_BYTES = 2**14
_TAIL_LINES = 20
_NAMES_OF_SEPARATORS = {"\t": "tab", BLANKS: "blanks"}


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A table inside a file of lines.

    Attributes
    ----------
    separator : str
    names : list of str
    has_names : bool
        Whether the file names the columns.
    top_line : int
        The line of the names, or of the first row if there are none, counted from 1.
    begin, end : int
        The bytes of the data, without names, titles and totals.
    first_line : int
        The line of the first row, counted from 1.
    rows : list of lists of str
        The first rows of data.
    has_quotes : bool
        Whether the sample has quotation marks.
    notes : list of str
        What is above and below the table.
    """

    separator: str
    names: list[str]
    has_names: bool
    top_line: int
    begin: int
    end: int
    first_line: int
    rows: list[list[str]]
    has_quotes: bool
    notes: list[str]

    def __str__(self) -> str:
        separator = _NAMES_OF_SEPARATORS.get(self.separator, repr(self.separator))
        first = "column names" if self.has_names else "data"
        line = "first line" if self.top_line == 1 else f"line {self.top_line}"
        return f"separator {separator}, {line} read as {first}"


def look_at(file: BinaryIO, separator: str, request: Request) -> TextTable:
    """Find the table in a file of lines."""
    what = request.what
    head = _read_head(file, separator, what)
    lines = [line for line, _ in head.rows]
    area = table_area([row for _, row in head.rows], request.header, lines)
    if area.first >= len(head.rows):
        raise InvalidDataError(f"{what} has column names and no rows. Give a file with data.")
    width = len(area.names)
    line = head.rows[area.first][0]
    if width == 1 and area.first:
        line = head.rows[area.first - 1][0] + 1  # blank lines below the name are gaps
    begin = head.position(line)
    rows = [row for _, row in head.rows[area.first :]]
    if not head.cut:
        while rows and is_below_the_table(rows[-1], width, _texts(rows)):
            rows.pop()
    for number, row in enumerate(rows):
        if len(row) != width:
            raise ragged_row(what, number, width, len(row))
    if not rows:
        names = "column names and " if area.has_names else ""
        raise InvalidDataError(f"{what} has {names}no values. Give a file with data.")
    tail = _look_at_tail(file, begin, separator, rows, width)
    return TextTable(
        separator=separator,
        names=area.names,
        has_names=area.has_names,
        top_line=head.rows[area.first - area.has_names][0] + 1,
        begin=begin,
        end=tail.end,
        first_line=line + 1,
        rows=rows + tail.rows if head.cut else rows,
        has_quotes=head.has_quotes_from(line),
        notes=[*_note_on_titles(head, area.n_titles, separator), *tail.notes],
    )


@dataclass(frozen=True, kw_only=True)
class _Head:
    """The first lines of a file, and the rows they hold, each with the number of its line."""

    mark: int
    lines: list[bytes]
    rows: list[tuple[int, list[str]]]
    cut: bool

    def position(self, line: int) -> int:
        return self.mark + sum(len(each) + 1 for each in self.lines[:line])

    def has_quotes_from(self, line: int) -> bool:
        return b'"' in b"".join(self.lines[line:])


def _read_head(file: BinaryIO, separator: str, what: str) -> _Head:
    content = file.read(SAMPLE_BYTES)
    mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    lines = content[mark:].split(b"\n")
    if len(content) == SAMPLE_BYTES:
        lines.pop()
    if not lines:
        raise InvalidDataError(
            f"The first line of {what} is longer than {SAMPLE_BYTES:,} bytes, so it is not a "
            "table with rows. Give another file."
        )
    skipped = _lines_before_the_table(lines)
    cut = len(content) == SAMPLE_BYTES or len(lines) > skipped + _SAMPLE_LINES
    texts = [
        line.decode("utf-8", errors="replace").rstrip("\r")
        for line in lines[skipped : skipped + _SAMPLE_LINES]
    ]
    rows = [
        (skipped + line, row)
        for line, row in _rows(texts, separator, what)
        if line > MOST_TITLES or not is_rule(row)
    ]
    if cut and len(rows) > 2:
        rows.pop()  # the sample may end inside a quoted value
    if not rows:
        raise InvalidDataError(f"{what} holds comments and nothing else. Give another file.")
    return _Head(mark=mark, lines=lines, rows=rows, cut=cut)


def _note_on_titles(head: _Head, n_titles: int, separator: str) -> list[str]:
    if not n_titles:
        return []
    line = head.rows[0][0]
    text = head.lines[line].decode("utf-8", errors="replace").strip(f" \r{separator}")
    n_lines = "1 line" if n_titles == 1 else f"{n_titles} lines"
    skipped = "was skipped" if n_titles == 1 else "were skipped"
    return [f"{n_lines} above the column names {skipped}: {shortened(text)} in line {line + 1}."]


def _lines_before_the_table(lines: Sequence[bytes]) -> int:
    for number, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return number
    return len(lines)


def _rows(lines: Sequence[str], separator: str, what: str) -> list[tuple[int, list[str]]]:
    try:
        return [(line, row) for line, row in split_rows(lines, separator) if row]
    except csv.Error as error:
        raise InvalidDataError(
            f"{what} cannot be split into columns ({error}). Give another --separator."
        ) from error


def ragged_row(what: str, row: int | None, width: int, found: int) -> InvalidDataError:
    """Return the refusal of a row that has another number of values than there are columns."""
    where = f"Row {row:,}" if row is not None else "A row"
    return InvalidDataError(
        f"{where} of {what} (counted from 0, below the column names) has {found} "
        f"value{'s' if found != 1 else ''} where {width} "
        f"{'are' if width != 1 else 'is'} expected, so columns do not line up. Correct that "
        "row, or give another --separator."
    )


def _texts(rows: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(cell.strip() for row in rows for cell in row)


@dataclass(frozen=True, kw_only=True)
class _Tail:
    """Where the data ends, its last rows, and what is below them."""

    end: int
    rows: list[list[str]]
    notes: list[str]


def _look_at_tail(
    file: BinaryIO, begin: int, separator: str, rows: Sequence[Sequence[str]], width: int
) -> _Tail:
    end = size_of(file)
    start = max(begin, end - _TAIL_BYTES)
    file.seek(start)
    lines = file.read(end - start).split(b"\n")
    if start > begin:
        lines = lines[1:]
    texts = _texts(rows)
    below: list[tuple[int, str]] = []
    while lines and len(below) < _TAIL_LINES:
        text = lines[-1].decode("utf-8", errors="replace").strip()
        # An odd number of quotation marks: a value of several lines ends here.
        if text and (text.count('"') % 2 or not _is_below(text, separator, width, texts)):
            break
        end -= len(lines.pop()) + 1
        if text.strip(f" {separator}"):
            below.append((end + 1, text))
    notes = [
        f"Line {_line_at(file, position)} below the table was skipped: {shortened(text)}."
        for position, text in reversed(below)
    ]
    last = [line.decode("utf-8", errors="replace").rstrip("\r") for line in lines]
    if b'"' in b"".join(lines):
        last = []
    parsed = [row for _, row in split_rows(last, separator) if len(row) == width]
    return _Tail(end=max(end, begin), rows=parsed, notes=notes)


def _is_below(text: str, separator: str, width: int, texts: Counter[str]) -> bool:
    try:
        (_, row), *_ = split_rows([text], separator)
    except (csv.Error, ValueError):
        return False
    return is_below_the_table(row, width, texts)


def _line_at(file: BinaryIO, position: int) -> int:
    file.seek(0)
    line, left = 1, position
    while left > 0 and (content := file.read(min(left, SAMPLE_BYTES))):
        line += content.count(b"\n")
        left -= len(content)
    return line
