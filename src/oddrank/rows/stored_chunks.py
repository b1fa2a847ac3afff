"""Chunks of Parquet files and of Dask collections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from oddrank._plain_text import counted
from oddrank.errors import InvalidDataError, missing_extra
from oddrank.rows.chunks import PART_ROWS, Chunk, ChunkedTable, slices

__all__ = ["DaskChunk", "ParquetChunk", "dask_chunks", "parquet_chunks"]

# Row groups are read together up to this many rows: a task should be worth its start.
CHUNK_OF_ROW_GROUPS = 2**20
SUFFIXES = (".parquet", ".pq")


@dataclass(frozen=True, kw_only=True, eq=False)
class ParquetChunk(Chunk):
    """Row groups of a Parquet file.

    Attributes
    ----------
    fragment : pyarrow ParquetFileFragment
        Knows the file and how to open it.
    row_groups : tuple of int
    mark : tuple
        What tells the file from a later one of the same name.
    columns : tuple of str, or None
        Those to be read; None for all.
    """

    fragment: Any
    row_groups: tuple[int, ...]
    mark: tuple[Any, ...]
    columns: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """What it is called in messages."""
        first, last = self.row_groups[0], self.row_groups[-1]
        groups = f"row group {first}" if first == last else f"row groups {first} to {last}"
        return f"{groups} of '{Path(self.fragment.path).name}'"

    @property
    def identity(self) -> Any:
        """The file, and when it was written."""
        return (self.fragment.path, self.mark, self.row_groups, self.start, self.columns)

    def with_columns(self, names: tuple[str, ...]) -> ParquetChunk:
        """Return the same rows with these columns only."""
        return replace(self, columns=names)

    def parts(self) -> Iterator[Any]:
        """Read the rows batch by batch: no row group is in memory as a whole."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        start = self.start
        try:
            with self.fragment.open() as opened:
                file = pq.ParquetFile(opened)
                chosen = None if self.columns is None else list(self.columns)
                groups = list(self.row_groups)
                for batch in file.iter_batches(PART_ROWS, row_groups=groups, columns=chosen):
                    frame = _frame_of(pa.Table.from_batches([batch]))
                    yield frame if chosen is None else self._choose(frame, chosen)
                    start += len(batch)
        except (OSError, pa.ArrowException) as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise InvalidDataError(
                f"{self.title[0].upper()}{self.title[1:]} cannot be read after row {start:,}: "
                f"{lines[0]} Write the file again, or leave it out."
            ) from error

    def _choose(self, frame: Any, names: list[str]) -> Any:
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise InvalidDataError(
                f"{self.title[0].upper()}{self.title[1:]} has no column {missing[0]!r}. "
                "All files need the same columns: write this one again, or leave it out."
            )
        return frame[names]


def _frame_of(table: Any) -> Any:
    """Return a pandas frame in which decimals are numbers, and days are dates."""
    import pyarrow as pa

    for j, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(j, field.name, table.column(j).cast(pa.float64()))
    return table.to_pandas(date_as_object=False)


def parquet_chunks(X: Any, name: str) -> ChunkedTable:
    """Return the row groups of a Parquet file, a folder of them, or a pyarrow dataset."""
    dataset = _dataset(X, name)
    chunks: list[Chunk] = []
    start = 0
    for fragment in _fragments(dataset, name):
        columns = None if dataset is not X else _chosen_columns(dataset, fragment)
        for chunk in _of_file(fragment, name):
            chunks.append(replace(chunk, start=start, columns=columns))
            start += chunk.n_rows
    if not start:
        raise InvalidDataError(f"{name} has no rows. Give more data.")
    return ChunkedTable(n_rows=start, each=partial(list, chunks), holds_rows=False)


def _fragments(dataset: Any, name: str) -> list[Any]:
    """Return the files of a dataset, and refuse one that is more than files of Parquet."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # a filter: row groups would give the rows that it hides
        raise InvalidDataError(
            f"{name} is a pyarrow dataset with a filter or projection, and oddrank reads whole row "
            "groups. Write the rows that you want to Parquet, and pass that file."
        ) from error
    if not all(hasattr(each, "row_groups") for each in fragments):
        raise InvalidDataError(
            f"{name} is a pyarrow dataset that is not stored in Parquet files. Write it with "
            "pyarrow.dataset.write_dataset(…, format='parquet'), and pass that folder."
        )
    return fragments


def _chosen_columns(dataset: Any, fragment: Any) -> tuple[str, ...] | None:
    """Return the columns of the user's schema that a file has; None where these are all."""
    stored = fragment.physical_schema.names
    chosen = [each for each in dataset.schema.names if each in stored]
    return None if chosen == stored else tuple(chosen)


def _dataset(X: Any, name: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError:
        raise missing_extra("Parquet files need pyarrow", "datasets") from None
    if isinstance(X, ds.Dataset):
        return X
    if not isinstance(X, str | os.PathLike):
        raise InvalidDataError(
            f"{name} is a pyarrow {type(X).__name__}, which oddrank does not read. Pass the path "
            "of the Parquet file, a pyarrow dataset, or the rows as a pyarrow Table."
        )
    path = Path(X).expanduser()
    if not path.exists():
        raise InvalidDataError(f"There is no file or folder '{path}'. Check the path of {name}.")
    if path.is_file() and path.suffix.lower() not in SUFFIXES:
        raise InvalidDataError(
            f"{name} is the path '{path.name}', and only Parquet files and folders of them are "
            "read in chunks. Read other tables with oddrank.datasets.read_table, and pass its X."
        )
    try:
        dataset = ds.dataset(path, format="parquet", exclude_invalid_files=path.is_dir())
    except (OSError, pa.ArrowException) as error:
        raise InvalidDataError(
            f"'{path.name}' cannot be read as Parquet: {str(error).splitlines()[0]}"
        ) from error
    if path.is_dir():
        _check_none_is_missing(path, dataset.files)
    return dataset


def _check_none_is_missing(folder: Path, files: list[str]) -> None:
    """Refuse a folder with a broken Parquet file: its rows would be left out in silence."""
    read = {Path(each).resolve() for each in files}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith((".", "_")) for part in inside.parts)  # as pyarrow has it
        is_parquet = path.suffix.lower() in SUFFIXES and path.is_file()
        if is_parquet and not hidden and path.resolve() not in read:
            raise InvalidDataError(
                f"'{inside}' in the folder '{folder.name}' cannot be read as Parquet. Write the "
                "file again, or move it out of the folder."
            )


def _of_file(fragment: Any, name: str) -> Iterator[ParquetChunk]:
    import pyarrow as pa

    try:
        sizes = [group.num_rows for group in fragment.row_groups]
    except (OSError, pa.ArrowException) as error:
        raise InvalidDataError(
            f"'{Path(fragment.path).name}' in {name} cannot be read as Parquet: "
            f"{str(error).splitlines()[0]}"
        ) from error
    mark = _mark_of(fragment)
    together: list[int] = []
    held = 0
    for group, size in enumerate(sizes):
        if together and held + size > CHUNK_OF_ROW_GROUPS:
            yield _parquet_chunk(fragment, together, held, mark)
            together, held = [], 0
        if size:
            together.append(group)
            held += size
    if together:
        yield _parquet_chunk(fragment, together, held, mark)


def _parquet_chunk(
    fragment: Any, row_groups: list[int], n_rows: int, mark: tuple[Any, ...]
) -> ParquetChunk:
    return ParquetChunk(
        start=0, n_rows=n_rows, fragment=fragment, row_groups=tuple(row_groups), mark=mark
    )


def _mark_of(fragment: Any) -> tuple[Any, ...]:
    info = fragment.filesystem.get_file_info(fragment.path)
    return (info.size, info.mtime_ns)


@dataclass(frozen=True, kw_only=True, eq=False)
class DaskChunk(Chunk):
    """One block of a Dask array, or one partition of a Dask frame."""

    block: Any

    def __getstate__(self) -> dict[str, Any]:
        import dask

        # the graph of a block holds all blocks, and those of an array in memory hold its rows
        return {**self.__dict__, "block": dask.optimize(self.block)[0]}

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f"the Dask block of rows {self.start:,} to {self.start + self.n_rows - 1:,}"

    @property
    def identity(self) -> Any:
        """Dask's own name of the block, which says how it is computed."""
        return (str(self.block.key), self.start, self.n_rows)

    @property
    def lazy_rows(self) -> Any:
        """The block, which a cluster computes where its data are."""
        return self.block

    def parts(self) -> Iterator[Any]:
        """Compute the block, and give its rows in slices."""
        return slices(self.block.compute())


def dask_chunks(X: Any, name: str) -> ChunkedTable:
    """Return the blocks of a Dask array or frame."""
    import dask

    # a delayed value has every attribute, and bags and series are no tables
    if not isinstance(getattr(X, "ndim", None), int) or not hasattr(X, "to_delayed"):
        raise InvalidDataError(
            f"{name} is a Dask {type(X).__name__}. Pass a dask.array or a dask.dataframe."
        )
    if X.ndim != 2:
        raise InvalidDataError(
            f"{name} must be a table with rows and features (two dimensions). "
            f"Got {counted(X.ndim, 'dimension')}."
        )
    if hasattr(X, "rechunk"):
        blocks = X.rechunk({1: -1}).to_delayed()[:, 0].tolist()
        sizes = [int(size) if size == size else None for size in X.chunks[0]]  # noqa: PLR0124
    else:
        blocks = list(X.to_delayed())
        sizes = [None] * len(blocks)
    if None in sizes:
        sizes = list(dask.compute(*(dask.delayed(len)(block) for block in blocks)))
    chunks: list[Chunk] = []
    start = 0
    for block, size in zip(blocks, sizes, strict=True):
        if size:
            chunks.append(DaskChunk(start=start, n_rows=size, block=block))
            start += size
    if not start:
        raise InvalidDataError(f"{name} has no rows. Give more data.")
    return ChunkedTable(n_rows=start, each=partial(list, chunks), holds_rows=False)
