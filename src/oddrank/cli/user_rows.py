"""Tables that a command is given, read with an account of what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oddrank.cli.common_options import Common
from oddrank.cli.terminal import say

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.rows import Table

__all__ = ["column_names", "mass_range_for", "read_rows", "rows_of"]


def column_names(text: str | None) -> list[str] | None:
    """Split a list of column names at commas."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def read_rows(
    path: str,
    common: Common,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    impute: str | None = None,
) -> UserTable:
    """Read a table of any kind, and say on stderr what became of it."""
    from oddrank.datasets import read_table

    table = read_table(path, label=label, columns=columns, impute=impute)
    # The account is written for Python; here its remedy is an option.
    say(str(table).replace("impute='median'", "--impute median"), common)
    return table


def rows_of(table: UserTable) -> Table:
    """Return the rows with their names; detectors are handed plain arrays."""
    from oddrank.rows import Table

    return Table(values=table.X, feature_names=table.feature_names)


def mass_range_for(n_test_rows: int, common: Common) -> tuple[float, float]:
    """Return the paper's range of masses, or the widest that this many rows can resolve."""
    upper = next(
        (mass for mass, needed in ((0.999, 1000), (0.99, 100)) if n_test_rows >= needed), 0.95
    )
    if upper < 0.999:
        say(f"{n_test_rows:,} test rows resolve masses up to {upper:g}, not 0.999.", common)
    return (0.9, upper)


def plain_account(table: UserTable) -> Any:
    """Return what the report says about the rows."""
    from oddrank.report import DataSummary

    return DataSummary(
        source=table.source,
        feature_names=table.feature_names,
        left_out={column.column: column.reason for column in table.left_out},
        notes=table.notes,
    )
