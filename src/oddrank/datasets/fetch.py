"""Raw files from the user's folder, from the cache, or from where they are published.

The SHA-256 of every file is checked before the file is used. A download is tried at each address,
and once more if the transfer breaks off or the hash is wrong. If all fails, one sentence says which
file with which hash to put where.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oddrank.datasets.folders import DATA_VARIABLE
from oddrank.datasets.optional_libraries import require
from oddrank.datasets.registry import RawFile
from oddrank.datasets.unpack import check_content, sha256_of_file
from oddrank.errors import InvalidDataError

RETRIES = 1
RETRY_WAIT_SECONDS = 1.0
TIMEOUT_SECONDS = 30
_CHUNK_BYTES = 2**16


@dataclass(frozen=True, kw_only=True)
class FoundFile:
    """A raw file on disk, and the hash of its bytes."""

    raw: RawFile
    path: Path
    sha256: str

    def check(self) -> None:
        """Refuse the file unless its content has the hash of the registry."""
        check_content(self.raw, self.path, self.sha256)


def find_files(files: Sequence[RawFile], folders: Sequence[Path]) -> list[FoundFile] | None:
    """Return all of `files` from the first folders that have them, or None if one is missing."""
    found = [find_file(raw, folders) for raw in files]
    return [file for file in found if file is not None] if all(found) else None


def find_file(raw: RawFile, folders: Sequence[Path]) -> FoundFile | None:
    """Return `raw` from the first folder that has it under one of its names."""
    for folder in folders:
        for name in raw.names:
            path = folder / raw.folder / name
            if path.is_file():
                return FoundFile(raw=raw, path=path, sha256=sha256_of_file(path))
    return None


def download_file(raw: RawFile, folder: Path, *, progress: bool) -> FoundFile:
    """Download `raw` into `folder`, and check its hash."""
    failures = {}
    for url in raw.urls:
        for attempt in range(1 + RETRIES):
            if attempt:
                time.sleep(RETRY_WAIT_SECONDS)
            try:
                return _download_once(raw, url, folder / raw.folder, progress=progress)
            except _DownloadError as failure:
                failures[url] = str(failure)
    tried = " or ".join(f"{url} ({reason})" for url, reason in failures.items())
    raise InvalidDataError(
        f"{raw.download_name} could not be downloaded from {tried}. {how_to_provide(raw, folder)}"
    )


def how_to_provide(raw: RawFile, folder: Path) -> str:
    """Return the sentence that says which file to put where, by hand."""
    known = f"{raw.name} with SHA-256 {raw.sha256}" if raw.sha256 else ""
    if raw.packed_name:
        packed = raw.packed_name
        if raw.packed_sha256:
            packed += f" with SHA-256 {raw.packed_sha256}"
        known = f"{known}, or {packed}," if known else packed
    return (
        f"To use it without a network, put {known} into {folder / raw.folder}, or into a folder "
        f"{raw.folder!r} inside the one named by data_home or {DATA_VARIABLE}."
    )


class _DownloadError(Exception):
    """One attempt failed; its text says why."""


def _download_once(raw: RawFile, url: str, folder: Path, *, progress: bool) -> FoundFile:
    try:
        path = _retrieve(raw, url, folder, progress=progress)
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise _DownloadError(_reason(error)) from error
    found = FoundFile(raw=raw, path=path, sha256=sha256_of_file(path))
    try:
        found.check()
    except InvalidDataError as error:
        path.unlink()
        raise _DownloadError(str(error)) from error
    return found


def _retrieve(raw: RawFile, url: str, folder: Path, *, progress: bool) -> Path:
    pooch = require("pooch", f"Downloading {raw.download_name}")
    # pooch checks what it can before it moves the file into place. The content of a packed file is
    # checked afterwards.
    known_hash = None if raw.packed_name and raw.sha256 else raw.sha256 or raw.packed_sha256
    with _progress_bar(raw.download_name, shown=progress) as bar, _quiet(pooch.get_logger()):
        downloader = pooch.HTTPDownloader(
            progressbar=bar, chunk_size=_CHUNK_BYTES, timeout=TIMEOUT_SECONDS
        )
        path = pooch.retrieve(
            url, known_hash, fname=raw.download_name, path=folder, downloader=downloader
        )
    return Path(path)


@contextmanager
def _progress_bar(description: str, *, shown: bool) -> Iterator[Any]:
    if not shown:
        yield False
        return
    tqdm = require("tqdm", "Showing the progress of a download")
    # pooch sets the true total once the server has announced it.
    with tqdm.tqdm(desc=description, total=1, unit="B", unit_scale=True) as bar:
        yield bar


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    # pooch would advise to write down the hash; the bar already names the file.
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _reason(error: Exception) -> str:
    exceptions: Any = require("requests.exceptions", "Downloading")
    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "the transfer broke off"
    if isinstance(error, exceptions.Timeout):
        return f"no answer within {TIMEOUT_SECONDS} seconds"
    if isinstance(error, exceptions.ConnectionError):
        return "no connection"
    other = re.search(r"got ([0-9a-f]{64})", str(error))
    return f"the download has SHA-256 {other[1]}" if other else f"{error}"
