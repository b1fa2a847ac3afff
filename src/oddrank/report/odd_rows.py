"""The oddest rows as a page shows them: values as the user has them, and how far each is off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import GAUSSIAN
from oddrank.inspection import OddRows
from oddrank.ranking import Ranking
from oddrank.report.summary import OddRowSummary
from oddrank.rows import Table

__all__ = ["summarise_rows"]


def summarise_rows(
    ranking: Ranking, odd: OddRows, number: int, row_names: Sequence[str] | None
) -> tuple[OddRowSummary, ...]:
    """Return the oddest rows; without names they are called by their place."""
    rows = odd.table
    deviations = _Deviations(ranking.tested_rows)
    return tuple(
        OddRowSummary(
            row=f"row {odd.rows[place]}" if row_names is None else row_names[place],
            oddness=float(odd.oddness[place]),
            p_value=float(odd.p_values[place]),
            flagged=bool(odd.flagged[place]),
            reasons=tuple(each.sentence for each in odd.reasons.get(place, ())),
            values=_shown(rows, place),
            deviations=tuple(deviations.of(rows.values[place]).tolist()),
        )
        for place in odd.order[: min(number, rows.n_rows)].tolist()
    )


def _shown(rows: Table, place: int) -> tuple[float | str | None, ...]:
    values = rows.values[place]
    if rows.is_plain:
        return tuple(values.tolist())
    decoded = (column.decode_list(values[j : j + 1])[0] for j, column in enumerate(rows.columns))
    return tuple(
        each if each is None or type(each) in (int, float) else str(each) for each in decoded
    )


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
