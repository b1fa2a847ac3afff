"""The oddest rows under the winner, and which of their values are unusual."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oddrank.ranking_result import Ranking
from oddrank.report.summary import OddRow
from oddrank.table import FloatArray, Table

__all__ = ["oddest_rows", "order_by_oddness"]

# The median absolute deviation of a Gaussian times this is its standard deviation.
GAUSSIAN = 1.4826


def order_by_oddness(scores: FloatArray) -> npt.NDArray[np.intp]:
    """Return positions from the oddest row to the most normal; equal scores in their own order."""
    return np.argsort(scores, kind="stable")


def oddest_rows(
    ranking: Ranking, rows: Table, row_numbers: npt.NDArray[np.intp], number: int
) -> tuple[OddRow, ...]:
    """Score rows by the winner and return the oddest ones; none if nothing could be ranked."""
    if not ranking.order(ranking.criterion):
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
        self.middle = np.median(values, axis=0)
        spread = GAUSSIAN * np.median(np.abs(values - self.middle), axis=0)
        # More than half of the rows may share one value; the standard deviation serves then.
        spread = np.where(spread > 0.0, spread, values.std(axis=0))
        self.spread = np.where(spread > 0.0, spread, 1.0)

    def of(self, row: FloatArray) -> FloatArray:
        return np.asarray((row - self.middle) / self.spread)
