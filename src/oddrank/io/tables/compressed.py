"""The bytes of a file, unpacked if it is compressed, up to a limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from oddrank.errors import InvalidDataError

_OPENERS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError)


class LimitedReader(io.RawIOBase):
    """Reads from another stream, and raises an error once there are too many bytes."""

    def __init__(self, stream: BinaryIO, what: str, max_bytes: int) -> None:
        self._stream = stream
        self._what = what
        self._left = max_bytes
        self._max_bytes = max_bytes
        self.refusal: InvalidDataError | None = None

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill `buffer`, or refuse."""
        try:
            content = self._stream.read(len(buffer))
        except _DAMAGED as error:
            self.refusal = InvalidDataError(
                f"{self._what} is damaged: it cannot be unpacked ({error}). Fetch it again."
            )
            raise self.refusal from error
        self._left -= len(content)
        if self._left < 0:
            self.refusal = too_large(
                self._what, "over " + _in_words(self._max_bytes), self._max_bytes
            )
            raise self.refusal
        buffer[: len(content)] = content
        return len(content)


@contextmanager
def open_unpacked(path: Path, what: str, max_bytes: int) -> Iterator[BinaryIO]:
    """Open the plain bytes of a file; gzip, bzip2, xz and zip are unpacked on the way."""
    with path.open("rb") as file:
        magic = file.read(6)
        file.seek(0)
        opener = next((opener for start, opener in _OPENERS if magic.startswith(start)), None)
        if magic.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(file) as archive:
                member = only_member(archive, what, max_bytes)
                with archive.open(member) as stream, _limited(stream, what, max_bytes) as limited:
                    yield limited
        elif opener is not None:
            with opener(file) as unpacked, _limited(unpacked, what, max_bytes) as limited:
                yield limited
        else:
            yield file


@contextmanager
def _limited(stream: object, what: str, max_bytes: int) -> Iterator[BinaryIO]:
    reader = LimitedReader(cast("BinaryIO", stream), what, max_bytes)
    try:
        yield cast("BinaryIO", io.BufferedReader(reader, buffer_size=2**18))
    except Exception as error:
        # A library in between may have wrapped the refusal in its own error.
        if reader.refusal is not None and error is not reader.refusal:
            raise reader.refusal from error
        raise


def only_member(archive: zipfile.ZipFile, what: str, max_bytes: int) -> zipfile.ZipInfo:
    """Return the one file of an archive, or say why it cannot be read."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        names = ", ".join(repr(member.filename) for member in members[:5]) or "none"
        raise InvalidDataError(
            f"{what} is an archive of {len(members)} files ({names}), but it may hold only one. "
            "Unpack it and name the file."
        )
    check_unpacked_size(archive, what, max_bytes)
    if members[0].flag_bits & 0x1:
        raise InvalidDataError(f"{what} is encrypted. Unpack it first.")
    return members[0]


def check_unpacked_size(archive: zipfile.ZipFile, what: str, max_bytes: int) -> None:
    """Refuse an archive that announces more bytes than are allowed, before unpacking any."""
    size = sum(member.file_size for member in archive.infolist())
    if size > max_bytes:
        raise too_large(what, _in_words(size), max_bytes)


def too_large(what: str, size: str, max_bytes: int) -> InvalidDataError:
    """Return the refusal of a file that unpacks to too much."""
    return InvalidDataError(
        f"{what} unpacks to {size}, more than {_in_words(max_bytes)}, so it was not read. If you "
        "trust the file, unpack it first, and give what comes out."
    )


def _in_words(n_bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} bytes"
