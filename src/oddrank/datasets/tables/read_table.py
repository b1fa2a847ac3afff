"""`read_table`: any table a user has, and an account of what became of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oddrank._validation import check_integer, check_option
from oddrank.datasets.tables.binary_files import (
    read_arff,
    read_feather,
    read_npy,
    read_npz,
    read_parquet,
)
from oddrank.datasets.tables.column_choice import choose_columns
from oddrank.datasets.tables.file_format import file_format
from oddrank.datasets.tables.frames import is_frame, read_frame
from oddrank.datasets.tables.missing_values import complete
from oddrank.datasets.tables.raw_table import RawTable, Request, listed
from oddrank.datasets.tables.text_layout import check_encoding
from oddrank.datasets.tables.text_table import read_text
from oddrank.datasets.tables.user_table import UserTable
from oddrank.errors import InvalidDataError, InvalidParameterError, OddrankError

_READERS = {
    "Parquet": read_parquet,
    "Feather": read_feather,
    "npy": read_npy,
    "npz": read_npz,
    "ARFF": read_arff,
}


def read_table(
    source: Any,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    impute: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    min_distinct: int = 10,
    max_columns: int = 4096,
    max_bytes: int = 4 * 10**9,
) -> UserTable:
    """Read the numeric columns of a file or a frame, and say what was left out and why.

    Parameters
    ----------
    source : path or frame
        CSV and other text tables (also in gzip, bzip2, xz or zip), Parquet, Feather, npy, npz,
        ARFF; or a pandas or polars frame. The format is told from the content.
    label : str, optional
        A column to keep apart, in `labels`. No detector sees it.
    columns : list of str, optional
        Use exactly these, in this order. By default every numeric column is used that is not
        constant, has at least `min_distinct` distinct values, and is no identifier.
    impute : None or "median"
        Rows with a missing value are dropped; "median" puts in the column's median instead.
    separator, header, encoding, decimal : optional
        Of text tables; told from the first megabyte if not given. `separator="blanks"` means runs
        of blanks. Columns without names are called `x0`, `x1`, …
    min_distinct : int
        The paper's rule: attributes with fewer distinct values are not continuous.
    max_columns : int
        Wider tables are refused unless `columns` says which to use.
    max_bytes : int
        Compressed files that unpack to more are refused.

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
      left out 'id' (row numbers: consecutive integers, each once)
      left out 'colour' (text...)
      'fraud' is kept apart as the label.
    >>> table.X.shape, int(table.labels.sum())
    ((20, 1), 1)
    """
    check_option(impute, "impute", "read_table", (None, "median"))
    check_integer(min_distinct, "min_distinct", "read_table")
    _check_text_options(separator, header, encoding, decimal)
    request = Request(
        what="the frame" if is_frame(source) else _path(source).name,
        columns=_check_columns(columns, label),
        label=_check_label(label),
        max_bytes=check_integer(max_bytes, "max_bytes", "read_table"),
        max_columns=check_integer(max_columns, "max_columns", "read_table"),
    )
    text_options = {
        "separator": separator,
        "header": header,
        "encoding": check_encoding(encoding) if encoding is not None else None,
        "decimal": decimal,
    }
    raw = _read(source, request, text_options)
    kept, left_out = choose_columns(raw, request, min_distinct)
    names = tuple(column.name for column in kept)
    table = complete(kept, raw.n_rows, impute, request.what)
    return UserTable(
        source=request.what,
        X=table.X,
        feature_names=names,
        labels=None if raw.labels is None else raw.labels[table.row_numbers],
        left_out=tuple(left_out),
        row_numbers=table.row_numbers,
        n_rows_read=raw.n_rows,
        n_imputed=table.n_imputed,
        notes=(*raw.notes, *table.notes, *_label_note(label)),
    )


def _read(source: Any, request: Request, text_options: dict[str, Any]) -> RawTable:
    kind = "frame"
    try:
        if is_frame(source):
            return read_frame(source, request)
        path = _existing(_path(source))
        kind = "table"
        kind = file_format(path, request.what, request.max_bytes)
        if kind == "text":
            return read_text(path, request, **text_options)
        return _READERS[kind](path, request)
    except OddrankError:
        raise
    # Parsers of other libraries meet bytes from anywhere, and each has errors of its own; whatever
    # they raise, the user is told which file it was and what can be done.
    except Exception as error:
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InvalidDataError(
            f"{request.what} cannot be read as {kind}: {first_line[:200].rstrip('.')}. "
            "Check that the file is complete and is what its name says."
        ) from error


def _path(source: Any) -> Path:
    if not isinstance(source, str | os.PathLike):
        raise InvalidParameterError(
            "The 'source' parameter of read_table must be a path, or a pandas or polars frame. "
            f"Got {type(source).__name__} instead."
        )
    return Path(source).expanduser()


def _existing(path: Path) -> Path:
    text = str(path)
    if "://" in text or text.startswith(("http:/", "https:/")):
        raise InvalidDataError(f"{text} is an address. Download the file and give its path.")
    if path.is_dir():
        raise InvalidDataError(f"{path} is a folder. Give the path of one file in it.")
    if not path.exists():
        raise InvalidDataError(f"There is no file {path}. Check the path.")
    return path


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


def _check_label(label: Any) -> str | None:
    if label is not None and not isinstance(label, str):
        raise InvalidParameterError(
            f"The 'label' parameter of read_table must be a column name. Got {label!r} instead."
        )
    return label


def _check_text_options(separator: Any, header: Any, encoding: Any, decimal: Any) -> None:
    check_option(header, "header", "read_table", (None, True, False))
    check_option(decimal, "decimal", "read_table", (None, ".", ","))
    if encoding is not None and not isinstance(encoding, str):
        check_encoding(encoding)
    one_character = isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    if separator not in (None, "blanks") and (not one_character or separator in '\n\r"'):
        raise InvalidParameterError(
            "The 'separator' parameter of read_table must be one ASCII character or 'blanks'. "
            f"Got {separator!r} instead."
        )


def _label_note(label: str | None) -> list[str]:
    return [f"{label!r} is kept apart as the label."] if label is not None else []
