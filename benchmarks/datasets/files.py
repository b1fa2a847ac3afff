"""Raw files from the user's folder, from the cache, or from where they are published.

The SHA-256 of every file is checked before it is used. A download is tried at each address, and
once more if the transfer breaks off or the hash is wrong. If all fails, one sentence says which
file with which hash to put where.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import re
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from benchmarks.datasets.source import RawFile
from oddrank.errors import InvalidDataError

DATA_VARIABLE, CACHE_VARIABLE = "ODDRANK_DATA", "ODDRANK_CACHE"
# Beside the checkout, where it exists.
SHARED = Path(__file__).parents[3] / "shared" / "data"
HOSTS = {
    "UCI": "https://archive.ics.uci.edu/ml/machine-learning-databases/",
    "FIGSHARE": "https://ndownloader.figshare.com/files/",
    "GITHUB": "https://raw.githubusercontent.com/",
}
ATTEMPTS = 2
RETRY_WAIT_SECONDS = 1.0
TIMEOUT_SECONDS = 30
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, zipfile.BadZipFile, KeyError, ValueError)


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder of raw files: argument, `ODDRANK_DATA`, `../shared/data`, or None."""
    chosen = data_home or os.environ.get(DATA_VARIABLE)
    if not chosen:
        return SHARED if SHARED.is_dir() else None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        where = "data_home" if data_home else f"the environment variable {DATA_VARIABLE}"
        raise InvalidDataError(
            f"The data folder {folder}, named by {where}, does not exist. "
            "Create it or name another one."
        )
    return folder


def cache_folder(cache_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for downloads: argument, `ODDRANK_CACHE`, or the user's cache."""
    chosen = cache_home or os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("oddrank"))


def find_file(raw: RawFile, folders: Sequence[Path]) -> Path | None:
    """Return where a file is, in the first folder that has it under one of its names."""
    places = (folder / raw.folder / name for folder in folders for name in raw.names)
    return next((path for path in places if path.is_file()), None)


@contextmanager
def open_content(raw: RawFile, path: Path) -> Iterator[BinaryIO]:
    """Open the unpacked content of `raw`, which is at `path`; refuse any other content."""
    check_content(raw, path)
    with _opened(raw, path) as content:
        yield content


def check_content(raw: RawFile, path: Path) -> None:
    """Refuse a file whose content does not have the published hash."""
    with path.open("rb") as file:
        found = _sha256(file)
    if found in {raw.packed_sha256, raw.sha256}:
        return
    if path.name == raw.packed_name and raw.sha256:
        try:
            with _opened(raw, path) as content:
                found = _sha256(content)
        except _DAMAGED as error:
            raise InvalidDataError(
                f"{path} is damaged: {raw.name} cannot be unpacked from it ({error}). "
                "Delete it and fetch it again."
            ) from error
    expected = raw.sha256 or raw.packed_sha256
    if found != expected:
        raise InvalidDataError(
            f"{path} does not hold the {raw.name} that the paper's tables rest on: its SHA-256 is "
            f"{found}, not {expected}. Replace the file, or delete it to have it fetched again."
        )


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()


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
        import unlzw3  # Python's library has no reader for Unix `compress`

        yield io.BytesIO(unlzw3.unlzw(path.read_bytes()))
    else:
        with path.open("rb") as file:
            yield file


def download_file(raw: RawFile, folder: Path, *, progress: bool) -> Path:
    """Download `raw` into `folder`, check its content, and return where it is."""
    failures = {}
    for address in raw.addresses:
        url = address.format(**HOSTS)
        for attempt in range(ATTEMPTS):
            time.sleep(RETRY_WAIT_SECONDS if attempt else 0.0)
            try:
                return _retrieved(raw, url, folder / raw.folder, progress=progress)
            except (OSError, ValueError) as error:  # requests' errors are OSErrors
                failures[url] = _reason(error)
    tried = " or ".join(f"{url} ({reason})" for url, reason in failures.items())
    raise InvalidDataError(
        f"{raw.download_name} could not be downloaded from {tried}. {how_to_provide(raw, folder)}"
    )


def _retrieved(raw: RawFile, url: str, folder: Path, *, progress: bool) -> Path:
    import pooch

    # pooch checks what it can before it moves the file into place. The content of a packed file is
    # checked afterwards.
    known_hash = None if raw.packed_name and raw.sha256 else raw.sha256 or raw.packed_sha256
    downloader = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT_SECONDS)
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)  # it would advise to write down the hash
    try:
        name = pooch.retrieve(
            url, known_hash, fname=raw.download_name, path=folder, downloader=downloader
        )
    finally:
        logger.setLevel(level)
    path = Path(name)
    try:
        check_content(raw, path)
    except InvalidDataError:
        path.unlink()
        raise
    return path


def _reason(error: Exception) -> str:
    from requests import exceptions

    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    for kind, reason in (
        (exceptions.ChunkedEncodingError, "the transfer broke off"),
        (exceptions.Timeout, f"no answer within {TIMEOUT_SECONDS} seconds"),
        (exceptions.ConnectionError, "no connection"),
    ):
        if isinstance(error, kind):
            return reason
    other = re.search(r"got ([0-9a-f]{64})", str(error))
    return f"the download has SHA-256 {other[1]}" if other else f"{error}"


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
