"""The names of the API reference, read from its page: the one list of what is public."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
_SUMMARY = re.compile(
    r"^\.\. currentmodule:: (?P<module>[\w.]+)\n\n\.\. autosummary::\n"
    r"(?:   :.*\n)+\n(?P<names>(?:   \w+\n)+)",
    re.M,
)


def listed_names():
    """Return (module, name) of everything that the page lists, in its order."""
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    return [
        (summary["module"], name)
        for summary in _SUMMARY.finditer(text)
        for name in summary["names"].split()
    ]
