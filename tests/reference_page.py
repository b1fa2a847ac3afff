"""The names of the API reference, read from its page: the one list of what is public."""

import importlib
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
_SECTION = re.compile(r"^## `(?P<module>[\w.]+)`$", re.M)
_SUMMARY = re.compile(
    r"^\.\. currentmodule:: (?P<module>[\w.]+)\n\n\.\. autosummary::\n"
    r"(?:   :.*\n)+\n(?P<names>(?:   \w+\n)+)",
    re.M,
)
_TABLE_ROW = re.compile(r"^\| `(?P<name>\w+)` \|", re.M)


def listed_names():
    """Return (module, name) of everything that the page lists, in its order.

    A name stands in a summary, and has a page of its own, or in the table at the end of a section.
    """
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    _, *parts = _SECTION.split(text)
    found = []
    for module, section in zip(parts[::2], parts[1::2], strict=True):
        for summary in _SUMMARY.finditer(section):
            found += [(summary["module"], name) for name in summary["names"].split()]
        found += [(module, row["name"]) for row in _TABLE_ROW.finditer(section)]
    return found


def member(module, name):
    """Return what a listed name stands for."""
    return getattr(importlib.import_module(module), name)
