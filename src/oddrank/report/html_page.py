"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from oddrank.errors import MissingExtraError
from oddrank.report.page_parts import (
    charts,
    draw_strips,
    importance_places,
    interval_places,
    matrix,
)
from oddrank.report.summary import ReportSummary

__all__ = ["html_page"]

CRITERIA = (
    ("excess_mass", "excess mass", "bigger is better"),
    ("mass_volume", "mass volume", "smaller is better"),
)


def html_page(summary: ReportSummary) -> str:
    """Return the page; everything from the data is escaped, wherever it stands."""
    strips, marks = draw_strips(summary)
    places, zero = importance_places(summary)
    page: str = _template().render(
        summary=summary,
        criteria=CRITERIA,
        tied=[group for group in summary.groups if len(group) > 1],
        charts=charts(summary),
        intervals={key: interval_places(summary, key) for key, _, _ in CRITERIA},
        matrices={key: matrix(summary, key) for key, _, _ in CRITERIA},
        strips=strips,
        strip_marks=marks,
        importance_places=places,
        importance_zero=zero,
    )
    return page


@cache
def _template() -> Any:
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError(
            "The HTML report needs jinja2. Install it with: pip install 'oddrank[report]'"
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("oddrank.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["figure"] = figure
    environment.filters["percent"] = percent
    return environment.get_template("page.html.jinja")


def figure(value: float) -> str:
    """Return a number with four digits that count.

    Examples
    --------
    >>> figure(1234567.0), figure(0.000123456), figure(float("nan"))
    ('1.235e+06', '0.0001235', 'unresolved')
    """
    return f"{value:.4g}" if math.isfinite(value) else "unresolved"


def percent(value: float) -> str:
    """Return a share in percent, with its sign.

    Examples
    --------
    >>> percent(0.123)
    '+12.3 %'
    """
    return f"{100 * value:+.1f} %" if math.isfinite(value) else "unresolved"
