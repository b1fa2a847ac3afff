"""One figure per dataset and setting: EM and MV curves of all detectors, from stored rows only."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from oddrank.benchmark.averaged_curves import AveragedCurves, averaged_curves
from oddrank.benchmark.printed_tables import SETTINGS
from oddrank.display.curve_plot import draw_bands
from oddrank.errors import MissingExtraError
from oddrank.evaluation import CurveBand

__all__ = ["write_figures"]

FLOOR = 0.9
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "oddrank", "font.size": 9}


def write_figures(
    rows: Sequence[Mapping[str, Any]],
    folder: str | os.PathLike[str],
    *,
    settings: Sequence[str] = SETTINGS,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Draw every dataset and setting that has stored curves, and return the files.

    Parameters
    ----------
    rows : rows of a benchmark
    folder : path
        Files are called DATASET_SETTING.png and .svg.
    settings, formats : sequences of str

    Returns
    -------
    list of paths
    """
    matplotlib = _matplotlib()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for setting in settings:
        for curves in averaged_curves(rows, setting):
            with matplotlib.rc_context(_STYLE):
                figure = draw_curves(curves)
                for kind in formats:
                    path = target / f"{curves.dataset}_{setting}.{kind}"
                    _save(figure, path, kind)
                    written.append(path)
    return written


def _save(figure: Any, path: Path, kind: str) -> None:
    # no date: the same rows give the same file
    metadata = {"Date": None} if kind == "svg" else None
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=110, metadata=metadata)
    if kind == "png":
        _few_colours(buffer, path)
    else:
        path.write_bytes(buffer.getvalue())


def _few_colours(picture: io.BytesIO, path: Path) -> None:
    """Save with a palette: a third of the size, and no eye sees it."""
    from PIL import Image  # matplotlib brings it along

    picture.seek(0)
    with Image.open(picture) as image:
        image.convert("RGB").quantize(colors=96).save(path, optimize=True)


def draw_curves(curves: AveragedCurves) -> Any:
    """Return a matplotlib figure with EM on the left and MV on the right."""
    _matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_excess_mass(left, curves.excess_mass)
    _draw_mass_volume(right, curves.mass_volume)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(f"{curves.dataset}, {curves.setting}: {_averaged_over(curves)}", fontsize=9)
    return figure


def _draw_excess_mass(ax: Any, bands: Sequence[CurveBand]) -> None:
    shown = [_part(band, band.x > 0.0) for band in bands]  # the axis has no place for level 0
    end = max(band.x[band.y <= FLOOR].min(initial=band.x[-1]) for band in shown)
    shown = [_part(band, band.x <= end) for band in shown]
    draw_bands(ax, shown, steps=False, line_kwargs={"linewidth": 1.4})
    ax.axhline(FLOOR, color="0.35", linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.set_xlim(shown[0].x[0], end)
    _label_few_decades(ax.xaxis)
    ax.set_ylim(FLOOR - 0.005, 1.002)
    ax.set_xlabel("level × volume of the box")
    ax.set_ylabel("excess mass (higher is better)")
    _quiet_grid(ax)


def _draw_mass_volume(ax: Any, bands: Sequence[CurveBand]) -> None:
    smallest = min((band.y[band.y > 0.0].min(initial=1.0) for band in bands), default=1.0)
    floor = 0.7 * smallest
    # a logarithmic axis has no place for an empty set or a band that reaches 0
    shown = [
        replace(
            band,
            y=np.where(band.y > 0.0, band.y, np.nan),
            lower=np.maximum(band.lower, floor / 10.0),
            upper=np.maximum(band.upper, floor / 10.0),
        )
        for band in bands
    ]
    draw_bands(ax, shown, steps=False, line_kwargs={"linewidth": 1.4})
    ax.set_yscale("log")
    ax.set_ylim(floor, 1.3 * max(np.nanmax(band.y) for band in shown))
    _label_few_decades(ax.yaxis)
    ax.set_xlim(bands[0].x[0], bands[0].x[-1])
    ax.set_xlabel("mass")
    ax.set_ylabel("volume, share of the box\n(lower is better)")
    _quiet_grid(ax)


def _label_few_decades(axis: Any) -> None:
    """Label 1, 2 and 5 where powers of ten alone would leave an axis almost bare."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    low, high = axis.get_view_interval()
    if high < 50.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _quiet_grid(ax: Any) -> None:
    ax.minorticks_off()
    ax.grid(alpha=0.25)


def _part(band: CurveBand, chosen: Any) -> CurveBand:
    return replace(
        band,
        x=band.x[chosen],
        y=band.y[chosen],
        lower=band.lower[chosen],
        upper=band.upper[chosen],
    )


def _averaged_over(curves: AveragedCurves) -> str:
    seeds = f"{curves.n_seeds} seeds" if curves.n_seeds > 1 else "one seed"
    draws = f", {curves.n_draws} draws of features each" if curves.n_draws else ""
    return f"{seeds}{draws}; bands: one {curves.band}"


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "Figures need matplotlib. Install it with: pip install 'oddrank[plot]'"
        ) from None
    return matplotlib
