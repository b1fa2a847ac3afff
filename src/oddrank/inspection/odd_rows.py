"""The oddest rows under the winner, and which of their values are unusual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.ranking import Ranking
from oddrank.rows import Table

__all__ = ["OddRow", "oddest_rows", "order_by_oddness"]


@dataclass(frozen=True, kw_only=True)
class OddRow:
    """A row, its score under the winner (lower is odder), its values, and how unusual each is.

    `deviations` are distances from the feature's median in units of its spread (1.48 times the
    median absolute deviation).
    """

    row: int
    score: float
    values: tuple[float, ...]
    deviations: tuple[float, ...]


# The median absolute deviation of a Gaussian times this is its standard deviation.
GAUSSIAN = 1.4826


def order_by_oddness(scores: FloatArray) -> npt.NDArray[np.intp]:
    """Return positions from the oddest row to the most normal; equal scores in their own order."""
    return np.argsort(scores, kind="stable")


def oddest_rows(
    ranking: Ranking, rows: Table, row_numbers: npt.NDArray[np.intp], number: int
) -> tuple[OddRow, ...]:
    """Score rows by the winner and return the oddest ones; none if nothing could be ranked."""
    if not ranking.order:
        return ()
    scores = ranking.score_samples(rows)
    deviations = _Deviations(rows.values)
    return tuple(
        OddRow(
            row=int(row_numbers[position]),
            score=float(scores[position]),
            values=tuple(rows.values[position].tolist()),
            deviations=tuple(deviations.of(rows.values[position]).tolist()),
        )
        for position in order_by_oddness(scores)[:number]
    )


class _Deviations:
    def __init__(self, values: FloatArray) -> None:
        self.middle = np.nanmedian(values, axis=0)
        spread = GAUSSIAN * np.nanmedian(np.abs(values - self.middle), axis=0)
        # More than half of the rows may share one value; the standard deviation serves then.
        spread = np.where(spread > 0.0, spread, np.nanstd(values, axis=0))
        self.spread = np.where(spread > 0.0, spread, 1.0)

    def of(self, row: FloatArray) -> FloatArray:
        return np.asarray((row - self.middle) / self.spread)
