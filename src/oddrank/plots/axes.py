"""Axes to draw on, if matplotlib is there, and what several displays draw on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank._text import shortened
from oddrank.errors import missing_extra
from oddrank.plots.palette import series_style

__all__ = ["axes_to_draw_on", "draw_intervals", "label"]

LONGEST_LABEL = 30


def axes_to_draw_on(ax: Any, *, figsize: tuple[float, float] = (6.4, 4.4)) -> Any:
    """Return the axes that were given, or new ones in a figure of their own."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot() needs matplotlib", "plot") from None
    return pyplot.subplots(figsize=figsize, layout="constrained")[1]


def label(name: str) -> str:
    """Return a name that leaves room for the picture, with no mathematics read into it."""
    return shortened(name, LONGEST_LABEL).replace("$", r"\$")


def draw_intervals(
    ax: Any, rows: Sequence[Mapping[str, Any]], *, name: str, value: str, one_style: bool
) -> Any:
    """Draw one line per row, the first at the top, and return the axes.

    Rows have `name`, `value`, "lower" and "upper"; rows without a value are named and left empty.
    """
    ax = axes_to_draw_on(ax, figsize=(6.4, 1.2 + 0.36 * len(rows)))
    for position, row in enumerate(rows):
        if row[value] != row[value]:  # NaN: unresolved
            ax.annotate(" unresolved", (0.01, position), xycoords=("axes fraction", "data"),
                        va="center", fontstyle="italic")  # fmt: skip
            continue
        style = series_style(0 if one_style else position)
        reach = [[row[value] - row["lower"]], [row["upper"] - row[value]]]
        ax.errorbar(row[value], position, xerr=reach, fmt=style.marker, color=style.colour,
                    capsize=4, linewidth=2, markersize=6)  # fmt: skip
    ax.set_yticks(range(len(rows)), [label(str(row[name])) for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="x", alpha=0.3)
    return ax
