"""Names, sentences and tables as plain text and as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

__all__ = [
    "UNPRINTABLE",
    "WIDTH",
    "counted",
    "listed",
    "markdown_escaped",
    "markdown_table",
    "printable",
    "shortened",
    "wrapped",
]

WIDTH = 79

# What a terminal obeys instead of showing it (all control characters but tab and line feed, and
# marks that turn the direction of text), and halves of characters that no encoding can hold.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
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
    """Return a name on one line, cut in the middle: many names differ at their end only.

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


def listed(names: Sequence[str]) -> str:
    """Return "a, b and c"."""
    names = [printable(name) for name in names]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def counted(number: int, noun: str) -> str:
    """Return "1 feature" or "2 features".

    Examples
    --------
    >>> counted(1, "feature"), counted(1200, "row")
    ('1 feature', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def wrapped(sentence: str) -> str:
    """Return a sentence in lines, all but the first indented."""
    return textwrap.fill(printable(sentence), WIDTH, subsequent_indent="  ")


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; cells are escaped by whoever knows that they are plain text.

    Examples
    --------
    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def markdown_escaped(text: str) -> str:
    """Escape what Markdown or HTML would read as anything but text.

    Examples
    --------
    >>> print(markdown_escaped("a|b <i>").replace(chr(92), "(backslash)"))
    a(backslash)|b &lt;i&gt;
    """
    escaped = re.sub(r"([\\`*_\[\]|#])", r"\\\1", " ".join(text.split()))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
