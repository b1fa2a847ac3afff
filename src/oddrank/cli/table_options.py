"""The options that say how a command reads a table."""

from __future__ import annotations

import csv
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

__all__ = ["TableOptions", "table_options"]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How tables are read.

    Attributes
    ----------
    columns : list of str or None
        Use exactly these.
    encode : "auto" or "none"
    gaps : "auto", "drop", "impute" or "keep"
    drop_duplicates : bool
    sheet, separator, decimal, encoding : str or None
        None works it out from the file.
    header : bool or None
        Whether the first line holds names; None works it out.
    sample : int
        Rows of a larger table that are used, chosen at random.
    """

    columns: list[str] | None
    encode: str
    gaps: str
    drop_duplicates: bool
    sheet: str | None
    separator: str | None
    decimal: str | None
    encoding: str | None
    header: bool | None
    sample: int


_OPTIONS = (
    click.option("--columns", metavar="NAMES",
                 help="Use exactly these columns, separated by commas; a name with a comma in "
                 "double quotes."),
    click.option("--encode", type=click.Choice(["auto", "none"]), default="auto",
                 show_default=True,
                 help="auto also uses categories, yes and no, and dates; none uses numbers only."),
    click.option("--gaps", type=click.Choice(["auto", "drop", "impute", "keep"]), default="auto",
                 show_default=True,
                 help="Missing values: drop their rows, impute them in every fold, or impute "
                 "them and show detectors where they were (keep). auto drops the rows if they "
                 "are at most 5 %, and imputes otherwise."),
    click.option("--drop-duplicates", is_flag=True, help="Drop rows that repeat an earlier row."),
    click.option("--sheet", metavar="NAME",
                 help="Sheet of a workbook; by default the first with a table."),
    click.option("--separator", metavar="SIGN",
                 help="Separator of a text file, or 'blanks'."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of a text file."),
    click.option("--encoding", metavar="NAME",
                 help="Encoding of a text file, for example latin-1."),
    click.option("--header/--no-header", default=None,
                 help="Whether the first line of a text file or sheet holds column names."),
    click.option("--sample", type=click.IntRange(min=100), default=200_000, show_default=True,
                 metavar="N",
                 help="Rows of a larger table that are used, chosen at random. oddrank score "
                 "scores all rows, a Parquet table of more rows chunk by chunk."),
)  # fmt: skip


def table_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them as one `reading` argument."""

    @functools.wraps(function)
    def with_reading(
        *arguments: Any,
        columns: str | None,
        encode: str,
        gaps: str,
        drop_duplicates: bool,
        sheet: str | None,
        separator: str | None,
        decimal: str | None,
        encoding: str | None,
        header: bool | None,
        sample: int,
        **options: Any,
    ) -> Any:
        from oddrank._validation import check_exists

        # before anything heavy is imported
        for path in (*options.get("tables", ()), options.get("test_table")):
            if path is not None and path != "-":
                check_exists(Path(os.path.expanduser(path)))  # noqa: PTH111
        reading = TableOptions(
            columns=_names(columns),
            encode=encode,
            gaps=gaps,
            drop_duplicates=drop_duplicates,
            sheet=sheet,
            separator=separator,
            decimal=decimal,
            encoding=encoding,
            header=header,
            sample=sample,
        )
        return function(*arguments, reading=reading, **options)

    decorated: Callable[..., Any] = with_reading
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    cells = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in cells if name.strip()]
