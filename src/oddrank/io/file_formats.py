"""One file or frame as columns with a meaning: text, sheets, Parquet, Feather, numpy, ARFF."""

from __future__ import annotations

import datetime
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.errors import InvalidDataError, OddrankError
from oddrank.io.optional_libraries import require
from oddrank.io.reading import ColumnReading, Reading
from oddrank.io.sheets import open_sheet
from oddrank.io.text_files import TextTable, holds_names, open_text
from oddrank.io.text_values import (
    MOSTLY,
    AmbiguousDates,
    Evidence,
    Meaning,
    Texts,
    gap_words,
    in_words,
    kind_of,
    order_of,
    settle_decimal,
    slips,
    thousands_in,
    understand,
)

MAX_COLUMNS = 4096
_REFUSED = (
    (b"\x89HDF", "an HDF5 file", "Save the table as Parquet or CSV."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
    (b"%PDF", "a PDF document", "Give the table it was made from."),
    *((bytes([0x80, version]), "a Python pickle, which can run code",
       "Save the table as Parquet or CSV.") for version in range(2, 6)),
)  # fmt: skip
_ARFF = re.compile(rb"\A(?:\s|%[^\n]*\n)*@relation\b", re.I)
_MARKUP = re.compile(rb"\A\s*(\{|\[\s*[\[{\"]|<(?:!|\?|html|table|xml|svg))", re.I)


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
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise InvalidDataError(
                f"{what} has more than one column called {repeated[0]!r}, so a name does not say "
                "which is meant. Rename the copies."
            )
        label = () if self.label is None else (self.label,)
        asked = (*(self.columns or ()), *label, *self.use, *self.ignore, *self.categories)
        known = set(names)
        for name in asked:
            if name not in known:
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
        wanted = {*self.columns, *label}
        return [name for name in names if name in wanted]


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
        if any(data.startswith(mark) and data.endswith(mark) for mark in (b"PAR1", b"ARROW1")):
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

    doubles = _of_type(typed, "double")
    if coded := _hexadecimal(table, _of_type(typed, "int64")):
        as_text += coded
        typed = table.typed(as_text, wanted)
    if reading.decimal is None:
        chosen = {*texts_by_wish}
        strings = [_texts(typed, name, row_name) for name in _of_type(typed, "string")
                   if name not in chosen]  # fmt: skip
        points = None
        if doubles and table.reading.separator == ",":
            points, doubles = partial(_point_in, table, doubles[0], row_name), []
        floats = table.texts(doubles) if doubles else None
        asked = (_texts(floats, name, row_name) for name in doubles)
        settled = settle_decimal(strings, asked, table.reading, what, points=points)
        table = replace(table, reading=settled)
        if settled.decimal == ",":
            typed = table.typed(as_text, wanted)
    columns: dict[str, Meaning | Texts | MixedCells] = {}
    for name in wanted:
        if typed.schema.field(name).type == "string":
            columns[name] = _texts(typed, name, row_name)
        else:
            columns[name] = _typed_column(typed.column(name), name)
    values, found, notes = _understood(columns, table.reading, what, wish)
    _check_known(values, found, reading, what)
    return Part(
        what=what,
        n_rows=n_rows,
        names=table.names,
        values=values,
        reading=found,
        lines=lines,
        cells=lambda: arrow_rows(table.texts()),
        notes=notes,
    )


def _point_in(table: TextTable, name: str, row_name: Callable[[int], str]) -> Evidence:
    """Return the first number of a column that has a point."""
    for row, text in enumerate(table.texts([name]).column(0).to_pylist()):
        if "." in text:
            return name, text.strip(), row_name(row)
    return name, "1e5", "its numbers"


def _hexadecimal(table: TextTable, names: list[str]) -> list[str]:
    """Return columns of whole numbers that are written with 0x: codes, which are text."""
    compute = require("pyarrow.compute", "Reading text tables")
    if not names or not (b"0x" in table.data or b"0X" in table.data):
        return []
    texts = table.texts(names)
    coded = {name: compute.match_substring_regex(texts.column(name), "0[xX]") for name in names}
    return [name for name, found in coded.items() if compute.any(found).as_py()]


def _of_type(table: Any, kind: str) -> list[str]:
    return [each.name for each in table.schema if each.type == kind]


def _texts(table: Any, name: str, row_name: Callable[[int], str]) -> Texts:
    return Texts.of(table.column(name), name, row_name)


def _understood(
    columns: dict[str, Meaning | Texts | MixedCells], reading: Reading, what: str, wish: Wish
) -> tuple[dict[str, Any], Reading, list[str]]:
    """Return values, the reading with all columns, and notes; what is sure decides the rest."""
    found: dict[str, Meaning] = {}
    waiting: list[AmbiguousDates] = []
    as_text = {*wish.categories, wish.label}
    for name, column in columns.items():
        if isinstance(column, Meaning):
            found[name] = column
            continue
        if isinstance(column, MixedCells):
            found[name] = column.understood(reading, what)
            continue
        meaning = understand(column, reading, what, as_text=name in as_text)
        if isinstance(meaning, Meaning):
            found[name] = meaning
        else:
            waiting.append(meaning)
    orders = {order_of(each.column.form) for each in found.values()} - {"", "ymd"}
    if waiting and (len(orders) != 1 or reading.dates is not None):
        raise waiting[0].refusal
    if orders and reading.dates is None:
        reading = replace(reading, dates=min(orders) if len(orders) == 1 else None)
    for each in waiting:
        meaning = understand(each.texts, reading, what)
        if not isinstance(meaning, Meaning):
            raise meaning.refusal
        found[each.texts.name] = meaning
    if reading.thousands is None and reading.decimal is not None:
        asked = [(each, found[each.name].column) for each in columns.values()
                 if isinstance(each, Texts)]  # fmt: skip
        reading = replace(reading, thousands=thousands_in(asked, reading))
    told = tuple(found[name].column for name in columns)
    notes = [found[name].note for name in columns if found[name].note]
    return {name: found[name].values for name in columns}, replace(reading, columns=told), notes


@dataclass(frozen=True, kw_only=True, eq=False)
class MixedCells:
    """A column of a sheet that holds numbers or dates, and texts among them.

    Attributes
    ----------
    typed : Meaning
        The numbers or dates, with gaps where there are texts.
    texts : Texts
        The texts alone.
    rows : array of int
        Where these stand.
    whole : Texts
        All cells as people read them.
    """

    typed: Meaning
    texts: Texts
    rows: npt.NDArray[np.intp]
    whole: Texts

    def understood(self, reading: Reading, what: str) -> Meaning:
        """Return texts and typed cells together, or all of it as text."""
        meaning = understand(self.texts, reading, what)
        if isinstance(meaning, Meaning) and meaning.column.kind == self.typed.column.kind:
            values = self.typed.values.copy()
            values[self.rows] = meaning.values
            return Meaning(column=self.typed.column, values=values, note=meaning.note)
        n_typed = len(self.whole.codes) - len(self.rows)
        if n_typed >= MOSTLY * len(self.whole.codes):
            odd = {text for text in self.texts.levels if text not in gap_words(reading)}
            bad = [level for level, text in enumerate(self.whole.levels) if text in odd]
            kept = [level for level, text in enumerate(self.whole.levels)
                    if text not in gap_words(reading)]  # fmt: skip
            raise slips(self.whole, bad, kept, in_words(self.typed.column), what)
        found = understand(self.whole, reading, what, as_text=True)
        assert isinstance(found, Meaning)
        return found


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
    if types.is_null(kind):
        values = np.full(len(column), np.nan)
        return Meaning(column=ColumnReading(name=name, kind="empty"), values=values)
    if types.is_integer(kind) or types.is_floating(kind):
        if column.null_count or types.is_float16(kind):
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
    place = {name: j for j, name in enumerate(names)}
    for name in wanted:
        column, expected = table.column(place[name]), reading.column(name)
        kind, text = column.type, False
        if pa.types.is_dictionary(kind):
            column, kind, text = column.cast(kind.value_type), kind.value_type, True
        text = text or pa.types.is_string(kind) or pa.types.is_large_string(kind)
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
            values[name] = _with_told_gaps(meaning, reading)
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
        cells=lambda: arrow_rows(table),
    )


def arrow_rows(table: Any) -> Iterator[Sequence[Any]]:
    """Yield the rows of an Arrow table, or of a batch of one."""
    batches = table.to_batches(max_chunksize=2**14) if hasattr(table, "to_batches") else [table]
    for batch in batches:
        yield from zip(*map(_listed, batch.columns), strict=True)


def _listed(column: Any) -> list[Any]:
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):  # Python knows no year after 9999
        pa = require("pyarrow", "Reading tables")
        return list(column.cast(pa.string()).to_pylist())


def _with_told_gaps(meaning: Meaning, reading: Reading) -> Any:
    """Return numbers with gaps where the user says that a number stands for one."""
    words = [kind_of(word) == "number" and word for word in reading.gaps_as or ()]
    numbers = [float(word) for word in words if word]
    if meaning.column.kind != "number" or not numbers:
        return meaning.values
    return np.where(np.isin(meaning.values, numbers), np.nan, meaning.values)


def _missing(values: Any) -> npt.NDArray[np.bool_]:
    pandas = require("pandas", "Reading tables")
    return np.asarray(pandas.isna(values)) if values is not None else np.zeros(1, dtype=bool)


def frame_table(frame: Any, what: str) -> Any:
    """Return a frame of any library as an Arrow table; names become text, an index is dropped."""
    import narwhals.stable.v2 as nw

    pa = require("pyarrow", "Reading frames")
    try:
        native = nw.from_native(frame, eager_only=True)
        names = [str(name) for name in native.columns]
    except Exception as error:
        raise InvalidDataError(
            f"{what} cannot be read: {str(error).splitlines()[0]} Give a frame in memory whose "
            "columns have different names."
        ) from error
    arrays = []
    for j, name in enumerate(names):
        series = native[:, j]
        try:
            column = series.to_arrow()
        except Exception:  # a type that Arrow does not know: numbers, or text
            content = zip(series.to_list(), series.is_null().to_list(), strict=True)
            cells = [None if gap else value for value, gap in content]
            column = _numbers_or_texts(cells, pa)
        if isinstance(column, pa.ExtensionArray):
            raise InvalidDataError(f"Column {name!r} of {what} has a type that is not read.")
        arrays.append(column)
    return pa.Table.from_arrays(arrays, names=names)


def _numbers_or_texts(cells: list[Any], pa: Any) -> Any:
    if all(cell is None or isinstance(cell, Real) for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())


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
    array = array.astype(array.dtype.newbyteorder("="))
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
    end = max(len(opened.rows) - reading.skip_footer, 0)
    # rows are counted as the sheet counts them
    above = max(reading.skip_rows - first + 1, 0)
    rows, first = opened.rows[above:end], first + above
    # as in text: a blank row is no row, but the gap of a single column
    numbered = [(first + i, row) for i, row in enumerate(rows)
                if any(map(_shown, row)) or (len(row) == 1 and i)]  # fmt: skip
    if not numbered:
        raise InvalidDataError(
            f"Sheet {sheet!r} of {what} is empty. Name another one with --sheet."
        )
    head = [_shown(cell) for cell in numbered[0][1]]
    n_named = sum(map(bool, head))
    if reading.header is None and len(head) > 1 and (n_named * 2 < len(head) or not any(head[1:])):
        raise InvalidDataError(
            f"Row {numbered[0][0]} of sheet {sheet!r} of {what} holds {n_named} of {len(head)} "
            "names. If the names stand further below, give --skip-rows with the number of the row "
            "above them; if these are the names, --header."
        )
    header = reading.header
    if header is None:
        below = [[_shown(cell) for cell in row] for _, row in numbered[1:300]]
        header = holds_names(head, below, reading, what)
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

    columns: dict[str, Meaning | Texts | MixedCells] = {}
    for name in wanted:
        j = names.index(name)
        known = reading.column(name)
        text = name in wish.categories or (known is not None and known.kind == "category")
        cells = [row[j] for _, row in body]
        columns[name] = _sheet_column(cells, name, row_name, reading, as_text=text)
    texts = [column.texts if isinstance(column, MixedCells) else column
             for column in columns.values() if not isinstance(column, Meaning)]  # fmt: skip
    texts = [each for each in texts if each.name not in {*wish.categories, wish.label}]
    settled = settle_decimal(texts, (), reading, what)
    values, found, notes = _understood(columns, settled, what, wish)
    _check_known(values, found, reading, what)
    return Part(
        what=what,
        n_rows=len(body),
        names=names,
        values=values,
        reading=found,
        lines=lambda: lines,
        cells=lambda: ([_written(cell) for cell in row] for _, row in body),
        notes=[*notes, *(_other_sheets(opened.others) if told.sheet is None else [])],
    )


def _other_sheets(names: list[str]) -> list[str]:
    if not names:
        return []
    more = ", …" if len(names) > 5 else ""
    return [f"Other sheets are not read: {', '.join(map(repr, names[:5]))}{more} (--sheet)."]


def _sheet_column(
    cells: list[Any], name: str, row_name: Callable[[int], str], reading: Reading, *, as_text: bool
) -> Meaning | Texts | MixedCells:
    """Return typed cells as they are; texts among them are understood by themselves."""
    gaps = gap_words(reading) if reading.gaps_as is None else {"", *reading.gaps_as}
    present = [None if _shown(cell) in gaps else cell for cell in cells]
    typed = [None if isinstance(cell, str) else cell for cell in present]
    whole = Texts.of([_shown(cell) for cell in cells], name, row_name)
    content = _sheet_values(typed)
    if as_text or content is None:
        return whole
    meaning = _typed_column(content, name)
    rows = np.flatnonzero([isinstance(cell, str) for cell in present])
    if not len(rows):
        return meaning
    words = [_shown(present[row]) for row in rows.tolist()]
    texts = Texts.of(words, name, lambda row: row_name(int(rows[row])))
    return MixedCells(typed=meaning, texts=texts, rows=rows, whole=whole)


def _sheet_values(cells: list[Any]) -> Any:
    """Return cells of one type as a column of Arrow; None if there are none, or several types."""
    pa = require("pyarrow", "Reading workbooks")
    types = {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        column = pa.array(cells)
    elif types and types <= {int, float}:
        column = pa.array(cells, pa.float64())
    elif types and types <= {datetime.date, datetime.datetime}:
        stamps = [None if cell is None else np.datetime64(cell, "us") for cell in cells]
        column = pa.array(stamps, pa.timestamp("us"))
    elif types and types <= {datetime.time, datetime.timedelta}:
        column = pa.array([_span(cell) for cell in cells], pa.duration("us"))
    else:
        return None
    return pa.chunked_array([column])


def _span(cell: datetime.time | datetime.timedelta | None) -> datetime.timedelta | None:
    if not isinstance(cell, datetime.time):
        return cell
    return datetime.datetime.combine(datetime.date.min, cell) - datetime.datetime.min


def _written(cell: Any) -> Any:
    """Return a cell as a person reads it in the sheet."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _shown(cell: Any) -> str:
    return "" if cell is None else str(_written(cell)).strip()
