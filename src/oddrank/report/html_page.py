"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from oddrank.report.page_parts import (
    charts,
    draw_strips,
    importance_places,
    interval_places,
    matrix,
)
from oddrank.report.page_template import page_template
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
    page: str = page_template("page.html.jinja").render(
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
