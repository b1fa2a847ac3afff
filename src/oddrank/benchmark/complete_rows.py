"""Which seeds are complete: a run that is still going on must not spoil a mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["complete_seeds"]

Row = Mapping[str, Any]


def complete_seeds(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows of complete seeds, and names of what is left out.

    A seed of a dataset and setting is complete if it has as many rows as the fullest of that
    dataset, whatever their status.
    """
    counts = Counter((row["dataset"], row["setting"], row["seed"]) for row in rows)
    fullest: dict[str, int] = {}
    for (dataset, _, _), number in counts.items():
        fullest[dataset] = max(number, fullest.get(dataset, 0))
    partial = {key for key, number in counts.items() if number < fullest[key[0]]}
    kept = [row for row in rows if (row["dataset"], row["setting"], row["seed"]) not in partial]
    named = [f"{dataset}, {setting}, seed {seed}" for dataset, setting, seed in sorted(partial)]
    return kept, named
