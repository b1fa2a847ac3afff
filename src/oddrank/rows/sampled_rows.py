"""A random sample of the rows of a table, in memory or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.rows.chunks import ChunkedTable, as_chunks, in_memory_chunks
from oddrank.rows.folds import is_in_memory
from oddrank.rows.row_numbers import RowNumbers, sample_numbers
from oddrank.rows.surveys import join

__all__ = ["PreparedSample", "SampledTable", "draw_sample"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledTable:
    """A table of which a sample was drawn.

    Attributes
    ----------
    table : ChunkedTable
    numbers : array of int
        The rows of the sample.
    corners : array of shape (2, n_features), or None
        Lowest and highest values of all rows, where they are numbers.
    """

    table: ChunkedTable
    numbers: RowNumbers
    corners: FloatArray | None


def draw_sample(
    X: Any, size: int, root: np.random.SeedSequence, client: Any, name: str
) -> tuple[Any, SampledTable | None]:
    """Return a sample of the rows, in their order, and the table it is of.

    A table of no more rows than the sample is returned whole, and there is nothing beyond it.
    """
    if isinstance(X, PreparedSample):
        return X.rows, X.sampled
    table = in_memory_chunks(X) if is_in_memory(X) else as_chunks(X, name=name)
    if table.n_rows <= size and is_in_memory(X):
        return X, None
    numbers = sample_numbers(table.n_rows, size, root)
    found = table.survey(numbers, client)
    rows = join(found.rows)
    if table.n_rows <= size:
        return rows, None
    return rows, SampledTable(table=table, numbers=numbers, corners=found.range)


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedSample:
    """A sample that was drawn and looked at before: the command line chooses columns by it."""

    rows: Any
    sampled: SampledTable
