"""Axes to draw on, if matplotlib is there."""

from __future__ import annotations

from typing import Any

from oddrank.errors import MissingExtraError

__all__ = ["axes_to_draw_on", "shortened"]

LONGEST_LABEL = 40


def axes_to_draw_on(ax: Any, *, figsize: tuple[float, float] = (6.4, 4.4)) -> Any:
    """Return the axes that were given, or new ones in a figure of their own."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError(
            "plot() needs matplotlib. Install it with: pip install 'oddrank[plot]'"
        ) from None
    return pyplot.subplots(figsize=figsize, layout="constrained")[1]


def shortened(name: str) -> str:
    """Return a label that leaves room for the picture, with no mathematics read into it."""
    short = name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"
    return short.replace("$", r"\$")
