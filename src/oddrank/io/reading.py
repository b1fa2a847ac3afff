"""`Reading`: how a file was understood, shown to people and stored with models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from oddrank._text import counted
from oddrank.errors import InvalidParameterError

# A blank column of numbers or dates is a gap where one of these stands; in text they are text.
GAP_WORDS = (
    "", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "Null", "null",
    "None", "none", "#N/A", "#NA", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "?",
    "-", "--", ".", "nil", "n.a.", "N.A.", "\\N",
)  # fmt: skip
BLANKS = "blanks"
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", BLANKS: "blanks"}
_SIGNS = {".": "point", ",": "comma", "": "none", " ": "blank", "'": "apostrophe"}
_ORDERS = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}


@dataclass(frozen=True, kw_only=True)
class ColumnReading:
    """How one column was understood.

    Attributes
    ----------
    name : str
    kind : "number", "boolean", "category", "date", "duration", "empty" or "other"
    form : str
        Of dates and times not written as 2024-01-26: their format, as in `strptime`. Of numbers:
        the sign that all of them have, such as "%".
    """

    name: str
    kind: str
    form: str = ""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is to be read, or was read: None stands for what the file itself will tell.

    Attributes
    ----------
    encoding : str or None
        Of text. None takes UTF-8, and UTF-16 where the file begins with its mark.
    separator : str or None
        Of text: one character, or "blanks" for runs of blanks.
    quote : str or None
        Around cells: '"', or "" if quotation marks are ordinary characters.
    header : bool or None
        Whether the first line holds the names of the columns.
    skip_rows : int
        Lines above the names, or above the first row where there are no names.
    skip_footer : int
        Lines below the last row.
    comment : str
        Lines that begin with it are no rows; "" for none.
    decimal, thousands : str or None
        The signs in numbers; "" for no thousands sign.
    dates : "dmy", "mdy", "ymd" or None
        The order in dates such as 03/04/2024.
    gaps_as : tuple of str or None
        Words that stand for a gap, in every column. With None empty cells are gaps, and in columns
        of numbers and dates words such as NA, null and ? too.
    sheet : str or None
        Of a workbook; None takes the first that is not hidden.
    columns : tuple of ColumnReading
        Empty before a file was read. A file that is read by these is refused where it differs.

    Examples
    --------
    >>> print(Reading(separator=";", decimal=",", thousands=".", header=True))
    separated by semicolons, first line holds names, decimal comma, thousands point
    """

    encoding: str | None = None
    separator: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip_rows: int = 0
    skip_footer: int = 0
    comment: str = ""
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    gaps_as: tuple[str, ...] | None = None
    sheet: str | None = None
    columns: tuple[ColumnReading, ...] = ()

    def __post_init__(self) -> None:
        sign, group = self.separator, self.thousands
        alone = sign is None or (len(sign) == 1 and sign.isascii())
        self._check(alone or sign == BLANKS, "separator", "one ASCII character, or 'blanks'")
        self._check(self.decimal in (None, ".", ","), "decimal", "'.' or ','")
        alone = not group or (len(group) == 1 and group != self.decimal and not group.isalnum())
        self._check(alone, "thousands", "one sign, and not the decimal sign")
        self._check(self.dates in (None, *_ORDERS), "dates", "dmy, mdy or ymd")
        self._check(self.quote in (None, "", '"', "'"), "quote", "\", ' or none")

    def _check(self, holds: bool, name: str, expected: str) -> None:
        if not holds:
            raise InvalidParameterError(
                f"--{name} must be {expected}. Got {getattr(self, name)!r} instead."
            )

    def with_told(self, told: Mapping[str, Any]) -> Reading:
        """Return this reading with what the user says of another file."""
        # lines above and below the table are those of one file
        changed = {"skip_rows": 0, "skip_footer": 0, **told}
        if "decimal" in told:
            changed.setdefault("thousands", None)
        if "dates" in told:
            # formats of the other order are found anew
            changed["columns"] = tuple(each for each in self.columns if each.kind != "date")
        return replace(self, **changed)

    def column(self, name: str) -> ColumnReading | None:
        """Return how this column is to be read, None if nothing is known."""
        found = next((column for column in self.columns if column.name == name), None)
        return None if found is not None and found.kind == "empty" else found

    def __str__(self) -> str:
        line = "first line" if not self.skip_rows else f"line {self.skip_rows + 1}"
        names = {None: "", True: f"{line} holds names", False: "no line of names"}[self.header]
        parts: tuple[str | bool | None, ...] = (
            self.separator and f"separated by {_SEPARATORS.get(self.separator, self.separator)}",
            self.encoding not in (None, "utf-8") and f"encoding {self.encoding}",
            self.sheet is not None and f"sheet {self.sheet!r}",
            names,
            self.skip_footer > 0 and f"without the last {counted(self.skip_footer, 'line')}",
            self.comment and f"lines that begin with {self.comment!r} left out",
            self.quote == "" and "quotation marks are ordinary characters",
            self.decimal and f"decimal {_SIGNS[self.decimal]}",
            self.thousands and f"thousands {_SIGNS.get(self.thousands, repr(self.thousands))}",
            self.dates and f"dates {_ORDERS[self.dates]}",
            self.gaps_as is not None and f"gaps are {', '.join(map(repr, self.gaps_as or ()))}",
        )
        told = ", ".join(str(part) for part in parts if part)
        return told or f"{counted(len(self.columns), 'column')} with types"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and model files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Reading:
        """Return the reading that `to_dict` has described."""
        known = {field.name for field in fields(cls)}
        content = {name: value for name, value in values.items() if name in known}
        content["columns"] = tuple(ColumnReading(**dict(each)) for each in values["columns"])
        if content.get("gaps_as") is not None:
            content["gaps_as"] = tuple(content["gaps_as"])
        return cls(**content)
