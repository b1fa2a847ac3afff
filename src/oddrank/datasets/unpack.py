"""The content of a raw file, plain or packed, and the check of its hash."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from oddrank.datasets.optional_libraries import require
from oddrank.datasets.registry import RawFile
from oddrank.errors import InvalidDataError


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file on disk."""
    with path.open("rb") as file:
        return _sha256_of_stream(file)


def _sha256_of_stream(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def open_content(raw: RawFile, path: Path) -> Iterator[BinaryIO]:
    """Open the unpacked content of `raw`, which is at `path`."""
    try:
        with _opened(raw, path) as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error, zipfile.BadZipFile, KeyError) as error:
        raise InvalidDataError(
            f"{path} is damaged: {raw.name} cannot be unpacked from it ({error}). "
            "Delete it and fetch it again."
        ) from error


@contextmanager
def _opened(raw: RawFile, path: Path) -> Iterator[BinaryIO]:
    suffix = path.suffix if path.name == raw.packed_name else ""
    if suffix == ".gz":
        with gzip.open(path) as file:
            yield cast("BinaryIO", file)
    elif suffix == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(raw.name) as member:
            yield cast("BinaryIO", member)
    elif suffix == ".Z":
        yield io.BytesIO(_uncompress(path))
    else:
        with path.open("rb") as file:
            yield file


def _uncompress(path: Path) -> bytes:
    # Python's library has no reader for Unix `compress`.
    unlzw3 = require("unlzw3", f"Unpacking {path.name}")
    try:
        return bytes(unlzw3.unlzw(path.read_bytes()))
    except ValueError as error:
        raise InvalidDataError(
            f"{path} is damaged: it cannot be uncompressed ({error}). Delete it and fetch it again."
        ) from error


def check_content(raw: RawFile, path: Path, file_sha256: str) -> None:
    """Refuse a file whose content does not have the hash of the registry."""
    if file_sha256 in {raw.packed_sha256, raw.sha256}:
        return
    found, expected = file_sha256, raw.sha256 or raw.packed_sha256
    if path.name == raw.packed_name and raw.sha256:
        with open_content(raw, path) as file:
            found = _sha256_of_stream(file)
    if found != expected:
        raise InvalidDataError(
            f"{path} does not hold the {raw.name} that the paper's tables rest on: its SHA-256 is "
            f"{found}, not {expected}. Replace the file, or delete it to have it fetched again."
        )
