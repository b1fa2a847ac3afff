"""A text file as plain lines: unpacked, in UTF-8, with the bytes of its data marked.

Most files are like that and are read in place. Others (compressed, in another encoding, separated
by runs of blanks) are first written to a temporary file. So the other modules deal with one kind of
file, and memory never holds a whole text.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from oddrank.io.tables.compressed import open_unpacked
from oddrank.io.tables.text.layout import BLANKS

_AS_IT_IS = ("utf-8", "utf-8-sig", "ascii")
_CHUNK = 2**22
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


@contextmanager
def plain_file(
    path: Path, what: str, max_bytes: int, *, encoding: str, separator: str, sample: bytes
) -> Iterator[BinaryIO]:
    """Open a file of UTF-8 lines, each ended by a line feed, that can be read twice."""
    lone_returns = sample.count(b"\r") != sample.count(b"\r\n")
    as_it_is = encoding in _AS_IT_IS and separator != BLANKS and not lone_returns
    with open_unpacked(path, what, max_bytes) as stream:
        if as_it_is and isinstance(stream, io.BufferedReader) and stream.seekable():
            yield stream
            return
        with tempfile.TemporaryFile(prefix="oddrank") as plain:
            text = io.TextIOWrapper(stream, encoding=encoding, errors="replace")
            for line in text if separator == BLANKS else iter(lambda: text.read(_CHUNK), ""):
                if separator == BLANKS:
                    line = " ".join(line.split()) + "\n"  # noqa: PLW2901
                plain.write(line.encode("utf-8", errors="replace"))
            text.detach()
            plain.seek(0)
            yield plain


def size_of(file: BinaryIO) -> int:
    """Return the length of an open file."""
    return os.fstat(file.fileno()).st_size


class Region(io.RawIOBase):
    """The bytes of a file from `begin` to `end`; it counts lines and notices quotes."""

    def __init__(self, file: BinaryIO, begin: int, end: int) -> None:
        file.seek(begin)
        self._file = file
        self._left = end - begin
        self._ended = True
        self._n_ends = 0
        self.has_quotes = False

    @property
    def n_lines(self) -> int:
        """Number of lines so far."""
        return self._n_ends + (not self._ended)

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        content = self._file.read(wanted)
        if content:
            self._left -= len(content)
            self._n_ends += int(np.count_nonzero(np.frombuffer(content, np.uint8) == _NEWLINE))
            self._ended = content.endswith(b"\n")
            self.has_quotes = self.has_quotes or b'"' in content
        return content


def line_numbers(
    file: BinaryIO, region: tuple[int, int], first_line: int, n_rows: int, *, blank_rows: bool
) -> npt.NDArray[np.int64] | None:
    """Return the line on which every row begins; None if lines and rows cannot be matched.

    A line break inside quotes does not end a row, and blank lines are not rows (with one column
    they are: `blank_rows`). Quotes that are part of a value, as in 5", would upset the count. Then
    lines are counted without regard to quotes; if that does not fit either, the result is None.
    """
    for quotes in (True, False):
        lines = _row_starts(file, region, quotes=quotes, blank_rows=blank_rows)
        if len(lines) == n_rows:
            return lines + first_line
    return None


def _row_starts(
    file: BinaryIO, region: tuple[int, int], *, quotes: bool, blank_rows: bool
) -> npt.NDArray[np.int64]:
    begin, end = region
    file.seek(begin)
    parts, n_lines, inside, rest = [], 0, 0, b""
    while begin < end or rest:
        content = file.read(min(_CHUNK, end - begin))
        begin += len(content)
        cut = content.rfind(b"\n") + 1 if begin < end else len(content)
        whole, rest = rest + content[:cut], content[cut:]
        if begin < end and not cut:
            rest = whole + rest
            continue
        if not whole.endswith(b"\n"):
            whole += b"\n"
        starts, n_new, inside = _starts_in(whole, inside, quotes=quotes, blank_rows=blank_rows)
        parts.append(starts + n_lines)
        n_lines += n_new
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _starts_in(
    content: bytes, inside: int, *, quotes: bool, blank_rows: bool
) -> tuple[npt.NDArray[np.int64], int, int]:
    characters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(characters == _NEWLINE)
    lengths = np.diff(ends, prepend=-1) - 1
    lengths -= characters[ends - 1] == _RETURN
    begins_row = np.ones(len(ends), dtype=bool)
    if quotes:
        open_after = (np.searchsorted(np.flatnonzero(characters == _QUOTE), ends) + inside) % 2
        begins_row[0] = inside == 0
        begins_row[1:] = open_after[:-1] == 0
        inside = int(open_after[-1])
    if not blank_rows:
        begins_row &= lengths > 0
    return np.flatnonzero(begins_row).astype(np.int64), len(ends), inside
