"""How a text table is laid out: encoding, separator, header, decimal sign.

All of it is told from the first megabyte, and each can be given instead.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from oddrank.datasets.optional_libraries import require
from oddrank.datasets.tables.text_values import decimal_sign, is_missing, is_number
from oddrank.errors import InvalidDataError, InvalidParameterError

SAMPLE_BYTES = 2**20
BLANKS = "blanks"
_SEPARATORS = ("\t", ";", "|", ",")
_NAMES_OF_SEPARATORS = {"\t": "tab", BLANKS: "blanks"}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_LINES = 200


@dataclass(frozen=True, kw_only=True)
class TextLayout:
    """What was told from the sample.

    Attributes
    ----------
    encoding : str
    separator : str
        One character, or "blanks" for runs of blanks and tabs.
    decimal : "." or ","
    names : tuple of str
        From the first line, or `x0`, `x1`, …
    has_header : bool
    skip_lines : int
        Comments and empty lines before the first line that counts.
    rows : tuple of tuples of str
        The data rows of the sample.
    """

    encoding: str
    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool
    skip_lines: int
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        separator = _NAMES_OF_SEPARATORS.get(self.separator, repr(self.separator))
        first = "as column names" if self.has_header else "as data"
        comma = ", decimal commas" if self.decimal == "," else ""
        return f"{self.encoding}, separator {separator}, first line read {first}{comma}"


def detect_layout(
    sample: bytes,
    what: str,
    *,
    encoding: str | None,
    separator: str | None,
    header: bool | None,
    decimal: str | None,
) -> TextLayout:
    """Tell the layout from the first bytes of a file; what is given is not guessed."""
    if not sample.strip(b"\r\n\t \x00"):
        raise InvalidDataError(f"{what} is empty, so there is nothing to read. Give another file.")
    encoding = encoding or _detect_encoding(sample, what)
    lines = _lines(sample, encoding, what)
    skip = _lines_before_the_table(lines)
    cut = len(sample) == SAMPLE_BYTES or len(lines) > skip + _SAMPLE_LINES
    lines = lines[skip : skip + _SAMPLE_LINES]
    separator = separator or _detect_separator(lines)
    rows = split_rows(lines, separator, what)
    if cut and len(rows) > 2:
        rows.pop()  # the sample may end inside of a quoted value
    if not rows:
        raise InvalidDataError(f"{what} holds comments and nothing else. Give another file.")
    has_header = _detect_header(rows[0]) if header is None else header
    names = _names(rows[0]) if has_header else [f"x{j}" for j in range(len(rows[0]))]
    rows = rows[1:] if has_header else rows
    if decimal is None:
        values = [value for row in rows for value in row]
        decimal = "." if separator == "," else decimal_sign(values)
    return TextLayout(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        names=tuple(names),
        has_header=has_header,
        skip_lines=skip,
        rows=tuple(tuple(row) for row in rows),
    )


def split_rows(lines: Sequence[str], separator: str, what: str) -> list[list[str]]:
    """Split lines into values; empty lines are no rows."""
    if separator == BLANKS:
        return [line.split() for line in lines if line.strip()]
    try:
        return [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error as error:
        raise InvalidDataError(
            f"{what} cannot be split into columns ({error}). Give another separator=."
        ) from error


def check_encoding(encoding: str) -> str:
    """Return the encoding's name if Python knows it."""
    try:
        info = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidParameterError(
            "The 'encoding' parameter of read_table must be the name of a text encoding. "
            f"Got {encoding!r} instead."
        ) from error
    return info.name


def _detect_encoding(sample: bytes, what: str) -> str:
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if b"\x00" in sample:
        raise InvalidDataError(
            f"{what} holds NUL bytes (the first at byte {sample.index(0)}), so it is not a text "
            "table. If it was exported as Unicode, give encoding='utf-16'."
        )
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        return _guess_encoding(sample, what)
    return "utf-8"


def _guess_encoding(sample: bytes, what: str) -> str:
    charset_normalizer = require("charset_normalizer", "Reading text that is not UTF-8")
    telling = b"\n".join(line for line in sample.splitlines() if not line.isascii())
    best = charset_normalizer.from_bytes(telling[: 2**14]).best()
    if best is None:
        raise InvalidDataError(
            f"{what} is not UTF-8, and its encoding cannot be told, so it may not be text at all. "
            "If it is, give encoding=, for example 'latin-1'."
        )
    return str(best.encoding)


def _lines(sample: bytes, encoding: str, what: str) -> list[str]:
    complete = len(sample) < SAMPLE_BYTES
    try:
        # A sample may end in the middle of a character; the last, broken line is dropped below.
        text = codecs.getincrementaldecoder(encoding)().decode(sample, final=complete)
    except UnicodeDecodeError as error:
        raise InvalidDataError(
            f"{what} is not written in {encoding}: byte {error.start} cannot be read. "
            "Give the right encoding=, or none to have it told."
        ) from error
    if "\x00" in text:
        raise InvalidDataError(
            f"{what} holds NUL characters, so it is not a text table in {encoding}. "
            "Give the right encoding=."
        )
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not complete:
        lines = lines[:-1]
    if not lines:
        raise InvalidDataError(
            f"The first line of {what} is longer than {SAMPLE_BYTES:,} bytes, so it is not a "
            "table with rows. Give another file."
        )
    return lines


def _lines_before_the_table(lines: Sequence[str]) -> int:
    for number, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            return number
    return len(lines)


def _detect_separator(lines: Sequence[str]) -> str:
    best, best_share = ",", 0.0
    for separator in (*_SEPARATORS, BLANKS):
        try:
            counts = Counter(len(row) for row in split_rows(lines, separator, ""))
        except InvalidDataError:
            continue
        if not counts:
            continue
        width, frequency = counts.most_common(1)[0]
        share = frequency / counts.total()
        # Of separators that fit equally well the first wins: commas may be decimal signs, and
        # blanks may be inside of values.
        if width > 1 and share > best_share:
            best, best_share = separator, share
    return best


def _detect_header(first: Sequence[str]) -> bool:
    return not any(is_number(value) or is_number(value, ",") for value in first) and not all(
        is_missing(value) for value in first
    )


def _names(first: Sequence[str]) -> list[str]:
    return [value.strip() or f"x{j}" for j, value in enumerate(first)]
