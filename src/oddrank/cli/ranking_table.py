"""A ranking on the terminal: the table and the verdict in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from oddrank.cli.terminal import print_sentences, print_table
from oddrank.report import ReportSummary
from oddrank.report.summary import DetectorSummary, EstimateSummary, JudgementSummary

__all__ = ["print_ranking"]


def print_ranking(summary: ReportSummary) -> None:
    """Write the table, who cannot be separated, the verdict, and what to distrust."""
    areas = ["excess mass", "mass volume"]
    for judgement in summary.judgements:
        areas = ["score", *_beside(areas, ["area"], summary, judgement)]
    head = ["", "detector", *areas, "beats", "trust"]
    if summary.labels:
        head += ["ROC", "PR"]
    print_table(head, list(_rows(summary, len(areas))), left=(1, 3 + len(areas)))
    print_sentences(list(_sentences(summary)))


def _rows(summary: ReportSummary, n_areas: int) -> Iterator[list[str]]:
    for each in summary.detectors:
        trust = "failed" if each.failure else "yes" if each.trustworthy else "care"
        row = [f"{each.rank}." if each.rank else "-", each.name]
        if each.failure:
            row += ["-"] * (n_areas + 1) + [trust]
        else:
            row += _areas(summary, each)
            row += [str(each.beats or "-"), trust]
        for label in summary.labels:
            for areas in (label.roc_areas, label.precision_recall_areas):
                row.append(f"{areas[each.name]:.3f}" if each.name in areas else "-")
        yield row


def _areas(summary: ReportSummary, detector: DetectorSummary) -> list[str]:
    volumes = [_figure(detector.excess_mass), _figure(detector.mass_volume)]
    for judgement in summary.judgements:
        position = judgement.detectors.index(detector.name)
        score, areas = judgement.scores[position], judgement.areas[position]
        mean = f"{sum(areas) / len(areas):.3f}"
        score_text = f"{score.value:.2f} ±{score.standard_error:.2f}"
        return [score_text, *_beside(volumes, [mean], summary, judgement)]
    return volumes


def _beside(
    volumes: list[str], mean: list[str], summary: ReportSummary, judgement: JudgementSummary
) -> list[str]:
    # labelled areas need the room, and volumes do not decide
    return volumes if judgement.beside_volumes and not summary.labels else mean


def _sentences(summary: ReportSummary) -> Iterator[str]:
    yield f"Verdict: {summary.verdict}"
    for label in summary.labels:
        yield label.sentence
    for remark in summary.remarks:
        if not remark.startswith("Caution"):
            yield remark
    for group in summary.groups:
        if len(group) > 1:
            yield f"Cannot be separated: {', '.join(group)}."
    yield from _cautions(summary)


def _cautions(summary: ReportSummary) -> Iterator[str]:
    # One line for each thing that was looked at, with what was found for the first detector.
    of_check: dict[str, list[str]] = {}
    messages: dict[str, str] = {}
    for check in summary.diagnostics:
        if not check.ok:
            messages.setdefault(check.name, check.message)
            of_check.setdefault(check.name, []).extend(check.detectors)
    n_evaluated = sum(not detector.failure for detector in summary.detectors)
    for name, detectors in of_check.items():
        if len(detectors) == n_evaluated and len(set(detectors)) == n_evaluated:
            whom = "all detectors"
        else:
            whom = ", ".join(detectors)
        several = len(detectors) > 1 and _differ(summary, name)
        shown = f", for instance {detectors[0]}" if several else ""
        yield f"Caution ({whom}){shown}: {messages[name]}"


def _differ(summary: ReportSummary, name: str) -> bool:
    found = {check.message for check in summary.diagnostics if check.name == name and not check.ok}
    return len(found) > 1


def _figure(estimate: EstimateSummary) -> str:
    if not math.isfinite(estimate.value):
        return "unresolved"
    return f"{estimate.value:.3g} ±{100 * estimate.standard_error / abs(estimate.value):.0f}%"
