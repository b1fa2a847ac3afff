"""A ranking as one self-contained HTML page and as Markdown; a search as a page.

=====================  ================================================================
`summarise`            a ranking (and what belongs to it) as typed plain values
`html_page`            that summary as a page; needs the extra `report`
`markdown`             the same as Markdown
`ReportSummary`        what `summarise` returns
`DataSummary`          where the rows came from, for both summaries
`summarise_tuning`     a fitted `LabelFreeSearchCV` as typed plain values
`tuning_page`          that summary as a page
`TuningSummary`        what `summarise_tuning` returns
=====================  ================================================================

How it is built is in the folder's README.

Guide: :doc:`/report`.

>>> from oddrank import report
>>> callable(report.summarise) and callable(report.html_page)
True
"""

from oddrank.report.html_page import html_page, tuning_page
from oddrank.report.markdown import markdown
from oddrank.report.summarise import summarise
from oddrank.report.summary import DataSummary, ReportSummary
from oddrank.report.tuning_summary import TuningSummary, summarise_tuning

__all__ = [
    "DataSummary",
    "ReportSummary",
    "TuningSummary",
    "html_page",
    "markdown",
    "summarise",
    "summarise_tuning",
    "tuning_page",
]
