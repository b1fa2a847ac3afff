"""The datasets of both studies, exactly as published: a file per dataset, one per collection.

`load("wilt")` looks for files in `data_home` (by default the folder that `ODDRANK_DATA` names, or
`../shared/data` beside the checkout), then in the cache, and then downloads them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.datasets import (
    adbench,
    adult,
    annthyroid,
    arrhythmia,
    forestcover,
    ionosphere,
    kddcup,
    pendigits,
    pima,
    shuttle,
    spambase,
    wilt,
)
from benchmarks.datasets.files import (
    cache_folder,
    data_folder,
    download_file,
    find_file,
    how_to_provide,
    open_content,
)
from benchmarks.datasets.source import Parsed, RawFile, Route, Source
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io import Dataset

__all__ = ["PAPER", "SOURCES", "Source", "load"]

# In the order of the paper's table.
PAPER = {
    source.name: source
    for source in (
        adult.SOURCE,
        kddcup.HTTP,
        pima.SOURCE,
        kddcup.SMTP,
        wilt.SOURCE,
        annthyroid.SOURCE,
        arrhythmia.SOURCE,
        forestcover.SOURCE,
        ionosphere.SOURCE,
        pendigits.SOURCE,
        shuttle.SOURCE,
        spambase.SOURCE,
    )
}
SOURCES = PAPER | {source.name: source for source in adbench.SOURCES}


def load(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    cache_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: bool = False,
) -> Dataset:
    """Return a dataset with its rows, features and anomalies.

    Parameters
    ----------
    name : str
        One of `SOURCES`.
    data_home : path, optional
        A folder of raw files, as `<data_home>/<dataset>/<file>`. Nothing is written there.
    cache_home : path, optional
        Where downloads are kept; by default the folder that `ODDRANK_CACHE` names, or `oddrank` in
        the user's cache folder.
    download : bool
        Whether missing files may be downloaded.
    progress : bool
        Whether a download shows a progress bar.

    Raises
    ------
    InvalidDataError
        If a file is missing, or is not the published one. The message names the file, its hash, and
        the folder to put it in.
    """
    if name not in SOURCES:
        options = ", ".join(map(repr, SOURCES))
        raise InvalidParameterError(
            f"The 'name' parameter of load must be one of {options}. Got {name!r} instead."
        )
    source = SOURCES[name]
    data, downloads = data_folder(data_home), cache_folder(cache_home) / "raw"
    folders = [downloads] if data is None else [data, downloads]
    route = source.original
    if source.substitute and all(find_file(raw, folders) for raw in source.substitute.files):
        route = source.substitute
    paths = [
        _obtained(raw, folders, downloads, download=download, progress=progress)
        for raw in route.files
    ]
    table = _parsed(route, paths, source)
    via = f", by way of {route.by_way_of}" if route.by_way_of else ""
    return Dataset(
        name=name,
        X=table.X,
        y=table.y,
        feature_names=table.feature_names,
        source=source.title + via,
        citation=source.citation,
        licence=source.licence,
    )


def _obtained(
    raw: RawFile, folders: Sequence[Path], downloads: Path, *, download: bool, progress: bool
) -> Path:
    found = find_file(raw, folders)
    if found:
        return found
    if not download:
        raise InvalidDataError(
            f"{raw.download_name} is not in {' or '.join(map(str, folders))}, and download=False. "
            + how_to_provide(raw, downloads)
        )
    return download_file(raw, downloads, progress=progress)


def _parsed(route: Route, paths: Sequence[Path], source: Source) -> Parsed:
    with ExitStack() as stack:
        contents = [
            stack.enter_context(open_content(raw, path))
            for raw, path in zip(route.files, paths, strict=True)
        ]
        table = route.parse(*contents)
    counts = (*table.X.shape, int(table.y.sum()))
    if counts != source.counts:
        raise InvalidDataError(
            f"{source.name} came out with (rows, features, anomalies) = {counts}, but its source "
            f"says {source.counts}. Please report this: the files are right, so the code is wrong."
        )
    return table
