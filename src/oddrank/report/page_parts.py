"""What the page shows beside the summary's own values: places in small charts, and the matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass

from oddrank.criteria import Estimate
from oddrank.plots.palette import series_style
from oddrank.ranking import RankingTable
from oddrank.report.axis import Axis, axis_for
from oddrank.report.line_chart import LineChart, line_chart
from oddrank.report.summary import ReportSummary

__all__ = [
    "IntervalPlace",
    "MatrixCell",
    "Strip",
    "charts",
    "draw_strips",
    "importance_places",
    "interval_places",
    "matrix",
]


@dataclass(frozen=True, kw_only=True)
class IntervalPlace:
    """Where an interval lies in its small chart, in percent of the width."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    """What one detector is against another: "beats", "loses", "tied" or "none"."""

    kind: str
    text: str
    explanation: str


@dataclass(frozen=True, kw_only=True)
class Strip:
    """One detector's criterion in every draw, against the winner's."""

    name: str
    colour: str
    dots: tuple[tuple[float, str], ...]


def charts(summary: ReportSummary) -> tuple[LineChart, ...]:
    """Lay out the curves; nothing where features were sub-sampled."""
    found = []
    if summary.mass_volume_curves:
        found.append(
            line_chart(
                summary.mass_volume_curves,
                key="mass-volume",
                title="Mass-volume curves: lower is better",
                x_label="mass: share of the rows inside",
                y_label="volume",
                description="How much space each detector needs to hold a share of the rows.",
                log=True,
            )
        )
    if summary.excess_mass_curves:
        found.append(
            line_chart(
                summary.excess_mass_curves,
                key="excess-mass",
                title="Excess-mass curves: higher is better",
                x_label="level t: mass per volume",
                y_label="excess mass",
                description="How much more mass than t times volume the best level set holds.",
                log=False,
            )
        )
    return tuple(found)


def interval_places(table: RankingTable) -> dict[str, dict[str, IntervalPlace]]:
    """Return, by column and detector, where intervals lie on a scale that they share."""
    places = {}
    for column in table.columns:
        estimates = {
            row["detector"]: row[column.name]
            for row in table.rows
            if isinstance(row[column.name], Estimate) and row[column.name].resolved
        }
        ends = [end for each in estimates.values() for end in each.interval]
        axis = axis_for(ends, log=column.error == "relative")
        places[column.name] = {
            name: _place(axis, each.value, *each.interval) for name, each in estimates.items()
        }
    return {name: found for name, found in places.items() if found}


def importance_places(summary: ReportSummary) -> tuple[dict[str, IntervalPlace], float]:
    """Return where each feature's gain lies, and where no gain is."""
    known = [each for each in summary.importances if math.isfinite(each.gain)]
    axis = axis_for([0.0, *(end for each in known for end in (each.lower, each.upper))])
    places = {each.feature: _place(axis, each.gain, each.lower, each.upper) for each in known}
    return places, 100.0 * axis.share(0.0)


def matrix(
    summary: ReportSummary, criterion: str
) -> tuple[tuple[str, tuple[MatrixCell, ...]], ...]:
    """Return one row per ranked detector, with a cell against every other one."""
    names = [each.name for each in summary.detectors if not each.failure]
    return tuple(
        (name, tuple(_cell(summary, criterion, name, other) for other in names)) for name in names
    )


def draw_strips(summary: ReportSummary) -> tuple[tuple[Strip, ...], tuple[tuple[float, str], ...]]:
    """Return a strip of dots per detector, and the numbers of their common scale."""
    if not summary.draws or not summary.order:
        return (), ()
    winner = summary.order[0]
    ratios = {
        detector.name: [
            (draw.values[detector.name] / draw.values[winner], ", ".join(draw.features))
            for draw in summary.draws
            if draw.values[winner] > 0 and draw.values[detector.name] > 0
        ]
        for detector in summary.detectors
        if not detector.failure
    }
    axis = axis_for([ratio for each in ratios.values() for ratio, _ in each] + [0.5, 2], log=True)
    if not axis.log:
        axis = Axis(low=axis.low, high=axis.high, log=True)
    strips = tuple(
        Strip(
            name=name,
            colour=series_style(position).colour,
            dots=tuple(
                (100 * axis.share(ratio), f"{ratio:.3g} of {winner} in {features}")
                for ratio, features in each
            ),
        )
        for position, (name, each) in enumerate(ratios.items())
    )
    marks = sorted({1.0, *(tick for tick in axis.ticks(3) if tick > 0)})
    return strips, tuple((100 * axis.share(mark), f"{mark:.3g}") for mark in marks)


def _place(axis: Axis, value: float, lower: float, upper: float) -> IntervalPlace:
    return IntervalPlace(
        value=100 * axis.share(value), lower=100 * axis.share(lower), upper=100 * axis.share(upper)
    )


def _cell(summary: ReportSummary, criterion: str, name: str, other: str) -> MatrixCell:
    for each in summary.comparisons:
        if each.criterion == criterion and {each.better, each.worse} == {name, other}:
            explanation = (
                f"{each.better} leads {each.worse} by {each.in_words}, p = {each.p_value:.2g}: "
                f"{'clear' if each.separated else 'the two cannot be told apart'}"
            )
            if not each.separated:
                return MatrixCell(
                    kind="tied", text=f"≈ {each.p_value:.2f}", explanation=explanation
                )
            ahead = each.better == name
            kind, sign = ("beats", "▲") if ahead else ("loses", "▼")
            is_ratio = any(c.unit for c in summary.criteria if c.name == criterion)
            size = f"×{1.0 + each.lead:.3g}" if is_ratio else f"{each.lead:.3f}"
            text = f"{sign} {size}"
            return MatrixCell(kind=kind, text=text, explanation=explanation)
    return MatrixCell(kind="none", text="·", explanation="not compared")
