"""Rows on disk, one JSON line each, written as they come."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["append_rows", "finished_keys", "read_rows", "row_key"]

Row = Mapping[str, Any]
KEY = ("dataset", "setting", "detector", "seed", "draw")


def row_key(row: Row) -> tuple[Any, ...]:
    """Return the cell of a row."""
    return tuple(row[name] for name in KEY)


def append_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Add rows at the end; each is whole on disk before the next cell is waited for."""
    target = Path(path)
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
    """Return the stored rows; lines that were cut off when a run was killed are left out."""
    target = Path(path)
    if not target.exists():
        return []
    rows = []
    for line in target.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            rows.append(json.loads(line))
    return rows


def finished_keys(rows: Iterable[Row], presets: Iterable[str]) -> set[tuple[Any, ...]]:
    """Return the cells that have a row for each preset."""
    wanted = set(presets)
    found: dict[tuple[Any, ...], set[str]] = {}
    for row in rows:
        found.setdefault(row_key(row), set()).add(row["preset"])
    return {key for key, presets_found in found.items() if wanted <= presets_found}
