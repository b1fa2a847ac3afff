"""Charts of a search as drawing instructions: candidates by parameter, and the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from oddrank.plots.palette import series_style
from oddrank.report.axis import Axis, axis_for
from oddrank.report.line_chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Tick
from oddrank.report.tuning_summary import CandidateSummary, TuningSummary

__all__ = [
    "CalibrationChart",
    "SettingsChart",
    "calibration_chart",
    "settings_charts",
    "share_of_best",
]

# Dots at the ends stay clear of the frame.
MARGIN = 24.0


@dataclass(frozen=True, kw_only=True)
class SettingsDot:
    """A candidate: its place, the ends of its error bar, and what it is."""

    x: float
    y: float
    low: float
    high: float
    chosen: bool
    inseparable: bool
    text: str


@dataclass(frozen=True, kw_only=True)
class SettingsLine:
    """Candidates that differ in the parameter only."""

    name: str
    colour: str
    dashes: str
    path: str
    dots: tuple[SettingsDot, ...]


@dataclass(frozen=True, kw_only=True)
class SettingsChart:
    """All that the template needs to draw one chart."""

    parameter: str
    x_label: str
    lines: tuple[SettingsLine, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def settings_charts(candidates: Sequence[CandidateSummary]) -> tuple[SettingsChart, ...]:
    """Return one chart per parameter in which some compared candidates alone differ."""
    compared = [each for each in candidates if math.isfinite(each.deficit)]
    names = dict.fromkeys(name for each in compared for name in each.params)
    charts = []
    for name in names:
        having = [each for each in compared if name in each.params]
        if len({str(each.params[name]) for each in having}) > 1:
            charts.append(_chart(name, having))
    return tuple(chart for chart in charts if max(len(line.dots) for line in chart.lines) > 1)


def share_of_best(candidate: CandidateSummary, errors: float = 0.0) -> float:
    """Return the criterion in percent of the best one's, some standard errors higher."""
    return 100.0 * math.exp(-candidate.deficit + errors * candidate.error)


def _chart(name: str, candidates: Sequence[CandidateSummary]) -> SettingsChart:
    places, x_ticks, x_label = _abscissas(name, [each.params[name] for each in candidates])
    ends = [share_of_best(each, errors) for each in candidates for errors in (-1.0, 0.0, 1.0)]
    y_axis = axis_for([*ends, 100.0])
    series: dict[str, list[tuple[float, CandidateSummary]]] = {}
    for place, each in zip(places, candidates, strict=True):
        others = {key: value for key, value in each.params.items() if key != name}
        label = ", ".join(f"{key}={value}" for key, value in others.items())
        series.setdefault(label, []).append((place, each))
    lines = [_line(label, position, dots, y_axis)
             for position, (label, dots) in enumerate(series.items())]  # fmt: skip
    return SettingsChart(
        parameter=name,
        x_label=x_label,
        lines=tuple(lines),
        x_ticks=x_ticks,
        y_ticks=tuple(
            Tick(place=_up(value, y_axis), text=f"{value:.6g} %") for value in y_axis.ticks(6)
        ),
    )


def _abscissas(name: str, values: Sequence[Any]) -> tuple[list[float], tuple[Tick, ...], str]:
    """Return places of numbers on an axis; anything else, and mixtures, stand side by side."""
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        numbers = [float(value) for value in values]
        axis = axis_for(numbers, log=True)
        ticks = [Tick(place=_across(axis.share(value)), text=f"{value:.6g}")
                 for value in axis.ticks(6)]  # fmt: skip
        label = name + (", logarithmic scale" if axis.log else "")
        return [_across(axis.share(value)) for value in numbers], tuple(ticks), label
    kinds = list(dict.fromkeys(str(value) for value in values))
    across = {kind: _across(index / max(1, len(kinds) - 1)) for index, kind in enumerate(kinds)}
    ticks = [Tick(place=place, text=_shortened(kind)) for kind, place in across.items()]
    return [across[str(value)] for value in values], tuple(ticks), name


def _line(
    label: str, position: int, dots: Sequence[tuple[float, CandidateSummary]], y_axis: Axis
) -> SettingsLine:
    style = series_style(position)
    ordered = [_dot(place, each, y_axis) for place, each in sorted(dots, key=lambda dot: dot[0])]
    return SettingsLine(
        name=label,
        colour=style.colour,
        dashes=" ".join(f"{length * 1.5:g}" for length in style.dashes),
        path="M" + "L".join(f"{dot.x:.1f} {dot.y:.1f}" for dot in ordered),
        dots=tuple(ordered),
    )


def _dot(place: float, candidate: CandidateSummary, y_axis: Axis) -> SettingsDot:
    low, middle, high = (share_of_best(candidate, errors) for errors in (-1.0, 0.0, 1.0))
    return SettingsDot(
        x=place,
        y=_up(middle, y_axis),
        low=_up(low, y_axis),
        high=_up(high, y_axis),
        chosen=candidate.chosen,
        inseparable=candidate.inseparable,
        text=f"{candidate.settings}: {middle:.1f} % of the best, {low:.1f} to {high:.1f}; "
        f"{candidate.state}",
    )


def _shortened(text: str, most: int = 14) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _across(share: float) -> float:
    return LEFT + MARGIN + share * (WIDTH - LEFT - RIGHT - 2.0 * MARGIN)


def _up(value: float, axis: Axis) -> float:
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)


BASE, TALLEST = 150.0, 130.0
N_BINS = 40
# Log densities of far rows may be huge: the picture shows the rest, and counts them at its edge.
SHOWN_SPANS = 3.0


@dataclass(frozen=True, kw_only=True)
class CalibrationChart:
    """Bars (left, top, width, height, flagged), the threshold's place, and the axis."""

    bars: tuple[tuple[float, float, float, float, bool], ...]
    threshold: float
    ticks: tuple[Tick, ...]
    n_below: int
    n_rows: int


def calibration_chart(summary: TuningSummary) -> CalibrationChart:
    """Lay out a histogram; scores far below the threshold are counted in its first bar."""
    scores, threshold = np.array(summary.calibration_scores), summary.threshold
    reach = SHOWN_SPANS * (float(np.median(scores)) - threshold)
    lowest = threshold - reach if reach > 0.0 else float(scores.min())
    shown = np.maximum(scores, lowest)
    axis = axis_for([*shown.tolist(), threshold])
    # the threshold is an edge, so that no bar is flagged in part
    width = (axis.high - axis.low) / N_BINS
    below = int(np.ceil((threshold - axis.low) / width))
    above = int(np.ceil((axis.high - threshold) / width)) + 1
    edges = (threshold + width * np.arange(-below, above + 1)).tolist()
    counts, _ = np.histogram(shown, edges)
    tallest = max(1, int(counts.max()))
    span = WIDTH - LEFT - RIGHT

    def across(value: float) -> float:
        return float(LEFT + span * (value - edges[0]) / (edges[-1] - edges[0]))

    bars = tuple(
        (
            across(left),
            BASE - TALLEST * count / tallest,
            across(right) - across(left) - 1.0,
            TALLEST * count / tallest,
            position < below,
        )
        for position, (left, right, count) in enumerate(
            zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
        )
        if count
    )
    return CalibrationChart(
        bars=bars,
        threshold=across(threshold),
        ticks=tuple(Tick(place=across(value), text=f"{value:.6g}") for value in axis.ticks(8)),
        n_below=int(np.count_nonzero(scores < threshold)),
        n_rows=len(scores),
    )
