"""Names, figures and sentences as plain text."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "UNPRINTABLE",
    "WIDTH",
    "Audience",
    "Wording",
    "bar",
    "counted",
    "figure",
    "listed",
    "number_word",
    "ordinal",
    "p_value_in_words",
    "percent",
    "printable",
    "shortened",
    "wrapped",
]

WIDTH = 79
_LARGEST_SHOWN, _WHOLE_FROM = 1e15, 1e3
_LEAST_P_VALUE = 1e-9
Audience = Literal["python", "command", "demo"]


@dataclass(frozen=True, kw_only=True)
class Wording:
    """A sentence in the words of the place where it is shown.

    Attributes
    ----------
    python : str
        Speaks of parameters.
    command : str
        Speaks of flags of `oddrank rank`.
    demo : str
        Speaks of what `oddrank demo` lacks; as `command` by default.

    Examples
    --------
    >>> Wording(python="Set polluted=False.", command="Give --clean.").at("command")
    'Give --clean.'
    """

    python: str
    command: str
    demo: str = ""

    def at(self, place: Audience) -> str:
        """Return the words for this place."""
        if place == "demo" and self.demo:
            return self.demo
        return self.python if place == "python" else self.command


# What a terminal obeys instead of showing it (all control characters but tab and line feed, and
# marks that turn the direction of text), and what no encoding (halves of characters) or no XML can
# hold.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def printable(text: str) -> str:
    r"""Return a text that a terminal only shows: names come from files, and files from anywhere.

    Examples
    --------
    >>> printable("width\x1b[2J")
    'width\\x1b[2J'
    """
    return UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], text)


def shortened(name: str, width: int) -> str:
    """Return a name on one line, cut in the middle, because many names differ at their end only.

    Examples
    --------
    >>> shortened("isolation forest, 100 trees", 16)
    'isolatio…0 trees'
    """
    name = printable(" ".join(name.split()))
    if len(name) <= width:
        return name
    end = (width - 1) // 2
    return name[: width - 1 - end] + "…" + name[len(name) - end :]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    names = [printable(name) for name in names]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" {last} " + names[-1]


def number_word(number: int) -> str:
    """Return a small number in words.

    Examples
    --------
    >>> number_word(6), number_word(1200)
    ('six', '1,200')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return "1 feature" or "2 features".

    Examples
    --------
    >>> counted(1, "feature"), counted(1200, "row")
    ('1 feature', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def p_value_in_words(p_value: float) -> str:
    """Return "= 0.002", or "< 1e-9": no model of a tail is right to more digits.

    Examples
    --------
    >>> p_value_in_words(0.00213), p_value_in_words(1e-300)
    ('= 0.0021', '< 1e-9')
    """
    return f"= {p_value:.2g}" if p_value >= _LEAST_P_VALUE else "< 1e-9"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.1234), percent(1.0, 0)
    ('12.3 %', '100 %')
    """
    return f"{100 * share:.{digits}f} %"


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th".

    Examples
    --------
    >>> ordinal(1), ordinal(12), ordinal(23)
    ('1st', '12th', '23rd')
    """
    tens = number % 100 // 10
    return f"{number}{'th' if tens == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def wrapped(sentence: str, *, width: int = WIDTH, indent: str = "  ") -> str:
    """Return a sentence in lines, all but the first indented."""
    return textwrap.fill(
        printable(sentence), width, subsequent_indent=indent, break_on_hyphens=False
    )


def bar(share: float, width: int = 10) -> str:
    """Return a bar of eighths of a character.

    Examples
    --------
    >>> bar(0.25), bar(1.0, 4), bar(-1.0)
    ('██▌', '████', '')
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def figure(value: float, digits: int = 4) -> str:
    """Return a number with so many digits that count; whole numbers stay whole.

    Examples
    --------
    >>> figure(700213.0), figure(12345.678), figure(0.000123456), figure(float("nan"))
    ('700,213', '12,346', '0.0001235', 'unresolved')
    >>> figure(2014.0), figure(3.0e20), figure(0.12345, 3)
    ('2014', '3e+20', '0.123')
    """
    if not math.isfinite(value):
        return "unresolved"
    if abs(value) >= _LARGEST_SHOWN:
        return f"{value:.{digits}g}"
    if value == round(value) or abs(value) >= _WHOLE_FROM:
        # no comma in what may be a year
        return f"{value:,.0f}" if abs(value) >= 10 * _WHOLE_FROM else f"{value:.0f}"
    return f"{value:.{digits}g}"
