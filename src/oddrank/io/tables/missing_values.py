"""Gaps: rows dropped, columns skipped, values imputed or kept, each with its count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._text import counted
from oddrank._typing import BoolArray
from oddrank.errors import InvalidDataError
from oddrank.io.tables.column_choice import Choice, add_left_out
from oddrank.io.tables.raw_table import RawColumn, TextCells

MISSING_LEVEL = "missing"
_FEW_ROWS = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class Complete:
    """The columns after gaps were dropped, imputed or kept.

    Attributes
    ----------
    columns : list of RawColumn
    row_numbers : array of int
        Which rows are left, counted from 0.
    n_imputed : int
        Values put in.
    notes : list of str
    """

    columns: list[RawColumn]
    row_numbers: npt.NDArray[np.intp]
    n_imputed: int
    notes: list[str]


def complete(
    choice: Choice, n_rows: int, gaps: str, what: str, *, asked_for: bool, fill: bool
) -> Complete:
    """Drop, impute or keep gaps; `choice` may lose columns that are mostly gaps.

    With "auto", rows are dropped if they are at most 5 % of all. Otherwise columns with more than
    half of their values missing are skipped, unless the user named them. If dropping rows would
    still lose more than 5 % of them, values are imputed.
    """
    notes, missing = _infinite_to_gaps(choice)
    n_lost = _n_rows_with_gap(missing, n_rows)
    because = ""
    if gaps == "auto" and n_lost > _FEW_ROWS * n_rows:
        if not asked_for:
            _leave_out_mostly_missing(choice, missing, n_rows, notes)
            n_lost = _n_rows_with_gap(missing, n_rows)
        gaps = "impute" if n_lost > _FEW_ROWS * n_rows else "drop"
        if gaps == "impute":
            because = f" --gaps drop would drop {n_lost:,} of {n_rows:,} rows instead."
    if not missing:
        return Complete(
            columns=choice.kept, row_numbers=np.arange(n_rows), n_imputed=0, notes=notes
        )
    most = _most(missing, n_rows)
    total = sum(int(mask.sum()) for mask in missing.values())
    if gaps == "keep":
        notes.append(
            f"Kept {total:,} missing values, {most}. --gaps impute fills them, and --gaps drop "
            "drops their rows."
        )
        return Complete(
            columns=choice.kept, row_numbers=np.arange(n_rows), n_imputed=0, notes=notes
        )
    if gaps == "impute" and not fill:
        notes.append(f"{total:,} missing values are imputed in every fold, {most}.{because}")
        return Complete(
            columns=choice.kept, row_numbers=np.arange(n_rows), n_imputed=total, notes=notes
        )
    if gaps == "impute":
        columns, put_in = _impute(choice.kept, missing, what)
        notes.append(f"{put_in} in place of {total:,} missing values, {most}.{because}")
        return Complete(
            columns=columns, row_numbers=np.arange(n_rows), n_imputed=total, notes=notes
        )
    if n_lost == n_rows:
        raise InvalidDataError(
            f"Each of the {n_rows:,} rows of {what} has a missing value, {most}, so no row "
            "is left. Give --gaps impute, or name columns with --columns."
        )
    notes.append(
        f"Dropped {n_lost:,} of {n_rows:,} rows with missing values, {most}; "
        "--gaps impute would keep them."
    )
    present = np.flatnonzero(~np.logical_or.reduce(list(missing.values())))
    return Complete(
        columns=only_rows(choice.kept, present), row_numbers=present, n_imputed=0, notes=notes
    )


def only_rows(columns: list[RawColumn], rows: npt.NDArray[np.intp]) -> list[RawColumn]:
    """Return columns with some of their rows; the list given is emptied."""
    kept = []
    while columns:
        column = columns.pop(0)
        values = column.values
        if isinstance(values, TextCells):
            kept.append(replace(column, content=replace(values, codes=values.codes[rows])))
        else:
            kept.append(replace(column, content=values[rows]))
    return kept


def missing_mask(column: RawColumn) -> BoolArray:
    """Return which rows have no value."""
    values: Any = column.values
    if isinstance(values, TextCells):
        return np.asarray(values.codes < 0)
    return np.asarray(np.isnat(values) if column.kind == "date" else np.isnan(values))


def _infinite_to_gaps(choice: Choice) -> tuple[list[str], dict[str, BoolArray]]:
    """Make infinite numbers gaps; return notes, and a mask for every column that has gaps."""
    n_infinite = 0
    missing = {}
    for position, column in enumerate(choice.kept):
        if column.kind == "number":
            if column.all_finite():
                continue
            infinite = np.isinf(column.values)
            n_infinite += int(infinite.sum())
            values = np.where(infinite, np.nan, column.values)
            choice.kept[position] = replace(column, content=values)
        mask = missing_mask(choice.kept[position])
        if mask.any():
            missing[column.name] = mask
    notes = [f"{n_infinite:,} infinite values count as missing."] if n_infinite else []
    return notes, missing


def _n_rows_with_gap(missing: dict[str, BoolArray], n_rows: int) -> int:
    any_gap = np.zeros(n_rows, dtype=bool)
    for mask in missing.values():
        any_gap |= mask
    return int(any_gap.sum())


def _most(missing: dict[str, BoolArray], n_rows: int) -> str:
    worst = max(missing, key=lambda name: missing[name].sum())
    return f"most in {worst!r} ({missing[worst].sum():,} of {n_rows:,} rows)"


def _leave_out_mostly_missing(
    choice: Choice, missing: dict[str, BoolArray], n_rows: int, notes: list[str]
) -> None:
    mostly = [name for name, mask in missing.items() if mask.sum() > n_rows / 2]
    if not mostly or len(mostly) == len(choice.kept):
        return
    choice.kept[:] = [column for column in choice.kept if column.name not in mostly]
    for name in mostly:
        n_missing = int(missing.pop(name).sum())
        add_left_out(choice, name, f"{n_missing:,} of {n_rows:,} values are missing")
    are = "columns with more than half of their values missing are"
    one = "column with more than half of its values missing is"
    notes.append(
        f"{len(mostly):,} {one if len(mostly) == 1 else are} skipped; --gaps impute uses "
        f"{'it' if len(mostly) == 1 else 'them'}."
    )


def _impute(
    columns: list[RawColumn], missing: dict[str, BoolArray], what: str
) -> tuple[list[RawColumn], str]:
    """Return the columns with values put in, and which, in words."""
    filled = [
        _filled(column, missing[column.name], what) if column.name in missing else column
        for column in columns
    ]
    others = {column.kind for column in columns if column.name in missing} - {"number"}
    put_in = "Put the column's median"
    if others:
        put_in += f" (categories: the level {MISSING_LEVEL!r}; booleans: the commoner value)"
    return filled, put_in


def _filled(column: RawColumn, mask: BoolArray, what: str) -> RawColumn:
    values: Any = column.values
    if mask.all():
        raise InvalidDataError(
            f"A column of {what} that --columns names has no values, so it has no median. "
            "Leave it out of --columns."
        )
    if isinstance(values, TextCells):
        known = MISSING_LEVEL in values.levels
        levels = values.levels if known else [*values.levels, MISSING_LEVEL]
        codes = np.where(mask, levels.index(MISSING_LEVEL), values.codes).astype(np.int32)
        return replace(column, content=TextCells(codes=codes, levels=levels))
    filled = values.copy()
    present = values[~mask]
    if column.kind == "date":
        middle = np.sort(present)[(len(present) - 1) // 2]
    else:
        middle = np.median(present)
        middle = float(middle >= 0.5) if column.kind == "boolean" else middle
    filled[mask] = middle
    return replace(column, content=filled)


def check_enough_rows(table: Complete, min_rows: int, what: str) -> None:
    """Refuse a table with fewer rows than are needed."""
    n_rows = len(table.row_numbers)
    if n_rows < min_rows:
        need = f"at least {min_rows} {'is' if min_rows == 1 else 'are'} needed"
        raise InvalidDataError(
            f"{what} has {counted(n_rows, 'row')} to use, and {need}. Give more data."
        )
