"""Templates of the pages, and how numbers are written in them."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from oddrank._plain_text import figure, p_value_in_words
from oddrank.errors import missing_extra

__all__ = ["cell", "figure", "p_value", "page_template", "percent"]

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@cache
def page_template(name: str) -> Any:
    """Return a template of this folder; everything that is put into it is escaped."""
    try:
        import jinja2
    except ImportError:
        raise missing_extra("The HTML report needs jinja2", "report") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("oddrank.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["figure"] = figure
    environment.filters["percent"] = percent
    environment.filters["cell"] = cell
    environment.filters["unbroken"] = _unbroken
    environment.filters["p_value"] = p_value
    return environment.get_template(name)


def _unbroken(text: str) -> Any:
    """Return an escaped sentence whose flags are not broken at their hyphens on narrow screens."""
    from markupsafe import Markup, escape

    return Markup(_FLAG.sub(r'<span class="flag">\g<0></span>', str(escape(text))))


def cell(value: float | str | None) -> str:
    """Return a value of a table: a number with four digits, a text as it is.

    Examples
    --------
    >>> cell(3.14159), cell("red"), cell(None)
    ('3.142', 'red', 'missing')
    """
    if value is None:
        return "missing"
    return value if isinstance(value, str) else figure(value)


def p_value(value: float) -> str:
    """Return a p-value as tables show it.

    Examples
    --------
    >>> p_value(0.002), p_value(1e-300), p_value(math.nan)
    ('0.002', '< 1e-9', 'none')
    """
    return "none" if math.isnan(value) else p_value_in_words(value).removeprefix("= ")


def percent(value: float) -> str:
    """Return a share in percent, with its sign.

    Examples
    --------
    >>> percent(0.123)
    '+12.3 %'
    """
    return f"{100 * value:+.1f} %" if math.isfinite(value) else "unresolved"
