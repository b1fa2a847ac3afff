"""Where the time of a benchmark goes: fitting, scoring rows, scoring reference points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["PARTS", "cpu_times"]

Row = Mapping[str, Any]
PARTS = {
    "fit_cpu": "fitting",
    "rows_cpu": "scoring rows",
    "points_cpu": "scoring reference points",
}


def cpu_times(rows: Sequence[Row], preset: str, seed: int) -> dict[tuple[str, str, str], float]:
    """Return CPU seconds by (dataset, detector, part) of one seed, both settings together.

    Presets share a fitted model and its scores of the rows; both are counted in full here, as if
    this preset had been run alone.
    """
    seconds: dict[tuple[str, str, str], float] = {}
    for row in rows:
        if row["preset"] != preset or row["seed"] != seed or row["status"] != "done":
            continue
        for part in PARTS:
            key = (row["dataset"], row["detector"], part)
            seconds[key] = seconds.get(key, 0.0) + row.get(part, 0.0)
    return seconds
