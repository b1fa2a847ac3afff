"""Rows on disk, one JSON line each, written as they come; finished ones may be packed with gzip."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from oddrank.errors import InvalidDataError, InvalidParameterError

__all__ = ["append_rows", "in_order", "pack_rows", "read_rows", "row_key", "stored_presets"]

Row = Mapping[str, Any]
KEY = ("dataset", "setting", "detector", "seed", "draw")


def row_key(row: Row) -> tuple[Any, ...]:
    """Return the cell of a row."""
    return tuple(row[name] for name in KEY)


def append_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Add rows at the end; each is whole on disk before the next cell is waited for."""
    target = Path(path)
    if target.suffix == ".gz":
        raise InvalidParameterError(
            f"Rows cannot be added to the packed file '{target}'. "
            "Run into a file of plain JSON lines, and pack it when it is finished."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a", encoding="utf-8") as file:
        if file.tell() and not _ends_with_newline(target):
            file.write("\n")  # a line that was cut off stays a line of its own
        for row in rows:
            file.write(json.dumps(row, allow_nan=False) + "\n")


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the stored rows; lines that were cut off when a run was killed are left out.

    A file whose name ends in ".gz" is unpacked.
    """
    target = Path(path)
    if not target.exists():
        return []
    rows = []
    for line in _text(target).splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            rows.append(json.loads(line))
    return rows


def pack_rows(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Write finished rows with gzip, sorted by cell; the same rows give the same bytes."""
    text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in in_order(rows))
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # without a time in its head, since equal content should be an equal file
    target.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sort rows by cell and preset: what is made from them does not depend on who was first."""
    return sorted(rows, key=lambda row: (*map(str, row_key(row)[:3]), *row_key(row)[3:],
                                         row["preset"]))  # fmt: skip


def _text(path: Path) -> str:
    if path.suffix != ".gz":
        return path.read_text(encoding="utf-8")
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidDataError(
            f"The rows in '{path}' cannot be unpacked: {error}. Pack them again with gzip."
        ) from error


def stored_presets(rows: Iterable[Row]) -> dict[tuple[Any, ...], set[str]]:
    """Return the presets that every cell has a row of."""
    found: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        found.setdefault(row_key(row), set()).add(row["preset"])
    return found
