"""What an everyday file is: its content, and all that must be read from it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

N = 60  # rows of a file, if nothing else is said

# Patterns for the reasons of columns that are left out.
IDENTIFIER = "identif|row numbers|counter"
FREE_TEXT = "text|identif"
LABEL = "looks like a label"
CONSTANT = "constant|always"
EMPTY = "no values|missing"

# Of the note that tells of lines above the table.
TITLE_LINES = "(above|before) the column names"


@dataclass(frozen=True, kw_only=True)
class EverydayFile:
    """A file as people have it, and what must be read from it with `encode="auto"`.

    Attributes
    ----------
    name : str
        The file's name, unique among all files.
    content : bytes or function
        What to write. A function is given the path, writes there, and may return another source
        for `read_table` (a frame, a list of paths, "-").
    options : mapping
        For `read_table`.
    kinds : mapping
        The kind of each feature by its name, in the order of the columns.
    numeric : tuple of str, optional
        The features with `encode="none"`. All of kind "number" if not given.
    values : mapping
        Values by row number and column, written by hand; None is a gap.
    whole : mapping
        All values of a column in the kept rows.
    left_out : mapping
        A pattern of the reason, by column.
    n_rows, n_rows_read : int
        Rows kept and rows read; all rows are kept if only the first is given.
    n_repeated, n_imputed : int
    lines : mapping or None
        The line of the file by row number; None if there are no lines.
    notes : tuple of str
        Patterns, each of which some note has to match.
    label_like : tuple of str
    labels : sequence, optional
        The labels that are kept apart.
    refusal : str
        The sentence, or a part of it, with which the file is refused. Then nothing else counts.
    """

    name: str
    content: bytes | Callable[[Path], Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    numeric: tuple[str, ...] | None = None
    values: Mapping[tuple[int, str], Any] = field(default_factory=dict)
    whole: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    n_rows: int = N
    n_rows_read: int | None = None
    n_repeated: int = 0
    n_imputed: int = 0
    lines: Mapping[int, int] | None = field(default_factory=lambda: {0: 2})
    notes: tuple[str, ...] = ()
    label_like: tuple[str, ...] = ()
    labels: Sequence[Any] | None = None
    refusal: str = ""

    def write(self, path: Path) -> Any:
        """Write the file and return the source that `read_table` is to read."""
        if isinstance(self.content, bytes):
            path.write_bytes(self.content)
            return path
        source = self.content(path)
        return path if source is None or isinstance(source, int) else source

    @property
    def numeric_features(self) -> tuple[str, ...]:
        """The features with `encode="none"`."""
        if self.numeric is not None:
            return self.numeric
        return tuple(name for name, kind in self.kinds.items() if kind == "number")


def spread(n: int, low: float, high: float, places: int = 2, step: int = 7919) -> list[float]:
    """Return numbers strewn over a range, the same in every run and in no order."""
    shares = [(i + 1) * step % 10007 / 10007 for i in range(n)]
    return [round(low + (high - low) * share, places) for share in shares]


def whole_numbers(n: int, low: int, high: int, step: int = 7919) -> list[int]:
    """Return integers strewn over a range."""
    return [int(value) for value in spread(n, low, high, 0, step)]


def pick(n: int, *levels: str, step: int = 7) -> list[str]:
    """Return one of the levels for every row, all of them often, in no simple pattern."""
    return [levels[(i * step + i * i // 5) % len(levels)] for i in range(n)]


def moments(n: int, start: str, **step: float) -> list[datetime]:
    """Return moments at equal steps, such as `minutes=10`."""
    first = datetime.fromisoformat(start)
    return [first + i * timedelta(**step) for i in range(n)]


def written(moments: Sequence[datetime], pattern: str) -> list[str]:
    """Return moments as text."""
    return [moment.strftime(pattern) for moment in moments]


def german(value: float, places: int = 2) -> str:
    """Return 1234.5 as `1.234,50`."""
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def each(function: Callable[[Any], str], values: Sequence[Any]) -> list[str]:
    """Return every value as text."""
    return [function(value) for value in values]


THINGS = ("Parcel", "Invoice", "Phone call", "Visit", "Letter", "Contract", "Meeting")
DOINGS = ("was late", "arrived in time", "has to be checked again", "is missing a page")
SACHEN = ("Schraube M8", "Dübel 6 mm", "Scharnier links", "Schließblech")
EIGENSCHAFTEN = ("verzinkt", "geölt", "für außen", "im Beutel")


def comments(n: int, things: Sequence[str] = THINGS, doings: Sequence[str] = DOINGS) -> list[str]:
    """Return what people might have typed, every text another."""
    return [
        f"{things[i % len(things)]} {i * 37 % 1009} {doings[i * 5 % len(doings)]}" for i in range(n)
    ]


def delimited(
    columns: Mapping[str, Sequence[Any]],
    separator: str = ",",
    *,
    ending: str = "\n",
    quoting: int = csv.QUOTE_MINIMAL,
) -> str:
    """Return the columns as a text table with the names in its first line."""
    buffer = io.StringIO()
    writer = csv.writer(
        buffer,
        delimiter=separator,
        lineterminator=ending,
        quoting=quoting,  # type: ignore[arg-type]
    )
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return buffer.getvalue()


def with_gaps(values: Sequence[Any], rows: Sequence[int], token: str = "") -> list[Any]:
    """Return the values with a token for "missing" in some rows."""
    return [token if i in set(rows) else value for i, value in enumerate(values)]
