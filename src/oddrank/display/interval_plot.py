"""Names on one side, values with intervals on the other: what two displays share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank._palette import series_style
from oddrank.display.matplotlib_axes import axes_to_draw_on, shortened

__all__ = ["draw_intervals"]


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
    ax.set_yticks(range(len(rows)), [shortened(str(row[name])) for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="x", alpha=0.3)
    return ax
