"""Tables that a command reads, with a list of what was skipped."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oddrank._text import counted
from oddrank.cli.common_options import Common
from oddrank.cli.table_options import TableOptions
from oddrank.cli.terminal import say, stage, terminal_width

if TYPE_CHECKING:
    from oddrank.io import UserTable
    from oddrank.rows import Table

SHOWN_COLUMNS = 20

__all__ = [
    "anomalies_of",
    "encoder_of",
    "read_rows",
    "row_names",
    "row_notes",
    "row_places",
    "rows_of",
]


def read_rows(
    paths: Sequence[str],
    common: Common,
    reading: TableOptions,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    sampled: bool = True,
    random_state: Any = None,
    kinds: Mapping[str, str] | None = None,
    min_rows: int = 2,
) -> UserTable:
    """Read a table of any kind, and say on stderr what became of it.

    Of a large table a sample is used, unless `sampled` says otherwise. The seed of the command
    chooses it, or `random_state`.
    """
    stage(f"Reading {paths[0]}{' and others' if len(paths) > 1 else ''}", common)
    from oddrank.io import read_table

    table = read_table(
        paths[0] if len(paths) == 1 else list(paths),
        label=label,
        columns=columns or reading.columns,
        encode=reading.encode,
        gaps=reading.gaps,
        fill=False,  # values are put in by what is fitted in every fold
        drop_duplicates=reading.drop_duplicates,
        sheet=reading.sheet,
        separator=reading.separator,
        decimal=reading.decimal,
        encoding=reading.encoding,
        header=reading.header,
        kinds=kinds,
        min_rows=min_rows,
        sample=reading.sample if sampled else None,
        random_state=common.seed if random_state is None else random_state,
    )
    say(_account(table) if common.verbose else _heading(table, reading), common)
    return table


def _heading(table: UserTable, reading: TableOptions) -> str:
    """Return what was read in one line, and below it what the reader may want to change."""
    parts = [counted(table.n_rows, "row"), counted(table.n_features, "feature")]
    if table.sample is not None:
        parts[0] = f"a sample of {table.n_rows:,} of {table.sample.n_rows:,} rows (--sample)"
    if table.left_out:
        columns = "column" if len(table.left_out) == 1 else "columns"
        parts.append(f"{len(table.left_out)} {columns} skipped (--verbose)")
    marks = "   ".join(f"! {mark}" for mark in _marks(table, reading))
    lines = [f"{table.source}  {' · '.join(parts)}"]
    if marks:
        lines.append(textwrap.fill(marks, terminal_width(), break_on_hyphens=False))
    return "\n".join(lines)


def _marks(table: UserTable, reading: TableOptions) -> Iterator[str]:
    if reading.header is None and not getattr(table.origin, "has_names", True):
        yield "first line read as data (--header)"
    if table.n_imputed:
        are = "is" if table.n_imputed == 1 else "are"
        yield f"{counted(table.n_imputed, 'gap')} {are} imputed (--gaps drop)"
    dropped = table.n_rows_dropped if table.sample is None else 0
    if reading.drop_duplicates and table.n_repeated:
        dropped -= table.n_repeated
        yield f"{counted(table.n_repeated, 'repeated row')} dropped"
    elif table.n_repeated:
        yield f"{counted(table.n_repeated, 'repeated row')} (--drop-duplicates)"
    if dropped > 0:
        advice = " (--gaps impute)" if reading.gaps == "auto" else ""
        yield f"{counted(dropped, 'row')} with gaps dropped{advice}"
    for name in table.label_like[:1]:
        if table.labels is None:
            yield f"{name!r} looks like a label: --label {shlex.quote(name)}?"


def _account(table: UserTable) -> str:
    """Return what was used and what was skipped, each column with the flag that changes it."""
    lines = [f"{table.source}: {table.n_rows:,} rows x {table.n_features} features"]
    if table.sample is not None:
        lines.append(f"  a sample of {table.n_rows:,} of {table.sample.n_rows:,} rows (--sample)")
    for column in table.left_out[:SHOWN_COLUMNS]:
        remedy = f"; {column.remedy}" if column.remedy else ""
        lines.append(f"  skipped {column.column!r} ({column.reason}{remedy})")
    if len(table.left_out) > SHOWN_COLUMNS:
        lines.append(f"  skipped {len(table.left_out) - SHOWN_COLUMNS:,} more")
    return "\n".join([*lines, *(f"  {note}" for note in table.notes)])


def rows_of(table: UserTable) -> Table:
    """Return the rows with their names: plain arrays where all of it is continuous numbers."""
    from oddrank.rows import Table, as_table

    frame = table.frame().reset_index(drop=True)
    mixed = as_table(frame, minimum_rows=1, discrete_as_levels=True)
    if not mixed.is_plain:
        return mixed
    return Table(values=mixed.values, feature_names=table.feature_names)


def anomalies_of(table: UserTable, anomaly: str | None, common: Common) -> Any:
    """Return which rows are labelled as anomalies, before any work is done; None without labels."""
    from oddrank.inspection import anomaly_labels

    if table.labels is None:
        return None
    odd = anomaly_labels(table.labels, anomaly)
    n_odd, n_known = int((odd == 1.0).sum()), int((odd >= 0.0).sum())
    say(f"{n_odd:,} of {n_known:,} rows are labelled as anomalies.", common)
    return odd


def encoder_of(rows: Table, reading: TableOptions) -> Any:
    """Return the encoder for rows that are not all numbers, or None."""
    from oddrank.rows import TableEncoder

    if rows.is_plain:
        return None
    return TableEncoder(gaps="keep" if reading.gaps == "keep" else "impute")


def row_names(table: UserTable) -> list[str]:
    """Return what a reader looks for: the line of a text file or sheet, or the row from 0."""
    called = "row" if table.line_numbers is None else "line"
    return [" ".join((*file, called, number)) for *file, number in row_places(table)]


def row_places(table: UserTable) -> list[tuple[str, ...]]:
    """Return the line or row of every row, after the name of its file if there are several."""
    import numpy as np

    numbers = table.row_numbers if table.line_numbers is None else table.line_numbers
    if not table.files:
        return [(str(number),) for number in numbers.tolist()]
    ends = np.cumsum([n_rows for _, n_rows in table.files])
    file_numbers = np.searchsorted(ends, table.row_numbers, side="right")
    if table.line_numbers is None:
        numbers = table.row_numbers - np.concatenate([[0], ends])[file_numbers]
    names = [name for name, _ in table.files]
    return [
        (names[k], str(n)) for k, n in zip(file_numbers.tolist(), numbers.tolist(), strict=True)
    ]


def row_notes(table: UserTable) -> list[str]:
    """Return what the report says about the rows, a sentence each."""
    skipped = [f"Skipped {each.column!r}: {each.reason}" for each in table.left_out]
    return [*table.notes, *skipped]
