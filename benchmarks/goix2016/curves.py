"""EM and MV curves of every dataset and setting, averaged over seeds and drawn.

Levels and volumes are relative to the box, as they are stored. Bands show one standard deviation
over seeds; with one seed there is none.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.goix2016.paper import FLOOR, in_printed_order
from benchmarks.goix2016.seed_tables import groups_of
from benchmarks.goix2016.study import RELATIVE_LEVELS, STORED_MASSES
from benchmarks.prepare import SETTINGS, FloatArray
from benchmarks.rows import Row
from oddrank.plots.palette import series_style

_ABSCISSAS = {"em": RELATIVE_LEVELS, "mv": STORED_MASSES}


@dataclass(frozen=True, kw_only=True, eq=False)
class Band:
    """A detector's mean curve, and one standard deviation around it."""

    name: str
    x: FloatArray
    y: FloatArray
    lower: FloatArray
    upper: FloatArray

    def part(self, chosen: Any) -> Band:
        """Return the chosen points."""
        return Band(
            name=self.name,
            x=self.x[chosen],
            y=self.y[chosen],
            lower=self.lower[chosen],
            upper=self.upper[chosen],
        )


@dataclass(frozen=True, kw_only=True)
class AveragedCurves:
    """The curves of all detectors on one dataset in one setting.

    `n_draws` is 0 where all features are used at once.
    """

    dataset: str
    setting: str
    excess_mass: tuple[Band, ...]
    mass_volume: tuple[Band, ...]
    n_seeds: int
    n_draws: int


def averaged_curves(rows: Sequence[Row], setting: str) -> list[AveragedCurves]:
    """Return the curves of every dataset that has any; only preset `oddrank` stores them."""
    found = []
    for dataset, by_seed in groups_of(rows, setting, "oddrank").items():
        of_detector: dict[str, list[Row]] = {}
        for row in (row for each in by_seed.values() for row in each):
            of_detector.setdefault(row["detector"], []).append(row)
        bands = {kind: _bands(of_detector, kind) for kind in _ABSCISSAS}
        n_draws = max(row["n_draws"] for each in by_seed.values() for row in each)
        found.append(
            AveragedCurves(
                dataset=dataset,
                setting=setting,
                excess_mass=bands["em"],
                mass_volume=bands["mv"],
                n_seeds=len(by_seed),
                n_draws=n_draws,
            )
        )
    return found


def _bands(of_detector: Mapping[str, list[Row]], kind: str) -> tuple[Band, ...]:
    bands = []
    for name in in_printed_order(of_detector, 1):
        curves = np.array([row["oddrank"]["curves"][kind] for row in of_detector[name]])
        reach = curves.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(curves.shape[1])
        middle = curves.mean(axis=0)
        bands.append(
            Band(
                name=name,
                x=_ABSCISSAS[kind],
                y=middle,
                lower=np.maximum(middle - reach, 0.0),
                upper=middle + reach,
            )
        )
    return tuple(bands)


def draw_figures(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw every dataset and setting as DATASET_SETTING.png, and return the files."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for setting in SETTINGS:
        for curves in averaged_curves(rows, setting):
            path = folder / f"{curves.dataset}_{setting}.png"
            with matplotlib.rc_context({"font.size": 9}):
                _save(draw_curves(curves), path)
            written.append(path)
    return written


def _save(figure: Any, path: Path) -> None:
    """Save with a palette: a third of the size, without a visible difference."""
    from PIL import Image  # matplotlib brings it along

    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    picture.seek(0)
    with Image.open(picture) as image:
        image.convert("RGB").quantize(colors=96).save(path, optimize=True)


def draw_curves(curves: AveragedCurves) -> Any:
    """Return a matplotlib figure with EM on the left and MV on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_excess_mass(left, curves.excess_mass)
    _draw_mass_volume(right, curves.mass_volume)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    seeds = f"{curves.n_seeds} seeds" if curves.n_seeds > 1 else "one seed"
    draws = f", {curves.n_draws} draws of features each" if curves.n_draws else ""
    band = "; bands: one standard deviation over seeds" if curves.n_seeds > 1 else ""
    figure.suptitle(f"{curves.dataset}, {curves.setting}: {seeds}{draws}{band}", fontsize=9)
    return figure


def _draw_bands(ax: Any, bands: Sequence[Band]) -> None:
    for position, band in enumerate(bands):
        style = series_style(position)
        (line,) = ax.plot(
            band.x,
            band.y,
            color=style.colour,
            marker=style.marker,
            markevery=(position % 3, max(1, len(band.x) // 7)),
            markersize=5,
            label=band.name,
            linewidth=1.4,
        )
        if style.dashes:
            line.set_dashes(style.dashes)
        ax.fill_between(band.x, band.lower, band.upper, color=style.colour, alpha=0.18, linewidth=0)
    ax.minorticks_off()
    ax.grid(alpha=0.25)


def _draw_excess_mass(ax: Any, bands: Sequence[Band]) -> None:
    shown = [band.part(band.x > 0.0) for band in bands]  # the axis has no place for level 0
    end = max(band.x[band.y <= FLOOR].min(initial=band.x[-1]) for band in shown)
    shown = [band.part(band.x <= end) for band in shown]
    ax.set_xscale("log")
    _draw_bands(ax, shown)
    ax.axhline(FLOOR, color="0.35", linewidth=0.8, linestyle=":")
    ax.set_xlim(shown[0].x[0], end)
    _label_few_decades(ax.xaxis)
    ax.set_ylim(FLOOR - 0.005, 1.002)
    ax.set_xlabel("level × volume of the box")
    ax.set_ylabel("excess mass (higher is better)")


def _draw_mass_volume(ax: Any, bands: Sequence[Band]) -> None:
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
    ax.set_yscale("log")
    _draw_bands(ax, shown)
    ax.set_ylim(floor, 1.3 * max(np.nanmax(band.y) for band in shown))
    _label_few_decades(ax.yaxis)
    ax.set_xlim(bands[0].x[0], bands[0].x[-1])
    ax.set_xlabel("mass")
    ax.set_ylabel("volume, share of the box\n(lower is better)")


def _label_few_decades(axis: Any) -> None:
    """Label 1, 2 and 5 where powers of ten alone would leave an axis almost bare."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    low, high = axis.get_view_interval()
    if high < 50.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
