"""`load`: a dataset of the paper, exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from oddrank._validation import check_option
from oddrank.datasets import parsed_cache
from oddrank.datasets.catalogue import DatasetFacts, list_datasets
from oddrank.datasets.dataset import Dataset
from oddrank.datasets.fetch import (
    FoundFile,
    download_file,
    find_file,
    find_files,
    how_to_provide,
)
from oddrank.datasets.folders import cache_folder, data_folder
from oddrank.datasets.registry import RawFile
from oddrank.datasets.sources import SOURCES, Copy, Parsed, Route
from oddrank.datasets.unpack import open_content, sha256_of_file
from oddrank.errors import InvalidDataError

PRESETS = ("paper", "clean")


def load(
    name: str,
    *,
    preset: str = "paper",
    data_home: str | os.PathLike[str] | None = None,
    cache_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: bool = True,
) -> Dataset:
    """Return a dataset with its rows, features and anomalies.

    oddrank looks for the files in `data_home`, then in the cache, and then downloads them. It
    checks hashes each time. The parsed table is cached too.

    Parameters
    ----------
    name : str
        One of `list_datasets("all").names`.
    preset : "paper" or "clean"
        "paper" gives the rows of the paper's table, "clean" every row of the original files once.
        They differ for shuttle only, whose training rows the paper counts twice.
    data_home : path, optional
        A folder of raw files, as `<data_home>/<dataset>/<file>`; by default the one that the
        environment variable `ODDRANK_DATA` names, if any. Nothing is written there.
    cache_home : path, optional
        Where downloads and parsed tables are kept; by default the folder that `ODDRANK_CACHE`
        names, or `oddrank` in the user's cache folder.
    download : bool
        Whether missing files may be downloaded.
    progress : bool
        Whether a download shows a progress bar.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidDataError
        If a file is missing, or is not the one the paper used. The message names the file, its
        hash, and the folder to put it in.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank import datasets
    >>> datasets.load("wilt").X.shape  # doctest: +SKIP
    (4839, 5)
    >>> datasets.load("no such dataset")
    Traceback (most recent call last):
        ...
    oddrank.errors.InvalidParameterError: The 'name' parameter of load must be one of 'adult', ...
    """
    facts = list_datasets("all")[name]
    check_option(preset, "preset", "load", PRESETS)
    data, cache = data_folder(data_home), cache_folder(cache_home)
    downloads = cache / "raw"
    folders = [downloads] if data is None else [data, downloads]
    source = SOURCES[name]
    for route in (source.substitute, source.original):
        found = find_files(route.files, folders) if route else None
        if route and found:
            return _as_dataset(_parse(route, found, facts, preset, cache), facts, route.by_way_of)
    copied = _read_copy(source.copy, facts, preset, cache) if source.copy else None
    if source.copy and copied:
        return _as_dataset(copied, facts, source.copy.by_way_of)
    files = [
        _obtain(raw, folders, downloads, download=download, progress=progress)
        for raw in source.original.files
    ]
    return _as_dataset(_parse(source.original, files, facts, preset, cache), facts)


def _obtain(
    raw: RawFile, folders: Sequence[Path], downloads: Path, *, download: bool, progress: bool
) -> FoundFile:
    found = find_file(raw, folders)
    if found:
        return found
    if not download:
        raise InvalidDataError(
            f"{raw.download_name} is not in {' or '.join(map(str, folders))}, and download=False. "
            + how_to_provide(raw, downloads)
        )
    return download_file(raw, downloads, progress=progress)


def _parse(
    route: Route, files: Sequence[FoundFile], facts: DatasetFacts, preset: str, cache: Path
) -> Parsed:
    hashes = [file.sha256 for file in files]
    path = parsed_cache.cache_path(cache, facts.name, preset, hashes)
    table = parsed_cache.read(path)
    if table is not None:
        return table
    for file in files:
        file.check()
    with ExitStack() as stack:
        contents = [stack.enter_context(open_content(file.raw, file.path)) for file in files]
        table = route.parser(preset)(*contents)
    _check_counts(table, facts, preset)
    parsed_cache.write(path, table)
    return table


def _read_copy(copy: Copy, facts: DatasetFacts, preset: str, cache: Path) -> Parsed | None:
    hashes = [sha256_of_file(path) for path in copy.files()]
    if not hashes:
        return None
    path = parsed_cache.cache_path(cache, facts.name, preset, hashes)
    table = parsed_cache.read(path)
    if table is not None:
        return table
    table = copy.read()
    if table is not None:
        parsed_cache.write(path, table)
    return table


def _check_counts(table: Parsed, facts: DatasetFacts, preset: str) -> None:
    counts = (*table.X.shape, int(table.y.sum()))
    expected = facts.counts(preset)
    if counts != expected:
        raise InvalidDataError(
            f"{facts.name} came out with (rows, features, anomalies) = {counts}, but the catalogue "
            f"has {expected}. Please report this: the files are right, so the code is wrong."
        )


def _as_dataset(table: Parsed, facts: DatasetFacts, by_way_of: str = "") -> Dataset:
    return Dataset(
        name=facts.name,
        X=table.X,
        y=table.y,
        feature_names=table.feature_names,
        source=f"{facts.source}, by way of {by_way_of}" if by_way_of else facts.source,
        citation=facts.citation,
        licence=facts.licence,
    )
