"""The report as Markdown, for issues, wikis and mails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oddrank._plain_text import markdown_escaped, markdown_table
from oddrank.report.page_template import cell, percent
from oddrank.report.summary import ReportSummary

__all__ = ["markdown"]

SHOWN_ROWS = 10
SHOWN_FEATURES = 8


def markdown(summary: ReportSummary) -> str:
    """Return headings, tables and sentences; names from the data are escaped.

    Notes
    -----
    Guide: :doc:`/report`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import rank_detectors
    >>> from oddrank.report import markdown, summarise
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detectors = {"one": GaussianMixture(1), "three": GaussianMixture(3)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> print(markdown(summarise(ranking, n_oddest=0)))
    # Which detector to trust
    <BLANKLINE>
    **Use one or three. The two cannot be told apart here.**
    <BLANKLINE>
    ## Ranking
    ...
    """
    parts = [f"# {markdown_escaped(summary.title)}", f"**{markdown_escaped(summary.verdict)}**"]
    parts += [markdown_escaped(label.sentence) for label in summary.labels]
    parts += [markdown_escaped(remark) for remark in summary.remarks]
    parts += ["## Ranking", summary.table.to_markdown(), *summary.table.notes]
    if summary.odd_rows:
        parts += ["## The oddest rows", markdown_escaped(summary.rows_verdict), _rows(summary)]
    if summary.importances:
        parts += ["## Feature importances", _importances(summary)]
    parts += ["## Checks", *_checks(summary)]
    parts += ["## How it was computed", *_provenance(summary)]
    return "\n\n".join(parts) + "\n"


def _checks(summary: ReportSummary) -> Iterator[str]:
    concerns = [check for check in summary.diagnostics if not check.ok]
    if not concerns:
        yield "Every check is fine."
        return
    n_evaluated = sum(not each.failure for each in summary.detectors)
    lines = []
    for check in concerns:
        whom = "" if len(check.detectors) == n_evaluated else f"{', '.join(check.detectors)}: "
        lines.append("- " + markdown_escaped(whom + check.message))
    yield "\n".join(lines)


def _importances(summary: ReportSummary) -> str:
    rows = [
        [each.feature, percent(each.gain), f"{percent(each.lower)} to {percent(each.upper)}"]
        for each in summary.importances
    ]
    table = _escaped_table(["feature", f"gain of {summary.importance_of}", "interval"], rows)
    return f"{table}\n\nOver {summary.importance_draws} draws of features."


def _rows(summary: ReportSummary) -> str:
    names = summary.data.feature_names[:SHOWN_FEATURES]
    rows = [
        [
            row.row,
            f"{row.oddness:.1f}",
            "yes" if row.flagged else "no",
            "; ".join(row.reasons),
            *map(cell, row.values[:SHOWN_FEATURES]),
        ]
        for row in summary.odd_rows[:SHOWN_ROWS]
    ]
    return _escaped_table(["row", "oddness", "stands out", "why", *names], rows)


def _provenance(summary: ReportSummary) -> Iterator[str]:
    provenance = summary.provenance
    yield markdown_escaped(summary.setting) + "."
    # Four backticks: a call may hold three, in the name of a detector.
    yield f"````\n{provenance.call}\n````"
    versions = ", ".join(f"{name} {version}" for name, version in provenance.versions.items())
    yield f"Seed {provenance.seed}; {provenance.seconds:.1f} s in detectors; {versions}."


def _escaped_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown_table(
        [markdown_escaped(cell) for cell in head],
        [[markdown_escaped(cell) for cell in row] for row in rows],
    )
