"""The report as Markdown, for issues, wikis and mails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from oddrank.report.page_template import figure, percent
from oddrank.report.summary import EstimateSummary, ReportSummary

__all__ = ["markdown"]

SHOWN_ROWS = 10
SHOWN_FEATURES = 8


def markdown(summary: ReportSummary) -> str:
    """Return headings, tables and sentences; names from the data are escaped."""
    parts = [f"# {_text(summary.title)}", f"**{_text(summary.verdict)}**"]
    parts += [_text(label.sentence) for label in summary.labels]
    parts += [_text(remark) for remark in summary.remarks]
    parts += ["## Ranking", _ranking(summary)]
    parts += [
        f"Cannot be separated: {_text(', '.join(group))}."
        for group in summary.groups
        if len(group) > 1
    ]
    parts += ["## When to trust it", *_trust(summary)]
    if summary.importances:
        parts += ["## Feature importances", _importances(summary)]
    if summary.odd_rows:
        parts += ["## The oddest rows", _rows(summary)]
    parts += ["## How it was computed", *_provenance(summary)]
    return "\n\n".join(parts) + "\n"


def _ranking(summary: ReportSummary) -> str:
    head = ["", "detector", "excess mass", "mass volume", "beats", "trust"]
    if summary.labels:
        head += ["ROC area", "PR area"]
    rows = []
    for each in summary.detectors:
        trust = "failed" if each.failure else "yes" if each.trustworthy else "with care"
        row = [str(each.rank or "–"), each.name, _estimate(each.excess_mass)]
        row += [_estimate(each.mass_volume), str(each.beats or "–"), trust]
        for label in summary.labels:
            row += [figure(label.roc_areas.get(each.name, float("nan")))]
            row += [figure(label.precision_recall_areas.get(each.name, float("nan")))]
        rows.append(row)
    return _table(head, rows)


def _trust(summary: ReportSummary) -> Iterator[str]:
    concerns = [check for check in summary.diagnostics if not check.ok]
    if not concerns:
        yield "Nothing that was looked at speaks against these figures."
        return
    yield "\n".join(
        f"- {_text(check.name)} ({_text(', '.join(check.detectors))}): {_text(check.message)}"
        for check in concerns
    )


def _importances(summary: ReportSummary) -> str:
    rows = [
        [each.feature, percent(each.gain), f"{percent(each.lower)} to {percent(each.upper)}"]
        for each in summary.importances
    ]
    return _table(["feature", f"gain of {summary.importance_of}", "interval"], rows)


def _rows(summary: ReportSummary) -> str:
    names = summary.data.feature_names[:SHOWN_FEATURES]
    rows = [
        [str(row.row), figure(row.score), *map(figure, row.values[:SHOWN_FEATURES])]
        for row in summary.odd_rows[:SHOWN_ROWS]
    ]
    return _table(["row", "score", *names], rows)


def _provenance(summary: ReportSummary) -> Iterator[str]:
    provenance = summary.provenance
    yield _text(summary.setting) + "."
    # Four backticks: a call may hold three, in the name of a detector.
    yield f"````\n{provenance.call}\n````"
    versions = ", ".join(f"{name} {version}" for name, version in provenance.versions.items())
    yield f"Seed {provenance.seed}; {provenance.seconds:.1f} s in detectors; {versions}."


def _estimate(estimate: EstimateSummary) -> str:
    if estimate.value != estimate.value:
        return "unresolved"
    return f"{figure(estimate.value)} [{figure(estimate.lower)}, {figure(estimate.upper)}]"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell if cell == "---" else _text(cell) for cell in line) + " |"
        for line in lines
    )


def _text(text: str) -> str:
    """Escape what Markdown or HTML would read as anything but text.

    Examples
    --------
    >>> print(_text("a|b <i>").replace(chr(92), "(backslash)"))
    a(backslash)|b &lt;i&gt;
    """
    escaped = re.sub(r"([\\`*_\[\]|#])", r"\\\1", " ".join(text.split()))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
