"""`read_table`: any table a user has, and a list of what was done to it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import root_of, stream
from oddrank._validation import check_integer, check_option
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io.tables.column_choice import LeftOut, choose_columns
from oddrank.io.tables.missing_values import (
    Complete,
    check_enough_rows,
    complete,
    only_rows,
)
from oddrank.io.tables.raw_table import RawColumn, Request, TextCells, listed
from oddrank.io.tables.repeated_rows import repeated_rows
from oddrank.io.tables.sources import name_of, read_source
from oddrank.io.tables.text import check_encoding, interpret
from oddrank.io.tables.user_table import UserTable, joined
from oddrank.rows import RowSample, large_table, rows_at_hand


def read_table(
    source: Any,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    encode: str = "none",
    gaps: str = "auto",
    fill: bool = True,
    drop_duplicates: bool = False,
    sheet: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    min_distinct: int = 10,
    max_columns: int = 4096,
    max_bytes: int = 4 * 10**9,
    min_rows: int = 2,
    kinds: Mapping[str, str] | None = None,
    sample: int | None = None,
    random_state: Any = None,
) -> UserTable:
    """Read any table, and say what was skipped and why.

    Parameters
    ----------
    source : path, list of paths, folder, "-" or frame
        CSV and other text tables (also in gzip, bzip2, xz or zip), .xlsx, .xls, .ods, Parquet,
        Feather, npy, npz, ARFF; or a frame of pandas, polars, pyarrow or modin. The content
        decides the format. "-" is standard input. Several files, or all of a folder, must have the
        same columns and are read as one table.
    label : str, optional
        A column to keep apart, in `labels`. No detector sees it.
    columns : list of str, optional
        Use exactly these, in this order, whatever they hold.
    encode : "none" or "auto"
        "none" uses columns of numbers that are not constant, have at least `min_distinct` distinct
        values, and are not identifiers. "auto" uses every column that carries information,
        including numbers with few values, booleans, dates and categories. A category has 2 to 40
        levels; with more than 800 rows it may have one level per 20 rows, at most 100.
    gaps : "auto", "drop", "impute" or "keep"
        "drop" drops rows with a gap. "impute" puts in medians, the level "missing" for categories,
        and the commoner boolean. "keep" leaves gaps as they are. "auto" drops the rows if they are
        at most 5 % of all; otherwise it skips columns that are mostly gaps, and imputes the rest.
    fill : bool
        Put values into gaps that are to be imputed. With False they stay gaps, for a transformer
        that is fitted in every fold; the command line does so.
    drop_duplicates : bool
        Drop rows that repeat an earlier row in all columns used.
    sheet : str, optional
        The sheet of a workbook; by default the first that holds a table.
    separator, header, encoding, decimal : optional
        Of text tables; by default found from the text. `separator="blanks"` means runs of blanks.
        `decimal` is "." or ",". Columns without names are called `x0`, `x1`, …
    min_distinct : int
        With `encode="none"`, the paper's rule: attributes with fewer distinct values are not
        continuous.
    max_columns : int
        Tables with more columns are refused unless `columns` says which to use.
    max_bytes : int
        Compressed files that unpack to more bytes are refused.
    min_rows : int
        Tables with fewer rows are refused.
    kinds : mapping of str to str, optional
        What columns hold, as in `UserTable.kinds` of an earlier table. It helps where a few rows
        leave it open: a column of `yes` alone is then "boolean" or a "category".
    sample : int, optional
        Keep a random sample of this many rows where there are more. Of Parquet files only these
        are in memory at any time.
    random_state : None, int or numpy random state
        Chooses the sample.

    Returns
    -------
    UserTable

    Raises
    ------
    InvalidDataError
        If the table cannot be read, in one sentence that names the file, the place and a remedy.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"id": range(100, 120), "size": [i * 1.5 for i in range(20)],
    ...                           "colour": ["red"] * 20, "fraud": [0] * 19 + [1]})
    >>> table = read_table(frame, label="fraud")
    >>> print(table)
    the frame: 20 rows x 1 features
      skipped 'id' (row numbers: consecutive integers, each once)
      skipped 'colour' (text...)
      'fraud' is kept apart as the label.
    >>> table.X.shape, int(table.labels.sum())
    ((20, 1), 1)
    """
    check_option(encode, "encode", "read_table", ("none", "auto"))
    check_option(gaps, "gaps", "read_table", ("auto", "drop", "impute", "keep"))
    check_option(drop_duplicates, "drop_duplicates", "read_table", (True, False))
    check_integer(min_distinct, "min_distinct", "read_table")
    check_integer(min_rows, "min_rows", "read_table")
    _check_text_options(separator, header, encoding, decimal)
    request = Request(
        what=name_of(source),
        columns=_check_columns(columns, label),
        label=_check_name(label, "label", "a column name"),
        encode=encode,
        sheet=_check_name(sheet, "sheet", "the name of a sheet"),
        separator=separator,
        header=header,
        encoding=check_encoding(encoding) if encoding is not None else None,
        decimal=decimal,
        max_bytes=check_integer(max_bytes, "max_bytes", "read_table"),
        max_columns=check_integer(max_columns, "max_columns", "read_table"),
        kinds=dict(kinds or {}),
    )
    if sample is not None:
        check_integer(sample, "sample", "read_table", minimum=2)
    counters: list[LeftOut] = []
    root, sampled, numbers = root_of(random_state, "read_table"), None, None
    if sample is not None and is_parquet(source) and large_table(source).n_rows > sample:
        source, sampled = rows_at_hand(source, sample, root, "read_table", request.what)
        numbers = None if sampled is None else sampled.numbers
        if columns is None:
            source, counters = _without_counters(source, sampled, label)
    raw = read_source(source, request)
    understood, notes = interpret(raw, request)
    labels = _take_labels(understood, request)
    choice = choose_columns(understood, request, min_distinct)
    del understood
    table = complete(
        choice, raw.n_rows, gaps, request.what, asked_for=columns is not None, fill=fill
    )
    check_enough_rows(table, min_rows, request.what)
    table, n_repeated = _without_repeated(table, drop_duplicates)
    if sample is not None and len(table.row_numbers) > sample:
        chosen = stream(root, "sample").choice(len(table.row_numbers), sample, replace=False)
        table = _only_rows(table, np.sort(chosen))
        sampled = RowSample(numbers=table.row_numbers, n_rows=raw.n_rows)
    rows = table.row_numbers
    kept = slice(None) if len(rows) == raw.n_rows else rows
    names = tuple(column.name for column in table.columns)
    held = tuple(column.kind for column in table.columns)
    return UserTable(
        source=request.what,
        X=joined(table.columns, len(rows)),
        feature_names=names,
        kinds=held,
        labels=None if labels is None else labels[kept],
        left_out=(*counters, *choice.left_out),
        label_like=choice.label_like,
        row_numbers=rows if numbers is None else numbers[rows],
        line_numbers=None if raw.line_numbers is None else raw.line_numbers[kept],
        n_rows_read=raw.n_rows,
        n_imputed=table.n_imputed,
        n_repeated=n_repeated,
        notes=(*raw.notes, *notes, *table.notes, *choice.notes, *_label_note(label)),
        origin=raw.origin,
        files=tuple(raw.files),
        sample=sampled,
    )


def is_parquet(source: Any) -> bool:
    """Return whether this is the path of a Parquet file, or of a folder of nothing else."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    path = Path(source).expanduser()
    if path.is_dir():
        # notes of those who wrote it, such as _SUCCESS and .crc, are no data
        files = [each for each in path.rglob("*") if each.is_file() and each.name[0] not in "._"]
        return bool(files) and all(each.suffix.lower() in (".parquet", ".pq") for each in files)
    return path.is_file() and path.suffix.lower() in (".parquet", ".pq")


def _without_counters(
    frame: Any, sampled: RowSample | None, label: str | None
) -> tuple[Any, list[LeftOut]]:
    """Leave out columns that number the rows: in a sample their numbers are not consecutive."""
    if sampled is None:
        return frame, []
    found = [
        str(name)
        for name, column in frame.items()
        if name != label
        and column.dtype.kind in "iu"
        and np.ptp(column.to_numpy().astype(np.int64) - sampled.numbers) == 0
    ]
    reason = "row numbers: consecutive integers, each once"
    return frame.drop(columns=found), [LeftOut(column=each, reason=reason) for each in found]


def _only_rows(table: Complete, kept: npt.NDArray[np.intp]) -> Complete:
    return Complete(
        columns=only_rows(table.columns, kept),
        row_numbers=table.row_numbers[kept],
        n_imputed=table.n_imputed,
        notes=table.notes,
    )


def _take_labels(columns: list[RawColumn], request: Request) -> npt.NDArray[Any] | None:
    """Take the label out of the columns."""
    if request.label is None:
        return None
    (label,) = (column for column in columns if column.name == request.label)
    columns.remove(label)
    if label.values is None:
        raise InvalidDataError(
            f"Column {label.name!r} ({label.reason}) of {request.what} cannot be the label. "
            "Name another column."
        )
    values = label.values
    return values.as_objects() if isinstance(values, TextCells) else np.asarray(values)


def _without_repeated(table: Complete, drop: bool) -> tuple[Complete, int]:
    """Count rows that repeat an earlier one, and drop them if `drop` is set."""
    repeated = repeated_rows(table.columns)
    n_repeated = int(repeated.sum())
    if not n_repeated:
        return table, 0
    rows = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
    if not drop:
        them = "it" if n_repeated == 1 else "them"
        table.notes.append(f"{rows} an earlier row; --drop-duplicates drops {them}.")
        return table, n_repeated
    table.notes.append(f"{rows} an earlier row and {'is' if n_repeated == 1 else 'are'} dropped.")
    return _only_rows(table, np.flatnonzero(~repeated)), n_repeated


def _check_columns(columns: Any, label: Any) -> tuple[str, ...] | None:
    if columns is None:
        return None
    named = not isinstance(columns, str) and isinstance(columns, Sequence) and len(columns) > 0
    if not named or not all(isinstance(name, str) for name in columns):
        raise InvalidParameterError(
            "The 'columns' parameter of read_table must be a list of column names. "
            f"Got {columns!r} instead."
        )
    if label in columns:
        raise InvalidParameterError(
            f"Column {label!r} is the label, so it cannot be one of 'columns' too: no detector may "
            "see it."
        )
    if len(set(columns)) < len(columns):
        raise InvalidParameterError(
            "The 'columns' parameter of read_table must name each column once. "
            f"Got {listed([repr(name) for name in columns])} instead."
        )
    return tuple(columns)


def _check_name(name: Any, parameter: str, what: str) -> str | None:
    if name is not None and not isinstance(name, str):
        raise InvalidParameterError(
            f"The {parameter!r} parameter of read_table must be {what}. Got {name!r} instead."
        )
    return name


def _check_text_options(separator: Any, header: Any, encoding: Any, decimal: Any) -> None:
    check_option(header, "header", "read_table", (None, True, False))
    check_option(decimal, "decimal", "read_table", (None, ".", ","))
    if encoding is not None and not isinstance(encoding, str):
        check_encoding(encoding)
    one_character = isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    if separator not in (None, "blanks") and (not one_character or separator in '\n\r"'):
        raise InvalidParameterError(
            f"--separator must be one ASCII character or 'blanks'. Got {separator!r} instead."
        )


def _label_note(label: str | None) -> list[str]:
    return [f"{label!r} is kept apart as the label."] if label is not None else []
