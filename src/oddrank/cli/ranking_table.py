"""A ranking on the terminal: the table and the verdict in words."""

from __future__ import annotations

from collections.abc import Iterator

from oddrank.cli.terminal import print_sentences, print_table
from oddrank.report import ReportSummary

__all__ = ["print_ranking"]


def print_ranking(summary: ReportSummary) -> None:
    """Write the table, the verdict, and what to distrust."""
    table = summary.table
    left = [place for place, column in enumerate(table.columns) if column.is_text]
    print_table(table.head, table.cells, left=left)
    print_sentences([*_sentences(summary), *table.notes])


def _sentences(summary: ReportSummary) -> Iterator[str]:
    yield f"Verdict: {summary.verdict}"
    for label in summary.labels:
        yield label.sentence
    for remark in summary.remarks:
        if not remark.startswith("Caution"):
            yield remark
    yield from _cautions(summary)


def _cautions(summary: ReportSummary) -> Iterator[str]:
    # One line for each thing that was looked at, with what was found for the first detector.
    of_check: dict[str, list[str]] = {}
    messages: dict[str, list[str]] = {}
    for check in summary.diagnostics:
        if not check.ok:
            messages.setdefault(check.name, []).append(check.message)
            of_check.setdefault(check.name, []).extend(check.detectors)
    n_evaluated = sum(not detector.failure for detector in summary.detectors)
    for name, detectors in of_check.items():
        whom = "all detectors" if len(set(detectors)) == n_evaluated else ", ".join(detectors)
        several = len(detectors) > 1 and len(set(messages[name])) > 1
        shown = f", for instance {detectors[0]}" if several else ""
        yield f"Caution ({whom}){shown}: {messages[name][0]}"
