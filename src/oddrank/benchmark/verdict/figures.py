"""Figures of the verdict benchmark: every judge, and what was predicted against what was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oddrank._palette import series_style
from oddrank.benchmark.verdict.calibration import reliability
from oddrank.benchmark.verdict.page import BIN_EDGES
from oddrank.benchmark.verdict.table import verdict_table
from oddrank.errors import MissingExtraError

__all__ = ["draw_figures"]

Row = Mapping[str, Any]
FEWEST_DATASETS = 3
_TITLES = {"novelty": "clean training rows", "unsupervised": "polluted training rows"}


def draw_figures(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write `judges` and `reliability` as PNG and SVG, and return their paths."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError(
            "Figures need matplotlib. Install it with: pip install 'oddrank[plot]'"
        ) from None
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in (("judges", _judges), ("reliability", _reliability)):
        figure = draw(pyplot, rows)
        for kind in ("png", "svg"):
            path = folder / f"{name}.{kind}"
            figure.savefig(path, dpi=110, metadata={"Date": None} if kind == "svg" else None)
            written.append(path)
        pyplot.close(figure)
    return written


def _judges(pyplot: Any, rows: Sequence[Row]) -> Any:
    figure, axes = pyplot.subplots(2, 2, figsize=(11.0, 11.5), layout="constrained", sharey="row")
    for line, (setting, title) in enumerate(_TITLES.items()):
        table = verdict_table(rows, setting)
        table.pop("random")
        names = sorted(table, key=lambda name: table[name].mean[1], reverse=True)
        places = np.arange(len(names))
        for column, (position, label) in enumerate(((0, "share of pairs right"), (1, "ROC lost"))):
            axis = axes[line, column]
            for place, name in zip(places, names, strict=True):
                low, high = table[name].interval()[:, position]
                style = series_style(_kind(name))
                axis.plot([low, high], [place, place], color=style.colour, linewidth=1.6)
                axis.plot(table[name].mean[position], place, style.marker, color=style.colour)
            axis.set_xlabel(f"{label}, {title}")
            axis.grid(axis="x", alpha=0.3)
        axes[line, 0].axvline(0.5, color="#7F7F7F", linewidth=0.8)
        axes[line, 0].set_yticks(places, names, fontsize=8)
    return figure


def _kind(name: str) -> int:
    for position, word in enumerate(("default", "measure", "references", "consensus", "volume",
                                     "always")):  # fmt: skip
        if name.startswith(word):
            return position
    return 6


def _reliability(pyplot: Any, rows: Sequence[Row]) -> Any:
    figure, axes = pyplot.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained", sharey=True)
    for axis, said in zip(axes, ("clean", "polluted"), strict=True):
        axis.plot([0.5, 1.0], [0.5, 1.0], color="#7F7F7F", linewidth=0.8)
        for position, judge in enumerate(("combined", "references", "consensus", "volume")):
            # a bin of one or two datasets says more about these than about the judge
            bins = [each for each in reliability(rows, judge, said, BIN_EDGES)
                    if each["n_datasets"] >= FEWEST_DATASETS]  # fmt: skip
            style = series_style(position)
            axis.errorbar(
                [each["predicted"] for each in bins],
                [each["observed"] for each in bins],
                yerr=[each["error"] for each in bins],
                color=style.colour,
                marker=style.marker,
                linewidth=1.2,
                capsize=2,
                label=judge,
            )
        axis.set_title(f"{said} training rows", fontsize=10)
        axis.set_xlabel("predicted: labels agree")
        axis.set_ylim(0.2, 1.02)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seen on the dataset left out (± over datasets)")
    axes[0].legend(frameon=False)
    return figure
