"""The oddest rows as a page shows them: values as the user has them, and how far each is off."""

from __future__ import annotations

from collections.abc import Sequence

from oddrank.inspection import ColumnSpreads, OddRows
from oddrank.ranking import Ranking
from oddrank.report.summary import OddRowSummary
from oddrank.rows import Table

__all__ = ["summarise_rows"]


def summarise_rows(
    ranking: Ranking, odd: OddRows, number: int, row_names: Sequence[str] | None
) -> tuple[OddRowSummary, ...]:
    """Return the oddest rows; without names they are called by their place."""
    rows = odd.table
    spreads = ColumnSpreads(ranking.tested_rows)
    return tuple(
        OddRowSummary(
            row=f"row {odd.rows[place]}" if row_names is None else row_names[place],
            oddness=float(odd.oddness[place]),
            p_value=float(odd.p_values[place]),
            flagged=bool(odd.flagged[place]),
            reasons=tuple(each.sentence for each in odd.reasons.get(place, ())),
            values=_shown(rows, place),
            deviations=tuple(spreads.steps(rows.values[place]).tolist()),
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
