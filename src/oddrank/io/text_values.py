"""What the texts of a column mean: numbers, dates, times of the day, or just text.

A column has one meaning, and every cell has it or is a gap. What could mean two things, and what is
nearly a number or a date, is refused with the flag that settles it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._text import counted
from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require
from oddrank.io.reading import GAP_WORDS, ColumnReading, Reading

# Nearly all cells of a column are of its kind.
NEARLY_ALL = 0.95
# Where this share of the cells are numbers or dates, the others are slips and not another meaning.
MOSTLY = 0.8
_UNIT, _GROUP, _BLANK = "[%$€£¥]", "'’\u00a0\u202f ", "[ \u00a0\u202f]"
_CELL = re.compile(
    rf"(?P<open>\()?(?P<minus>[-\u2212])?\+?(?P<before>{_UNIT})?{_BLANK}?(?P<inner>[-\u2212])?"
    rf"(?P<body>[\d.,{_GROUP}]*\d[.,]?)(?P<power>[eE][+-]?\d{{1,3}})?{_BLANK}?(?P<after>{_UNIT})?"
    r"(?P<trailing>-)?(?P<close>\))?"
)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.I)
_BODIES = {
    decimal: re.compile(
        rf"(?:\d+|[1-9]\d{{0,2}}(?P<group>[{re.escape(other)}{_GROUP}])\d{{3}}(?:(?P=group)\d{{3}})*)"
        rf"(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+"
    )
    for decimal, other in ((".", ","), (",", "."))
}
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
_TIMES = ("", *(f" {clock}" for clock in _CLOCKS), "T%H:%M", "T%H:%M:%S", "T%H:%M:%S.%f",
          ", %H:%M:%S", " %H:%M:%S%z", "T%H:%M:%S%z", "T%H:%M:%S.%f%z")  # fmt: skip
_DAYS = {
    "dmy": ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%y", "%d-%m-%y", "%d.%m.%y"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y"),
    "ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%y/%m/%d", "%y-%m-%d"),
    # a month by its name, or no day: there is one order only
    "": ("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y",
         "%b %d %Y", "%a, %d %b %Y", "%b %Y", "%B %Y", "%Y-%m", "%Y/%m", "%m/%Y"),
}  # fmt: skip
_ORDERS = {day + time: order for order, days in _DAYS.items() for day in days for time in _TIMES}
# A column, a text in it, and where it stands.
Evidence = tuple[str, str, str]
_FIRST_TEXTS, _TRIED_TEXTS = 50, 20


@dataclass(frozen=True, eq=False)
class Texts:
    """The different texts of a column, without blanks around them, and which row has which.

    Attributes
    ----------
    name : str
    levels : list of str
    codes : array of int
        Per row the position in `levels`.
    row_name : callable
        What a row is called, by its number.
    """

    name: str
    levels: list[str]
    codes: npt.NDArray[np.int32]
    row_name: Callable[[int], str]

    @classmethod
    def of(cls, column: Any, name: str, row_name: Callable[[int], str]) -> Texts:
        """Take a column of Arrow, or a list, of texts."""
        pa = require("pyarrow", "Reading tables")
        compute = require("pyarrow.compute", "Reading tables")
        if not isinstance(column, pa.ChunkedArray):
            column = pa.chunked_array([pa.array(column, pa.string())])
        trimmed = compute.fill_null(compute.utf8_trim_whitespace(column), "")
        encoded = trimmed.combine_chunks().dictionary_encode()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.unify_dictionaries().combine_chunks()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        return cls(name, encoded.dictionary.to_pylist(), codes, row_name)

    @cached_property
    def counts(self) -> npt.NDArray[np.intp]:
        """How many rows have each text."""
        return np.bincount(self.codes, minlength=len(self.levels))

    def place(self, level: int) -> str:
        """Return the name of the first row that has this text."""
        return self.row_name(int(np.argmax(self.codes == level)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Meaning:
    """The values of a column, one per row, how they were understood, and what to know of that."""

    column: ColumnReading
    values: Any
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class AmbiguousDates:
    """The dates of a column fit two orders: another column decides, or they are refused."""

    texts: Texts
    refusal: InvalidDataError


def understand(
    texts: Texts, reading: Reading, what: str, *, as_text: bool = False
) -> Meaning | AmbiguousDates:
    """Return what the texts mean.

    Parameters
    ----------
    texts : Texts
    reading : Reading
        With its decimal sign. What it knows of the column must hold.
    what : str
        What messages call the file.
    as_text : bool
        The user says that the column holds levels.
    """
    known = reading.column(texts.name)
    gaps = gap_words(reading)
    kept = [level for level, text in enumerate(texts.levels) if text not in gaps]
    if known is None and as_text:
        return _levels(texts, reading)
    if known is not None:
        return _as_known(texts, kept, known, reading, what)
    if not kept:
        return _nothing(texts)
    found = _numbers(texts, kept, reading, what) or _dates(texts, kept, reading, what)
    return found or replace(_levels(texts, reading), note=_nearly_numbers(texts, kept, reading))


_DATE_LIKE = re.compile(
    r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:[T ].*)?|\d{1,2}[ -][A-Za-z]{3}\b.*"
)


def kind_of(text: str) -> str:
    """Return whether one text looks like a "number", a "date" or time, or "text"."""
    match = _CELL.fullmatch(text)
    if match is not None and any(body.fullmatch(match["body"]) for body in _BODIES.values()):
        return "number"
    if _INFINITE.fullmatch(text):
        return "number"
    return "date" if _DATE_LIKE.fullmatch(text) else "text"


def gap_words(reading: Reading) -> frozenset[str]:
    """Return the words that stand for a gap in columns that are not text."""
    return frozenset(GAP_WORDS if reading.gaps_as is None else reading.gaps_as)


def settle_decimal(
    columns: Iterable[Texts],
    floats: Iterable[Texts],
    reading: Reading,
    what: str,
    *,
    points: Callable[[], Evidence] | None = None,
) -> Reading:
    """Return the reading with the decimal sign that the columns show; none if they show none.

    Parameters
    ----------
    columns : Texts of columns that no library reads as numbers
    floats : Texts of columns that are numbers if the point is the decimal sign
        They are asked where commas do not separate the cells: `7.548` may be thousands there.
    reading : Reading
    what : str
    points : callable, optional
        Returns a number whose point is known to be the decimal sign.
    """
    if reading.decimal is not None:
        return reading
    if reading.thousands in (".", ","):
        return replace(reading, decimal="," if reading.thousands == "." else ".")
    evidence: dict[str, Evidence] = {}
    for texts in (*columns, *floats):
        for shown, found in _signs_in(texts, reading):
            evidence.setdefault(shown, found)
    if points is not None:
        if "," not in evidence:
            return replace(reading, decimal=".")
        evidence["."] = points()
    _check_signs(evidence, reading, what)
    return replace(reading, decimal=next((sign for sign in ",." if sign in evidence), None))


def _signs_in(texts: Texts, reading: Reading) -> Iterator[tuple[str, Evidence]]:
    """Yield the decimal signs that a column of numbers shows, or that either is possible."""
    gaps = gap_words(reading)
    kept = [text for text in texts.levels if text not in gaps]
    if not _hopeful(kept):
        return
    cells = [match for match in map(_CELL.fullmatch, kept) if match]
    if len(cells) < MOSTLY * len(kept):
        return
    seen: set[str] = set()
    for match in cells:
        signs = [sign for sign in ".," if _BODIES[sign].fullmatch(match["body"])]
        values = {_value(match, sign) for sign in signs}
        shown = "either" if len(values) > 1 else "".join(signs)
        if values and set(match["body"]) & {".", ","} and shown not in seen:
            seen.add(shown)
            yield shown, (texts.name, match.string, _place(texts, match))
        if len(shown) == 1 and len(values) == 1:
            return  # one cell decides for its column


def _check_signs(evidence: dict[str, Evidence], reading: Reading, what: str) -> None:
    """Refuse signs that contradict each other, or decide nothing."""
    if "." in evidence and "," in evidence:
        (one, text, place), (other, second, elsewhere) = evidence["."], evidence[","]
        raise InvalidDataError(
            f"{what} has a decimal point in {one!r} ({text!r}, {place}) and a decimal comma in "
            f"{other!r} ({second!r}, {elsewhere}). Give --decimal . or --decimal , for all of them."
        )
    if "," in evidence and reading.separator == ",":
        name, text, place = evidence[","]
        raise InvalidDataError(
            f"{text!r} in column {name!r} of {what} ({place}) may be a number with a decimal "
            "comma or text, where commas separate cells. Give --decimal , or --categories "
            f"{flag(name)}."
        )
    if "either" in evidence and not evidence.keys() & {".", ","}:
        name, text, place = evidence["either"]
        sign = "." if "." in text else ","
        other = "," if sign == "." else "."
        large, small = text.replace(sign, ""), text.replace(sign, ".")
        raise InvalidDataError(
            f"{text!r} in column {name!r} of {what} ({place}) may mean {large} or {small}, and "
            f"nothing in the file decides it. Give --decimal {sign} if it is {small}, and "
            f"--decimal {other} --thousands {sign} if it is {large}."
        )


def _place(texts: Texts, match: re.Match[str]) -> str:
    return texts.place(texts.levels.index(match.string))


def _hopeful(texts: Sequence[str]) -> bool:
    """Whether enough of the first texts look like numbers to look at all of them."""
    first = texts[:_FIRST_TEXTS]
    return bool(first) and sum(_CELL.fullmatch(text) is not None for text in first) * 2 > len(first)


def _value(match: re.Match[str], decimal: str) -> float:
    body = match["body"]
    plain = "".join(sign for sign in body if sign.isdigit() or sign == decimal)
    power = int((match["power"] or "e0")[1:]) - 2 * ("%" in (match["before"], match["after"]))
    value = float(f"{plain.replace(decimal, '.')}e{power}")
    return -value if any(match[sign] for sign in ("minus", "inner", "open", "trailing")) else value


def _read_number(text: str, reading: Reading) -> tuple[float, str, str] | None:
    """Return the number, its unit and its thousands sign; None if the text is no number."""
    decimal = reading.decimal or "."
    match = _CELL.fullmatch(text)
    if match is None:
        return (float(text), "", "") if _INFINITE.fullmatch(text) else None
    signs = sum(bool(match[sign]) for sign in ("minus", "inner", "open", "trailing"))
    if signs > 1 or bool(match["open"]) != bool(match["close"]):
        return None
    if match["before"] and match["after"]:
        return None
    body = _BODIES[decimal].fullmatch(match["body"])
    if body is None:
        return None
    group = body["group"] or ""
    if group and reading.thousands is not None and group != reading.thousands:
        return None
    return _value(match, decimal), match["before"] or match["after"] or "", group


def _numbers(texts: Texts, kept: list[int], reading: Reading, what: str) -> Meaning | None:
    if not _hopeful([texts.levels[level] for level in kept]):
        return None
    read = {level: _read_number(texts.levels[level], reading) for level in kept}
    bad = [level for level, number in read.items() if number is None]
    if bad and _share(texts, bad, kept) > 1.0 - MOSTLY:
        return None
    if bad:
        raise slips(texts, bad, kept, "numbers", what)
    units = {number[1]: level for level, number in read.items() if number is not None}
    percent = units.pop("%", None)
    if percent is not None and units:
        plain = next(iter(units.values()))
        raise InvalidDataError(
            f"Column {texts.name!r} of {what} holds {texts.levels[percent]!r} "
            f"({texts.place(percent)}) and {texts.levels[plain]!r} ({texts.place(plain)}), so its "
            "scale is not clear. Write all cells with the percent sign or none, or give "
            f"--ignore {flag(texts.name)}."
        )
    if len(units.keys() - {""}) > 1:
        first, second, *_ = (level for unit, level in units.items() if unit)
        raise InvalidDataError(
            f"Column {texts.name!r} of {what} holds {texts.levels[first]!r} ({texts.place(first)}) "
            f"and {texts.levels[second]!r} ({texts.place(second)}): several currencies are no "
            f"scale. Give --categories {flag(texts.name)} or --ignore {flag(texts.name)}."
        )
    unit = "%" if percent is not None else max(units)
    values = np.full(len(texts.levels), np.nan)
    values[kept] = [number[0] for number in read.values() if number is not None]
    column = ColumnReading(name=texts.name, kind="number", form=unit)
    return Meaning(column=column, values=values[texts.codes])


def thousands_in(columns: Iterable[tuple[Texts, ColumnReading]], reading: Reading) -> str:
    """Return the sign between groups of digits in columns of numbers, "" for none."""
    for texts, column in columns:
        if column.kind == "number":
            for text in texts.levels:
                number = _read_number(text, reading)
                if number is not None and number[2]:
                    return number[2]
    return ""


def _dates(
    texts: Texts, kept: list[int], reading: Reading, what: str
) -> Meaning | AmbiguousDates | None:
    """Read dates and times of the day, each column in one format."""
    tried = [texts.levels[level] for level in kept[:_TRIED_TEXTS]]
    forms = [form for form in (*_CLOCKS, *_ORDERS) if any(_parses(text, form) for text in tried)]
    if not forms:
        return None
    written = [texts.levels[level] for level in kept]
    read = {form: _stamps(written, form) for form in forms}
    whole = {form: stamps for form, stamps in read.items() if not np.isnat(stamps).any()}
    if not whole:
        stamps = min(read.values(), key=lambda each: int(np.isnat(each).sum()))
        bad = [level for level, stamp in zip(kept, stamps, strict=True) if np.isnat(stamp)]
        if _share(texts, bad, kept) > 1.0 - MOSTLY:
            return None
        example = next(text for text, stamp in zip(written, stamps, strict=True)
                       if not np.isnat(stamp))  # fmt: skip
        raise slips(texts, bad, kept, f"dates or times like {example!r}", what)
    form = _one_form(whole, texts, kept, reading, what)
    if isinstance(form, InvalidDataError):
        return AmbiguousDates(texts=texts, refusal=form)
    return _with_stamps(texts, kept, whole[form], form)


def _one_form(
    whole: dict[str, Any], texts: Texts, kept: list[int], reading: Reading, what: str
) -> str | InvalidDataError:
    """Return the format, or a refusal where two of them give other dates."""
    if reading.dates is not None:
        told = [form for form in whole if _ORDERS.get(form) == reading.dates]
        if told:
            return told[0]
        if all(_ORDERS.get(form, "") and "%Y-" not in form and "%Y/" not in form and "%Y." not in
               form for form in whole):  # fmt: skip
            told = [form for form, order in _ORDERS.items() if order == reading.dates]
            fits = [any(_parses(texts.levels[level], form) for form in told) for level in kept]
            level = kept[0 if all(fits) else fits.index(False)]
            return InvalidDataError(
                f"{texts.levels[level]!r} in column {texts.name!r} of {what} "
                f"({texts.place(level)}) is no date in the order {reading.dates}. Give another "
                "--dates, or leave it out."
            )
    form, *others = whole
    for other in others:
        if not np.array_equal(whole[form], whole[other]):
            differs = int(np.argmax(whole[form] != whole[other]))
            level = kept[differs]
            first, second = (str(whole[each][differs])[:10] for each in (form, other))
            return InvalidDataError(
                f"{texts.levels[level]!r} in column {texts.name!r} of {what} "
                f"({texts.place(level)}) may be {first} or {second}, and nothing in the column "
                f"decides it. Give --dates {_ORDERS[form]} or --dates {_ORDERS[other]}."
            )
    return form


def order_of(form: str) -> str:
    """Return "dmy", "mdy" or "ymd" for a format of dates that has several orders, else ""."""
    return _ORDERS.get(form, "")


def _parses(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True


def _stamps(texts: list[str], form: str) -> npt.NDArray[np.datetime64]:
    pandas = require("pandas", "Reading dates")
    series = pandas.Series(texts, dtype=object)
    stamps = pandas.to_datetime(series, format=form, errors="coerce", utc=True)
    return np.asarray(stamps.dt.tz_localize(None).to_numpy(), dtype="datetime64[us]")


def _with_stamps(texts: Texts, kept: list[int], stamps: Any, form: str) -> Meaning:
    clock = form in _CLOCKS
    content = stamps - stamps.astype("datetime64[D]") if clock else stamps
    values = np.full(len(texts.levels), np.array("NaT", dtype=content.dtype))
    values[kept] = content
    kind = "duration" if clock else "date"
    column = ColumnReading(name=texts.name, kind=kind, form=form)
    note = ""
    if "%y" in form:
        note = f"Years of two digits in {texts.name!r} are read as 1969 to 2068."
    return Meaning(column=column, values=values[texts.codes], note=note)


def _levels(texts: Texts, reading: Reading) -> Meaning:
    """Return text as levels; only empty cells, and words that the user names, are gaps."""
    pandas = require("pandas", "Reading text")
    gaps = {""} if reading.gaps_as is None else {"", *reading.gaps_as}
    names = sorted(text for text in texts.levels if text not in gaps)
    position = {text: code for code, text in enumerate(names)}
    recode = np.array([position.get(text, -1) for text in texts.levels], dtype=np.int32)
    index = pandas.Index(names, dtype=object).astype("str")
    values = pandas.Categorical.from_codes(recode[texts.codes], categories=index)
    return Meaning(column=ColumnReading(name=texts.name, kind="category"), values=values)


def _nothing(texts: Texts) -> Meaning:
    values = np.full(len(texts.codes), np.nan)
    return Meaning(column=ColumnReading(name=texts.name, kind="empty"), values=values)


def _nearly_numbers(texts: Texts, kept: list[int], reading: Reading) -> str:
    """Return a remark on text of which most cells are numbers."""
    if not _hopeful([texts.levels[level] for level in kept]):
        return ""
    other = [level for level in kept if _read_number(texts.levels[level], reading) is None]
    share = 1.0 - _share(texts, other, kept) if other else 0.0
    if share < 0.5:
        return ""
    return (
        f"{texts.name!r} is read as text, though {100 * share:.0f} % of its cells are numbers: "
        f"{texts.levels[other[0]][:30]!r} ({texts.place(other[0])}) is none (--gaps-as)."
    )


def _as_known(
    texts: Texts, kept: list[int], known: ColumnReading, reading: Reading, what: str
) -> Meaning:
    """Read the texts as an earlier file was read, or refuse."""
    if known.kind == "category":
        return _levels(texts, reading)
    if known.kind == "number":
        values = np.full(len(texts.levels), np.nan)
        for level in kept:
            number = _read_number(texts.levels[level], reading)
            unit = "" if number is None else number[1]
            # a currency may be left out, a percent sign may not
            alike = unit == known.form or (
                "%" not in (unit, known.form) and not (unit and known.form)
            )
            if number is None or not alike:
                raise _contradiction(texts, level, known, what)
            values[level] = number[0]
        return Meaning(column=known, values=values[texts.codes])
    if known.kind in ("date", "duration"):
        written = [texts.levels[level] for level in kept]
        stamps = _stamps(written, known.form or "ISO8601")
        if np.isnat(stamps).any():
            raise _contradiction(texts, kept[int(np.argmax(np.isnat(stamps)))], known, what)
        return _with_stamps(texts, kept, stamps, known.form)
    if kept:
        raise _contradiction(texts, kept[0], known, what)
    return _nothing(texts)


_EXPECTED = {
    "number": "numbers", "boolean": "true and false", "date": "dates", "duration": "times",
    "category": "text", "empty": "nothing", "other": "nothing that can be read",
}  # fmt: skip


def in_words(column: ColumnReading) -> str:
    """Return what a column held, for messages."""
    expected = _EXPECTED[column.kind]
    if column.kind in ("date", "duration") and column.form:
        return f"{expected} like {datetime(2024, 1, 26, 14, 5).strftime(column.form)!r}"
    return f"{expected} with {column.form}" if column.form else expected


def _contradiction(texts: Texts, level: int, known: ColumnReading, what: str) -> InvalidDataError:
    return InvalidDataError(
        f"{texts.levels[level]!r} in column {known.name!r} of {what} ({texts.place(level)}) does "
        f"not fit: the table before held {in_words(known)} there. Write it the same way, or say "
        "how this file is to be read, with --decimal, --thousands, --dates or --gaps-as."
    )


def _share(texts: Texts, bad: list[int], kept: list[int]) -> float:
    return float(texts.counts[bad].sum() / texts.counts[kept].sum())


def flag(name: str) -> str:
    """Return a column's name as it is typed behind a flag."""
    return shlex.quote(f'"{name}"' if "," in name else name)


def slips(texts: Texts, bad: list[int], kept: list[int], hold: str, what: str) -> InvalidDataError:
    """Return the refusal of a column in which a few cells are not what all others are."""
    n_good, n_bad = int(texts.counts[kept].sum()), int(texts.counts[bad].sum())
    word = texts.levels[bad[0]]
    shown = word if len(word) <= 40 else word[:37] + "..."
    return InvalidDataError(
        f"Column {texts.name!r} of {what} holds {hold} in {n_good - n_bad:,} of {n_good:,} rows, "
        f"but {shown!r} in {texts.place(bad[0])}{_more(len(bad) - 1)}. Correct "
        f"{'it' if n_bad == 1 else 'them'}, or give --gaps-as with the words that are gaps, "
        f"--categories {flag(texts.name)} to read the column as text, or --ignore "
        f"{flag(texts.name)}."
    )


def _more(n_more: int) -> str:
    return f" and {counted(n_more, 'other text')} elsewhere" if n_more > 0 else ""
