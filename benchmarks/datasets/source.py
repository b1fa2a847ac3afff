"""What a dataset is made from: facts, published files, and a function that turns these into rows.

A file is known by the SHA-256 of its *content*. Publishers serve some files packed (gzip, zip, or
Unix `compress`), and a copy that somebody packed again has other bytes around the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

REPOSITORY = "UCI Machine Learning Repository"
# The paper keeps attributes with at least this many distinct values.
MIN_DISTINCT = 10


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """One published file.

    Attributes
    ----------
    folder, name : str
        Its place is `<data folder>/<folder>/<name>`.
    sha256 : str or None
        Of the content, unpacked. None where only the packed file's hash has been published.
    addresses : tuple of str
        Where it can be downloaded, best first. `{UCI}`, `{FIGSHARE}` and `{GITHUB}` are hosts.
    packed_name : str or None
        The name of a packed copy, for example `wilt.zip`.
    packed_sha256 : str or None
        The published hash of that packed copy.
    """

    folder: str
    name: str
    sha256: str | None
    addresses: tuple[str, ...] = ()
    packed_name: str | None = None
    packed_sha256: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names it may have in a folder: plain first, then packed."""
        plain = (self.name,) if self.sha256 else ()
        return (*plain, self.packed_name) if self.packed_name else plain

    @property
    def download_name(self) -> str:
        """The name under which a download is kept."""
        return self.packed_name or self.name


def uci_file(folder: str, name: str, sha256: str, uci_folder: str = "") -> RawFile:
    """Return a file that the UCI repository serves as it is."""
    address = f"{{UCI}}{uci_folder or folder}/{name}"
    return RawFile(folder=folder, name=name, sha256=sha256, addresses=(address,))


@dataclass(frozen=True, kw_only=True, eq=False)
class Parsed:
    """Rows, labels (1 = anomaly) and feature names."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    feature_names: tuple[str, ...]


def parsed(X: Any, is_anomaly: Any, feature_names: Sequence[str]) -> Parsed:
    """Return `Parsed` with contiguous numbers and 0/1 labels."""
    return Parsed(
        X=np.ascontiguousarray(X, dtype=np.float64),
        y=np.asarray(is_anomaly).astype(np.int64),
        feature_names=tuple(feature_names),
    )


def column_names(columns: Sequence[int]) -> list[str]:
    """Name columns by their position in the original file, counted from 0."""
    return [f"column_{j}" for j in columns]


def continuous_columns(X: Any) -> list[int]:
    """Return the positions of the columns that have at least 10 distinct values."""
    return [j for j, column in enumerate(X.T) if np.unique(column).size >= MIN_DISTINCT]


@dataclass(frozen=True, kw_only=True)
class Route:
    """Files, and what turns their open contents into rows: `parse(*contents)`.

    `by_way_of` says who made the files, if not the source itself.
    """

    files: tuple[RawFile, ...]
    parse: Callable[..., Parsed]
    by_way_of: str = ""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Facts of a dataset, and where its rows come from.

    Attributes
    ----------
    name : str
    counts : (int, int, int)
        Rows, features and anomalies. `load` checks them.
    anomaly_percent : float
        As the paper prints it.
    anomaly_class : str
        Which classes of the original data count as anomalies.
    title : str
        Who published the data and under which title.
    citation, licence : str
    original : Route
        The published files; downloaded if they are missing.
    substitute : Route or None
        Other files with the same rows, used when they are found in a folder.
    family : str
        Datasets of one family come from one source. If something is chosen on some datasets and
        tried on others, a family stays on one side.
    """

    name: str
    counts: tuple[int, int, int]
    anomaly_percent: float
    anomaly_class: str
    title: str
    citation: str
    original: Route
    substitute: Route | None = None
    licence: str = "CC BY 4.0 (the repository's general licence)"
    family: str = field(default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.family or self.name)


class TitleAndCitation(TypedDict):
    """What a source says of its origin."""

    title: str
    citation: str


def uci(title: str, authors: str, year: int, doi: str) -> TitleAndCitation:
    """Return title and citation of a dataset of the UCI repository."""
    return {
        "title": f'{REPOSITORY}, "{title}"',
        "citation": f"{authors} ({year}). {title}. {REPOSITORY}. doi:10.24432/{doi}",
    }
