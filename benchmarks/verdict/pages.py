"""The pages and figures of the verdict benchmark: every judge, and how sure its leads are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table as markdown_table
from benchmarks.rows import Row
from benchmarks.verdict.calibration import (
    POOLS,
    SAID,
    calibrate_verdict,
    reliability,
    twins_separated,
)
from benchmarks.verdict.judges import (
    FIGURES,
    Performance,
    names_of,
    unsaid,
    usable_rows,
    verdict_table,
)
from benchmarks.verdict.study import MAX_ROWS
from oddrank.plots.palette import series_style

BIN_EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TITLES = {"novelty": "clean training rows", "unsupervised": "polluted training rows"}
SHOWN_BY_DATASET = ("default call", "always iforest")
RIVALS = ("always iforest", "always knn5", "always knn30")


def complete_rows(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows that were measured; every one is complete on its own."""
    return usable_rows(rows), []


def page_texts(rows: Sequence[Row], folder: Path) -> dict[str, str]:  # noqa: ARG001
    """Return the text of every page by its name in the folder; nothing is written."""
    return {
        "table.md": table_page(rows),
        "calibration.md": calibration_page(rows),
        "calibration.json": json.dumps(calibrate_verdict(rows), indent=2) + "\n",
    }


def table_page(rows: Sequence[Row]) -> str:
    """Return how good every judge is, in both settings, and on every dataset."""
    parts = ["# Whose verdict holds", _facts(rows)]
    for setting, title in TITLES.items():
        if any(row["setting"] == setting for row in usable_rows(rows)):
            heading = f"## {setting.capitalize()} setting: {title}"
            parts += [heading, *_setting_parts(verdict_table(rows, setting))]
    return "\n\n".join(parts) + "\n"


def _facts(rows: Sequence[Row]) -> str:
    datasets = {row["dataset"] for row in rows}
    seeds = {name: len({r["seed"] for r in rows if r["dataset"] == name}) for name in datasets}
    fewest, most = min(seeds.values()), max(seeds.values())
    detectors = names_of(unsaid(usable_rows(rows)[0]))
    return (
        f"{len(datasets)} datasets, {fewest if fewest == most else f'{fewest} to {most}'} seeds, "
        f"{len(detectors)} detectors, at most {MAX_ROWS:,} rows. Figures are means over "
        "seeds, then over datasets. Brackets have 95 % intervals, from drawing families of "
        "datasets again. A pair is clear if its ROC areas differ by more than 0.05. ROC lost and "
        "PR lost say how far the pick, or the committee, falls behind the best detector by labels, "
        "fitted on all training rows unchanged. Volumes were measured for the first seed only, "
        "above 8 features in 10 draws of 5. At least 50 of rare anomalies are kept."
    )


def _setting_parts(table: Mapping[str, Performance]) -> Iterator[str]:
    yield markdown_table(
        ["judge", *FIGURES, "datasets"],
        [[name, *_cells(each), str(len(each.of_dataset))] for name, each in table.items()],
    )
    yield (
        "What the committee loses less what others lose, dataset by dataset: below 0 the committee "
        "is better."
    )
    calls = {name: each for name, each in table.items() if name.startswith("default call")}
    rivals = ["its own pick", *(name for name in table if name in RIVALS)]
    yield markdown_table(
        ["call", "against", "ROC", "PR"],
        [
            [name, rival, *(_cells(each.less(table.get(rival, each), own, other))[0]
                            for own, other in ((4, 2), (5, 3)))]
            for name, each in calls.items()
            for rival in rivals
        ],
    )  # fmt: skip
    yield "By dataset: pairs right and ROC lost."
    shown = {name: each for name, each in table.items() if name.startswith(SHOWN_BY_DATASET)}
    datasets = sorted(next(iter(table.values())).of_dataset)
    yield markdown_table(
        ["dataset", *shown],
        [
            [name, *(f"{each.of_dataset[name][0]:.2f}, {each.of_dataset[name][2]:.3f}"
                     for each in shown.values())]
            for name in datasets
        ],
    )  # fmt: skip


def _cells(each: Performance) -> list[str]:
    low, high = each.interval()
    return [
        "" if np.isnan(mean) else f"{mean:.3f} [{a:.3f}, {b:.3f}]"
        for mean, a, b in zip(each.mean, low, high, strict=True)
    ]


def calibration_page(rows: Sequence[Row]) -> str:
    """Return the fitted slopes, what was claimed and seen on families left out, and twins."""
    slopes = calibrate_verdict(rows)["slopes"]
    parts = [
        "# How sure",
        "How often the ROC areas by labels order two detectors as their mean areas do, if these "
        "tell the two apart, by the size of the lead. Slopes from all datasets:",
        markdown_table(["rows said to be", "slope"], [[s, f"{slopes[s]:.2f}"] for s in SAID]),
    ]
    twins = [[setting, str(apart), str(n)] for setting, (apart, n) in twins_separated(rows).items()]
    if twins:
        parts += [
            "Twins differ in their seed only. So many were told apart at the level 0.05:",
            markdown_table(["setting", "told apart", "pairs of twins"], twins),
        ]
    parts.append(
        "Each family of datasets is predicted by the slope of the others. A family that disagrees "
        "with the claims gets a larger slope when it is left out, and so it falls into a later "
        "bin. The last bins look worse than they are."
    )
    for said in SAID:
        for pool in POOLS:
            lines = [
                [f"{b['claimed']:.2f}", f"{b['seen']:.2f}", f"{b['error']:.2f}",
                 str(b["families"]), str(b["pairs"])]
                for b in reliability(rows, said, pool, BIN_EDGES)
            ]  # fmt: skip
            head = ["claimed", "seen", "± over families", "families", "pairs"]
            parts += [f"## {said}, pools of {pool}", markdown_table(head, lines)]
    return "\n\n".join(parts) + "\n"


def draw_figures(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write `judges.png` and `reliability.png`, and return their paths."""
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in (("judges", _judges), ("reliability", _reliability)):
        figure = draw(pyplot, rows)
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=110)
        pyplot.close(figure)
        written.append(path)
    return written


def _judges(pyplot: Any, rows: Sequence[Row]) -> Any:
    figure, axes = pyplot.subplots(2, 2, figsize=(11.0, 10.0), layout="constrained", sharey="row")
    for line, (setting, title) in enumerate(TITLES.items()):
        table = verdict_table(rows, setting)
        table.pop("random", None)
        names = sorted(table, key=lambda name: table[name].mean[2], reverse=True)
        for column, (position, label) in enumerate(((0, "share of pairs right"), (2, "ROC lost"))):
            axis = axes[line, column]
            for place, name in enumerate(names):
                low, high = table[name].interval()[:, position]
                style = series_style(_kind(name))
                axis.plot([low, high], [place, place], color=style.colour, linewidth=1.6)
                axis.plot(table[name].mean[position], place, style.marker, color=style.colour)
            axis.set_xlabel(f"{label}, {title}")
            axis.grid(axis="x", alpha=0.3)
        axes[line, 0].axvline(0.5, color="#7F7F7F", linewidth=0.8)
        axes[line, 0].set_yticks(range(len(names)), names, fontsize=8)
    return figure


def _kind(name: str) -> int:
    words = ("default", "measure", "ceiling", "best constant", "volume", "always")
    return next((k for k, word in enumerate(words) if name.startswith(word)), len(words))


def _reliability(pyplot: Any, rows: Sequence[Row]) -> Any:
    figure, axes = pyplot.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained", sharey=True)
    for axis, said in zip(axes, ("clean", "polluted"), strict=True):
        axis.plot([0.5, 1.0], [0.5, 1.0], color="#7F7F7F", linewidth=0.8)
        for position, pool in enumerate(POOLS):
            bins = reliability(rows, said, pool, BIN_EDGES)
            style = series_style(position)
            axis.errorbar(
                [each["claimed"] for each in bins],
                [each["seen"] for each in bins],
                yerr=[each["error"] for each in bins],
                color=style.colour,
                marker=style.marker,
                linewidth=1.2,
                capsize=2,
                label=f"pools of {pool}",
            )
        axis.set_title(f"{said} training rows", fontsize=10)
        axis.set_xlabel("claimed: labels agree")
        axis.set_ylim(0.2, 1.02)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seen on the family left out (± over families)")
    axes[0].legend(frameon=False)
    return figure
