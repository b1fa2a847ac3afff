"""Rows on disk, one JSON line each, written as they come; finished ones may be packed with gzip."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from oddrank._files import write_whole
from oddrank.errors import InvalidDataError, InvalidParameterError

__all__ = ["append_rows", "in_order", "latest", "pack_rows", "read_rows", "row_key", "stored_rows"]

Row = Mapping[str, Any]
KEY = ("dataset", "setting", "detector", "seed", "draw")
_TEXTS = ("dataset", "setting", "detector", "preset", "status")
_MEASURES = ("roc", "pr", "em", "mv", "em_error", "mv_error")


def row_key(row: Row) -> Any:
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
    text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
    with target.open("ab+") as file:
        _drop_cut_off(file)
        file.write(text.encode("utf-8"))


def _drop_cut_off(file: IO[bytes]) -> None:
    """Remove a last line that was being written when a run was killed."""
    end = start = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail:
        start = max(0, start - 4096)
        file.seek(start)
        tail = file.read(end - start)
    whole, newline, last = tail.rpartition(b"\n")
    if not last:
        return
    if _parsed(last.decode("utf-8", errors="replace")) is None:
        file.truncate(start + len(whole) + len(newline))
    else:
        file.write(b"\n")


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the stored rows, of every cell and preset the last one that was written.

    A last line that was cut off when a run was killed is left out. A file whose name ends in ".gz"
    is unpacked.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from oddrank.benchmark import read_rows
    >>> row = {"dataset": "mine", "setting": "novelty", "detector": "knn", "seed": 0, "draw": -1,
    ...        "preset": "oddrank", "status": "done", "em": 0.2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.jsonl"
    ...     _ = path.write_text(json.dumps(row), "utf-8")
    ...     rows = read_rows(path)
    >>> rows[0]["detector"], rows[0]["em"]
    ('knn', 0.2)
    """
    return latest(stored_rows(path))


def latest(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return of every cell and preset the last row: cells that failed, or changed, run again."""
    return list({(*row_key(row), row["preset"]): row for row in rows}.values())


def stored_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return every row of a file, those that others have replaced too."""
    target = Path(path)
    if not target.exists():
        return []
    text = _text(target)
    lines = text.split("\n")
    rows = []
    for number, line in enumerate(lines, 1):
        row = _parsed(line)
        if row is not None:
            rows.append(row)
        elif line.strip() and number < len(lines):
            raise InvalidDataError(
                f"Line {number} of '{target}' is not a row of a benchmark. "
                "Remove the line, or name another file of rows."
            )
    return rows


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if _is_row(row) else None


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and all(isinstance(row.get(name), str) for name in _TEXTS)
        and all(type(row.get(name)) is int for name in ("seed", "draw"))
        and all(isinstance(row.get(name), int | float | None) for name in _MEASURES)
    )


def pack_rows(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Write finished rows with gzip, sorted by cell; the same rows give the same bytes."""
    text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in in_order(rows))
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # without a time in its head, since equal content should be an equal file
    content = gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
    write_whole(target, lambda file: file.write(content))


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Sort rows by cell and preset: what is made from them does not depend on who was first."""
    return sorted(rows, key=lambda row: (*map(str, row_key(row)[:3]), *row_key(row)[3:],
                                         row["preset"]))  # fmt: skip


def _text(path: Path) -> str:
    if path.suffix != ".gz":
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InvalidDataError(
                f"The rows in '{path}' are not UTF-8, so they are not rows of a benchmark. "
                "Name another file of rows."
            ) from None
    try:
        return gzip.decompress(path.read_bytes()).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InvalidDataError(
            f"The rows in '{path}' cannot be unpacked: {error}. Pack them again with gzip."
        ) from error
