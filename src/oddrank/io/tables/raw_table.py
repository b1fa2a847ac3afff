"""What every reader returns: named columns, either with a type or still as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError

MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options that the user gave, and the limits.

    Attributes
    ----------
    what : str
        How messages call the table: the file's name, or "the frame".
    columns : tuple of str or None
        Use exactly these.
    label : str or None
        Keep this one apart.
    encode : "none" or "auto"
        Use columns of numbers only, or every column that carries information.
    sheet : str or None
        Which sheet of a workbook to read.
    separator, header, encoding, decimal
        The layout of a text table, if the user gives it.
    max_bytes : int
        The largest size that a compressed file may unpack to.
    max_columns : int
        The largest number of columns that is read if `columns` is not given.
    kinds : mapping of str to str
        What columns hold, where that is known.
    """

    what: str
    columns: tuple[str, ...] | None
    label: str | None
    encode: str
    sheet: str | None
    separator: str | None
    header: bool | None
    encoding: str | None
    decimal: str | None
    max_bytes: int
    max_columns: int
    kinds: Mapping[str, str] = field(default_factory=dict)

    def wants(self, name: str) -> bool:
        """Whether this column is read: it may become a feature, or is the label."""
        return name == self.label or self.columns is None or name in self.columns

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that are repeated or too many, and requested names that are missing."""
        seen: set[str] = set()
        repeated = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
        if repeated:
            raise InvalidDataError(
                f"{self.what} has more than one column called {repeated[0]!r}, so a name does not "
                "say which is meant. Rename the copies."
            )
        asked = [*(self.columns or ()), *([self.label] if self.label is not None else [])]
        for name in asked:
            if name not in seen:
                raise InvalidDataError(
                    f"{self.what} has no column {name!r}. {_did_you_mean(name, names)}"
                )
        if self.columns is None and len(names) > self.max_columns:
            raise InvalidDataError(
                f"{self.what} has {len(names):,} columns, more than {self.max_columns:,}. Name "
                "those to use with --columns."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class TextCells:
    """A column of text that holds every different text once.

    Attributes
    ----------
    codes : array of int
        Per row the position in `levels`, or -1 where the source says that nothing is there.
    levels : list of str
        The different texts, without blanks around them.
    """

    codes: npt.NDArray[np.int32]
    levels: list[str]

    @classmethod
    def of(cls, codes: npt.NDArray[Any], texts: Iterable[str]) -> TextCells:
        """Strip texts, and give equal texts the same code."""
        position: dict[str, int] = {}
        new = [position.setdefault(text.strip(), len(position)) for text in texts]
        recode = np.array([*new, -1], dtype=np.int32)
        return cls(codes=recode[codes], levels=list(position))

    @classmethod
    def of_values(cls, values: Iterable[str | None]) -> TextCells:
        """Take one text per row, None where nothing is there."""
        position: dict[str, int] = {}
        codes = [
            -1 if value is None else position.setdefault(value.strip(), len(position))
            for value in values
        ]
        return cls(codes=np.array(codes, dtype=np.int32), levels=list(position))

    def as_objects(self, nothing: Any = "") -> npt.NDArray[Any]:
        """Return one text per row."""
        levels = np.empty(len(self.levels) + 1, dtype=object)
        levels[:-1], levels[-1] = self.levels, nothing
        return levels[self.codes]

    def counts(self) -> npt.NDArray[np.intp]:
        """Return how many rows have each text."""
        present = self.codes[self.codes >= 0]
        return np.bincount(present, minlength=len(self.levels))

    def first_row(self, level: int) -> int:
        """Return the first row that has this text."""
        return int(np.argmax(self.codes == level))


class Pieces:
    """Numbers without gaps, in the pieces in which they were read; joined only if needed.

    Parameters
    ----------
    parts : list of arrays
    """

    def __init__(self, parts: list[FloatArray]) -> None:
        self._parts = parts
        self.ends: list[int] = np.cumsum([len(part) for part in parts]).tolist()

    def part(self, k: int) -> FloatArray:
        """Return one piece."""
        if len(self._parts) == len(self.ends):
            return self._parts[k]
        return self._parts[0][self.ends[k - 1] if k else 0 : self.ends[k]]

    def first(self, n_rows: int) -> FloatArray:
        """Return the first rows."""
        return (self._parts[0] if len(self._parts[0]) >= n_rows else self.whole())[:n_rows]

    def whole(self) -> FloatArray:
        """Return all rows; the pieces are given up for them."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    @cached_property
    def all_finite(self) -> bool:
        """Whether nothing is infinite."""
        with np.errstate(all="ignore"):
            total = sum(float(part.sum()) for part in self._parts)
        return bool(np.isfinite(total)) or all(all_finite(part) for part in self._parts)


@dataclass(frozen=True, kw_only=True, eq=False)
class RawColumn:
    """A column as it was read, or after its texts were interpreted.

    Attributes
    ----------
    name : str
    kind : "number", "boolean", "date", "text", "category" or "unusable"
    content : array, Pieces, TextCells or None
        Numbers and booleans as float64 with NaN where missing, dates as datetime64 with NaT, text
        and categories as `TextCells`. None if it is unusable, or was not worth reading.
    shown : str
        What the source calls its type, or its first text: part of the reason if it is skipped.
    reason, remedy : str
        If it cannot be used: why, and what changes that.
    """

    name: str
    kind: str
    content: Any = None
    shown: str = ""
    reason: str = ""
    remedy: str = ""

    @property
    def values(self) -> Any:
        """The content; pieces are put together."""
        return self.content.whole() if isinstance(self.content, Pieces) else self.content

    def first(self, n_rows: int) -> Any:
        """Return the first values; pieces stay pieces."""
        pieces = isinstance(self.content, Pieces)
        return self.content.first(n_rows) if pieces else self.content[:n_rows]

    def all_finite(self) -> bool:
        """Whether no number is missing or infinite."""
        pieces = isinstance(self.content, Pieces)
        return self.content.all_finite if pieces else all_finite(self.content)


@dataclass(frozen=True, kw_only=True)
class TextSource:
    """A text file whose unchanged cells can be read again.

    Attributes
    ----------
    path : Path
    encoding, separator : str
    top_line : int
        The line of the names, or of the first row if there are none, counted from 1.
    has_names : bool
    max_bytes : int
        The largest size that the file may unpack to.
    """

    path: Path
    encoding: str
    separator: str
    top_line: int
    has_names: bool
    max_bytes: int


@dataclass(frozen=True, kw_only=True)
class ArrowSource:
    """A Parquet file, or a Feather file, whose rows can be read again."""

    path: Path
    is_parquet: bool


@dataclass(frozen=True, kw_only=True)
class SheetSource:
    """A sheet whose cells can be read again, from the row of the names to that before `end`."""

    path: Path
    sheet: str
    columns: tuple[int, ...]
    top_line: int
    has_names: bool
    end: int


Origin = TextSource | ArrowSource | SheetSource


@dataclass(frozen=True, kw_only=True, eq=False)
class RawTable:
    """What a reader found.

    Attributes
    ----------
    n_rows : int
    columns : list of RawColumn
        Those that are needed, in the file's order, with the label. A consumer may empty the
        list.
    line_numbers : array or None
        Of the rows in a text file or a sheet, counted from 1.
    decimal : str
        The decimal sign that the numbers already read show, "" if they show none.
    points_are_decimal : bool
        Whether `9.733` cannot mean thousands here: commas separate the values, or the source is no
        text file.
    notes : list of str
        What the reader decided: separator, header, encoding.
    origin : TextSource, ArrowSource, SheetSource or None
        Where to find the unchanged rows again.
    files : list of (str, int)
        Names of several files, and how many rows each has.
    """

    n_rows: int
    columns: list[RawColumn]
    line_numbers: npt.NDArray[np.int64] | None = None
    decimal: str = ""
    points_are_decimal: bool = True
    notes: list[str] = field(default_factory=list)
    origin: Origin | None = None
    files: list[tuple[str, int]] = field(default_factory=list)


def all_finite(values: npt.NDArray[Any]) -> bool:
    """Whether nothing is missing or infinite; a sum shows that without a mask of all rows."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())


def present_values(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the finite numbers; no copy if all are."""
    return values if all_finite(values) else values[np.isfinite(values)]


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def shortened(text: str) -> str:
    """Return a text as messages show it."""
    return repr(text if len(text) <= 30 else text[:27] + "...")


def _did_you_mean(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"It has {listed([repr(known) for known in names])}."
