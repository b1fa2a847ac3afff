"""Scores of the calibration rows and the threshold, as drawing instructions for the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddrank.report.axis import axis_for
from oddrank.report.line_chart import LEFT, RIGHT, WIDTH, Tick
from oddrank.report.tuning_summary import TuningSummary

__all__ = ["CalibrationChart", "calibration_chart"]

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
