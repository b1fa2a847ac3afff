"""Dates and times as people write them, each column by its own evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.io.optional_libraries import require
from oddrank.io.tables.text.numbers import few_bad, hopeful

_TIME = r"(?P<time>[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?)?"
_ZONE = r"(?P<zone> ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2}))?"
_WEEKDAY = r"(?:[A-Za-z]{2,9}\.?,? +)?"
_MONTH = r"[A-Za-z]{3,9}\.?"
_NAMED = rf"(?P<b>{_MONTH})"
_SHAPES = {
    name: re.compile(shape + _TIME + _ZONE)
    for name, shape in {
        "year first": r"(?P<a>\d{4})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{1,2})",
        "points": r"(?P<a>\d{1,2})\. ?(?P<b>\d{1,2})\. ?(?P<c>\d{4}|\d{2})",
        "slashes": r"(?P<a>\d{1,2})(?P<by>[/-])(?P<b>\d{1,2})(?P=by)(?P<c>\d{4}|\d{2})",
        "day and month name": _WEEKDAY
        + r"(?P<a>\d{1,2})(?:st|nd|rd|th|\.)?[- /]?" + _NAMED + r"[- /,]*(?P<c>\d{4}|\d{2})",
        "month name and day": _WEEKDAY
        + _NAMED + r" ?(?P<a>\d{1,2})(?:st|nd|rd|th)?,? +(?P<c>\d{4})",
    }.items()
}  # fmt: skip
_YEAR_AND_MONTH = re.compile(
    r"(?P<a>(?:18|19|20)\d{2})[-/](?P<b>0[1-9]|1[0-2])(?P<c>)(?P<time>)(?P<zone>)"
)
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d(?:[.,]\d{1,9})?))?( ?[AaPp]\.?[Mm]\.?)?")
_DATE_NAME = re.compile(
    r"(^|[_\W]|[a-z])(date|datum|day|tag|fecha|data|dt|yyyymmdd|ymd)s?($|[_\W])|^(date|datum)", re.I
)
_EARLIEST, _LATEST = 19000101, 21001231


@dataclass(frozen=True, kw_only=True, eq=False)
class Dates:
    """The dates of a column's different texts.

    Attributes
    ----------
    values : array of datetime64
        NaT where a text is not a date.
    bad : list of int
        The positions of those.
    notes : tuple of str
        What was decided, as the end of a sentence about the column.
    """

    values: npt.NDArray[np.datetime64]
    bad: list[int]
    notes: tuple[str, ...] = ()


def is_date(text: str) -> bool:
    """Whether a single text looks like a date; `2024-01` alone may also be a column's name."""
    return any(shape.fullmatch(text) for shape in _SHAPES.values())


def read_dates(
    texts: Sequence[str], counts: npt.NDArray[np.intp], codes: npt.NDArray[np.int32]
) -> Dates | None:
    """Read a column's different texts as dates; None if they are not.

    `codes` say which text each row has (-1: none): the order of the rows is evidence too.
    """
    if all(_ISO.fullmatch(text) for text in texts):
        stamps = _without_zone(_to_datetime(texts, "ISO8601"))
        if not np.isnat(stamps).any():
            return Dates(values=stamps, bad=[], notes=_zone_note(map(_has_zone, texts)))
    for shape in (*_SHAPES.values(), _YEAR_AND_MONTH):
        if not hopeful(texts, shape.fullmatch):
            continue
        matches = [shape.fullmatch(text) for text in texts]
        if few_bad(counts, [position for position, match in enumerate(matches) if not match]):
            return _dates_of(matches, counts, codes)
    return None


def _has_zone(text: str) -> bool:
    return text[-1] == "Z" or "+" in text or "-" in text[10:]


def _zone_note(zones: Iterable[bool]) -> tuple[str, ...]:
    return ("times with a zone are given in UTC",) if any(zones) else ()


def _dates_of(
    matches: Sequence[re.Match[str] | None],
    counts: npt.NDArray[np.intp],
    codes: npt.NDArray[np.int32],
) -> Dates | None:
    notes: list[str] = []
    first = next(match for match in matches if match is not None)
    if "by" in first.re.groupindex:
        orders = {name: _stamps(matches, name) for name in ("month first", "day first")}
        order, why = _day_or_month_first(orders, counts, codes)
        values = orders[order]
        notes += [why] if why else []
    else:
        year_first = first.re in (_SHAPES["year first"], _YEAR_AND_MONTH)
        values = _stamps(matches, "year first" if year_first else "day first")
    notes += _zone_note(match is not None and bool(match["zone"]) for match in matches)
    bad = np.flatnonzero(np.isnat(values)).tolist()
    if not few_bad(counts, bad):
        return None
    return Dates(values=values, bad=bad, notes=tuple(notes))


def _day_or_month_first(
    orders: dict[str, npt.NDArray[np.datetime64]],
    counts: npt.NDArray[np.intp],
    codes: npt.NDArray[np.int32],
) -> tuple[str, str]:
    """Return the order, and a note if the texts alone did not decide."""
    unread = {name: int(counts[np.isnat(values)].sum()) for name, values in orders.items()}
    if unread["month first"] != unread["day first"]:
        return min(unread, key=lambda name: unread[name]), ""
    if np.array_equal(orders["month first"], orders["day first"], equal_nan=True):
        return "month first", ""
    present = codes[codes >= 0]
    for name, other in (("day first", "month first"), ("month first", "day first")):
        if _sorted(orders[name][present]) and not _sorted(orders[other][present]):
            return name, f"read with the {name.replace(' ', ' coming ')}: so the rows are in order"
    return "month first", "read with the month coming first; nothing in the column decides it"


def _sorted(values: npt.NDArray[np.datetime64]) -> bool:
    steps = np.diff(values[~np.isnat(values)]).astype(np.int64)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _stamps(matches: Sequence[re.Match[str] | None], order: str) -> npt.NDArray[np.datetime64]:
    """Write every date the same way, and let pandas read them with that one format."""
    written = [None if match is None else _same_way(match, order) for match in matches]
    return _without_zone(_to_datetime(written, "%Y-%m-%dT%H:%M:%S.%f%z"))


def _to_datetime(texts: Sequence[str | None], form: str) -> Any:
    pandas = require("pandas", "Reading dates")
    series = pandas.Series(texts, dtype=object)
    return pandas.to_datetime(series, format=form, errors="coerce", utc=True)


def _without_zone(stamps: Any) -> npt.NDArray[np.datetime64]:
    return np.asarray(stamps.dt.tz_localize(None).to_numpy(), dtype="datetime64[us]")


def _same_way(match: re.Match[str], order: str) -> str | None:
    a, b, c = match["a"], match["b"], match["c"]
    if b[0].isalpha():
        month = b[:3].lower()
        if month not in _MONTHS:
            return None
        b = str(_MONTHS.index(month) + 1)
    year, month, day = {
        "year first": (a, b, c), "day first": (c, b, a), "month first": (c, a, b)
    }[order]  # fmt: skip
    if len(year) == 2:
        year = ("20" if int(year) < 70 else "19") + year
    seconds = _seconds_of_day(match["time"].strip("T ,")) if match["time"] else 0.0
    if seconds is None or seconds >= 86_400:
        return None
    whole, micro = divmod(round(seconds * 10**6), 10**6)
    clock = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{micro:06d}"
    return f"{year}-{int(month):02d}-{int(day or 1):02d}T{clock}{_zone(match['zone'])}"


def _zone(text: str | None) -> str:
    digits = (text or "").strip().replace(":", "")
    if digits[:1] not in ("+", "-"):
        return "+0000"
    return digits.ljust(5, "0")


def _seconds_of_day(text: str) -> float | None:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hours = int(match[1])
    if match[4]:
        hours = hours % 12 + (12 if match[4].strip().lower().startswith("p") else 0)
    return hours * 3600 + int(match[2]) * 60 + float((match[3] or "0").replace(",", "."))


def read_clock_times(texts: Sequence[str], counts: npt.NDArray[np.intp]) -> FloatArray | None:
    """Read times such as `14:05` as seconds, NaN for other texts; None if they are not times.

    Examples
    --------
    >>> read_clock_times(["00:01", "1:00:00"], np.array([1, 1])).tolist()
    [60.0, 3600.0]
    """
    if not hopeful(texts, _seconds_of_day):
        return None
    seconds = [_seconds_of_day(text) for text in texts]
    values = np.array([np.nan if value is None else value for value in seconds])
    return values if few_bad(counts, np.isnan(values)) else None


def is_named_like_date(name: str) -> bool:
    """Whether numbers in a column of this name may be dates."""
    return _DATE_NAME.search(name) is not None


def dates_from_digits(values: FloatArray) -> npt.NDArray[np.datetime64] | None:
    """Read numbers such as 20240131 as dates, None if they are not."""
    finite = np.isfinite(values)
    present = values[finite]
    if not present.size:
        return None
    if present.min() < _EARLIEST or present.max() > _LATEST or (present % 1).any():
        return None
    pandas = require("pandas", "Reading dates")
    texts = np.full(len(values), None, dtype=object)
    texts[finite] = [f"{value:.0f}" for value in present]
    stamps = pandas.to_datetime(pandas.Series(texts), format="%Y%m%d", errors="coerce")
    dates = np.asarray(stamps.to_numpy(), dtype="datetime64[us]")
    return dates if few_bad(finite.astype(np.intp), np.isnat(dates)) else None
