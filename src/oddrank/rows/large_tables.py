"""Tables that are not in memory: a sample of their rows, or all rows in chunks.

Parquet files, folders of them and pyarrow datasets are read by pyarrow, Dask collections by Dask,
where their chunks are.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank._validation import check_groups, check_integer
from oddrank.errors import InvalidDataError, missing_extra
from oddrank.rows.table import as_table, is_frame

__all__ = ["RowSample", "is_in_memory", "large_table", "rows_at_hand", "sampled_groups"]

# Rows that a ranking is made on: more would not change a verdict (docs/guide/huge_tables.md).
SAMPLE_ROWS = 200_000
# Rows that are read, and scored, at a time.
BATCH_ROWS = 2**16
# Chunks of a Dask collection that are worked on together.
BLOCKS_AT_ONCE = 32

RowNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowSample:
    """Which rows of a larger table are at hand.

    Attributes
    ----------
    numbers : array of int
        Places in the table, ascending.
    n_rows : int
        Of the whole table.
    """

    numbers: RowNumbers
    n_rows: int


class LargeTable(ABC):
    """Rows that are read when they are needed."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def chunks(self) -> Iterator[Any]:
        """Read all rows in order, in frames or arrays that fit into memory."""

    @abstractmethod
    def take(self, numbers: RowNumbers) -> Any:
        """Return the rows of these numbers, which ascend."""

    def map(self, function: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
        """Yield every chunk, if it is at hand, with what a function says of it, in order."""
        return ((chunk, function(chunk)) for chunk in self.chunks())


@dataclass(frozen=True, eq=False)
class _Parquet(LargeTable):
    dataset: Any

    @property
    def n_rows(self) -> int:
        return int(self.dataset.count_rows())

    def chunks(self) -> Iterator[Any]:
        import pyarrow as pa

        return (_frame_of(pa.Table.from_batches([batch])) for batch in self._batches())

    def take(self, numbers: RowNumbers) -> Any:
        import pyarrow as pa

        found, start = [], 0
        for batch in self._batches():
            first, last = np.searchsorted(numbers, (start, start + len(batch)))
            if last > first:
                found.append(batch.take(pa.array(numbers[first:last] - start)))
            start += len(batch)
        return _frame_of(pa.Table.from_batches(found))

    def _batches(self) -> Iterator[Any]:
        """Read one batch after the other: by default pyarrow reads ahead as fast as it can."""
        import pyarrow.dataset as ds

        options = {}
        if isinstance(getattr(self.dataset, "format", None), ds.ParquetFileFormat):
            options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True
            )
        batches = self.dataset.to_batches(
            batch_size=BATCH_ROWS,
            batch_readahead=1,
            fragment_readahead=1,
            use_threads=False,
            **options,
        )
        return (batch for batch in batches if len(batch))


@dataclass(frozen=True, eq=False)
class _Dask(LargeTable):
    blocks: list[Any]
    sizes: list[int]

    @property
    def n_rows(self) -> int:
        return sum(self.sizes)

    def chunks(self) -> Iterator[Any]:
        return (
            block.compute() for block, size in zip(self.blocks, self.sizes, strict=True) if size
        )

    def map(self, function: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
        import dask

        held = [block for block, size in zip(self.blocks, self.sizes, strict=True) if size]
        # a few at a time: what is said of many chunks is much to hold
        for start in range(0, len(held), BLOCKS_AT_ONCE):
            asked = [dask.delayed(function)(each) for each in held[start : start + BLOCKS_AT_ONCE]]
            yield from ((None, answer) for answer in dask.compute(*asked))

    def take(self, numbers: RowNumbers) -> Any:
        import dask

        ends = np.cumsum(self.sizes)
        inside = np.searchsorted(numbers, ends)
        parts = [
            dask.delayed(_rows_of)(block, numbers[first:last] - (end - size))
            for block, size, end, first, last in zip(
                self.blocks, self.sizes, ends, np.r_[0, inside[:-1]], inside, strict=True
            )
            if last > first
        ]
        found = dask.compute(*parts)
        if not is_frame(found[0]):
            return np.concatenate(found)
        joined = nw.concat([nw.from_native(part, eager_only=True) for part in found]).to_native()
        return joined.reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class _InMemory(LargeTable):
    rows: Any

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def chunks(self) -> Iterator[Any]:
        places = (range(start, min(start + BATCH_ROWS, self.n_rows))
                  for start in range(0, self.n_rows, BATCH_ROWS))  # fmt: skip
        return (_rows_of(self.rows, np.array(each)) for each in places)

    def take(self, numbers: RowNumbers) -> Any:
        return _rows_of(self.rows, numbers)


def is_in_memory(X: Any) -> bool:
    """Return whether this is an array, a frame or nested lists."""
    if nw.dependencies.is_into_dataframe(X):
        return True
    elsewhere = type(X).__module__.startswith(("dask", "pyarrow.dataset", "pyarrow._dataset"))
    return not isinstance(X, str | os.PathLike | LargeTable) and not elsewhere


def large_table(X: Any, name: str = "X") -> LargeTable:
    """Return a table whose rows can be sampled, or read in chunks.

    Parameters
    ----------
    X : path, pyarrow dataset, Dask array or frame, array or frame
        The path of a Parquet file, or of a folder of them.
    name : str
        What messages call it.
    """
    if isinstance(X, LargeTable):
        return X
    if is_in_memory(X):
        if not is_frame(X):
            X = as_table(X, name=name).values  # says why it is no table
        return _InMemory(X)
    if type(X).__module__.startswith("dask"):
        return _dask_table(X, name)
    return _Parquet(_dataset(X, name))


def rows_at_hand(
    X: Any, sample: Any, root: np.random.SeedSequence, owner: str, name: str = "X"
) -> tuple[Any, RowSample | None]:
    """Return the rows in memory: all of them, or a random sample of a larger table.

    Parameters
    ----------
    X : array or frame, or anything that `large_table` takes
    sample : int or None
        The size of the sample; None takes all rows of an array or frame, and 200,000 of others.
    root : SeedSequence
    owner, name : str
        What messages call the function and the table.
    """
    size = SAMPLE_ROWS
    if sample is not None:
        size = check_integer(sample, "sample", owner, minimum=4)
    elif is_in_memory(X):
        return X, None
    table = large_table(X, name)
    n_rows = table.n_rows
    if not n_rows:
        raise InvalidDataError(f"{name} has no rows. Give more data.")
    if n_rows <= size:
        return X if is_in_memory(X) else table.take(np.arange(n_rows)), None
    numbers = np.sort(stream(root, "sample").choice(n_rows, size, replace=False))
    return table.take(numbers), RowSample(numbers=numbers, n_rows=n_rows)


def sampled_groups(groups: Any, sampled: RowSample | None, owner: str) -> Any:
    """Return the groups of the rows at hand, from those of all rows."""
    if groups is None or sampled is None:
        return groups
    check_groups(groups, sampled.n_rows, owner)
    return np.asarray(groups)[sampled.numbers]


def _rows_of(part: Any, places: RowNumbers) -> Any:
    if is_frame(part):
        return nw.from_native(part, eager_only=True)[places.tolist()].to_native()
    return np.asarray(part)[places]


def _frame_of(table: Any) -> Any:
    """Return a pandas frame in which decimals are numbers, and days are dates."""
    import pyarrow as pa

    for j, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(j, field.name, table.column(j).cast(pa.float64()))
    return table.to_pandas(date_as_object=False)


def _dataset(X: Any, name: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError:
        raise missing_extra("Parquet files need pyarrow", "datasets") from None
    if isinstance(X, ds.Dataset):
        return X
    path = Path(X).expanduser()
    if not path.exists():
        raise InvalidDataError(f"There is no file or folder '{path}'. Check the path of {name}.")
    try:
        # a broken file in a folder is an error: its rows would be left out in silence
        return ds.dataset(path, format="parquet")
    except (OSError, pa.ArrowException) as error:
        raise InvalidDataError(
            f"'{path.name}' cannot be read as Parquet: {str(error).splitlines()[0]} Only Parquet "
            "files and folders of them are read by their path; pass other tables as frames."
        ) from error


def _dask_table(X: Any, name: str) -> _Dask:
    import dask

    # a delayed value has every attribute, and bags and series are no tables
    if not isinstance(getattr(X, "ndim", None), int) or X.ndim != 2 or not hasattr(X, "to_delayed"):
        raise InvalidDataError(
            f"{name} is a Dask {type(X).__name__}, and not a table of two dimensions. Pass a "
            "dask.array or a dask.dataframe with rows and features."
        )
    if hasattr(X, "rechunk"):
        blocks = X.rechunk({1: -1}).to_delayed()[:, 0].tolist()
    else:
        blocks = list(X.to_delayed())
    return _Dask(blocks, [int(n) for n in dask.compute(*(dask.delayed(len)(b) for b in blocks))])
