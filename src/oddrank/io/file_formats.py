"""One file or frame as columns with a meaning: text, sheets, Parquet, Feather, numpy, ARFF."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.errors import InvalidDataError, OddrankError
from oddrank.io.optional_libraries import require
from oddrank.io.reading import ColumnReading, Reading
from oddrank.io.sheets import open_sheet
from oddrank.io.text_files import open_text
from oddrank.io.text_values import (
    AmbiguousDates,
    Meaning,
    Texts,
    gap_words,
    in_words,
    order_of,
    settle_decimal,
    thousands_in,
    understand,
)

MAX_COLUMNS = 4096
_REFUSED = (
    (b"FEA1", "a Feather file of version 1", "Write it again with a current pyarrow."),
    (b"\x89HDF", "an HDF5 file", "Save the table as Parquet or CSV."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
    (b"%PDF", "a PDF document", "Give the table it was made from."),
    (b"\x80", "a Python pickle, which can run code", "Save the table as Parquet or CSV."),
)
_ARFF = re.compile(rb"\A(\s*%[^\n]*\n|\s)*@relation\b", re.I)
_MARKUP = re.compile(rb"\A\s*(\{|\[\s*[\[{\"]|<[!?a-zA-Z])")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the user wants of a table.

    Attributes
    ----------
    columns : tuple of str or None
        Exactly these are features.
    label : str or None
        Kept apart.
    use, ignore, categories : tuple of str
        Columns that are features, are none, and are levels, whatever they look like.
    """

    columns: tuple[str, ...] | None = None
    label: str | None = None
    use: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def wanted(self, names: Sequence[str], what: str) -> list[str]:
        """Return the columns to be understood, or refuse names that are repeated or missing."""
        repeated = sorted({name for name in names if list(names).count(name) > 1}
                          if len(set(names)) < len(names) else ())  # fmt: skip
        if repeated:
            raise InvalidDataError(
                f"{what} has more than one column called {repeated[0]!r}, so a name does not say "
                "which is meant. Rename the copies."
            )
        label = () if self.label is None else (self.label,)
        asked = (*(self.columns or ()), *label, *self.use, *self.ignore, *self.categories)
        for name in asked:
            if name not in names:
                close = get_close_matches(name, names, n=1)
                has = f"It has {', '.join(map(repr, names[:5]))}{', …' if len(names) > 5 else ''}."
                raise InvalidDataError(
                    f"{what} has no column {name!r}. "
                    + (f"Did you mean {close[0]!r}?" if close else has)
                )
        if self.columns is None and len(names) > MAX_COLUMNS:
            raise InvalidDataError(
                f"{what} has {len(names):,} columns, and at most {MAX_COLUMNS:,} are used without "
                "being named. Name those to use with --columns."
            )
        if self.columns is None:
            return [name for name in names if name not in self.ignore]
        return [name for name in names if name in (*self.columns, *label)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One file or frame, understood.

    Attributes
    ----------
    what : str
        What messages call it.
    n_rows : int
    names : list of str
        Of all its columns.
    values : dict
        The content of the columns that were asked for, one value per row.
    reading : Reading
    lines : callable
        Returns the line of a text file, or the row of a sheet, of every row, counted from 1; None
        where rows have no such number.
    cells : callable
        Yields every row of the source, all its cells unchanged.
    notes : list of str
        What people should know beside the reading.
    """

    what: str
    n_rows: int
    names: list[str]
    values: dict[str, Any]
    reading: Reading
    lines: Callable[[], npt.NDArray[np.int64] | None]
    cells: Callable[[], Iterator[Sequence[Any]]]
    notes: list[str] = field(default_factory=list)


def read_part(data: bytes, what: str, reading: Reading, wish: Wish) -> Part:
    """Read the bytes of a file; its content decides the format."""
    for mark, name, remedy in _REFUSED:
        if data.startswith(mark):
            raise InvalidDataError(f"{what} is {name}, which is not read. {remedy}")
    try:
        if data.startswith((b"PAR1", b"ARROW1")):
            return arrow_part(_arrow_table(data), what, reading, wish)
        if data.startswith(b"\x93NUMPY") or (data.startswith(b"PK") and b".npy" in data[:200]):
            return arrow_part(_numpy_table(data, what), what, reading, wish)
        if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
            return _sheet_part(data, what, reading, wish)
        if _ARFF.match(data[: 2**16]):
            return arrow_part(_arff_table(data), what, reading, wish)
        if _MARKUP.match(data[: 2**12]):
            raise InvalidDataError(
                f"{what} looks like JSON or markup, not like rows and columns. Save the table as "
                "CSV."
            )
        return _text_part(data, what, reading, wish)
    except OddrankError:
        raise
    # Parsers of other libraries read bytes of any origin, and each has its own errors.
    except Exception as error:
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InvalidDataError(
            f"{what} cannot be read: {first_line[:200].rstrip('.')}. Check that the file is "
            "complete and is what its name says."
        ) from error


def _text_part(data: bytes, what: str, reading: Reading, wish: Wish) -> Part:
    table = open_text(data, what, reading)
    wanted = wish.wanted(table.names, what)
    texts_by_wish = [name for name in wanted if name in (*wish.categories, wish.label)]
    known = {name: reading.column(name) for name in wanted}
    as_text = texts_by_wish + [
        name
        for name, column in known.items()
        if column is not None and (column.kind == "category" or column.form)
    ]
    typed = table.typed(as_text, wanted)
    if typed.num_rows == 0:
        raise InvalidDataError(f"{what} has column names and no rows. Give a file with data.")
    n_rows = typed.num_rows
    lines = cache(lambda: table.lines(n_rows))

    def row_name(row: int) -> str:
        found = lines()
        return f"row {row + 1}" if found is None else f"line {found[row]}"

    if reading.decimal is None:
        strings = [_texts(typed, name, row_name) for name in _of_type(typed, "string")]
        doubles = _of_type(typed, "double") if table.reading.separator in (";", "\t") else []
        floats = table.texts(doubles) if doubles else None
        asked = (_texts(floats, name, row_name) for name in doubles)
        settled = settle_decimal(strings, asked, table.reading, what)
        table = replace(table, reading=settled)
        if settled.decimal == ",":
            typed = table.typed(as_text, wanted)
    columns: dict[str, Meaning | Texts] = {}
    for name in wanted:
        if typed.schema.field(name).type == "string":
            columns[name] = _texts(typed, name, row_name)
        else:
            columns[name] = _typed_column(typed.column(name), name)
    values, found = _understood(columns, table.reading, what, wish)
    _check_known(values, found, reading, what)
    return Part(
        what=what,
        n_rows=n_rows,
        names=table.names,
        values=values,
        reading=found,
        lines=lines,
        cells=lambda: _arrow_rows(table.texts()),
    )


def _of_type(table: Any, kind: str) -> list[str]:
    return [each.name for each in table.schema if each.type == kind]


def _texts(table: Any, name: str, row_name: Callable[[int], str]) -> Texts:
    return Texts.of(table.column(name), name, row_name)


def _understood(
    columns: dict[str, Meaning | Texts], reading: Reading, what: str, wish: Wish
) -> tuple[dict[str, Any], Reading]:
    """Return values, and the reading with all columns; what is sure decides what is not."""
    found: dict[str, Meaning] = {}
    waiting: list[AmbiguousDates] = []
    as_text = {*wish.categories, wish.label}
    for name, column in columns.items():
        if isinstance(column, Meaning):
            found[name] = column
            continue
        meaning = understand(column, reading, what, as_text=name in as_text)
        if isinstance(meaning, Meaning):
            found[name] = meaning
        else:
            waiting.append(meaning)
    orders = {order_of(each.column.form) for each in found.values()} - {"", "ymd"}
    if waiting and len(orders) != 1:
        raise waiting[0].refusal
    if orders and reading.dates is None:
        reading = replace(reading, dates=min(orders) if len(orders) == 1 else None)
    for each in waiting:
        meaning = understand(each.texts, reading, what)
        if not isinstance(meaning, Meaning):
            raise meaning.refusal
        found[each.texts.name] = meaning
    if reading.thousands is None:
        asked = [(each, found[each.name].column) for each in columns.values()
                 if isinstance(each, Texts)]  # fmt: skip
        reading = replace(reading, thousands=thousands_in(asked, reading))
    told = tuple(found[name].column for name in columns)
    return {name: found[name].values for name in columns}, replace(reading, columns=told)


def _check_known(values: dict[str, Any], found: Reading, reading: Reading, what: str) -> None:
    """Refuse columns that hold something else than in the table before."""
    for now in found.columns:
        known = reading.column(now.name)
        if known is None or known.kind in (now.kind, "category"):
            continue
        numbers = {known.kind, now.kind} == {"number", "boolean"}
        if not numbers and not _missing(values[now.name]).all():
            raise InvalidDataError(
                f"Column {now.name!r} of {what} holds {in_words(now)}, and the table before held "
                f"{in_words(known)} there. Write it the same way."
            )


def _typed_column(column: Any, name: str) -> Meaning:
    """Return a column of Arrow, or of numpy, whose type says what it is."""
    pa = require("pyarrow", "Reading tables")
    kind = column.type
    types = pa.types
    if types.is_decimal(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
    if types.is_boolean(kind):
        values = column.to_pandas()
        values = values if column.null_count == 0 else values.astype("boolean")
        return Meaning(column=ColumnReading(name=name, kind="boolean"), values=values.array)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind):
        if types.is_null(kind) or column.null_count or types.is_float16(kind):
            column = column.cast(pa.float64(), safe=False)
        return Meaning(column=ColumnReading(name=name, kind="number"), values=column.to_numpy())
    if types.is_date(kind) or types.is_timestamp(kind):
        stamps = column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        values = stamps.cast(pa.timestamp("us")).to_numpy().astype("datetime64[us]")
        return Meaning(column=ColumnReading(name=name, kind="date"), values=values)
    if types.is_time(kind) or types.is_duration(kind):
        if types.is_time(kind):
            column = column.cast(pa.time64("us")).cast(pa.int64())
        spans = column.cast(pa.int64() if types.is_time(kind) else pa.duration("us"), safe=False)
        values = spans.cast(pa.duration("us")).to_numpy().astype("timedelta64[us]")
        return Meaning(column=ColumnReading(name=name, kind="duration"), values=values)
    return Meaning(column=ColumnReading(name=name, kind="other", form=str(kind)), values=None)


def arrow_part(table: Any, what: str, reading: Reading, wish: Wish) -> Part:
    """Understand an Arrow table: its types say what its columns are."""
    pa = require("pyarrow", "Reading tables")
    pandas = require("pandas", "Reading tables")
    names = [str(name) for name in table.column_names]
    wanted = wish.wanted(names, what)
    if table.num_rows == 0:
        raise InvalidDataError(f"{what} has no rows. Give a file with data.")
    values: dict[str, Any] = {}
    found: list[ColumnReading] = []
    for name in wanted:
        column, expected = table.column(names.index(name)), reading.column(name)
        kind = column.type
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        levels = name in wish.categories or (expected is not None and expected.kind == "category")
        if text or (levels and not pa.types.is_nested(kind)):
            content = column.cast(pa.string())
            missing = {"", *(reading.gaps_as or ())}
            words = [None if word in missing else word for word in content.to_pylist()]
            categories = sorted({word for word in words if word is not None})
            index = pandas.Index(categories, dtype=object).astype("str")
            values[name] = pandas.Categorical(words, categories=index)
            found.append(ColumnReading(name=name, kind="category"))
        else:
            meaning = _typed_column(column, name)
            values[name] = meaning.values
            found.append(meaning.column)
    told = replace(reading, columns=tuple(found))
    _check_known(values, told, reading, what)
    return Part(
        what=what,
        n_rows=table.num_rows,
        names=names,
        values=values,
        reading=told,
        lines=lambda: None,
        cells=lambda: _arrow_rows(table),
    )


def _arrow_rows(table: Any) -> Iterator[Sequence[Any]]:
    for batch in table.to_batches(max_chunksize=2**14):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _missing(values: Any) -> npt.NDArray[np.bool_]:
    pandas = require("pandas", "Reading tables")
    return np.asarray(pandas.isna(values)) if values is not None else np.zeros(1, dtype=bool)


def frame_table(frame: Any, what: str) -> Any:
    """Return a frame of any library as an Arrow table; names become text, an index is dropped."""
    import narwhals.stable.v2 as nw

    pa = require("pyarrow", "Reading frames")
    native = nw.from_native(frame, eager_only=True)
    arrays, names = [], [str(name) for name in native.columns]
    for j, name in enumerate(names):
        series = native[:, j]
        try:
            column = series.to_arrow()
        except Exception:  # objects of several types: as text, numbers among them too
            words = [None if gap else str(value) for value, gap in
                     zip(series.to_list(), series.is_null().to_list(), strict=True)]  # fmt: skip
            column = pa.array(words, pa.string())
        if isinstance(column, pa.ExtensionArray):
            raise InvalidDataError(f"Column {name!r} of {what} has a type that is not read.")
        arrays.append(column)
    return pa.Table.from_arrays(arrays, names=names)


def _arrow_table(data: bytes) -> Any:
    pa = require("pyarrow", "Reading Parquet and Feather files")
    source = pa.BufferReader(data)
    if data.startswith(b"PAR1"):
        return require("pyarrow.parquet", "Reading Parquet files").read_table(source)
    return require("pyarrow.feather", "Reading Feather files").read_table(source)


def _numpy_table(data: bytes, what: str) -> Any:
    pa = require("pyarrow", "Reading numpy's files")
    array = np.load(io.BytesIO(data), allow_pickle=False)
    label = None
    if hasattr(array, "files"):
        names = list(array.files)
        chosen = "X" if "X" in names else names[0]
        if len(names) > 1 and "X" not in names:
            raise InvalidDataError(
                f"{what} holds the arrays {', '.join(names)}, and none is called 'X'. Save the "
                "table alone, or as 'X'."
            )
        label = array["y"] if "y" in names and array["y"].ndim == 1 else None
        array = array[chosen]
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"{what} holds an array of {array.ndim} dimensions and type {array.dtype}. Save a "
            "table of numbers, with rows and columns."
        )
    columns = {f"x{j}": pa.array(column) for j, column in enumerate(array.T)}
    if label is not None and len(label) == len(array):
        columns["y"] = pa.array(label)
    return pa.table(columns)


def _arff_table(data: bytes) -> Any:
    from scipy.io import arff

    pa = require("pyarrow", "Reading ARFF files")
    rows, _ = arff.loadarff(io.StringIO(data.decode()))
    columns = {}
    for name in rows.dtype.names:
        column = rows[name]
        if column.dtype.kind == "S":
            words = [word.decode() for word in column.tolist()]
            columns[name] = pa.array([None if word == "?" else word for word in words])
        else:
            columns[name] = pa.array(column, from_pandas=True)
    return pa.table(columns)


def _sheet_part(data: bytes, what: str, reading: Reading, wish: Wish) -> Part:
    opened = open_sheet(data, what, reading)
    sheet, first = opened.name, opened.first
    # skipped rows are counted from the first row that holds anything
    end = len(opened.rows) - reading.skip_footer
    rows, first = opened.rows[reading.skip_rows : end], first + reading.skip_rows
    # as in text: a blank row is no row, but the gap of a single column
    numbered = [(first + i, row) for i, row in enumerate(rows)
                if any(map(_shown, row)) or (len(row) == 1 and i)]  # fmt: skip
    if not numbered:
        raise InvalidDataError(
            f"Sheet {sheet!r} of {what} is empty. Name another one with --sheet."
        )
    head = [_shown(cell) for cell in numbered[0][1]]
    header = reading.header
    if header is None:
        header = all(isinstance(cell, str) for cell in numbered[0][1])
    if header and reading.header is None and sum(map(bool, head)) * 2 < len(head):
        raise InvalidDataError(
            f"Row {numbered[0][0]} of sheet {sheet!r} of {what} holds {sum(map(bool, head))} of "
            f"{len(head)} names. If the names stand further below, give --skip-rows with the "
            "number of rows above them; if these are the names, --header."
        )
    names = [name or f"x{j}" for j, name in enumerate(head)] if header else [
        f"x{j}" for j in range(len(head))
    ]  # fmt: skip
    body = numbered[1:] if header else numbered
    wanted = wish.wanted(names, what)
    if not body:
        raise InvalidDataError(f"{what} has column names and no rows. Give a file with data.")
    told, reading = reading, replace(reading, sheet=sheet, header=header)
    lines = np.array([line for line, _ in body], dtype=np.int64)

    def row_name(row: int) -> str:
        return f"row {lines[row]}"

    columns: dict[str, Meaning | Texts] = {}
    for name in wanted:
        j = names.index(name)
        known = reading.column(name)
        text = name in wish.categories or (known is not None and known.kind == "category")
        cells = [row[j] for _, row in body]
        columns[name] = _sheet_column(cells, name, row_name, reading, as_text=text)
    texts = [column for column in columns.values() if isinstance(column, Texts)]
    settled = settle_decimal(texts, (), reading, what)
    values, found = _understood(columns, settled, what, wish)
    _check_known(values, found, reading, what)
    return Part(
        what=what,
        n_rows=len(body),
        names=names,
        values=values,
        reading=found,
        lines=lambda: lines,
        cells=lambda: ([_written(cell) for cell in row] for _, row in body),
        notes=_other_sheets(opened.others) if told.sheet is None else [],
    )


def _other_sheets(names: list[str]) -> list[str]:
    if not names:
        return []
    more = ", …" if len(names) > 5 else ""
    return [f"Other sheets are not read: {', '.join(map(repr, names[:5]))}{more} (--sheet)."]


def _sheet_column(
    cells: list[Any], name: str, row_name: Callable[[int], str], reading: Reading, *, as_text: bool
) -> Meaning | Texts:
    """Return typed cells as they are; where texts are among them, all of them as texts."""
    gaps = gap_words(reading)
    present = [None if isinstance(cell, str) and cell.strip() in gaps else cell for cell in cells]
    types = {type(cell) for cell in present if cell is not None}
    pa = require("pyarrow", "Reading workbooks")
    if types and not as_text:
        if types == {bool}:
            return _typed_column(pa.chunked_array([pa.array(present)]), name)
        if types <= {int, float}:
            numbers = pa.array(present, pa.float64())
            return _typed_column(pa.chunked_array([numbers]), name)
        if types <= {datetime.date, datetime.datetime}:
            stamps = [None if cell is None else np.datetime64(cell, "us") for cell in present]
            return _typed_column(pa.chunked_array([pa.array(stamps, pa.timestamp("us"))]), name)
        if types <= {datetime.time, datetime.timedelta}:
            spans = pa.array([_span(cell) for cell in present], pa.duration("us"))
            return _typed_column(pa.chunked_array([spans]), name)
    return Texts.of([_shown(cell) for cell in cells], name, row_name)


def _span(cell: datetime.time | datetime.timedelta | None) -> datetime.timedelta | None:
    if not isinstance(cell, datetime.time):
        return cell
    return datetime.datetime.combine(datetime.date.min, cell) - datetime.datetime.min


def _written(cell: Any) -> Any:
    """Return a cell as a person reads it in the sheet."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _shown(cell: Any) -> str:
    return "" if cell is None else str(_written(cell)).strip()
