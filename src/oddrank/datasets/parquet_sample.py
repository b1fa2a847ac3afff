"""A random sample of a large Parquet table, and where all of its rows are."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import root_of
from oddrank.errors import OddrankWarning
from oddrank.rows import SampledTable, as_chunks, draw_sample

__all__ = ["beyond_of", "sampled_source"]

# What a column must be stored as, so that all of its rows are read as the sample was.
_STORED_AS = {"number": "biuf", "boolean": "b", "date": "M", "category": "OUST"}


def sampled_source(source: Any, size: int, random_state: Any) -> tuple[Any, SampledTable | None]:
    """Return a sample of a Parquet file or folder that has more rows, or the source itself."""
    if not isinstance(source, str | os.PathLike) or not _is_parquet(Path(source).expanduser()):
        return source, None
    table = as_chunks(source, name="the table")
    if table.n_rows <= size:
        return source, None
    return draw_sample(table, size, root_of(random_state, "read_table"), None, "the table")


def beyond_of(
    sampled: SampledTable,
    frame: Any,
    names: Sequence[str],
    kinds: Sequence[str],
    kept: npt.NDArray[np.intp],
) -> SampledTable | None:
    """Return all rows of the columns that are used; None, with a warning, where some are texts.

    Parameters
    ----------
    sampled : SampledTable
    frame : pandas frame
        The sample as it was read.
    names, kinds : sequences of str
        Of the columns that are used.
    kept : array of int
        The rows of the sample that are used.
    """
    others = [
        name
        for name, use in zip(names, kinds, strict=True)
        if frame[name].dtype.kind not in _STORED_AS[use]
    ]
    if others:
        warnings.warn(
            f"Only a sample of {len(kept):,} of {sampled.table.n_rows:,} rows is used, because "
            f"{others[0]!r} is stored as text. Store it as numbers, dates or booleans to have all "
            "rows scored.",
            OddrankWarning,
            stacklevel=3,
        )
        return None
    corners = sampled.corners
    if corners is not None:
        corners = corners[:, [list(frame.columns).index(name) for name in names]]
    return replace(
        sampled,
        table=sampled.table.with_columns(tuple(names)),
        numbers=sampled.numbers[kept],
        corners=None if corners is None or np.isnan(corners).any() else corners,
    )


def _is_parquet(path: Path) -> bool:
    if path.is_dir():
        # notes of those who wrote it, such as _SUCCESS and .crc, are no data
        files = [each for each in path.rglob("*") if each.is_file() and each.name[0] not in "._"]
        return bool(files) and all(each.suffix.lower() in (".parquet", ".pq") for each in files)
    return path.is_file() and path.suffix.lower() in (".parquet", ".pq")
