"""Curves with bands on one pair of axes: what both curve displays share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oddrank._palette import series_style
from oddrank.display.matplotlib_axes import shortened
from oddrank.evaluation import CurveBand, Evaluation

__all__ = ["as_named", "band_rows", "draw_bands"]

MARKERS_PER_CURVE = 7


def as_named(evaluations: Any) -> dict[str, Evaluation]:
    """Return evaluations by name, from a mapping, a ranking, a sequence or a single one."""
    if isinstance(evaluations, Evaluation):
        evaluations = [evaluations]
    evaluations = getattr(evaluations, "evaluations", evaluations)
    if isinstance(evaluations, Mapping):
        return dict(evaluations)
    return {evaluation.name: evaluation for evaluation in evaluations}


def draw_bands(ax: Any, bands: Sequence[CurveBand], *, steps: bool, line_kwargs: Any) -> list[Any]:
    """Draw each curve over its band, and return the lines."""
    lines = []
    for position, band in enumerate(bands):
        style = series_style(position)
        drawn = "steps-pre" if steps else "default"
        options = {
            "color": style.colour,
            "marker": style.marker,
            "markevery": (position % 3, max(1, len(band.x) // MARKERS_PER_CURVE)),
            "markersize": 5,
            "drawstyle": drawn,
            "label": shortened(band.name),
            **(line_kwargs or {}),
        }
        if style.dashes and "linestyle" not in options:
            options["dashes"] = style.dashes
        (line,) = ax.plot(band.x, band.y, **options)
        ax.fill_between(
            band.x,
            band.lower,
            band.upper,
            step="pre" if steps else None,
            color=line.get_color(),
            alpha=0.18,
            linewidth=0,
        )
        lines.append(line)
    return lines


def band_rows(bands: Sequence[CurveBand], x: str, y: str) -> list[dict[str, object]]:
    """Return one row per point of each curve."""
    return [
        {"detector": band.name, x: a, y: b, "lower": low, "upper": high}
        for band in bands
        for a, b, low, high in np.column_stack([band.x, band.y, band.lower, band.upper]).tolist()
    ]
