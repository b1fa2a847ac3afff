"""Parsed tables, kept as npz under a key made of hashes.

The key holds the SHA-256 of every raw file on disk. So a table is found again only if it was made
from the very same bytes, and these were checked when it was made.
"""

from __future__ import annotations

import contextlib
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from oddrank._files import write_whole
from oddrank.datasets.sources.parsed import Parsed

# Part of every key: raise it when a parser changes what it makes of the same files.
_PARSERS_VERSION = 1


def cache_path(folder: Path, name: str, preset: str, hashes: Sequence[str]) -> Path:
    """Return where the table made from files with these hashes is kept."""
    key = hashlib.sha256("\n".join([str(_PARSERS_VERSION), name, preset, *hashes]).encode())
    return folder / "parsed" / f"{name}-{preset}-{key.hexdigest()[:32]}.npz"


def read(path: Path) -> Parsed | None:
    """Return the table, or None if it is not there or damaged (npz members carry a checksum)."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = tuple(str(name) for name in arrays["feature_names"])
            return Parsed(X=arrays["X"], y=arrays["y"], feature_names=names)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return None


def write(path: Path, table: Parsed) -> None:
    """Keep the table; if the folder cannot be written, go on without."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        names = np.array(table.feature_names)
        write_whole(path, lambda file: np.savez(file, X=table.X, y=table.y, feature_names=names))
