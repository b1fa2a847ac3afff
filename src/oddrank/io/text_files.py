"""Text tables, parsed by pyarrow: bytes are read once, and parsed as types and as they stand."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._text import counted
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io.optional_libraries import require
from oddrank.io.reading import BLANKS, Reading
from oddrank.io.text_values import NEARLY_ALL, gap_words, kind_of

_SAMPLE_BYTES, _SAMPLE_ROWS = 2**18, 300
_CANDIDATES = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Runs of blanks become this separator, which no text holds.
_UNIT_SEPARATOR = "\x1f"


@dataclass(frozen=True, kw_only=True, eq=False)
class TextTable:
    """A text table whose cells can be asked for with types and as they stand.

    Attributes
    ----------
    what : str
    reading : Reading
        With encoding, separator and header.
    names : list of str
    data : bytes
        The file, in UTF-8. It is read once: whatever becomes of it, these are its cells.
    begin, end : int
        Where the rows begin and end in it.
    first_line : int
        The line on which the rows begin, counted from 1.
    """

    what: str
    reading: Reading
    names: list[str]
    data: bytes
    begin: int
    end: int
    first_line: int

    @property
    def dialect(self) -> dict[str, Any]:
        """The separator and the quotes, for the csv module."""
        return _dialect(self.reading.separator or ",", self.reading.quote)

    def typed(self, as_text: Sequence[str], include: Sequence[str] | None = None) -> Any:
        """Return an Arrow table: numbers, dates written 2024-01-26, true and false, or text.

        Parameters
        ----------
        as_text : list of str
            Columns that are text, whatever they look like.
        include : list of str, optional
            The columns that are needed; all by default.
        """
        pa = require("pyarrow", "Reading text tables")
        table = self._parsed(
            include,
            null_values=sorted(gap_words(self.reading)),
            strings_can_be_null=self.reading.gaps_as is not None,
            decimal_point=self.reading.decimal or ".",
            column_types={name: pa.string() for name in as_text},
            true_values=["true", "True", "TRUE"],
            false_values=["false", "False", "FALSE"],
        )
        self._check_quotes(table.num_rows)
        return table

    def texts(self, include: Sequence[str] | None = None) -> Any:
        """Return an Arrow table of the cells as they stand."""
        pa = require("pyarrow", "Reading text tables")
        return self._parsed(include, column_types={name: pa.string() for name in self.names})

    def lines(self, n_rows: int) -> npt.NDArray[np.int64] | None:
        """Return the line on which every row begins; None if rows and lines cannot be matched."""
        if self._n_lines() == n_rows:
            return np.arange(self.first_line, self.first_line + n_rows)
        begins = [line for line, row in self._rows() if row or len(self.names) == 1]
        return np.array(begins) if len(begins) == n_rows else None

    def _body(self) -> bytes:
        return self.data[self.begin : self.end]

    def _n_lines(self) -> int:
        return self.data.count(b"\n", self.begin, self.end) + (self.end > self.begin)

    def _has(self, sign: str) -> bool:
        return self.data.find(sign.encode(), self.begin, self.end) >= 0

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield rows and the lines on which they begin, by the csv module: where the odd one is."""
        with _long_fields():
            text = io.StringIO(self._body().decode(errors="replace"), newline="")
            rows, begin = csv.reader(text, **self.dialect), self.first_line
            for row in rows:
                yield begin, row
                begin = self.first_line + rows.line_num

    def _parsed(self, include: Sequence[str] | None, **convert: Any) -> Any:
        pa = require("pyarrow", "Reading text tables")
        arrow = require("pyarrow.csv", "Reading text tables")
        if self.begin == self.end and len(self.names) > 1:
            return pa.table({name: pa.array([], pa.string()) for name in include or self.names})
        quote = "" if self.reading.quote == "" else str(self.dialect["quotechar"])
        options = {
            "parse_options": arrow.ParseOptions(
                delimiter=self.dialect["delimiter"],
                quote_char=quote or False,
                newlines_in_values=bool(quote) and self._has(quote),
                ignore_empty_lines=len(self.names) > 1 or bool(self.reading.comment),
            ),
            "convert_options": arrow.ConvertOptions(include_columns=include, **convert),
        }
        size, rows = 2**20, memoryview(self.data)[self.begin : self.end]
        while True:
            read = arrow.ReadOptions(column_names=self.names, block_size=size)
            try:
                return arrow.read_csv(pa.BufferReader(rows), read_options=read, **options)
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error) or size > len(rows):
                    raise self._refusal(str(error)) from error
                size = min(64 * size, 2**31 - 1)  # a row is longer than what is read at a time

    def _refusal(self, message: str) -> InvalidDataError:
        if "UTF8" in message:
            return _not_utf8(self.data, self.what)
        found = [(line, len(row)) for line, row in self._rows() if row]
        n_cells = Counter(width for _, width in found).most_common(1)[0][0]
        other = [line for line, width in found if width != n_cells]
        if n_cells == len(self.names) and other:
            line, width = next(each for each in found if each[1] != n_cells)
            below = found[-len(other) :]
            foot = self.data.count(b"\n", 0, self.end) + 2 - line
            remedy = ["Correct it", "give --quote none if quotation marks are ordinary characters"]
            if all(width != n_cells for _, width in below):
                remedy.append(f"give --skip-footer {foot} if the table ends above it")
            return InvalidDataError(
                f"Line {line} of {self.what} has {counted(width, 'cell')}, and the table has "
                f"{counted(n_cells, 'column')}. {', or '.join(remedy)}."
            )
        if n_cells != len(self.names):
            line = next(line for line, width in found if width == n_cells)
            above = "the line read as names" if self.reading.header else "the first line"
            return InvalidDataError(
                f"Line {line} of {self.what} has {counted(n_cells, 'cell')}, and {above} has "
                f"{len(self.names):,}. Give --skip-rows {line - 1} if the table begins in line "
                f"{line}, and --separator if another sign than {self.reading.separator!r} "
                "separates the cells."
            )
        return InvalidDataError(f"{self.what} cannot be read as a text table: {message[:200]}")

    def _check_quotes(self, n_rows: int) -> None:
        """Refuse a cell that holds whole rows: a stray quotation mark has swallowed them."""
        if self.reading.quote is not None or not self._has('"') or self._n_lines() == n_rows:
            return
        compute = require("pyarrow.compute", "Reading text tables")
        table = self.texts()  # also columns that nobody asks for
        for name in table.column_names:
            column = table.column(name)
            broken = compute.fill_null(compute.match_substring(column, "\n"), False).to_numpy()
            for row in np.flatnonzero(broken).tolist():
                cell = column[row].as_py()
                if cell.count(self.dialect["delimiter"]) >= len(self.names) - 1:
                    lines = self.lines(table.num_rows)
                    place = f"row {row + 1}" if lines is None else f"line {lines[row]}"
                    raise InvalidDataError(
                        f"A quotation mark in {place} of {self.what}, column {name!r}, opens a "
                        f"cell of {cell.count(chr(10)) + 1:,} lines that holds what looks like "
                        "whole rows. Give --quote none if quotation marks are ordinary characters "
                        "here, or --quote '\"' if the cell is meant to be that long."
                    )


def _dialect(separator: str, quote: str | None) -> dict[str, Any]:
    return {
        "delimiter": _UNIT_SEPARATOR if separator == BLANKS else separator,
        "quoting": csv.QUOTE_NONE if quote == "" else csv.QUOTE_MINIMAL,
        "quotechar": quote or '"',
    }


def open_text(data: bytes, what: str, reading: Reading) -> TextTable:
    """Find separator and names of a text table, unless `reading` tells them.

    Parameters
    ----------
    data : bytes
        Of the whole file.
    what : str
        What messages call it.
    reading : Reading
    """
    data, encoding = _as_utf8(data, what, reading.encoding)
    data, reading = _prepared(data, what, reading)
    begin, line = _below(data, reading.skip_rows), reading.skip_rows + 1
    while data[begin : begin + 1] in (b"\n", b"\r"):
        begin, line = data.find(b"\n", begin) + 1 or len(data), line + 1
    sample = data[begin : begin + _SAMPLE_BYTES]
    if not sample.strip():
        raise InvalidDataError(f"{what} is empty, so there is nothing to read. Give another file.")
    if begin + len(sample) < len(data) and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n") + 1]
    separator = reading.separator or _separator_of(sample, reading.quote, what)
    if separator == BLANKS:
        data, sample, begin = _with_one_separator(data[begin:]), _with_one_separator(sample), 0
    reading = replace(reading, encoding=encoding, separator=separator)
    first, n_bytes, n_lines = _first_row(data, begin, _dialect(separator, reading.quote))
    rows = _rows_of_sample(sample, _dialect(separator, reading.quote))[1:]
    header = holds_names(first, rows, reading, what) if reading.header is None else reading.header
    names = [name.strip() or f"x{j}" for j, name in enumerate(first)]
    if header and rows and all(len(row) == len(names) + 1 and not row[-1].strip() for row in rows):
        names.append(f"x{len(names)}")  # every row ends in a separator
    if not header:
        names, n_bytes, n_lines = [f"x{j}" for j in range(len(first))], 0, 0
    begin += n_bytes
    return TextTable(
        what=what,
        reading=replace(reading, header=header),
        names=names,
        data=data,
        begin=begin,
        end=max(begin, _end_of_rows(data, reading.skip_footer, one_column=len(names) == 1)),
        first_line=line + n_lines,
    )


def _prepared(data: bytes, what: str, reading: Reading) -> tuple[bytes, Reading]:
    """Return the lines of a file, each ended by a line feed, without comments."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    elif (
        b"\r" in data
        and data.count(b"\r") != data.count(b"\r\n")
        and re.search(rb'\r(?!\n)[^"]*\n', data)
    ):
        raise InvalidDataError(
            f"{what} has two kinds of line ends. Save it again with one kind of them."
        )
    if reading.comment:
        sign = re.escape(reading.comment.encode())
        quoted_or_comment = re.compile(rb'("(?:[^"]|"")*")|^' + sign + rb"[^\r\n]*", re.M)
        data = quoted_or_comment.sub(lambda match: match[1] or b"", data)
    if told := re.match(rb"sep=([^\r\n])\r?\n", data):  # Excel's own line
        separator = reading.separator or told[1].decode()
        reading = replace(reading, separator=separator, skip_rows=max(reading.skip_rows, 1))
    return data, reading


def _as_utf8(data: bytes, what: str, told: str | None) -> tuple[bytes, str]:
    mark, encoding = next((each for each in _MARKS if data.startswith(each[0])), (b"", "utf-8"))
    if told is not None and not mark:
        try:
            encoding = codecs.lookup(told).name
        except LookupError as error:
            raise InvalidParameterError(
                f"--encoding must be the name of a text encoding. Got {told!r} instead."
            ) from error
    utf8 = encoding in ("utf-8", "ascii", "utf-8-sig")
    if not utf8 and not mark and not encoding.startswith("utf") and _is_utf8(data):
        raise InvalidDataError(
            f"{what} is written in UTF-8, and would be read as {encoding}. Give --encoding utf-8."
        )
    if utf8 and b"\x00" in data:
        raise InvalidDataError(
            f"{what} holds NUL characters, so it is no text table in UTF-8. Give the right "
            "--encoding, for example utf-16."
        )
    if utf8:
        data, encoding = data.removeprefix(codecs.BOM_UTF8), "utf-8"
        if not data.isascii() and not _is_utf8(data):
            raise _not_utf8(data, what)
    else:
        try:
            data = data.decode(encoding).removeprefix("\ufeff").encode()
        except (UnicodeError, LookupError) as error:
            raise InvalidDataError(
                f"{what} is not written in {encoding}: {error}. Give the right --encoding."
            ) from error
    return data, encoding


def _is_utf8(data: bytes) -> bool:
    """Whether there are letters beyond ASCII, and all of them are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 2**24):
            decoder.decode(data[start : start + 2**24], final=start + 2**24 >= len(data))
    except UnicodeDecodeError:
        return False
    return not data.isascii()


def _not_utf8(data: bytes, what: str) -> InvalidDataError:
    try:
        data.decode()
        found = ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        around = data[max(0, error.start - 15) : error.start + 15].decode("cp1252", "replace")
        shown = next(word for word in around.splitlines() if not word.isascii())
        found = f" (line {line}; in cp1252 it would read {shown!r})"
    return InvalidDataError(
        f"{what} is not written in UTF-8{found}. Give its --encoding, for example cp1252 for files "
        "of Windows in Western Europe, or cp1250, cp1251, latin-1, shift_jis, gb18030."
    )


def _below(data: bytes, n_lines: int) -> int:
    """Return where the line begins that is below so many lines."""
    start = 0
    for _ in range(n_lines):
        start = data.find(b"\n", start) + 1
        if not start:
            return len(data)
    return start


def _end_of_rows(data: bytes, n_footer: int, *, one_column: bool) -> int:
    """Return where the last row ends; blank lines of a single column are rows."""
    end = len(data) - data.endswith(b"\x1a")
    if n_footer:
        end = len(data.rstrip(b"\r\n\x1a"))
        for _ in range(n_footer):
            end = max(data.rfind(b"\n", 0, end), 0)
    if one_column:
        return end - (2 if data[:end].endswith(b"\r\n") else data[end - 1 : end] == b"\n")
    while end and data[end - 1] in b"\r\n":
        end -= 1
        last = data.rfind(b"\n", 0, end) + 1
        if last < end and not data[last:end].strip(b" "):
            end = last  # a line of blanks
    return end


def _with_one_separator(body: bytes) -> bytes:
    """Put one separator in the place of every run of blanks that is not inside quotes."""
    separator = _UNIT_SEPARATOR.encode()
    if b'"' not in body:
        return b"\n".join(separator.join(line.split()) for line in body.splitlines())
    quoted_or_word = re.compile(rb'"(?:[^"]|"")*"|[^ \t\r\n]+|\r?\n')
    parts: list[bytes] = []
    for part in quoted_or_word.findall(body):
        ends = part in (b"\n", b"\r\n")
        if parts and not ends and parts[-1] != b"\n":
            parts.append(separator)
        parts.append(b"\n" if ends else part)
    return b"".join(parts)


def _rows_of_sample(sample: bytes, dialect: dict[str, Any]) -> list[list[str]]:
    text = sample.decode(errors="replace")
    with _long_fields():
        lines = csv.reader(io.StringIO(text, newline=""), **dialect)
        return [row for _, row in zip(range(_SAMPLE_ROWS), lines, strict=False) if row]


def _separator_of(sample: bytes, quote: str | None, what: str) -> str:
    """Return the sign that divides all rows alike, or refuse where two signs do."""
    found: dict[str, float] = {}
    for separator in _CANDIDATES:
        rows = _rows_of_sample(sample, _dialect(separator, quote))
        widths = {len(row) for row in rows}
        if len(widths) == 1 and widths != {1}:
            others = set(_CANDIDATES) - {separator}
            cells = [cell for row in rows[1:] or rows for cell in row]
            clean = [kind_of(cell.strip()) == "number" or not set(cell) & others for cell in cells]
            found[separator] = sum(clean) / len(cells)
    best = max(found.values(), default=0.0)
    chosen = [separator for separator, share in found.items() if share == best]
    if len(chosen) > 1:
        shown = " and ".join(repr(sign) for sign in chosen)
        raise InvalidDataError(
            f"Both {shown} divide all lines of {what} into equally many cells. Give --separator."
        )
    if chosen:
        return chosen[0]
    if _divided_by_blanks(_rows_of_sample(_with_one_separator(sample), _dialect(BLANKS, quote))):
        return BLANKS
    return _most_likely(sample, quote)


def _divided_by_blanks(rows: list[list[str]]) -> bool:
    """Whether all rows have equally many words, and one of the columns holds numbers.

    Texts of two words, and dates with a time, are single cells.
    """
    if len({len(row) for row in rows}) != 1 or len(rows[0]) == 1:
        return False
    below = rows[1:] or rows
    return any(all(kind_of(row[j]) == "number" for row in below) for j in range(len(rows[0])))


def _most_likely(sample: bytes, quote: str | None) -> str:
    """Return the sign that most rows have equally often: the odd line is refused by its number."""
    best, share = ",", 0.0
    for separator in _CANDIDATES:
        widths = [len(row) for row in _rows_of_sample(sample, _dialect(separator, quote))]
        common = max(set(widths), key=widths.count, default=1)
        if common > 1 and widths.count(common) / len(widths) > max(share, 0.5):
            best, share = separator, widths.count(common) / len(widths)
    return best


def _first_row(data: bytes, begin: int, dialect: dict[str, Any]) -> tuple[list[str], int, int]:
    """Return the first row, its number of bytes and its number of lines."""
    taken: list[bytes] = []

    def lines() -> Iterator[str]:
        stream = io.BytesIO(data)
        stream.seek(begin)
        for line in stream:
            taken.append(line)
            yield line.decode(errors="replace")

    with _long_fields():
        first = next(csv.reader(lines(), **dialect))
    return first, sum(map(len, taken)), len(taken)


def holds_names(
    first: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading, what: str
) -> bool:
    """Tell whether the first row holds names, or refuse where it may be either.

    Names are texts, and stand once. A row of data has numbers and dates where the rows below have
    them, and texts that occur again below.
    """
    gaps = gap_words(reading)
    cells = [cell.strip() for cell in first]
    columns = [
        [row[j].strip() for row in rows if j < len(row) and row[j].strip() not in gaps]
        for j in range(len(cells))
    ]
    kinds = [kind_of(cell) for cell in cells]
    below = [_kind_of_column(column) for column in columns]
    telling = [
        kind == each
        for cell, kind, each in zip(cells, kinds, below, strict=True)
        if each in ("number", "date") and cell not in gaps
    ]
    if telling and not any(telling):
        return True  # nothing but other things above numbers and dates
    if set(kinds) == {"text"}:
        again = sum(cell in column for cell, column in zip(cells, columns, strict=True))
        # a few texts may occur below by chance, and gaps are no names
        clear = not again or (again == len(cells) and again > 2)
        clear = clear and not all(cell in gaps for cell in cells)
        return not again if clear else _unclear(cells, what)
    if telling and sum(telling) * 2 <= len(telling):
        return True  # mostly other things
    numbers = [cell for cell, kind in zip(cells, kinds, strict=True) if kind == "number"]
    counting = _rise_by_one(numbers)
    levels = [
        (cell, column)
        for cell, kind, each, column in zip(cells, kinds, below, columns, strict=True)
        if kind == each == "text" and 2 * len(set(column)) <= len(column)
    ]
    if levels and counting and all(cell not in column for cell, column in levels):
        return True  # country,2019,2020: no row below is called "country"
    over_text = any(
        kind != "text" and each == "text" for kind, each in zip(kinds, below, strict=True)
    )
    fractions = all(cell.isdigit() for cell in numbers) and all(
        _have_fractions(column) for kind, column in zip(kinds, columns, strict=True)
        if kind == "number"
    )  # fmt: skip
    if over_text or counting or (numbers and fractions) or not all(telling):
        return _unclear(cells, what)
    return False


def _unclear(cells: Sequence[str], what: str) -> bool:
    raise InvalidDataError(
        f"The first line of {what} ({', '.join(cells[:5])}{', …' if len(cells) > 5 else ''}) may "
        "hold column names or a row. Give --header or --no-header."
    )


def _kind_of_column(cells: Sequence[str]) -> str:
    """Return what nearly all cells are, "" if they are of several kinds."""
    kinds = [kind_of(cell) for cell in cells]
    common = max(set(kinds), key=kinds.count, default="")
    return common if kinds.count(common) >= NEARLY_ALL * len(kinds) else ""


def _have_fractions(cells: Sequence[str]) -> bool:
    whole = sum(cell.lstrip("+-").isdigit() for cell in cells)
    return whole * 2 < len(cells)


def _rise_by_one(cells: Sequence[str]) -> bool:
    """Whether numbers rise by one, as years and places do that head columns."""
    whole = len(cells) > 1 and all(cell.isdigit() for cell in cells)
    return whole and bool((np.diff([float(cell) for cell in cells]) == 1.0).all())


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read cells of any length: its limit is the whole process's."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)
