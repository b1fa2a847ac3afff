"""Rows that come through a pipe: copied to a file first, since formats are told from content."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from oddrank.errors import InvalidDataError
from oddrank.io.tables.raw_table import RawTable

# A pipe that nobody writes into is silent for ever; whoever writes opens it at once.
LONGEST_WAIT = 10.0


def is_pipe(path: Path) -> bool:
    """Tell whether this is a named pipe, or one that the shell has made: <(command)."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


def read_copied(source: Any, what: str, read: Callable[[Path], RawTable]) -> RawTable:
    """Write standard input, or what comes through a pipe, to a file, and read that.

    The copy stays as long as the rows can be read again from it.
    """
    folder = tempfile.mkdtemp(prefix="oddrank")
    try:
        path = Path(folder) / "copied_rows"
        with path.open("wb") as file:
            shutil.copyfileobj(getattr(source, "buffer", source), file)
        if not path.stat().st_size:
            raise InvalidDataError(
                f"{what} is empty, so there is nothing to read. Give another file."
            )
        table = read(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(table.origin or table, shutil.rmtree, folder, ignore_errors=True)
    return table


def opened_pipe(path: Path) -> IO[bytes]:
    """Open a pipe, which waits until somebody writes into it, and not for ever."""
    opened: list[Any] = []

    def wait() -> None:
        try:
            opened.append(path.open("rb"))
        except OSError as error:
            opened.append(error)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    thread.join(LONGEST_WAIT)
    if thread.is_alive():
        with suppress(OSError):  # so that the thread ends
            os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
            thread.join()
            opened[0].close()
        raise InvalidDataError(
            f"{path} is a pipe, and nobody wrote into it for {LONGEST_WAIT:g} seconds. "
            "Start what writes into it first, or give a file."
        )
    (found,) = opened
    if isinstance(found, OSError):
        raise found
    pipe: IO[bytes] = found
    return pipe
