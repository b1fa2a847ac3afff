"""Tables of the verdict benchmark in Markdown, from stored rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oddrank.benchmark.verdict.calibration import JUDGED, SETTINGS, calibrate, reliability
from oddrank.benchmark.verdict.judges import usable
from oddrank.benchmark.verdict.table import FIGURES, Performance, left_out_choice, verdict_table

__all__ = ["BIN_EDGES", "calibration_page", "table_page"]

Row = Mapping[str, Any]
BIN_EDGES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1.0)
_WORDS = {
    "novelty": "Novelty setting: clean training rows",
    "unsupervised": "Unsupervised setting: polluted training rows",
}


def table_page(rows: Sequence[Row]) -> str:
    """Return how good every judge is, in both settings, and what was chosen by leaving out."""
    parts = ["# Whose verdict holds", _facts(rows)]
    for setting, words in _WORDS.items():
        if any(row["setting"] == setting for row in rows):
            parts += [f"## {words}", *_setting_parts(rows, setting)]
    return "\n\n".join(parts) + "\n"


def _facts(rows: Sequence[Row]) -> str:
    datasets = {row["dataset"] for row in rows}
    seeds = {name: len({r["seed"] for r in rows if r["dataset"] == name}) for name in datasets}
    fewest, most = min(seeds.values()), max(seeds.values())
    return (
        f"{len(datasets)} datasets, {fewest if fewest == most else f'{fewest} to {most}'} seeds, "
        f"{len(rows[0]['detectors'])} detectors, rows capped at {rows[0]['max_rows']:,}. Means "
        "over seeds, then over datasets; in brackets 95 % intervals over datasets. Pairs are those "
        "on which ROC and PR agree; ROC and PR lost are what following the judge's pick loses "
        "against the best detector. Volumes were measured for the first seed only, above 8 "
        "features in 10 draws of 5. Of rare anomalies at least 50 are kept."
    )


def _setting_parts(rows: Sequence[Row], setting: str) -> Iterator[str]:
    table = verdict_table(rows, setting)
    yield _table(
        ["judge", *FIGURES, "datasets"],
        [[name, *_cells(each), str(len(each.of_dataset))] for name, each in table.items()],
    )
    of_setting = [row for row in usable(rows) if row["setting"] == setting]
    chosen = left_out_choice(of_setting)[1]
    yield "By dataset: the default, told what the rows are, beside always taking the forest."
    default, forest = table["default (polluted said)"], table["always iforest"]
    yield _table(
        ["dataset", "pairs right", "ROC lost", "ROC lost by the forest", "chosen without it"],
        [
            [name, f"{figures[0]:.2f}", f"{figures[1]:.3f}",
             f"{forest.of_dataset[name][1]:.3f}", chosen[name]]
            for name, figures in default.of_dataset.items()
        ],
    )  # fmt: skip


def _cells(each: Performance) -> list[str]:
    low, high = each.interval()
    return [f"{m:.3f} [{a:.3f}, {b:.3f}]" for m, a, b in zip(each.mean, low, high, strict=True)]


def calibration_page(rows: Sequence[Row]) -> str:
    """Return the fitted slopes, and what was predicted and seen on datasets left out."""
    content = calibrate(rows)
    parts = [
        "# How sure",
        "How often the labels' ROC areas order two detectors as a judge does, by the size of the "
        "lead: `1 / (1 + exp(-slope · lead))`. Slopes from all datasets and from pools of 3, 5, 8 "
        "and 13 detectors:",
        _table(
            ["judge", *SETTINGS],
            [[judge, *(f"{content['slopes'][judge][said]:.2f}" for said in SETTINGS)]
             for judge in JUDGED],
        ),
        "Each dataset predicted by a slope of the others:",
    ]  # fmt: skip
    for judge in JUDGED:
        for said in ("clean", "polluted"):
            bins = reliability(rows, judge, said, BIN_EDGES)
            parts += [f"## {judge}, {said} training rows", _table(
                ["predicted", "seen", "± over datasets", "datasets"],
                [[f"{b['predicted']:.2f}", f"{b['observed']:.2f}", f"{b['error']:.2f}",
                  str(b["n_datasets"])] for b in bins],
            )]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
