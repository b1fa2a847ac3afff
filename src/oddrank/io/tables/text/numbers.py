"""Numbers as people write them, and what a column shows about its decimal sign.

`1,234` is 1234 to one person and 1.234 to another. So every text is read both ways, and the column
decides. The evidence are texts that make sense in one reading only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import BoolArray, FloatArray

_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KRW|MXN|"
    "MYR|NOK|NZD|PEN|PHP|PLN|RMB|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR|"
    "Euro|Fr|SFr|kr|zł|Kč|Ft|Rs"
)
_UNIT = rf"(?:(?:[A-Z]{{1,2}})?[$€£¥₹₽₩₺₫₪₴₦฿¢]|(?:{_CODES})\b\.?)"
_NUMBER = re.compile(
    rf"(?P<open>\()? ?(?P<sign>[+-])? ?(?P<before>{_UNIT})? ?(?P<inner>[+-])? ?"
    r"(?P<body>[0-9](?:[0-9.,' ]*[0-9.,])?|[.,][0-9]+)(?P<exponent>[eE][+-]?[0-9]+)? ?"
    rf"(?P<after>{_UNIT}|%)? ?(?P<trailing>-)? ?(?P<close>\))?"
)
_SAME = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2019": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " "}
)
_POINT = re.compile(
    r"(?:[0-9]+|[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:'[0-9]{3})+|(?: [0-9]{3})+)"
    r"|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]*)?|\.[0-9]+"
)
_SWAP = str.maketrans(".,", ",.")
_PLAIN = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = frozenset({"inf", "infinity", "+inf", "+infinity", "-inf", "-infinity"})
# A single odd cell among so many ambiguous ones is a slip, not evidence.
_LEAST_EVIDENCE = 0.02
_FIRST_TEXTS = 500
_MOST_BAD = 0.05
_LEAST_GOOD = 20


@dataclass(frozen=True)
class _Written:
    """One text, taken apart into signs, units, and a body of digits and separators."""

    factor: float
    body: str
    exponent: str
    unit: str
    plus: bool

    def value(self, decimal: str) -> float | None:
        """Return the number, if the text is one with this decimal sign."""
        body = self.body if decimal == "." else self.body.translate(_SWAP)
        if not _POINT.fullmatch(body):
            return None
        digits = body.replace(",", "").replace("'", "").replace(" ", "")
        return self.factor * float(digits + self.exponent)


def is_plain_number(text: str, decimal: str = ".") -> bool:
    """Whether a text is a number without currency, percent sign or thousands separators.

    Examples
    --------
    >>> is_plain_number("-1.5e3"), is_plain_number("1,5"), is_plain_number("1,5", ",")
    (True, False, True)
    """
    other = "," if decimal == "." else "."
    return _PLAIN.fullmatch(text) is not None and other not in text


def few_bad(counts: npt.NDArray[np.intp], bad: Sequence[int] | BoolArray) -> bool:
    """Whether good texts decide the kind of a column, so that the few bad ones become gaps."""
    n_bad = int(counts[bad].sum())
    n_good = int(counts.sum()) - n_bad
    if not n_bad:
        return n_good > 0
    return n_good >= _LEAST_GOOD and n_bad <= _MOST_BAD * (n_good + n_bad)


def hopeful(texts: Sequence[str], understand: Callable[[str], object | None]) -> bool:
    """Whether at least half of the first texts are understood: text is recognised early."""
    first = texts[:_FIRST_TEXTS]
    return sum(understand(text) is not None for text in first) >= len(first) / 2


class NumberTexts:
    """The different texts of one column, and how often each occurs.

    Attributes
    ----------
    may_be_numbers : bool
        Whether they are written like numbers, and are not codes or addresses.
    two_scales : str
        "" or two texts, one with a percent sign and one without: 65 % may be 65 or 0.65.
    """

    def __init__(
        self,
        texts: Sequence[str],
        counts: npt.NDArray[np.intp],
        *,
        points_are_decimal: bool = False,
        sign_given: bool = False,
    ) -> None:
        self._texts = texts
        self._counts = counts
        self.two_scales = ""
        self.may_be_numbers = hopeful(texts, _understood)
        self._written = [_take_apart(text) for text in texts] if self.may_be_numbers else []
        if not self.may_be_numbers:
            return
        bad = [
            position
            for position, (text, written) in enumerate(zip(texts, self._written, strict=True))
            if written is None and text.lower() not in _INFINITE
        ]
        good = [written for written in self._written if written is not None]
        units = {written.unit for written in good} - {""}
        self.may_be_numbers = (
            few_bad(counts, bad)
            and len(units) <= 1
            and not self._are_codes()
            and (sign_given or not _are_addresses(good, points_are_decimal))
        )
        if self.may_be_numbers and units == {"%"}:
            self._compare_scales()
        self._evidence = self._count_evidence() if self.may_be_numbers else {}

    def _are_codes(self) -> bool:
        """Whether the texts are integers with zeros before them, such as postal codes.

        `08` may be an hour. A single `0815` among numbers of all lengths is a slip.
        """
        texts = [text for text, written in zip(self._texts, self._written, strict=True) if written]
        if not all(text.isdigit() for text in texts):
            return False
        padded = [len(text) > 2 and text.startswith("0") for text in self._texts]
        same_length = len({len(text) for text in texts}) == 1
        n_padded = int(self._counts[padded].sum())
        return n_padded > (0 if same_length else _MOST_BAD * self._counts.sum())

    def _compare_scales(self) -> None:
        """Treat a few numbers without a percent sign (or with one) as bad cells."""
        positions: dict[str, list[int]] = {"%": [], "": []}
        for position, written in enumerate(self._written):
            if written is not None and written.body.strip("0.,"):
                positions[written.unit].append(position)
        few = min(positions.values(), key=lambda each: self._counts[each].sum())
        if few and not few_bad(self._counts, few):
            first, second = (self._texts[each[0]] for each in positions.values())
            self.two_scales = f"{first!r} and {second!r}"
        for position in few:
            self._written[position] = None

    def _count_evidence(self) -> dict[str, int]:
        found = dict.fromkeys(("point", "comma", "sure point", "sure comma", "either"), 0)
        for written, count in zip(self._written, self._counts, strict=True):
            if written is None:
                continue
            point, comma = written.value("."), written.value(",")
            separators = sum(character in ".,' " for character in written.body)
            if (point is None) != (comma is None):
                name = "point" if comma is None else "comma"
                found[name] += int(count)
                found[f"sure {name}"] += int(count) if separators > 1 else 0
            elif point != comma:
                found["either"] += int(count)
        return found

    def decisive_sign(self) -> str:
        """Return the decimal sign that these texts show by themselves, "" if they show none."""
        if not self.may_be_numbers:
            return ""
        found = self._evidence
        point, comma = found["point"], found["comma"]
        name = "point" if point > comma else "comma"
        strongest = max(point, comma)
        if strongest == 0:
            return ""
        slip = strongest < _LEAST_EVIDENCE * (strongest + found["either"])
        if (slip and not found[f"sure {name}"]) or min(point, comma) > _MOST_BAD * strongest:
            return ""
        return "." if name == "point" else ","

    def doubt(self) -> str:
        """Return an ambiguous text and what it may mean; "" if there is none."""
        for text, written in zip(self._texts, self._written, strict=True):
            if written is not None:
                point, comma = written.value("."), written.value(",")
                if point is not None and comma is not None and point != comma:
                    small, large = sorted((point, comma))
                    return f"{text!r} may mean {large:.12g} or {small:.12g}"
        return ""

    def sign_by_small_integers(self) -> str:
        """Return the decimal sign if `7`, `450` and `1,234` show thousands, "" if they do not.

        With three decimals there would be `7.000`, and with dropped zeros there would be other
        lengths. So plain integers below 1000 beside groups of three mean thousands.
        """
        separators, small = set(), 0
        for written in self._written:
            if written is None:
                continue
            if written.body.isdigit():
                if len(written.body) > 3:
                    return ""
                small += written.body.strip("0") != ""
            else:
                separators |= set(written.body) & set(".,")
        if len(separators) != 1 or not small:
            return ""
        return "." if separators == {","} else ","

    def read(self, decimal: str) -> tuple[FloatArray, list[int]]:
        """Return the number of each text, NaN where there is none, and the positions of these."""
        values = np.full(len(self._texts), np.nan)
        bad = []
        for position, (text, written) in enumerate(zip(self._texts, self._written, strict=True)):
            value = written.value(decimal) if written is not None else None
            if value is not None:
                values[position] = value
            elif text.lower() in _INFINITE:
                values[position] = float(text)
            else:
                bad.append(position)
        return values, bad


def _are_addresses(written: Sequence[_Written], points_are_decimal: bool) -> bool:
    """Whether the texts are groups of three like thousands, but all have equally many groups.

    Network addresses, versions and telephone numbers look like that. Numbers of four groups are
    at least 1,000,000,000, and a column of those alone is rare.
    """
    if any(each.unit or each.exponent for each in written):
        return False
    separators = set("".join(each.body for each in written)) - set("0123456789")
    n_groups = {len(re.split("[ .]", each.body)) for each in written}
    if separators not in ({"."}, {" "}) or len(n_groups) > 1:
        return False
    phone = all(each.plus for each in written)
    return n_groups.pop() >= (3 if phone or (points_are_decimal and separators == {"."}) else 4)


def _understood(text: str) -> object | None:
    return text if text.lower() in _INFINITE else _take_apart(text)


def _take_apart(text: str) -> _Written | None:
    match = _NUMBER.fullmatch(text.translate(_SAME))
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    signs = [match[name] for name in ("sign", "inner", "trailing") if match[name]]
    if len(signs) > 1 or (signs and match["open"]) or (match["before"] and match["after"]):
        return None
    negative = signs == ["-"] or match["open"] is not None
    return _Written(
        factor=-1.0 if negative else 1.0,
        body=match["body"].strip(),
        exponent=match["exponent"] or "",
        unit=match["before"] or match["after"] or "",
        plus=signs == ["+"],
    )
