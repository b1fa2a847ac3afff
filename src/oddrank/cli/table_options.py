"""The options that say how a command reads a table."""

from __future__ import annotations

import csv
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

__all__ = ["TableOptions", "table_options"]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How tables are read.

    Attributes
    ----------
    told : dict
        What the user says of the file's format: parameters of `oddrank.io.Reading`.
    columns : list of str or None
        Use exactly these.
    use, ignore, categories : list of str
        Columns that are features, are none, and are levels, whatever they look like.
    drop_gaps, drop_duplicates : bool
    sample : int
        Rows of a larger table that are used, chosen at random.
    """

    told: dict[str, Any] = field(default_factory=dict)
    columns: list[str] | None
    use: list[str]
    ignore: list[str]
    categories: list[str]
    drop_gaps: bool
    drop_duplicates: bool
    sample: int


_OPTIONS = (
    click.option("--columns", metavar="NAMES",
                 help="Use exactly these columns, separated by commas; a name with a comma in "
                 "double quotes."),
    click.option("--use", metavar="NAMES", help="Also use these columns, which would be skipped."),
    click.option("--ignore", metavar="NAMES", help="Do not use these columns."),
    click.option("--categories", metavar="NAMES",
                 help="Read these columns as text, for example codes made of digits."),
    click.option("--separator", "--sep", metavar="SIGN",
                 help="Separator of a text file: a character, 'tab' or 'blanks'."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign."),
    click.option("--thousands", metavar="SIGN",
                 help="Sign between groups of three digits, '' for none."),
    click.option("--dates", type=click.Choice(["dmy", "mdy", "ymd"]),
                 help="Order of dates such as 03/04/2024: dmy is 3 April."),
    click.option("--gaps-as", metavar="WORDS",
                 help="Words that stand for a gap, in every column, separated by commas; '' for "
                 "empty cells alone. By default NA, null, ? and the like are gaps among numbers "
                 "and dates, and text among texts."),
    click.option("--quote", metavar="SIGN",
                 help="Sign around cells of a text file, or 'none' if quotation marks are "
                 "ordinary characters."),
    click.option("--header/--no-header", default=None,
                 help="Whether the first line of a text file or sheet holds column names."),
    click.option("--skip-rows", "--skiprows", type=click.IntRange(min=0), metavar="N",
                 help="Lines above the column names that are no part of the table."),
    click.option("--skip-footer", "--skipfooter", type=click.IntRange(min=0), metavar="N",
                 help="Lines below the last row that are no part of the table."),
    click.option("--comment", metavar="SIGN", help="Leave out lines that begin with this."),
    click.option("--encoding", metavar="NAME",
                 help="Encoding of a text file that is not UTF-8, for example cp1252."),
    click.option("--sheet", metavar="NAME",
                 help="Sheet of a workbook; by default the first that is not hidden."),
    click.option("--drop-gaps", is_flag=True,
                 help="Leave out rows with gaps. By default all rows are used: a number gets the "
                 "median, and detectors see where gaps were."),
    click.option("--drop-duplicates", is_flag=True, help="Drop rows that repeat an earlier row."),
    click.option("--sample", type=click.IntRange(min=100), default=200_000, show_default=True,
                 metavar="N",
                 help="Rows of a larger table that are used, chosen at random. oddrank score "
                 "scores all rows, a Parquet table of more rows chunk by chunk."),
)  # fmt: skip
_SIGNS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blank": " ", "space": " "}


def table_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them as one `reading` argument."""

    @functools.wraps(function)
    def with_reading(*arguments: Any, **options: Any) -> Any:
        from oddrank._validation import check_exists

        # before anything heavy is imported
        for path in (*options.get("tables", ()), options.get("test_table")):
            if path is not None and path != "-":
                check_exists(Path(os.path.expanduser(path)))  # noqa: PTH111
        names = {name: _names(options.pop(name)) for name in ("columns", "use", "ignore")}
        reading = TableOptions(
            columns=names["columns"],
            use=names["use"] or [],
            ignore=names["ignore"] or [],
            categories=_names(options.pop("categories")) or [],
            drop_gaps=options.pop("drop_gaps"),
            drop_duplicates=options.pop("drop_duplicates"),
            sample=options.pop("sample"),
            told=_told(options),
        )
        return function(*arguments, reading=reading, **options)

    decorated: Callable[..., Any] = with_reading
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _told(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of the format, and return those that were given."""
    names = ("separator", "decimal", "thousands", "dates", "gaps_as", "quote", "header",
             "skip_rows", "skip_footer", "comment", "encoding", "sheet")  # fmt: skip
    told = {name: value for name in names if (value := options.pop(name)) is not None}
    for name in ("separator", "thousands", "quote"):
        if name in told:
            told[name] = _SIGNS.get(told[name], told[name])
    if told.get("quote") == "none":
        told["quote"] = ""
    if "gaps_as" in told:
        told["gaps_as"] = tuple({"": None, **dict.fromkeys(_names(told["gaps_as"]) or ())})
    return told


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    cells = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in cells if name.strip()]
