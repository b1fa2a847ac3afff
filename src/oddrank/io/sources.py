"""Where tables come from: a path, a folder, several files, a pipe; read once, up to a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import threading
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from oddrank._validation import check_exists
from oddrank.errors import InvalidDataError, InvalidParameterError

# Parquet is read in pieces; everything else is held in memory.
MAX_BYTES = 4 * 10**9
# A pipe that nobody writes into is silent for ever; whoever writes opens it at once.
LONGEST_WAIT = 10.0
STANDARD_INPUT = "standard input"
ENDINGS = frozenset(
    {".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".psv", ".asc", ".parquet", ".pq", ".feather",
     ".arrow", ".npy", ".npz", ".arff", ".xlsx", ".xlsm", ".xls", ".ods", ".gz", ".bz2", ".xz",
     ".zip"}
)  # fmt: skip
_UNPACKERS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError)


def paths_of(source: Any) -> tuple[list[Path], list[str]]:
    """Return the files of a source, and the names of those in a folder that are not read."""
    several = isinstance(source, Sequence) and not isinstance(source, str) and len(source) > 0
    given = list(source) if several else [source]
    if not all(isinstance(path, str | os.PathLike) for path in given):
        raise InvalidParameterError(
            "The 'source' parameter of read_table must be a path, a list of paths, a folder, '-' "
            f"or a frame. Got {type(source).__name__} instead."
        )
    paths = [_expanded(path) for path in given]
    for path in paths:
        if str(path) != "-":
            check_exists(path)
        if path.is_dir() and len(paths) > 1:
            raise InvalidDataError(f"{path} is a folder. Give it alone, or the paths of its files.")
    if not paths[0].is_dir():
        return paths, []
    inside = sorted(paths[0].iterdir())
    read = [each for each in inside if each.is_file() and each.suffix.lower() in ENDINGS
            and not each.name.startswith((".", "~$"))]  # fmt: skip
    if not read:
        inside = sorted(path for path in paths[0].rglob("*") if path.is_file())
        read = [path for path in inside if path.suffix.lower() in (".parquet", ".pq")]
    if not read:
        raise InvalidDataError(
            f"{paths[0]} is a folder without a file that can be read. Give the path of a file."
        )
    return read, [each.name for each in inside if each not in read]


def content_of(path: Path, what: str) -> bytes:
    """Return the bytes of a file, unpacked."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    elif _is_pipe(path):
        with _opened_pipe(path) as pipe:
            data = pipe.read(MAX_BYTES + 1)
    else:
        _check_size(path.stat().st_size, what)
        data = path.read_bytes()
    _check_size(len(data), what)
    if not data:
        raise InvalidDataError(f"{what} is empty, so there is nothing to read. Give another file.")
    return _unpacked(data, what)


def _unpacked(data: bytes, what: str) -> bytes:
    opener = next((opener for mark, opener in _UNPACKERS if data.startswith(mark)), None)
    try:
        if opener is not None:
            with opener(io.BytesIO(data)) as stream:
                data = stream.read(MAX_BYTES + 1)
        elif data.startswith(b"PK\x03\x04"):
            data = _of_archive(data, what)
    except _DAMAGED as error:
        raise InvalidDataError(
            f"{what} is damaged: it cannot be unpacked ({error}). Fetch it again."
        ) from error
    _check_size(len(data), what)
    return data


def _of_archive(data: bytes, what: str) -> bytes:
    """Return the one file of an archive; workbooks and files of numpy are archives themselves."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [
            member
            for member in archive.infolist()
            # what the Finder of macOS adds is no file of the user's
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
            and not member.filename.endswith(".DS_Store")
        ]  # fmt: skip
        names = [member.filename for member in members]
        _check_size(sum(member.file_size for member in members), what)
        if {"content.xml", "[Content_Types].xml"} & set(names):
            return data
        if names and all(name.endswith(".npy") for name in names):
            return data
        if len(members) != 1:
            raise InvalidDataError(
                f"{what} is an archive of {len(members)} files, but it may hold only one. Unpack "
                "it and name the file."
            )
        if members[0].flag_bits & 0x1:
            raise InvalidDataError(f"{what} is encrypted. Unpack it first.")
        return archive.read(members[0])


def _check_size(size: int, what: str) -> None:
    if size > MAX_BYTES:
        raise InvalidDataError(
            f"{what} has more than {MAX_BYTES / 1e9:g} GB, which are not held in memory. Save the "
            "table as Parquet: of that a sample is ranked (--sample), and all rows are scored."
        )


def _expanded(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user
        raise InvalidDataError(f"There is no file {path}. Check the path.") from None


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


def _opened_pipe(path: Path) -> IO[bytes]:
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
