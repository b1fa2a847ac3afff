"""Tables that are not in memory: consecutive chunks of rows, read as often as they are needed.

A chunk is small: it says where its rows are, and reads them when it is asked to. So it can be sent
to another process or machine, and be read there.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank.errors import InvalidDataError, OddrankError
from oddrank.rows.surveys import Survey, check_names, is_chunk, join
from oddrank.rows.table import as_table, is_frame

__all__ = [
    "PART_ROWS",
    "Chunk",
    "ChunkedTable",
    "as_chunks",
    "in_memory_chunks",
]

# Rows that are read, scored and counted at a time; half of them fit into one call of a detector.
PART_ROWS = 30_000
# Chunks that hold their rows themselves are handed out this many at a time.
HELD_AT_ONCE = 8

RowNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunk(ABC):
    """Consecutive rows of a table.

    Attributes
    ----------
    start : int
        Number of its first row in the table.
    n_rows : int
    """

    start: int
    n_rows: int

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is called in messages."""

    @property
    @abstractmethod
    def identity(self) -> Any:
        """What a stored result of these rows is known by."""

    @abstractmethod
    def parts(self) -> Iterator[Any]:
        """Read the rows, in arrays or frames of at most `PART_ROWS`."""

    @property
    def lazy_rows(self) -> Any:
        """What a cluster computes the rows from, where they are; None if the chunk reads them."""
        return None

    def with_columns(self, names: tuple[str, ...]) -> Chunk:
        """Return the same rows with these columns only."""
        raise TypeError(f"{self.title} has no columns to choose from: {names}")

    def held(self, rows: Any) -> HeldChunk:
        """Return the same chunk with its rows, once they are computed."""
        return HeldChunk(start=self.start, n_rows=self.n_rows, rows=rows)

    def survey(self, numbers: RowNumbers) -> Survey:
        """Read all rows, and return those of these numbers and the range of all."""
        inside = numbers[(numbers >= self.start) & (numbers < self.start + self.n_rows)]
        found = Survey.nothing()
        start = self.start
        for part in self.parts():
            chosen = inside[(inside >= start) & (inside < start + len(part))] - start
            found += Survey.of(part, chosen)
            start += len(part)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldChunk(Chunk):
    """Rows in memory: a part of an array, or a frame of a list."""

    rows: Any

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f"the chunk of rows {self.start:,} to {self.start + self.n_rows - 1:,}"

    @property
    def identity(self) -> Any:
        """A hash of the values."""
        return (self.start, self.n_rows, joblib.hash(self.rows))

    def parts(self) -> Iterator[Any]:
        """Give the rows in slices."""
        return slices(self.rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class ChunkedTable:
    """All chunks of a table, in the order of its rows.

    Attributes
    ----------
    n_rows : int
    each : function
        Every call starts anew at the first chunk.
    holds_rows : bool
        Whether chunks hold their rows, so that not all of them may be at hand at once.
    """

    n_rows: int
    each: Callable[[], Iterable[Chunk]]
    holds_rows: bool

    def waves(self) -> Iterator[list[Chunk]]:
        """Give chunks that may be at hand together."""
        chunks = self._all()
        if not self.holds_rows:
            yield list(chunks)
            return
        while wave := list(islice(chunks, HELD_AT_ONCE)):
            yield wave

    def survey(self, numbers: RowNumbers, client: Any = None) -> Survey:
        """Read all rows, and return those of these numbers, in their order, and the range of all.

        On a cluster rows are read where they are.
        """
        # rows that are held here need not travel
        if client is None or self.holds_rows:
            return sum((chunk.survey(numbers) for chunk in self._all()), Survey.nothing())
        try:
            found = client.gather([_submit(client, chunk, numbers) for chunk in self.each()])
        except OddrankError:
            raise
        except (Exception, CancelledError) as error:
            raise OddrankError(
                f"The cluster could not read the rows: {error!r}. Check that its scheduler and "
                "workers run and can reach the files; a checkpoint keeps what is finished."
            ) from error
        return sum(found, Survey.nothing())

    def take(self, numbers: RowNumbers) -> Any:
        """Return the rows of these numbers, in their order; other chunks are not read."""
        ordered = np.sort(numbers)
        found = (chunk.survey(ordered) for chunk in self._holding(ordered))
        return join(sum(found, Survey.nothing()).rows)

    def with_columns(self, names: tuple[str, ...]) -> ChunkedTable:
        """Return the same rows with these columns only."""
        return replace(self, each=partial(_with_columns, self.each, names))

    def _all(self) -> Iterator[Chunk]:
        """Give every chunk, and refuse rows that are others than before: places would be wrong."""
        n_rows = 0
        for chunk in self.each():
            n_rows += chunk.n_rows
            yield chunk
        if n_rows != self.n_rows:
            raise InvalidDataError(
                f"The chunks gave {self.n_rows:,} rows at first, and {n_rows:,} when they were "
                "read again. Give the same chunks in every pass."
            )

    def _holding(self, ordered: RowNumbers) -> Iterator[Chunk]:
        for chunk in self.each():
            first, last = np.searchsorted(ordered, (chunk.start, chunk.start + chunk.n_rows))
            if last > first:
                yield chunk


def as_chunks(X: Any, *, name: str = "X") -> ChunkedTable:
    """Return the chunks of a table that is not in memory.

    Parameters
    ----------
    X : path, pyarrow dataset, dask array or frame, or chunks
        A Parquet file or a folder of them; a list of arrays or frames; an object that can be
        iterated over again and again, or a function that starts a new iteration.
    name : str
        What messages call it.
    """
    if isinstance(X, ChunkedTable):
        return X
    if isinstance(X, str | os.PathLike) or type(X).__module__.startswith("pyarrow"):
        from oddrank.rows.stored_chunks import parquet_chunks

        return parquet_chunks(X, name)
    if type(X).__module__.startswith("dask"):
        from oddrank.rows.stored_chunks import dask_chunks

        return dask_chunks(X, name)
    if isinstance(X, list | tuple):
        chunks = list(_numbered(X, name))
        n_rows = sum(chunk.n_rows for chunk in chunks)
        return _checked(n_rows, partial(list[Chunk], chunks), name, held=False)
    if isinstance(X, Iterator):
        raise InvalidDataError(
            f"{name} is an iterator, which can be read once only, and oddrank reads rows more than "
            f"once. Pass a list of chunks, or a function that returns a new iterator."
        )
    anew = partial(_of_new_pass, X, name)
    return _checked(sum(chunk.n_rows for chunk in anew()), anew, name, held=True)


def in_memory_chunks(X: Any) -> ChunkedTable:
    """Return an array or frame as chunks, which are slices of it."""
    rows = X if hasattr(X, "shape") else np.asarray(X)
    check_names(rows)
    if hasattr(X, "toarray") or not is_chunk(rows):
        as_table(X)  # says why it is no table
    size = 8 * PART_ROWS
    chunks = [
        HeldChunk(start=start, n_rows=len(part), rows=part)
        for start, part in (
            (start, _slice(rows, start, size)) for start in range(0, len(rows), size)
        )
    ]
    return ChunkedTable(n_rows=len(rows), each=partial(list, chunks), holds_rows=False)


def slices(rows: Any) -> Iterator[Any]:
    """Give rows in memory in parts."""
    return (_slice(rows, start, PART_ROWS) for start in range(0, len(rows), PART_ROWS))


def _slice(rows: Any, start: int, size: int) -> Any:
    if is_frame(rows):
        return nw.from_native(rows, eager_only=True)[start : start + size].to_native()
    return rows[start : start + size]


def _of_new_pass(X: Any, name: str) -> Iterator[HeldChunk]:
    return _numbered(X() if callable(X) else X, name)


def _with_columns(each: Callable[[], Iterable[Chunk]], names: tuple[str, ...]) -> Iterator[Chunk]:
    return (chunk.with_columns(names) for chunk in each())


def _numbered(chunks: Iterable[Any], name: str) -> Iterator[HeldChunk]:
    start = 0
    for rows in chunks:
        if not is_chunk(rows):
            raise InvalidDataError(
                f"{name} must give chunks that are arrays of two dimensions or frames. "
                f"Got {type(rows).__name__} after {start:,} rows."
            )
        check_names(rows)
        if len(rows):
            yield HeldChunk(start=start, n_rows=len(rows), rows=rows)
            start += len(rows)


def _checked(
    n_rows: int, each: Callable[[], Iterable[Chunk]], name: str, *, held: bool
) -> ChunkedTable:
    if not n_rows:
        raise InvalidDataError(f"{name} has no rows. Give more data.")
    return ChunkedTable(n_rows=n_rows, each=each, holds_rows=held)


def _submit(client: Any, chunk: Chunk, numbers: RowNumbers) -> Any:
    if chunk.lazy_rows is None:
        return client.submit(_survey, chunk, numbers, pure=False)
    empty = chunk.held(None)
    return client.submit(_survey, empty, numbers, client.compute(chunk.lazy_rows), pure=False)


def _survey(chunk: Chunk, numbers: RowNumbers, rows: Any = None) -> Survey:
    return (chunk if rows is None else chunk.held(rows)).survey(numbers)
