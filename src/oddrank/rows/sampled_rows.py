"""A random sample of the rows of a table, in memory or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank.rows.chunks import ChunkedTable, as_chunks, in_memory_chunks
from oddrank.rows.row_numbers import RowNumbers, sample_numbers
from oddrank.rows.table import is_in_memory

__all__ = ["draw_sample"]


def draw_sample(
    X: Any, size: int, root: np.random.SeedSequence, client: Any, name: str
) -> tuple[Any, tuple[ChunkedTable, RowNumbers] | None]:
    """Return a sample of the rows, in their order, and where all of them are.

    A table of no more rows than the sample is returned whole, and there is nothing beyond it.
    """
    table = in_memory_chunks(X) if is_in_memory(X) else as_chunks(X, name=name)
    if table.n_rows <= size and is_in_memory(X):
        return X, None
    numbers = sample_numbers(table.n_rows, size, root)
    rows = table.take(numbers, client)
    return rows, None if table.n_rows <= size else (table, numbers)
