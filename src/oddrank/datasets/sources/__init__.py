"""One small file per source: from verified files to rows, labels and feature names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oddrank.datasets import registry
from oddrank.datasets.registry import RawFile
from oddrank.datasets.sources import (
    adbench,
    adult,
    forestcover,
    kddcup,
    shuttle,
    uci,
)
from oddrank.datasets.sources.parsed import Parsed

__all__ = ["SOURCES", "Copy", "Parsed", "Route", "Source"]


@dataclass(frozen=True, kw_only=True)
class Route:
    """Files, and what turns their contents into a table: `parse(*open_files)`.

    Attributes
    ----------
    files : tuple of RawFile
    parse : callable
        Gives the paper's rows.
    parse_clean : callable or None
        Gives every row once, if that is different.
    by_way_of : str
        Who made the files, if not the source itself.
    """

    files: tuple[RawFile, ...]
    parse: Callable[..., Parsed]
    parse_clean: Callable[..., Parsed] | None = None
    by_way_of: str = ""

    def parser(self, preset: str) -> Callable[..., Parsed]:
        """Return what parses the files for a preset."""
        return self.parse_clean if preset == "clean" and self.parse_clean else self.parse


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A copy that another library keeps: its files, and the rows if they prove to be the same."""

    files: Callable[[], list[Path]]
    read: Callable[[], Parsed | None]
    by_way_of: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where one dataset comes from.

    Attributes
    ----------
    original : Route
        The published files; downloaded if they are missing.
    substitute : Route or None
        Other files with the same rows, used when they are found in a folder.
    copy : Copy or None
        Used before anything is downloaded.
    """

    original: Route
    substitute: Route | None = None
    copy: Copy | None = None


_ADBENCH = "ODDS and ADBench (BSD 2-Clause)"

SOURCES = {
    "adult": Source(original=Route(files=registry.ADULT, parse=adult.parse)),
    "http": Source(
        original=Route(files=registry.KDDCUP99, parse=kddcup.http),
        substitute=Route(files=registry.HTTP_ARRAYS, parse=kddcup.from_arrays, by_way_of=_ADBENCH),
    ),
    "pima": Source(original=Route(files=registry.PIMA, parse=uci.pima)),
    "smtp": Source(
        original=Route(files=registry.KDDCUP99, parse=kddcup.smtp),
        substitute=Route(files=registry.SMTP_ARRAYS, parse=kddcup.from_arrays, by_way_of=_ADBENCH),
    ),
    "wilt": Source(original=Route(files=registry.WILT, parse=uci.wilt)),
    "annthyroid": Source(original=Route(files=registry.ANNTHYROID, parse=uci.annthyroid)),
    "arrhythmia": Source(original=Route(files=registry.ARRHYTHMIA, parse=uci.arrhythmia)),
    "forestcover": Source(
        original=Route(files=registry.FORESTCOVER, parse=forestcover.parse),
        copy=Copy(
            files=forestcover.scikit_learn_files,
            read=forestcover.from_scikit_learn,
            by_way_of="scikit-learn",
        ),
    ),
    "ionosphere": Source(original=Route(files=registry.IONOSPHERE, parse=uci.ionosphere)),
    "pendigits": Source(original=Route(files=registry.PENDIGITS, parse=uci.pendigits)),
    "shuttle": Source(
        original=Route(files=registry.SHUTTLE, parse=shuttle.parse, parse_clean=shuttle.parse_clean)
    ),
    "spambase": Source(original=Route(files=registry.SPAMBASE, parse=uci.spambase)),
    **{
        name: Source(original=Route(files=(file,), parse=adbench.parse))
        for name, file in registry.ADBENCH.items()
    },
}
