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
    median absolute deviation), NaN for what is no number. A gap is None.
    """

    row: int
    score: float
    values: tuple[float | str | None, ...]
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
    deviations = _Deviations(rows)
    return tuple(
        OddRow(
            row=int(row_numbers[position]),
            score=float(scores[position]),
            values=_shown(rows, position),
            deviations=tuple(deviations.of(rows.values[position]).tolist()),
        )
        for position in order_by_oddness(scores)[:number].tolist()
    )


def _shown(rows: Table, position: int) -> tuple[float | str | None, ...]:
    values = rows.values[position]
    if rows.is_plain:
        return tuple(values.tolist())
    decoded = [column.decode_list(values[j : j + 1])[0] for j, column in enumerate(rows.columns)]
    plain = (float, int)
    return tuple(
        each if each is None or (isinstance(each, plain) and not isinstance(each, bool))
        else str(each)
        for each in decoded
    )  # fmt: skip


class _Deviations:
    def __init__(self, rows: Table) -> None:
        numbers = [column.kind == "number" for column in rows.columns] or True
        values = np.where(numbers, rows.values, 0.0)
        self.is_number = np.broadcast_to(numbers, rows.n_features)
        self.middle = np.nanmedian(values, axis=0)
        spread = GAUSSIAN * np.nanmedian(np.abs(values - self.middle), axis=0)
        # More than half of the rows may share one value; the standard deviation serves then.
        spread = np.where(spread > 0.0, spread, np.nanstd(values, axis=0))
        self.spread = np.where(spread > 0.0, spread, 1.0)

    def of(self, row: FloatArray) -> FloatArray:
        return np.where(self.is_number, (row - self.middle) / self.spread, np.nan)
