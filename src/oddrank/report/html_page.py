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


def html_page(summary: ReportSummary) -> str:
    """Return the page; everything from the data is escaped, wherever it stands."""
    strips, marks = draw_strips(summary)
    places, zero = importance_places(summary)
    page: str = page_template("page.html.jinja").render(
        summary=summary,
        settings={each.name: each.settings for each in summary.detectors},
        charts=charts(summary),
        intervals=interval_places(summary.table),
        matrices={each.name: matrix(summary, each.name) for each in summary.criteria},
        strips=strips,
        strip_marks=marks,
        importance_places=places,
        importance_zero=zero,
    )
    return page
