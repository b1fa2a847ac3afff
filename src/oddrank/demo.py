"""The demonstration: typing errors in a real table, found without being told. `make demo`.

The table is one that scikit-learn ships: ten measurements of the cell nuclei of 569 tumours. Six
rows get an error that people make: a decimal point in the wrong place, or two cells exchanged. No
detector knows which rows these are; at the end the list is held against them.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer

from oddrank._text import listed
from oddrank.inspection import OddRows
from oddrank.ranking import Ranking, rank_detectors, screen
from oddrank.rows import Table

__all__ = ["demo_data", "demo_ranking", "found_errors", "heading", "main"]

# Measurements, and what happens to each: the decimal point moves, or two cells are exchanged.
SHIFTED = (("radius", 10.0), ("texture", 0.1), ("symmetry", 10.0), ("compactness", 10.0))
EXCHANGED = (("smoothness", "symmetry"), ("radius", "texture"))
# The reader of this screen has no ranking at hand, and perhaps not the extra for the command.
NEXT = "docs/start.md | ranking = rank_detectors('default', your_table)"


def demo_data() -> tuple[Table, npt.NDArray[np.intp]]:
    """Return the rows, and the numbers of those with an error."""
    content = load_breast_cancer()
    means = [name for name in content.feature_names if name.startswith("mean ")]
    names = tuple(name.removeprefix("mean ") for name in means)
    values = content.data[:, : len(names)].copy()
    wrong = np.random.default_rng(4).permutation(len(values))[: len(SHIFTED) + len(EXCHANGED)]
    for row, (name, factor) in zip(wrong, SHIFTED, strict=False):
        values[row, names.index(name)] *= factor
    for row, pair in zip(wrong[len(SHIFTED) :], EXCHANGED, strict=True):
        first, second = (names.index(name) for name in pair)
        values[row, [first, second]] = values[row, [second, first]]
    return Table(values=values, feature_names=names), wrong


def heading(rows: Table, wrong: npt.NDArray[np.intp]) -> str:
    """Return what the rows are."""
    return (
        f"Cell nuclei of tumours  {rows.n_rows:,} rows · {rows.n_features} features\n"
        f"{len(wrong)} rows have an error that people make: a decimal point in the wrong place,\n"
        "or two cells exchanged. Nobody tells the detectors which."
    )


def demo_ranking(rows: Table, **options: Any) -> Ranking:
    """Rank the pool "default"; options are those of `rank_detectors`."""
    return rank_detectors("default", rows, **options)


def found_errors(odd: OddRows, wrong: npt.NDArray[np.intp]) -> str:
    """Say where the list has the rows with errors."""
    places = sorted(np.flatnonzero(np.isin(odd.order, wrong)) + 1)
    return (
        f"Checked: the {len(wrong)} rows with an error are the places "
        f"{listed([str(place) for place in places])} of the list of {odd.n_rows:,}."
    )


def main() -> None:
    """Print the list and the ranking, and where the rows with errors are."""
    rows, wrong = demo_data()
    sys.stdout.write(f"{heading(rows, wrong)}\n\n")
    ranking = demo_ranking(rows, random_state=0)
    check = found_errors(ranking.odd_rows(), wrong)
    shown = screen(ranking, place="demo", remarks=[check], next_steps=NEXT)
    sys.stdout.write(f"{shown}\n")


if __name__ == "__main__":
    main()
