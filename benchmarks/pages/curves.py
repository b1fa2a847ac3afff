"""EM and MV curves of every dataset and setting, averaged and drawn, from stored rows only.

Levels and volumes are relative to the box, as they are stored. Bands show one standard deviation
over seeds. With one seed they show one standard error instead: over draws of features where there
are any, otherwise the stored one, of rows and reference points.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.benchmark import (
    RELATIVE_LEVELS,
    SETTINGS,
    STORED_MASSES,
    chosen_rows,
    in_printed_order,
)
from oddrank.evaluation import CurveBand
from oddrank.plots import draw_bands

__all__ = ["AveragedCurves", "averaged_curves", "draw_curves", "draw_figures"]

Row = Mapping[str, Any]
FLOOR = 0.9
_ABSCISSAS = {"em": RELATIVE_LEVELS, "mv": STORED_MASSES}
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "oddrank", "font.size": 9}


@dataclass(frozen=True, kw_only=True)
class AveragedCurves:
    """The curves of all detectors on one dataset in one setting.

    Attributes
    ----------
    dataset, setting : str
    excess_mass, mass_volume : tuple of CurveBand
        One per detector.
    n_seeds, n_draws : int
        What they are averaged over; no draws where all features are used at once.
    band : str
        What the bands show.
    """

    dataset: str
    setting: str
    excess_mass: tuple[CurveBand, ...]
    mass_volume: tuple[CurveBand, ...]
    n_seeds: int
    n_draws: int
    band: str


def averaged_curves(rows: Sequence[Row], setting: str) -> list[AveragedCurves]:
    """Return the curves of every dataset that has any; only preset `oddrank` stores them."""
    stored = [row for row in chosen_rows(rows, setting, "oddrank") if "curves" in row]
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in stored:
        groups.setdefault(row["dataset"], {}).setdefault(row["detector"], []).append(row)
    return [_averaged(dataset, setting, groups[dataset]) for dataset in in_printed_order(groups, 0)]


def _averaged(dataset: str, setting: str, of_detector: Mapping[str, list[Row]]) -> AveragedCurves:
    names = in_printed_order(of_detector, 1)
    everything = [row for rows in of_detector.values() for row in rows]
    n_seeds = len({row["seed"] for row in everything})
    n_draws = len({row["draw"] for row in everything if row["draw"] >= 0})
    if n_seeds > 1:
        band = "standard deviation over seeds"
    else:
        band = "standard error over draws" if n_draws > 1 else "standard error"
    bands = {
        kind: tuple(_band(name, of_detector[name], kind) for name in names) for kind in _ABSCISSAS
    }
    return AveragedCurves(
        dataset=dataset,
        setting=setting,
        excess_mass=bands["em"],
        mass_volume=bands["mv"],
        n_seeds=n_seeds,
        n_draws=n_draws,
        band=band,
    )


def _band(name: str, rows: Sequence[Row], kind: str) -> CurveBand:
    of_seed: dict[int, list[Any]] = {}
    for row in rows:
        of_seed.setdefault(row["seed"], []).append(row["curves"][kind])
    seeds: list[FloatArray] = [np.array(curves) for curves in of_seed.values()]
    means = np.array([curves.mean(axis=0) for curves in seeds])
    if len(means) > 1:
        reach = means.std(axis=0, ddof=1)
    elif len(seeds[0]) > 1:
        reach = seeds[0].std(axis=0, ddof=1) / np.sqrt(len(seeds[0]))
    else:
        reach = np.array(rows[0]["curves"][f"{kind}_error"])
    middle = means.mean(axis=0)
    return CurveBand(
        name=name,
        x=_ABSCISSAS[kind],
        y=middle,
        lower=np.maximum(middle - reach, 0.0),
        upper=middle + reach,
    )


def draw_figures(
    rows: Sequence[Row],
    folder: Path,
    *,
    settings: Sequence[str] = SETTINGS,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Draw every dataset and setting that has stored curves, and return the files.

    They are called DATASET_SETTING.png and .svg.
    """
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for setting in settings:
        for curves in averaged_curves(rows, setting):
            with matplotlib.rc_context(_STYLE):
                figure = draw_curves(curves)
                for kind in formats:
                    path = folder / f"{curves.dataset}_{setting}.{kind}"
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
    """Save with a palette: a third of the size, without a visible difference."""
    from PIL import Image  # matplotlib brings it along

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
