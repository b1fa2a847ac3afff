"""Files that cannot be read, each with its sentence; and fuzzing: a table or our own error."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddrank.errors import InvalidDataError, InvalidParameterError, OddrankError
from oddrank.io import UserTable, read_table
from tests.zip_files import zipped

ROWS = "\n".join(f"{i}.5,{i * i}" for i in range(20)).encode()
WIDE = ",".join(f"c{j}" for j in range(10_000)).encode()


def announced_bomb() -> bytes:
    """An archive of 1 kB that announces a file of 4.3 GB."""
    content = bytearray(zipped({"table.csv": b"0" * 1000}))
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = struct.pack("<I", 2**32 - 2)
    return bytes(content)


def encrypted_zip() -> bytes:
    content = bytearray(zipped({"table.csv": b"a,b\n1,2\n"}))
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1
    content[6] |= 1
    return bytes(content)


def npy(array: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


# name: (content, options, sentence)
BAD_FILES: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "empty.csv": (b"", {}, "empty.csv is empty, so there is nothing to read."),
    "blank.csv": (b"\n \n\t\n", {}, "blank.csv is empty"),
    "empty.csv.gz": (gzip.compress(b""), {}, "empty.csv.gz is empty"),
    "comments.csv": (b"# a\n# b\n", {}, "comments.csv holds comments and nothing else."),
    "header_only.csv": (b"a,b,c\n", {}, "header_only.csv has column names and no rows."),
    "header_no_newline.csv": (b"a,b,c", {}, "has column names and no rows."),
    "ragged.csv": (b"a,b\n1,2\n3,4,5\n6,7\n", {},
                   "Row 1 of ragged.csv (counted from 0, below the column names) has 3 values "
                   "where 2 are expected, so columns do not line up."),
    "short_row.csv": (b"a,b\n1,2\n3\n6,7\n", {}, "Row 1 of short_row.csv"),
    "ragged_late.csv": (b"# c\na,b\n" + b"1.5,2\n" * 300_000 + b"1,2,3\n4,5\n", {},
                        "Row 300,000 of ragged_late.csv"),
    "wrong_encoding.csv": ("größe,b\n1,2\n".encode("latin-1"), {"encoding": "utf-8"},
                           "wrong_encoding.csv is not written in utf-8: byte 2 cannot be read. "
                           "Give the right --encoding"),
    "not_utf16.csv": (b"a,b\n" + ROWS + b"\n", {"encoding": "utf-16-le"}, "not_utf16.csv"),
    "random_bytes.csv": (np.random.default_rng(0).bytes(5000).replace(b"\x00", b"\x81"), {},
                         "random_bytes.csv"),
    "nul.csv": (b"a,b\n1,\x002\n", {}, "nul.csv holds NUL bytes (the first at byte 6), so it is "
                "not a text table. If it was exported as Unicode, give --encoding utf-16."),
    "nul_utf8.csv": (b"a,b\n1,\x002\n", {"encoding": "utf-8"}, "holds NUL characters"),
    "wide.csv": (WIDE + b"\n" + b",".join([b"1"] * 10_000) + b"\n", {},
                 "wide.csv has 10,000 columns, more than 4,096. Name "
                 "those to use with --columns."),
    "all_text.csv": (b"a,b\nx,y\nz,w\n", {}, "all_text.csv has no numeric column that can be a "
                     "feature: 'a' (text: 'x' in row 0), 'b' (text: 'y' in row 0)."),
    "duplicates.csv": (b"a,b,a\n1,2,3\n4,5,6\n", {}, "duplicates.csv has more than one column "
                       "called 'a', so a name does not say which is meant. Rename the copies."),
    "bomb.zip": (announced_bomb(), {}, "bomb.zip unpacks to 4.3 GB, more than "
                 "4.0 GB, so it was not read."),
    "small_bomb.zip": (zipped({"a.csv": b"1,2\n" * 10**6}), {"max_bytes": 10**6},
                       "small_bomb.zip unpacks to 4.0 MB"),
    "bomb.csv.gz": (gzip.compress(b"1.5,2\n" * 10**6), {"max_bytes": 2 * 10**6},
                    "bomb.csv.gz unpacks to over 2.0 MB, more than 2.0 MB"),
    "bomb.npz": (npz(X=np.zeros((1000, 200))), {"max_bytes": 10**6}, "bomb.npz unpacks to 1.6 MB"),
    "two_files.zip": (zipped({"a.csv": ROWS, "b.csv": ROWS}), {},
                      "two_files.zip is an archive of 2 files ('a.csv', 'b.csv')"),
    "no_files.zip": (zipped({}), {}, "no_files.zip"),
    "nested.zip": (zipped({"a.zip": zipped({"b.csv": ROWS})}), {}, "nested.zip is packed twice"),
    "encrypted.zip": (encrypted_zip(), {}, "encrypted.zip is encrypted. Unpack it first."),
    "truncated.csv.gz": (gzip.compress(ROWS * 50)[:-30], {}, "truncated.csv.gz is damaged"),
    "workbook.xlsx": (zipped({"[Content_Types].xml": b"<x/>", "xl/a.xml": b"<x/>"}), {},
                      "workbook.xlsx cannot be read as workbook:"),
    "old.xls": (b"\xd0\xcf\x11\xe0" + b"\x00" * 100, {}, "old.xls cannot be read as workbook:"),
    "table.h5": (b"\x89HDF\r\n\x1a\n" + b"\x00" * 100, {}, "table.h5 is an HDF5 file"),
    "table.pkl": (pickle.dumps({"a": 1}), {}, "table.pkl is a Python pickle, which can run code"),
    "table.json": (b'{"a": [1, 2]}', {}, "table.json looks like JSON or markup"),
    "page.csv": (b"<!DOCTYPE html><html>", {}, "page.csv looks like JSON or markup"),
    "bad.parquet": (b"PAR1 nonsense PAR1", {}, "bad.parquet cannot be read as Parquet:"),
    "bad.feather": (b"ARROW1 nonsense", {}, "bad.feather cannot be read as Feather:"),
    "bad.npy": (b"\x93NUMPY nonsense", {}, "bad.npy cannot be read as npy:"),
    "bad.npz": (b"PK\x03\x04 nonsense", {}, "bad.npz cannot be read as table:"),
    "pickled.npy": (npy(np.array([{}], dtype=object), allow_pickle=True), {}, "pickled.npy"),
    "flat.npy": (npy(np.arange(5.0)), {}, "an array of shape (5,) and type float64"),
    "words.npy": (npy(np.array([["a", "b"]])), {}, "a table needs rows and columns of real"),
    "two_tables.npz": (npz(a=np.ones((3, 2)), b=np.ones((3, 2))), {},
                       "two_tables.npz holds 2 arrays ('a', 'b'), and it is not clear which"),
    "labels.npz": (npz(X=np.ones((3, 2)), y=np.ones(2)), {"label": "y"},
                   "labels.npz has labels 'y' of shape (2,) for 3 rows."),
    "strings.arff": (b"@relation t\n@attribute a string\n@data\nfoo\n", {},
                     "strings.arff cannot be read as ARFF: String attributes not supported"),
    "one_row.csv": (b"a,b\n1,2\n", {"columns": ["a"]}, "one_row.csv has 1 row to use, and at "
                    "least 2 are needed. Give more data."),
    "all_missing.csv": (b"a,b\n" + b"\n".join(b"%d.5,\n,%d.5" % (i, i) for i in range(20)),
                        {"gaps": "drop"}, "Each of the 40 rows of all_missing.csv has a "
                        "missing value, most in 'a' (20 of 40 rows), so no row is left. "
                        "Give --gaps impute"),
    "no_label.csv": (b"amount,b\n" + ROWS, {"label": "amout"},
                     "no_label.csv has no column 'amout'. Did you mean 'amount'?"),
    "no_column.csv": (b"amount,b\n" + ROWS, {"columns": ["z"]},
                      "no_column.csv has no column 'z'. It has 'amount', 'b'."),
    "text_asked_for.csv": (b"a,b\n1,x\n2,y\n", {"columns": ["b"]},
                           "--columns names column 'b' of text_asked_for.csv (text: 'x' in row 0)"),
    "no_median.csv": (b"a,b\n1,\n2,\n", {"columns": ["a", "b"], "gaps": "impute"},
                      "that --columns names has no values, so it has no median."),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_is_refused_with_its_sentence(name: str, tmp_path: Path) -> None:
    content, options, sentence = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidDataError) as refused:
        read_table(path, **options)
    message = str(refused.value)
    assert sentence in message
    assert "\n" not in message
    assert message.endswith((".", "?"))


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match=r"There is no file .*missing\.csv"):
        read_table(tmp_path / "missing.csv")
    with pytest.raises(InvalidDataError, match="is a folder without a file that can be read"):
        read_table(tmp_path)
    with pytest.raises(InvalidDataError, match="is an address"):
        read_table("https://example.org/table.csv")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"gaps": "mean"}, "'gaps' parameter of read_table must be one of 'auto', 'drop'"),
        ({"encode": "all"}, "'encode' parameter of read_table must be one of 'none', 'auto'"),
        ({"drop_duplicates": "yes"}, "'drop_duplicates' parameter of read_table must be one of"),
        ({"sheet": 3}, "'sheet' parameter of read_table must be the name of a sheet. Got 3"),
        ({"separator": ",,"}, "must be one ASCII character or 'blanks'"),
        ({"separator": "\n"}, "must be one ASCII character or 'blanks'"),
        ({"header": "yes"}, "'header' parameter of read_table must be one of None, True, False"),
        ({"encoding": "klingon"}, "must be the name of a text encoding. Got 'klingon'"),
        ({"encoding": 8}, "must be the name of a text encoding. Got 8"),
        ({"decimal": ";"}, "'decimal' parameter of read_table must be one of"),
        ({"min_distinct": 0}, "'min_distinct' parameter of read_table must be an int"),
        ({"max_bytes": 0}, "'max_bytes' parameter of read_table must be an int"),
        ({"max_columns": None}, "'max_columns' parameter of read_table must be an int"),
        ({"columns": "a"}, "'columns' parameter of read_table must be a list of column names"),
        ({"columns": []}, "must be a list of column names"),
        ({"columns": ["a", "a"]}, "must name each column once"),
        ({"columns": ["a"], "label": "a"}, "Column 'a' is the label, so it cannot be one of"),
        ({"label": 3}, "'label' parameter of read_table must be a column name. Got 3"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidParameterError) as refused:
        read_table(pandas.DataFrame({"a": np.arange(20) / 3}), **options)
    assert sentence in str(refused.value)


def test_a_source_that_is_neither_path_nor_frame() -> None:
    with pytest.raises(InvalidParameterError, match="must be a path, a list of paths, a folder"):
        read_table([[1, 2], [3, 4]])


def table_or_own_error(source: Any, **options: Any) -> None:
    try:
        table = read_table(source, **options)
    except OddrankError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert_usable(table)
    assert "\n" not in refusal


def assert_usable(table: UserTable) -> None:
    assert isinstance(table, UserTable)
    assert table.X.ndim == 2
    assert not table.frame().isna().to_numpy().any()
    assert len(table.kinds) == table.n_features
    assert len(table.X) == len(table.row_numbers) >= 2
    assert len(table.feature_names) == table.X.shape[1] >= 1
    assert str(table)


CELL = st.one_of(
    st.floats(allow_nan=True).map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["", "NA", "?", "x", '"', '"a,b"', "1,5", "1;5", "\t", "é", "\ufeff", "١٢",
                     "1_0", "0x1F", "inf", "'", "#", "\\", " 1 ", "1e999", "TRUE", "\r"]),
    st.text(max_size=4),
)  # fmt: skip


@st.composite
def delimited_text(draw: st.DrawFn) -> bytes:
    separator = draw(st.sampled_from([",", ";", "\t", "|", " ", "  ", ":"]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    width = draw(st.integers(1, 4))
    numeric = st.floats(-1e6, 1e6).map(lambda value: f"{value:.4g}")
    cells = draw(st.sampled_from([numeric, CELL]))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=25))
    if draw(st.booleans()):
        rows.insert(0, [f"n{j}" for j in range(width)])
    if draw(st.booleans()) and rows:
        rows[draw(st.integers(0, len(rows) - 1))].append("extra")
    text = end.join(separator.join(row) for row in rows)
    encoding = draw(st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252", "utf-8-sig"]))
    return text.encode(encoding, errors="replace")


@settings(max_examples=250)
@given(content=delimited_text(), options=st.fixed_dictionaries({}, optional={
    "separator": st.sampled_from([",", ";", "blanks", "|"]), "header": st.booleans(),
    "encoding": st.sampled_from(["utf-8", "latin-1", "utf-16", "utf-7"]),
    "decimal": st.sampled_from([".", ","]), "gaps": st.sampled_from(["impute", "drop", "auto"]),
    "encode": st.sampled_from(["none", "auto"]),
    "label": st.sampled_from(["n0", "x1"]), "min_distinct": st.integers(1, 4)}))  # fmt: skip
def test_fuzz_text(
    content: bytes, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.csv"
    path.write_bytes(content)
    table_or_own_error(path, **options)


@settings(max_examples=150)
@given(content=st.one_of(st.binary(max_size=300), st.tuples(
    st.sampled_from([b"PAR1", b"ARROW1\x00\x00", b"\x93NUMPY\x01\x00", b"PK\x03\x04",
                     b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"\xff\xfe", b"@relation a\n"]),
    st.binary(max_size=200)).map(b"".join)))  # fmt: skip
def test_fuzz_bytes(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.bin"
    path.write_bytes(content)
    table_or_own_error(path, min_distinct=1)


def good_files() -> dict[str, bytes]:
    frame = pandas.DataFrame(
        {"a": np.arange(30) / 7, "b": np.arange(30) ** 2, "c": [f"t{i}" for i in range(30)]}
    )
    arrow = pyarrow.Table.from_pandas(frame)
    parquet, feather, packed = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pyarrow.parquet.write_table(arrow, parquet)
    pyarrow.feather.write_feather(arrow, feather)
    np.savez_compressed(packed, X=frame[["a", "b"]].to_numpy())
    workbook, open_document = io.BytesIO(), io.BytesIO()
    frame.to_excel(workbook, engine="openpyxl")
    frame.to_excel(open_document, engine="odf")
    csv = frame.to_csv(index=False).encode()
    arff = b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" + b"1.5,x\n" * 20
    return {"csv": csv, "gz": gzip.compress(csv), "zip": zipped({"t.csv": csv}),
            "parquet": parquet.getvalue(), "feather": feather.getvalue(),
            "npz": packed.getvalue(), "npy": npy(frame[["a", "b"]].to_numpy()),
            "arff": arff, "xlsx": workbook.getvalue(), "ods": open_document.getvalue()}  # fmt: skip


GOOD_FILES = good_files()


@settings(max_examples=400)
@given(
    kind=st.sampled_from(sorted(GOOD_FILES)),
    changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=4),
    cut=st.one_of(st.none(), st.floats(0, 1)),
)
def test_fuzz_damaged_files(
    kind: str,
    changes: list[tuple[float, int]],
    cut: float | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    content = bytearray(GOOD_FILES[kind])
    for where, byte in changes:
        content[int(where * (len(content) - 1))] = byte
    if cut is not None:
        content = content[: int(cut * len(content))]
    path = tmp_path_factory.getbasetemp() / "fuzz.damaged"
    path.write_bytes(content)
    table_or_own_error(path, max_bytes=10**7)


@settings(max_examples=100)
@given(
    columns=st.lists(
        st.tuples(
            st.one_of(st.text(max_size=3), st.integers(0, 3)),
            st.lists(
                st.one_of(st.floats(), st.integers(-(2**70), 2**70), st.none(), st.text(max_size=2),
                          st.booleans(), st.dates(), st.complex_numbers()),
                min_size=6, max_size=6),
        ), max_size=4))  # fmt: skip
def test_fuzz_frames(columns: list[tuple[Any, list[Any]]]) -> None:
    data = {position: values for position, (_, values) in enumerate(columns)}
    frame = pandas.DataFrame(
        {key: pandas.Series(values, dtype=object) for key, values in data.items()}
    )
    frame.columns = [name for name, _ in columns]
    table_or_own_error(frame, min_distinct=1)
    table_or_own_error(frame.infer_objects(), min_distinct=2, gaps="impute", encode="auto")


def test_member_with_a_lying_size_does_not_unpack_beyond_it(tmp_path: Path) -> None:
    content = bytearray(zipped({"table.csv": b"1.5,2\n" * 10**6}))
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = struct.pack("<I", 600)
    path = tmp_path / "liar.zip"
    path.write_bytes(content)
    with pytest.raises(InvalidDataError, match=r"liar\.zip"):
        read_table(path, max_bytes=1000, min_distinct=1)
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].file_size == 600
