"""Pages and figures of a benchmark, written into its folder, from the seeds that are complete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import goix2016, verdict

__all__ = ["BENCHMARKS", "complete_seeds", "write_pages"]

Row = Mapping[str, Any]
BENCHMARKS = {"goix2016": goix2016, "verdict": verdict}


def write_pages(
    benchmark: str,
    rows: Sequence[Row],
    folder: str | os.PathLike[str],
    *,
    figures: bool = True,
) -> list[str]:
    """Write all pages of a benchmark, and return names of the seeds that were left out.

    Parameters
    ----------
    benchmark : "goix2016" or "verdict"
    rows : rows of that benchmark
    folder : path
    figures : bool
        Whether figures, which need the extra `plot`, are drawn as well.
    """
    complete, left_out = complete_seeds(rows)
    target = Path(folder)
    for name, text in BENCHMARKS[benchmark].page_texts(complete, target).items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if figures:
        BENCHMARKS[benchmark].draw_figures(complete, target / "figures")
    return left_out


def complete_seeds(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows of complete seeds, and names of what is left out.

    A run that is still going on must not spoil a mean. A seed of a dataset, setting and preset is
    complete if it has as many rows, whatever their status, as the fullest among all datasets whose
    features are drawn, or among those where they are not.
    """
    drawn = {row["dataset"] for row in rows if _is_drawn(row)}
    counts = Counter(_key(row) for row in rows)
    fullest: dict[bool, int] = {}
    for (dataset, *_), number in counts.items():
        fullest[dataset in drawn] = max(number, fullest.get(dataset in drawn, 0))
    partial = {key for key, number in counts.items() if number < fullest[key[0] in drawn]}
    kept = [row for row in rows if _key(row) not in partial]
    named = {
        f"{dataset}, {setting}, seed {seed}, preset {preset}"
        for dataset, setting, seed, preset in partial
    }
    return kept, sorted(named)


def _key(row: Row) -> tuple[str, str, int, str]:
    return row["dataset"], row["setting"], row["seed"], row["preset"]


def _is_drawn(row: Row) -> bool:
    """Tell whether its dataset has draws; the row of all features then has no criteria."""
    return row["draw"] >= 0 or (row["status"] == "done" and "em" not in row)
