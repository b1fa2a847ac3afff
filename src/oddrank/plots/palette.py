"""Colours that colour-blind readers can tell apart, with line styles and markers for grey print.

The colours are those of Okabe and Ito ("Color Universal Design", 2008), without the yellow that
is hard to see on white paper. After the seventh series the colours repeat with other line styles.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SeriesStyle", "series_style"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 2), (2, 2), (8, 2, 2, 2), (10, 4), (1, 3))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True, kw_only=True)
class SeriesStyle:
    """How one detector is drawn.

    Attributes
    ----------
    colour : str
    dashes : tuple of float
        Lengths of strokes and gaps; empty for a solid line.
    marker : str
        A matplotlib marker.
    """

    colour: str
    dashes: tuple[float, ...]
    marker: str


def series_style(position: int) -> SeriesStyle:
    """Return the style of the series at this position; the first 42 all differ.

    Examples
    --------
    >>> series_style(0).colour, series_style(1).dashes
    ('#0072B2', (6, 2))
    >>> len({(style.colour, style.dashes) for style in map(series_style, range(42))})
    42
    """
    return SeriesStyle(
        colour=_COLOURS[position % len(_COLOURS)],
        dashes=_DASHES[position % len(_DASHES)],
        marker=_MARKERS[position % len(_MARKERS)],
    )
