"""A ranking as one self-contained HTML page, as JSON and as Markdown.

=====================  ================================================================
`summarise`            a ranking (and what belongs to it) as typed plain values
`html_page`            that summary as a page; needs the extra `oddrank[report]`
`markdown`             the same as Markdown
`ReportSummary`        has `to_json`, described by `docs/report_schema.json`
=====================  ================================================================

How it is built is in the folder's README.
"""

from oddrank.report.html_page import html_page
from oddrank.report.markdown import markdown
from oddrank.report.ranking_importance import importance_from_draws
from oddrank.report.summarise import summarise
from oddrank.report.summary import DataSummary, ReportSummary

__all__ = [
    "DataSummary",
    "ReportSummary",
    "html_page",
    "importance_from_draws",
    "markdown",
    "summarise",
]
