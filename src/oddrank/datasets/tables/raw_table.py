"""What every reader hands on: columns of numbers, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError

MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for, and the limits.

    Attributes
    ----------
    what : str
        How messages call the table: the file's name, or "the frame".
    columns : tuple of str or None
        Use exactly these.
    label : str or None
        Keep this one apart.
    max_bytes : int
        The largest size that a compressed file may unpack to.
    max_columns : int
        The largest number of columns that is read without being told which.
    """

    what: str
    columns: tuple[str, ...] | None
    label: str | None
    max_bytes: int
    max_columns: int

    def wants(self, name: str) -> bool:
        """Whether this column may become a feature."""
        return name != self.label and (self.columns is None or name in self.columns)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that are repeated, too many, or not those asked for."""
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
                f"{self.what} has {len(names):,} columns, more than max_columns="
                f"{self.max_columns:,} allows. Name those to use with columns=, or raise "
                "max_columns."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class RawColumn:
    """A column as it was found.

    Attributes
    ----------
    name : str
    values : array or None
        Numbers, NaN where missing; None if the column does not hold numbers.
    not_numeric : str
        Then the reason, such as `"text: 'red' in row 0"`.
    """

    name: str
    values: FloatArray | None = None
    not_numeric: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class RawTable:
    """What a reader found.

    Attributes
    ----------
    n_rows : int
    columns : list of RawColumn
        Those that were wanted, in the file's order. Whoever consumes them may empty the list.
    labels : array or None
    notes : list of str
        What the reader decided: separator, header, encoding.
    """

    n_rows: int
    columns: list[RawColumn]
    labels: npt.NDArray[Any] | None = None
    notes: list[str] = field(default_factory=list)


def numbers_or_text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return labels as floats if all of them are numbers, as they are otherwise."""
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return values


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def _did_you_mean(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"It has {listed([repr(known) for known in names])}."
