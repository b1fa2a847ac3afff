"""Files that are there whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["is_special", "remove_leftovers", "write_once", "write_text", "write_whole"]

# Another machine's file in a shared folder: whether its writer still runs cannot be asked.
OLDEST_SECONDS = 24 * 3600.0

_HOST = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname())[:40] or "host"
# A process may get the number of one that was killed; this tells the two apart.
_RUN = secrets.token_hex(4)
_PART = re.compile(
    r"\.oddrank-(?P<target>[0-9a-f]{12})\.(?P<host>[A-Za-z0-9-]+)"
    r"\.(?P<pid>\d+)-(?P<run>[0-9a-f]{8})-[0-9a-f]{8}\.part"
)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8; what UTF-8 cannot hold, such as names of odd files, as an escape."""
    content = text.encode("utf-8", errors="backslashreplace")
    write_whole(path, lambda file: file.write(content))


def write_whole(
    path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any], *, lasting: bool = True
) -> None:
    """Let `write` fill a file; until it is finished, what was there before stays as it is.

    Pipes and devices are written to directly: there is nothing to be kept. With `lasting` the file
    is on disk before the old one goes, and what killed processes left of it is removed.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    if is_special(target):
        with target.open("wb") as file:
            write(file)
        return
    temporary = _name_beside(target)
    try:
        with temporary.open("xb") as file:
            write(file)
            if lasting:
                file.flush()
                os.fsync(file.fileno())  # a full disk may be noticed only here
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is not None:
            raise type(error)(error.errno, error.strerror, str(path)) from error  # as users know it
        raise
    if lasting:
        remove_leftovers(target.parent, target)


def write_once(path: Path, text: str) -> None:
    """Write a file, unless another process was first: then its file stays."""
    temporary = _name_beside(path)
    try:
        temporary.write_text(text, encoding="utf-8")
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links: the last one wins
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def is_special(path: Path) -> bool:
    """Tell whether this is a pipe or a device, such as /dev/stdout."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def remove_leftovers(folder: Path, target: Path | None = None) -> None:
    """Remove half-written files of processes that are gone: those of one target, or all."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            if path.name.endswith(".part") and _is_left(path, target):
                path.unlink(missing_ok=True)


def _name_beside(target: Path) -> Path:
    process = f"{_HOST}.{os.getpid()}-{_RUN}-{secrets.token_hex(4)}"
    return target.with_name(f".oddrank-{_tag(target)}.{process}.part")


def _tag(target: Path) -> str:
    # names may be as long as a file system allows: there is no room for more
    return hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]


def _is_left(path: Path, target: Path | None) -> bool:
    found = _PART.fullmatch(path.name)
    if found is None:
        return target is None  # of a former version: in a folder of ours it is nobody's
    if target is not None and found["target"] != _tag(target):
        return False
    if found["host"] != _HOST:
        return time.time() - path.stat().st_mtime > OLDEST_SECONDS
    if int(found["pid"]) == os.getpid():
        return found["run"] != _RUN
    return not _is_alive(int(found["pid"]))


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # there the question itself would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
