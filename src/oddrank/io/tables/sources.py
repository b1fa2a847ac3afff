"""Where tables come from: a path, standard input, a folder, several files, a frame."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from oddrank._validation import check_exists
from oddrank.errors import InvalidDataError, InvalidParameterError, OddrankError
from oddrank.io.tables.binary_files import read_arff, read_npy, read_npz
from oddrank.io.tables.file_format import READABLE_ENDINGS, file_format
from oddrank.io.tables.frames import as_frame, read_feather, read_frame, read_parquet
from oddrank.io.tables.pipes import is_pipe, opened_pipe, read_copied
from oddrank.io.tables.raw_table import RawColumn, RawTable, Request, TextCells
from oddrank.io.tables.sheets import read_workbook
from oddrank.io.tables.text import interpret, read_text

_READERS: dict[str, Callable[[Path, Request], RawTable]] = {
    "Parquet": read_parquet,
    "Feather": read_feather,
    "npy": read_npy,
    "npz": read_npz,
    "ARFF": read_arff,
    "workbook": read_workbook,
    "text": read_text,
}
STANDARD_INPUT = "standard input"
Result = TypeVar("Result")


def name_of(source: Any) -> str:
    """Return the name of a source in messages, or refuse what is not a source."""
    if as_frame(source) is not None:
        return "the frame"
    if isinstance(source, str) and source == "-":
        return STANDARD_INPUT
    paths = _paths(source)
    if isinstance(source, str | os.PathLike):
        return paths[0].name or str(paths[0])
    more = f" and {len(paths) - 1} more file{'s' if len(paths) > 2 else ''}"
    return paths[0].name + (more if len(paths) > 1 else "")


def read_source(source: Any, request: Request) -> RawTable:
    """Read any source; errors of other libraries become one sentence of ours."""
    frame = as_frame(source)
    if frame is not None:
        return _guarded(lambda: read_frame(frame, request), request, "frame")
    if isinstance(source, str) and source == "-":
        return read_copied(sys.stdin, request.what, lambda path: _read_file(path, request))
    paths = _paths(source)
    if len(paths) == 1 and paths[0].is_dir():
        paths = _files_in(paths[0])
    for path in paths:
        check_exists(path)
        if path.is_dir():
            raise InvalidDataError(f"{path} is a folder. Give it alone, or the paths of its files.")
    if len(paths) == 1:
        return _read_file(paths[0], request)
    tables = [_read_file(path, replace(request, what=path.name)) for path in paths]
    return _joined(tables, [path.name for path in paths], request)


def _read_file(path: Path, request: Request) -> RawTable:
    if is_pipe(path):
        with opened_pipe(path) as pipe:
            return read_copied(pipe, request.what, lambda copy: _read_file(copy, request))
    kind = _guarded(lambda: file_format(path, request.what, request.max_bytes), request, "table")
    return _guarded(lambda: _READERS[kind](path, request), request, kind)


def _guarded(read: Callable[[], Result], request: Request, kind: str) -> Result:
    try:
        return read()
    except OddrankError:
        raise
    # Parsers of other libraries read bytes of any origin, and each has its own errors. Whatever
    # they raise, the message names the file and a remedy.
    except Exception as error:
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InvalidDataError(
            f"{request.what} cannot be read as {kind}: {first_line[:200].rstrip('.')}. "
            "Check that the file is complete and is what its name says."
        ) from error


def _paths(source: Any) -> list[Path]:
    if isinstance(source, str | os.PathLike):
        return [_expanded(source)]
    several = isinstance(source, Sequence) and len(source) > 0
    if not several or not all(isinstance(path, str | os.PathLike) for path in source):
        raise InvalidParameterError(
            "The 'source' parameter of read_table must be a path, a list of paths, a folder, '-' "
            f"or a frame. Got {type(source).__name__} instead."
        )
    return [_expanded(path) for path in source]


def _expanded(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user
        raise InvalidDataError(f"There is no file {path}. Check the path.") from None


def _files_in(folder: Path) -> list[Path]:
    files = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith((".", "~$"))
        and path.suffix.lower() in READABLE_ENDINGS
    )  # fmt: skip
    if not files:
        raise InvalidDataError(
            f"{folder} is a folder without a file that can be read. Give the path of a file."
        )
    return files


def _joined(tables: list[RawTable], names: Sequence[str], request: Request) -> RawTable:
    """Join tables with the same columns, one below the other."""
    first = [column.name for column in tables[0].columns]
    for table, name in zip(tables[1:], names[1:], strict=True):
        _check_same_columns(first, [column.name for column in table.columns], names[0], name)
    columns = []
    for _ in first:
        parts = [tables[0].columns.pop(0)]
        parts += [
            table.columns.pop([each.name for each in table.columns].index(parts[0].name))
            for table in tables[1:]
        ]
        columns.append(_joined_column(parts, tables, names, request))
    lines = [table.line_numbers for table in tables if table.line_numbers is not None]
    signs = {table.decimal for table in tables} - {""}
    n_rows = sum(table.n_rows for table in tables)
    notes = [f"{len(tables)} files are read as one table of {n_rows:,} rows.", *tables[0].notes]
    for table, name in zip(tables[1:], names[1:], strict=True):
        layout = {note.removeprefix(names[0]) for note in tables[0].notes}
        others = [note.removeprefix(name) for note in table.notes]
        notes += [f"{name}: {note.removeprefix(': ')}" for note in others if note not in layout]
    return RawTable(
        n_rows=n_rows,
        columns=columns,
        line_numbers=np.concatenate(lines) if len(lines) == len(tables) else None,
        decimal=signs.pop() if len(signs) == 1 else "",
        points_are_decimal=all(table.points_are_decimal for table in tables),
        notes=notes,
        files=[(name, table.n_rows) for name, table in zip(names, tables, strict=True)],
    )


def _check_same_columns(
    first: Sequence[str], found: Sequence[str], first_name: str, name: str
) -> None:
    missing = [column for column in first if column not in found]
    extra = [column for column in found if column not in first]
    if missing or extra:
        fact = (
            f"has no column {missing[0]!r}, which {first_name} has"
            if missing
            else f"has a column {extra[0]!r}, which {first_name} does not have"
        )
        raise InvalidDataError(f"{name} {fact}. Files that are read as one need the same columns.")


def _joined_column(
    parts: list[RawColumn], tables: Sequence[RawTable], names: Sequence[str], request: Request
) -> RawColumn:
    """Join one column's parts; text beside numbers is interpreted first, within its own file."""
    if len({part.kind for part in parts}) > 1:
        parts = [
            _understood(part, table, request) for part, table in zip(parts, tables, strict=True)
        ]
    kinds = [part.kind for part in parts]
    known = next((part.kind for part in parts if not _is_empty(part)), kinds[0])
    for position, part in enumerate(parts):
        if part.kind != known:
            if not _is_empty(part):
                raise InvalidDataError(
                    f"Column {part.name!r} of {names[position]} holds {_in_words(part.kind)}, and "
                    f"that of {names[kinds.index(known)]} {_in_words(known)}. Files that are read "
                    "as one need the same columns."
                )
            parts[position] = _empty(part, known)
    if parts[0].values is None or any(part.values is None for part in parts):
        return next(part for part in parts if part.values is None)
    if known == "text":
        return replace(parts[0], content=_joined_cells([part.values for part in parts]))
    return replace(parts[0], content=np.concatenate([part.values for part in parts]))


def _understood(part: RawColumn, table: RawTable, request: Request) -> RawColumn:
    alone = replace(table, columns=[part])
    (column,), _ = interpret(alone, request)
    return column


def _is_empty(part: RawColumn) -> bool:
    return part.kind == "number" and bool(np.isnan(part.values).all())


def _empty(part: RawColumn, kind: str) -> RawColumn:
    n_rows = len(part.values)
    if kind == "text":
        cells = TextCells(codes=np.full(n_rows, -1, dtype=np.int32), levels=[])
        return replace(part, kind=kind, content=cells)
    if kind == "date":
        return replace(part, kind=kind, content=np.full(n_rows, np.datetime64("NaT", "us")))
    return replace(part, kind=kind)


def _in_words(kind: str) -> str:
    return {"number": "numbers", "boolean": "booleans", "date": "dates"}.get(kind, "text")


def _joined_cells(parts: Sequence[TextCells]) -> TextCells:
    texts = [text for part in parts for text in part.levels]
    offsets = np.cumsum([0, *(len(part.levels) for part in parts)])
    codes = [
        np.where(part.codes < 0, -1, part.codes + offset)
        for part, offset in zip(parts, offsets[:-1], strict=True)
    ]
    return TextCells.of(np.concatenate(codes), texts)
