"""`read_table`: any table a user has, how it was understood, and every row in its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import root_of, stream
from oddrank._text import counted
from oddrank._validation import check_integer, check_option
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io.column_choice import LeftOut, why_not_used
from oddrank.io.file_formats import (
    Part,
    Wish,
    arrow_part,
    arrow_rows,
    frame_table,
    read_part,
)
from oddrank.io.optional_libraries import require
from oddrank.io.reading import Reading
from oddrank.io.sources import STANDARD_INPUT, content_of, paths_of
from oddrank.rows import RowSample, large_table, rows_at_hand


@dataclass(frozen=True, kw_only=True, eq=False)
class UserTable:
    """A table as it was read, with a list of what was not used.

    Attributes
    ----------
    source : str
        What messages call it.
    X : pandas frame
        The features, one row per row that is used, in the order of the source.
    labels : array or None
        The column that is kept apart.
    reading : Reading
        How the source was understood.
    left_out : tuple of LeftOut
        Columns that are no features.
    row_numbers : array of int
        The place of every row of `X` in the source, from 0.
    n_rows_read : int
        Rows of the source.
    n_gaps, n_infinite : int
        Missing values in the features, and infinite ones among them.
    notes : tuple of str
        What people should know of the files.
    files : tuple of (str, int)
        Names of several files, and how many rows each has; empty for a single one.
    sample : RowSample or None
        If these rows are a sample of a larger table.
    """

    source: str
    X: Any
    labels: npt.NDArray[Any] | None
    reading: Reading
    left_out: tuple[LeftOut, ...]
    row_numbers: npt.NDArray[np.int64]
    n_rows_read: int
    n_gaps: int = 0
    n_infinite: int = 0
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    sample: RowSample | None = None
    parts: tuple[Part, ...] = field(default=(), repr=False)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(str(name) for name in self.X.columns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the features hold."""
        of_name = {column.name: column.kind for column in self.reading.columns}
        return tuple(of_name[name] for name in self.feature_names)

    @property
    def n_rows(self) -> int:
        """Number of rows that are used."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_repeated(self) -> int:
        """How many rows repeat an earlier one in all features."""
        return int(self.X.duplicated().sum())

    @property
    def is_one_file(self) -> bool:
        """Whether all rows come from one file, whose name is `source`."""
        return len(self.parts) == 1 and self.source != STANDARD_INPUT

    @property
    def has_lines(self) -> bool:
        """Whether rows are lines of a text file, or rows of a sheet, as people count them."""
        return all(part.lines() is not None for part in self.parts)

    @property
    def column_names(self) -> list[str]:
        """Names of all columns of the source."""
        return list(self.parts[0].names)

    def places(self, numbers: npt.NDArray[np.int64] | None = None) -> list[tuple[str, ...]]:
        """Return the line or row of rows, after the name of their file if there are several.

        Parameters
        ----------
        numbers : array of int, optional
            Of rows of the source; by default those that are used.
        """
        numbers = self.row_numbers if numbers is None else numbers
        starts = np.cumsum([0, *(part.n_rows for part in self.parts)])
        which = np.searchsorted(starts, numbers, side="right") - 1
        inside, has_lines, found = numbers - starts[which], self.has_lines, np.empty_like(numbers)
        for k, part in enumerate(self.parts):
            here, lines = which == k, part.lines() if has_lines else None
            found[here] = inside[here] if lines is None else lines[inside[here]]
        files = [(part.what,) if self.files else () for part in self.parts]
        return [(*files[k], str(n)) for k, n in zip(which.tolist(), found.tolist(), strict=True)]

    def cells(self) -> Iterator[list[Any]]:
        """Yield every row of the source, all its cells unchanged."""
        names = self.column_names
        for part in self.parts:
            place = {name: j for j, name in enumerate(part.names)}
            order = [place[name] for name in names]
            for row in part.cells():
                yield [row[j] for j in order]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts, without the rows."""
        return {
            "source": self.source,
            "n_rows": self.n_rows,
            "n_rows_read": self.n_rows_read,
            "n_gaps": self.n_gaps,
            "n_repeated": self.n_repeated,
            "reading": self.reading.to_dict(),
            "left_out": {column.column: column.reason for column in self.left_out},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        shape = f"{counted(self.n_rows, 'row')}, {counted(self.n_features, 'feature')}"
        lines = [f"{self.source}: {shape}", f"  {self.reading}"]
        lines += [f"  skipped {column}" for column in self.left_out[:20]]
        if len(self.left_out) > 20:
            lines.append(f"  skipped {len(self.left_out) - 20:,} more columns")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"UserTable({self.source!r}, {self.n_rows} rows, {self.n_features} features)"


def read_table(
    source: Any,
    *,
    reading: Reading | None = None,
    name: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    use: Sequence[str] = (),
    ignore: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop_gaps: bool = False,
    drop_duplicates: bool = False,
    min_rows: int = 2,
    sample: int | None = None,
    random_state: Any = None,
) -> UserTable:
    """Read any table, and say how it was understood.

    What may mean two things is refused, with a sentence that names what settles it. Every row of
    the source is a row of the result unless the options say otherwise.

    Parameters
    ----------
    source : path, list of paths, folder, "-" or frame
        CSV and other text tables (also in gzip, bzip2, xz or zip), .xlsx, .xls, .ods, Parquet,
        Feather, npy, npz, ARFF; or a frame of pandas, polars, pyarrow or modin. The content
        decides the format. "-" is standard input. Several files, or all of a folder, must have the
        same columns and are read as one table, the others as the first.
    reading : Reading, optional
        How to read it: separator, decimal sign, order of dates and so on. The reading of another
        table (`UserTable.reading`) reads this one in the same way, or refuses it.
    name : str, optional
        What messages call the table; by default its file's name.
    label : str, optional
        A column to keep apart, in `labels`. No detector sees it.
    columns : list of str, optional
        Use exactly these, in this order, whatever they hold.
    use, ignore : list of str
        Columns to use that would be skipped, and to skip that would be used. By default all
        columns are used that carry something: not those of one value, of one text per row,
        identifiers by their name and their different values, and row numbers.
    categories : list of str
        Columns that hold levels, whatever they look like.
    drop_gaps, drop_duplicates : bool
        Leave out rows with a missing value, and rows that repeat an earlier one.
    min_rows : int
        Tables with fewer rows are refused.
    sample : int, optional
        Use a random sample of this many rows where there are more. Of Parquet files only these
        are in memory.
    random_state : None, int or numpy random state
        Chooses the sample.

    Returns
    -------
    UserTable

    Raises
    ------
    InvalidDataError
        If the table cannot be read, in one sentence that names the file, the place and a remedy.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"id": range(100, 120), "size": [i * 1.5 for i in range(20)],
    ...                           "colour": ["red"] * 20, "fraud": [0] * 19 + [1]})
    >>> table = read_table(frame, label="fraud")
    >>> print(table)
    the frame: 20 rows, 1 feature
      4 columns with types
      skipped 'id' (identifier: by its name, and 20 different values in 20 rows)
      skipped 'colour' (constant: always 'red')
    >>> table.X.shape, int(table.labels.sum())
    ((20, 1), 1)
    """
    check_option(drop_gaps, "drop_gaps", "read_table", (True, False))
    check_option(drop_duplicates, "drop_duplicates", "read_table", (True, False))
    check_integer(min_rows, "min_rows", "read_table")
    wish = Wish(
        columns=_names(columns, "columns"),
        label=label,
        use=_names(use, "use") or (),
        ignore=_names(ignore, "ignore") or (),
        categories=_names(categories, "categories") or (),
    )
    if label is not None and label in (*(wish.columns or ()), *wish.use):
        raise InvalidParameterError(
            f"Column {label!r} is the label, so it cannot be a feature: no detector may see it."
        )
    root = root_of(random_state, "read_table")
    if sample is not None:
        check_integer(sample, "sample", "read_table", minimum=2)
    sampled: RowSample | None = None
    if sample is not None and is_parquet(source) and large_table(source).n_rows > sample:
        what, notes = name or Path(source).name, list[str]()
        rows, sampled = rows_at_hand(source, sample, root, "read_table", what)
        part = arrow_part(frame_table(rows, what), what, reading or Reading(), wish)
        parts = [part]
        if sampled is not None:
            cells = parquet_cells(Path(source).expanduser(), what)
            parts = [replace(part, n_rows=sampled.n_rows, cells=cells)]
    else:
        parts, what, notes = _parts(source, name, reading or Reading(), wish)
    return _finished(
        parts, what, notes, wish, sampled=sampled, sample=sample, root=root,
        drop_gaps=drop_gaps, drop_duplicates=drop_duplicates, min_rows=min_rows,
    )  # fmt: skip


def is_parquet(source: Any) -> bool:
    """Return whether this is the path of a Parquet file, or of a folder of nothing else."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    path = Path(source).expanduser()
    if path.is_dir():
        # notes of those who wrote it, such as _SUCCESS and .crc, are no data
        files = [each for each in path.rglob("*") if each.is_file() and each.name[0] not in "._"]
        return bool(files) and all(each.suffix.lower() in (".parquet", ".pq") for each in files)
    return path.is_file() and path.suffix.lower() in (".parquet", ".pq")


def parquet_cells(path: Path, what: str) -> Callable[[], Iterator[Sequence[Any]]]:
    """Return what reads all rows of Parquet files, batch by batch, if they are still the same."""

    def marks() -> list[tuple[str, int, int]]:
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        return [(str(each), each.stat().st_mtime_ns, each.stat().st_size) for each in files]

    before = marks()

    def cells() -> Iterator[Sequence[Any]]:
        if marks() != before:
            raise InvalidDataError(
                f"{what} was changed while it was read, so its rows cannot be written beside their "
                "scores. Run the command again."
            )
        dataset = require("pyarrow.dataset", "Reading Parquet files").dataset(
            path, format="parquet"
        )
        for batch in dataset.to_batches(batch_readahead=1, fragment_readahead=1):
            yield from arrow_rows(batch)

    return cells


def parquet_names(path: Path) -> list[str]:
    """Return the names of the columns of Parquet files."""
    return [str(name) for name in _dataset(path).schema.names]


def _dataset(path: Path) -> Any:
    return require("pyarrow.dataset", "Reading Parquet files").dataset(path, format="parquet")


def _parts(
    source: Any, name: str | None, reading: Reading, wish: Wish
) -> tuple[list[Part], str, list[str]]:
    if not isinstance(source, str | os.PathLike | Sequence):
        what = name or "the frame"
        return [arrow_part(frame_table(source, what), what, reading, wish)], what, []
    paths, unread = paths_of(source)
    notes = []
    if unread:
        more = f" and {len(unread) - 5:,} more" if len(unread) > 5 else ""
        notes.append(f"Not read: {', '.join(unread[:5])}{more}.")
    names = [STANDARD_INPUT if str(path) == "-" else path.name for path in paths]
    parts: list[Part] = []
    for path, what in zip(paths, names, strict=True):
        parts.append(read_part(content_of(path, what), what, reading, wish))
        _check_same_columns(parts[0], parts[-1])
        # files before say how the next are read; a sheet need not have the same name
        reading = replace(_joined_reading(parts), sheet=reading.sheet)
    if len(parts) == 1:
        return parts, names[0], [*parts[0].notes, *notes]
    notes.insert(0, f"{len(parts)} files are read as one table.")
    return parts, f"{names[0]} and {counted(len(parts) - 1, 'more file')}", notes


def _joined_reading(parts: Sequence[Part]) -> Reading:
    """Return what the files together show: a column that is empty in one may not be in another."""
    first = parts[0].reading
    readings = [part.reading for part in parts]
    return replace(
        first,
        decimal=next((each.decimal for each in readings if each.decimal is not None), None),
        thousands=next((each.thousands for each in readings if each.thousands is not None), None),
        dates=next((each.dates for each in readings if each.dates is not None), None),
        columns=tuple(
            next((found for each in readings if (found := each.column(column.name))), column)
            for column in first.columns
        ),
    )


def _check_same_columns(first: Part, part: Part) -> None:
    missing = [name for name in first.names if name not in part.names]
    extra = [name for name in part.names if name not in first.names]
    if missing or extra:
        fact = (
            f"has no column {missing[0]!r}, which {first.what} has"
            if missing
            else f"has a column {extra[0]!r}, which {first.what} does not have"
        )
        raise InvalidDataError(
            f"{part.what} {fact}. Files that are read as one need the same columns."
        )


def _finished(
    parts: list[Part],
    what: str,
    notes: list[str],
    wish: Wish,
    *,
    sampled: RowSample | None,
    sample: int | None,
    root: np.random.SeedSequence,
    drop_gaps: bool,
    drop_duplicates: bool,
    min_rows: int,
) -> UserTable:
    pandas = require("pandas", "Reading tables")
    reading = _joined_reading(parts)
    n_rows = sum(part.n_rows for part in parts)
    numbers = np.arange(n_rows) if sampled is None else sampled.numbers
    content = {
        column.name: _joined([part.values[column.name] for part in parts])
        for column in reading.columns
    }
    labels = None
    if wish.label is not None:
        labels = np.asarray(content.pop(wish.label).astype(object))
        labels = np.where(pandas.isna(labels), "", labels) if labels.dtype == object else labels
    content, n_infinite = _without_infinity(content)
    features, left_out = _features(content, reading, wish, what, numbers)
    frame = pandas.DataFrame(features, copy=False)
    n_gaps = int(sum(column.isna().sum() for _, column in frame.items()))
    kept = np.arange(len(frame))
    if drop_gaps:
        with_gaps = frame.isna().any(axis=1).to_numpy()
        kept = kept[~with_gaps]
        notes.append(f"{counted(int(with_gaps.sum()), 'row')} with gaps left out.")
    if drop_duplicates:
        repeated = frame.iloc[kept].duplicated().to_numpy()
        kept = kept[~repeated]
        notes.append(f"{counted(int(repeated.sum()), 'repeated row')} left out.")
    if sample is not None and len(kept) > sample:
        kept = np.sort(stream(root, "sample").choice(kept, sample, replace=False))
        sampled = RowSample(numbers=numbers[kept], n_rows=n_rows)
    if len(kept) < min_rows:
        need = "two are needed to rank" if min_rows > 1 else "there is nothing to score"
        raise InvalidDataError(
            f"{what} has {counted(len(kept), 'row')} to use, and {need}. Give more data."
        )
    whole = len(kept) == len(frame)
    return UserTable(
        source=what,
        X=frame if whole else frame.iloc[kept].reset_index(drop=True),
        labels=labels if labels is None or whole else labels[kept],
        reading=reading,
        left_out=tuple(left_out),
        row_numbers=numbers if whole else numbers[kept],
        n_rows_read=n_rows,
        n_gaps=n_gaps,
        n_infinite=n_infinite,
        notes=tuple(notes),
        files=tuple((part.what, part.n_rows) for part in parts) if len(parts) > 1 else (),
        sample=sampled,
        parts=tuple(parts),
    )


def _joined(parts: list[Any]) -> Any:
    pandas = require("pandas", "Reading tables")
    if any(part is None for part in parts):
        return None
    if all(isinstance(part, pandas.Categorical) for part in parts) and len(parts) > 1:
        from pandas.api.types import union_categoricals

        return pandas.Series(union_categoricals(parts, sort_categories=True))
    series = [pandas.Series(part, copy=False) for part in parts]
    known = next((each.dtype for each in series if each.notna().any()), None)
    if known is not None and known.kind not in "biuf":
        # gaps alone have the type of what stands in the other files
        series = [
            each if each.notna().any() else pandas.Series([None] * len(each), dtype=known)
            for each in series
        ]
    if len(series) > 1 and all(each.dtype == "category" for each in series):
        return _joined([each.array for each in series])
    return series[0] if len(series) == 1 else pandas.concat(series, ignore_index=True)


def _without_infinity(content: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Read infinite numbers as gaps: no volume and no distance holds them."""
    n_infinite = 0
    for name, column in content.items():
        if column is not None and column.dtype.kind == "f":
            infinite = np.isinf(column.to_numpy())
            if infinite.any():
                content[name] = column.mask(infinite)
                n_infinite += int(infinite.sum())
    return content, n_infinite


def _features(
    content: dict[str, Any],
    reading: Reading,
    wish: Wish,
    what: str,
    row_numbers: npt.NDArray[np.int64],
) -> tuple[dict[str, Any], list[LeftOut]]:
    """Return the columns to use, and why the others are not."""
    left_out = []
    used: dict[str, Any] = {}
    for name, values in content.items():
        column = next(each for each in reading.columns if each.name == name)
        if wish.columns is not None or name in wish.use:
            if values is None:
                raise InvalidDataError(
                    f"Column {name!r} of {what} cannot be a feature: it does not hold a single "
                    f"value per cell ({column.form}). Leave it out."
                )
            used[name] = values
            continue
        found = why_not_used(column, values, row_numbers)
        if found is None:
            used[name] = values
        else:
            left_out.append(found)
    left_out += [LeftOut(column=name, reason="as asked: --ignore") for name in wish.ignore]
    if not used:
        reasons = ", ".join(str(column) for column in left_out[:5]) or "it has no columns"
        raise InvalidDataError(
            f"{what} has no column that can be a feature: {reasons}. Name columns with --columns"
            + (", or their --separator if there are several." if len(left_out) == 1 else ".")
        )
    if wish.columns is not None:
        used = {name: used[name] for name in wish.columns}
    return used, left_out


def _names(names: Any, parameter: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    sound = not isinstance(names, str) and isinstance(names, Sequence)
    sound = sound and all(isinstance(name, str) for name in names)
    if not sound or len(set(names)) < len(names) or (parameter == "columns" and not names):
        raise InvalidParameterError(
            f"The {parameter!r} parameter of read_table must be a list of different column names. "
            f"Got {names!r} instead."
        )
    return tuple(names)
