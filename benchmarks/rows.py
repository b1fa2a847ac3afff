"""Stored results: one JSON line per cell, written as it comes; what pages need is packed."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from oddrank.errors import InvalidDataError

Row = Mapping[str, Any]
KEY = ("dataset", "setting", "detector", "seed")
# What a run says about itself, and no page reads.
OF_THE_RUN = ("options", "versions", "seconds", "status")


def row_key(row: Row) -> tuple[str, ...]:
    """Return the cell of a row; a study that ranks a whole pool has no `detector`."""
    return tuple(str(row.get(name)) for name in KEY)


def short(values: Any, digits: int = 7) -> Any:
    """Round a number, or all in nested lists, to so many significant digits: pages show fewer."""
    if isinstance(values, list | tuple):
        return [short(each, digits) for each in values]
    return None if values is None else float(f"{values:.{digits}g}")


def append_row(path: str | os.PathLike[str], row: Row) -> None:
    """Add a row at the end; it is whole on disk before the next one is waited for."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab+") as file:
        _drop_cut_off(file)
        file.write(_line(row))


def _line(row: Row) -> bytes:
    text = json.dumps(row, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode()


def _drop_cut_off(file: IO[bytes]) -> None:
    """Remove a last line that was being written when a run was killed."""
    file.seek(0)
    content = file.read()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        file.truncate(whole)


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return of every cell the row that was written last; a line that was cut off is left out."""
    target = Path(path)
    if not target.exists():
        return []
    content = target.read_bytes()
    if target.suffix == ".xz":
        try:
            content = lzma.decompress(content)
        except lzma.LZMAError as error:
            raise InvalidDataError(
                f"The rows in '{target}' cannot be unpacked: {error}."
            ) from error
    rows = {}
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        try:
            row = json.loads(line)
            rows[row_key(row)] = row
        except (ValueError, AttributeError):
            raise InvalidDataError(
                f"Line {number} of '{target}' is not a row of a benchmark. "
                "Remove the line, or name another file of rows."
            ) from None
    return in_order(rows.values())


def pack_rows(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Write the finished rows compressed, in order, without what only the run says of itself."""
    kept = ({name: each for name, each in row.items() if name not in OF_THE_RUN}
            for row in in_order(rows) if row.get("status", "done") == "done")  # fmt: skip
    content = b"".join(map(_line, kept))
    Path(path).write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


def in_order(rows: Iterable[Any]) -> list[Any]:
    """Sort rows by cell: what is made from them does not depend on who was first."""
    return sorted(rows, key=lambda row: (*row_key(row)[:3], row["seed"]))
