"""Curves with bands as drawing instructions for the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from oddrank.plots.palette import series_style
from oddrank.report.axis import Axis, axis_for
from oddrank.report.summary import CurveSummary

__all__ = ["ChartLine", "LineChart", "Tick", "line_chart"]

WIDTH, HEIGHT = 720.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 72.0, 14.0, 40.0, 58.0


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A place on an axis and the number beside it."""

    place: float
    text: str


@dataclass(frozen=True, kw_only=True)
class ChartLine:
    """A curve, its band, and how they look."""

    name: str
    colour: str
    dashes: str
    line: str
    band: str


@dataclass(frozen=True, kw_only=True)
class LineChart:
    """All that the template needs to draw a chart, and the script to read values off it."""

    key: str
    title: str
    x_label: str
    y_label: str
    description: str
    lines: tuple[ChartLine, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    data: dict[str, Any]


def line_chart(
    curves: Sequence[CurveSummary],
    *,
    key: str,
    title: str,
    x_label: str,
    y_label: str,
    description: str,
    log: bool,
) -> LineChart:
    """Lay out curves that share their abscissas."""
    x_axis = axis_for(curves[0].x)
    y_axis = axis_for((value for curve in curves for value in _shown(curve)), log=log)
    return LineChart(
        key=key,
        title=title,
        x_label=x_label,
        y_label=y_label + (", logarithmic scale" if y_axis.log else ""),
        description=description,
        lines=tuple(_line(curve, place, x_axis, y_axis) for place, curve in enumerate(curves)),
        x_ticks=tuple(
            Tick(place=_across(value, x_axis), text=f"{value:.6g}") for value in x_axis.ticks(6)
        ),
        y_ticks=tuple(
            Tick(place=_up(value, y_axis), text=f"{value:.6g}") for value in y_axis.ticks(6)
        ),
        data={
            "x": [f"{value:.4g}" for value in curves[0].x],
            "places": [round(_across(value, x_axis), 1) for value in curves[0].x],
            "series": [_readings(curve) for curve in curves],
        },
    )


def _shown(curve: CurveSummary) -> Iterable[float]:
    # A band may reach down to 0 or up to infinity; the axis follows the curves and bands beside it.
    yield from curve.y
    yield from (low for low, y in zip(curve.lower, curve.y, strict=True) if low > y / 4)
    yield from (high for high, y in zip(curve.upper, curve.y, strict=True) if high < y * 4)


def _line(curve: CurveSummary, place: int, x_axis: Axis, y_axis: Axis) -> ChartLine:
    style = series_style(place)
    across = [_across(value, x_axis) for value in curve.x]
    there = list(zip(across, [_up(value, y_axis) for value in curve.upper], strict=True))
    back = list(zip(across, [_up(value, y_axis) for value in curve.lower], strict=True))[::-1]
    heights = [_up(value, y_axis) for value in curve.y]
    return ChartLine(
        name=curve.detector,
        colour=style.colour,
        dashes=" ".join(f"{length * 1.5:g}" for length in style.dashes),
        line=_path(zip(across, heights, strict=True)),
        band=_path(there + back) + "Z",
    )


def _readings(curve: CurveSummary) -> dict[str, Any]:
    texts = [
        f"{y:.4g} [{low:.4g}, {high:.4g}]"
        for y, low, high in zip(curve.y, curve.lower, curve.upper, strict=True)
    ]
    return {"name": curve.detector, "texts": texts}


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _across(value: float, axis: Axis) -> float:
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)


def _up(value: float, axis: Axis) -> float:
    share = axis.share(value) if math.isfinite(value) else 1.0
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
