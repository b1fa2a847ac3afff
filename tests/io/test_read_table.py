"""`read_table`: what is clear is read, what is not is refused with the flag that settles it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zipfile
from datetime import datetime
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io import Reading, UserTable, read_table


def table_of(content: str | bytes, tmp_path: Path, **options) -> UserTable:
    """Write a file, and read it."""
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def refusal_of(content: str | bytes, tmp_path: Path, **options) -> str:
    with pytest.raises(InvalidDataError) as caught:
        table_of(content, tmp_path, **options)
    return str(caught.value)


def rows(*lines: str, n: int = 1) -> str:
    return "\n".join([lines[0], *(lines[1:] * n)]) + "\n"


def test_types_and_cells_are_kept_side_by_side(tmp_path):
    text = "code,price,when,ok\n007,1.50,2024-01-26,true\n008,2.25,2024-01-27 10:00,false\n"
    text += "008,2,,true\n"
    table = table_of(text, tmp_path, columns=["code", "price", "when", "ok"])
    assert table.X["code"].tolist() == [7, 8, 8]
    assert table.X["price"].tolist() == [1.5, 2.25, 2.0]
    assert table.X["when"].tolist()[:2] == [
        pd.Timestamp("2024-01-26"),
        pd.Timestamp("2024-01-27 10:00"),
    ]
    assert table.X["ok"].tolist() == [True, False, True]
    assert next(list(row) for row in table.cells()) == ["007", "1.50", "2024-01-26", "true"]
    assert table.places() == [("2",), ("3",), ("4",)]


def test_the_reading_is_plain_values_that_come_back(tmp_path):
    text = "größe;wann;anteil\n1.234,5;26/01/2024;50%\n2,5;27/01/2024;5,5%\n9;01/02/2024;1%\n"
    table = table_of(text, tmp_path)
    reading = table.reading
    assert str(reading) == (
        "separated by semicolons, first line holds names, decimal comma, thousands point, dates "
        "day first"
    )
    assert [(column.kind, column.form) for column in reading.columns] == [
        ("number", ""), ("date", "%d/%m/%Y"), ("number", "%")
    ]  # fmt: skip
    assert Reading.from_dict(json.loads(json.dumps(reading.to_dict()))) == reading
    assert table.X["anteil"].tolist() == [0.5, 0.055, 0.01]


# what was read wrongly, or without a word


def test_a_stray_quotation_mark_that_swallows_rows_is_refused(tmp_path):
    lines = [f"{i},text {i},{i % 7}" for i in range(600)]
    lines[100], lines[400] = '100,"text 100,1', '400,"text 400,1'
    # the second mark opens a cell that the third would close; here two make one cell of 300 rows
    lines[400] = '400,text 400",1'
    refusal = refusal_of("\n".join(["a,b,c", *lines]), tmp_path)
    assert "quotation mark" in refusal.lower()
    assert "--quote none" in refusal
    table = table_of("\n".join(["a,b,c", *lines]), tmp_path, reading=Reading(quote=""))
    assert table.n_rows == 600
    assert [row[1] for row in table.cells()][100] == '"text 100'


def test_long_quoted_cells_are_read_if_they_are_meant(tmp_path):
    text = 'note,size\n"one, two\nthree, four",1.5\n"plain",2.5\n"plain",3.5\n'
    assert "--quote '\"'" in refusal_of(text, tmp_path)
    table = table_of(text, tmp_path, reading=Reading(quote='"'))
    assert table.n_rows == 3
    assert table.places() == [("2",), ("4",), ("5",)]
    # a cell of several lines that holds no rows is a cell
    text = 'note,size\n"one\ntwo",1.5\n"plain",2.5\n"plain",3.5\n'
    assert next(row[0] for row in table_of(text, tmp_path).cells()) == "one\ntwo"


def test_a_header_may_begin_with_any_sign(tmp_path):
    text = "#size,y\n" + "".join(f"{i / 7},{int(i > 25)}\n" for i in range(30))
    table = table_of(text, tmp_path, label="y")
    assert table.feature_names == ("#size",)
    assert [value for value in table.labels if value == "1"] == ["1"] * 4
    assert table_of(text, tmp_path, label="y", reading=Reading(comment="%")).n_rows == 30


def test_lines_that_begin_with_a_comment_sign_go_if_asked(tmp_path):
    text = "# made on Monday\na,b\n1,2\n# break\n3,4\n5,7\n"
    table = table_of(text, tmp_path, reading=Reading(comment="#"))
    assert table.X["a"].tolist() == [1, 3, 5]
    assert table.places() == [("3",), ("5",), ("6",)]


def test_blank_lines_of_a_single_column_are_gaps(tmp_path):
    table = table_of("size\n" + "1.5\n\n2.5\n" * 180, tmp_path)
    assert table.n_rows == 540
    assert table.n_gaps == 180
    # and in the middle of several columns they are nothing
    table = table_of("a,b\n1,2\n\n3,4\n", tmp_path)
    assert table.n_rows == 2
    assert table.places() == [("2",), ("4",)]


@pytest.mark.parametrize(
    ("text", "told", "meant"),
    [
        ("a;b\n7.548;x\n9;y\n", {"decimal": "."}, [7.548, 9.0]),
        ("a;b\n7.548;x\n9;y\n", {"decimal": ",", "thousands": "."}, [7548.0, 9.0]),
        ('a,b\n"7,548",x\n9,y\n', {"decimal": "."}, [7548.0, 9.0]),
        ('a,b\n"7,548",x\n9,y\n', {"decimal": ","}, [7.548, 9.0]),
    ],
)
def test_thousands_or_decimals_are_asked_for(tmp_path, text, told, meant):
    refusal = refusal_of(text, tmp_path)
    assert "7548 or 7.548" in refusal
    assert "--decimal" in refusal
    assert table_of(text, tmp_path, reading=Reading(**told)).X["a"].tolist() == meant


def test_a_point_is_decimal_where_commas_separate(tmp_path):
    assert table_of("a,b\n7.548,x\n9,y\n", tmp_path).X["a"].tolist() == [7.548, 9.0]


def test_another_column_decides_on_the_decimal_sign(tmp_path):
    table = table_of("a;b\n7.548;1,5\n9;2,25\n", tmp_path)
    assert table.X["a"].tolist() == [7548.0, 9.0]
    assert (table.reading.decimal, table.reading.thousands) == (",", ".")
    assert "decimal point in 'b'" in refusal_of("a;b\n7,5;1.5\n9;2.25\n", tmp_path)


def test_percent_beside_plain_numbers_is_refused(tmp_path):
    assert "'22.3%' (line 2) and '0.317' (line 3)" in refusal_of(
        "a,b\n22.3%,1\n0.317,2\n", tmp_path
    )


def test_files_that_are_joined_are_read_alike(tmp_path):
    (tmp_path / "a.csv").write_text("rate,n\n0.317,1\n0.2,2\n")
    (tmp_path / "b.csv").write_text("rate,n\n22.3%,1\n20%,2\n")
    with pytest.raises(InvalidDataError, match=r"'22\.3%' in column 'rate' of b\.csv"):
        read_table([tmp_path / "a.csv", tmp_path / "b.csv"])
    (tmp_path / "b.csv").write_text("n,rate\n3,0.4\n4,0.5\n")
    table = read_table(tmp_path)
    assert table.X["rate"].tolist() == [0.317, 0.2, 0.4, 0.5]
    assert [list(row) for row in table.cells()][2] == ["0.4", "3"]
    assert table.places() == [("a.csv", "2"), ("a.csv", "3"), ("b.csv", "2"), ("b.csv", "3")]
    (tmp_path / "notes.md").write_text("# notes")
    assert "Not read: notes.md." in read_table(tmp_path).notes


def test_a_country_called_na_is_a_country(tmp_path):
    text = "country,size\nNA,1.5\nDE,NA\nNA,2.5\nDE,3.5\n"
    table = table_of(text, tmp_path)
    assert table.X["country"].tolist() == ["NA", "DE", "NA", "DE"]
    assert np.isnan(table.X["size"].iloc[1])
    told = Reading(gaps_as=("", "NA"))
    told = table_of(text, tmp_path, reading=told, columns=["country", "size"])
    assert told.X["country"].isna().sum() == 2
    told = table_of(text.replace(",NA", ","), tmp_path, reading=Reading(gaps_as=("",)))
    assert (told.n_gaps, told.X["country"].iloc[0]) == (1, "NA")


@pytest.mark.parametrize(("order", "first"), [("dmy", "2024-02-01"), ("mdy", "2024-01-02")])
def test_dates_that_fit_two_orders_are_refused(tmp_path, order, first):
    text = "when,n\n01/02/2024,1\n03/04/2024,2\n"
    assert "--dates dmy or --dates mdy" in refusal_of(text, tmp_path)
    table = table_of(text, tmp_path, reading=Reading(dates=order))
    assert table.X["when"].tolist()[0] == pd.Timestamp(first)


def test_one_column_of_dates_decides_for_the_others(tmp_path):
    table = table_of("a,b\n01/02/2024,26/01/2024\n03/04/2024,27/01/2024\n", tmp_path)
    assert table.X["a"].tolist() == [pd.Timestamp("2024-02-01"), pd.Timestamp("2024-04-03")]
    assert "dates day first" in str(table.reading)


def test_words_among_numbers_are_refused_with_what_to_do(tmp_path):
    text = "size,n\n" + "".join(f"{i}.5,{i}\n" for i in range(99)) + "unknown,5\n"
    refusal = refusal_of(text, tmp_path)
    assert "holds numbers in 99 of 100 rows, but 'unknown' in line 101" in refusal
    for flag in ("--gaps-as", "--categories size", "--ignore size"):
        assert flag in refusal
    assert table_of(text, tmp_path, reading=Reading(gaps_as=("unknown",))).n_gaps == 1
    assert table_of(text, tmp_path, ignore=["size"]).feature_names == ("n",)
    assert table_of(text, tmp_path, columns=["size"], categories=["size"]).kinds == ("category",)


def test_codes_that_are_partly_numbers_are_text(tmp_path):
    text = "code,n\n" + "".join(f"{'A' if i % 3 else ''}{i % 20},{i}\n" for i in range(90))
    assert table_of(text, tmp_path).kinds[0] == "category"


def test_other_encodings_are_asked_for(tmp_path):
    text = "stadt,n\nKöln,1\nBonn,2\nKöln,4\n"
    refusal = refusal_of(text.encode("cp1252"), tmp_path)
    assert "line 2" in refusal
    assert "Köln" in refusal
    told = table_of(text.encode("cp1252"), tmp_path, reading=Reading(encoding="cp1252"))
    assert told.X["stadt"].tolist() == ["Köln", "Bonn", "Köln"]
    assert table_of(text.encode("utf-16"), tmp_path).X["stadt"].tolist()[0] == "Köln"
    assert "NUL" in refusal_of(text.encode("utf-16-le"), tmp_path)


def test_lines_above_and_below_the_table_are_refused_with_their_number(tmp_path):
    text = "Sales of 2024\n\na,b,c\n" + "1,2,3.5\n4,5,6\n" * 5 + "made by hand\n"
    assert "--skip-rows 2" in refusal_of(text, tmp_path)
    refusal = refusal_of(text, tmp_path, reading=Reading(skip_rows=2))
    assert "--skip-footer 1" in refusal
    table = table_of(text, tmp_path, reading=Reading(skip_rows=2, skip_footer=1))
    assert table.n_rows == 10
    assert table.places()[0] == ("4",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n3,4\n", ("a", "b")),
        ("1.5,2\n3.5,4\n", ("x0", "x1")),
        ("country,2019,2020\nNO,5,6\nSE,7,8\nNO,8,9\nSE,1,1\n", ("country", "2019", "2020")),
        ("p,x,n\ne,x,y\np,b,n\ne,b,y\np,x,n\n", ("x0", "x1", "x2")),
        (",a\n5,2\n3,4\n", ("x0", "a")),
    ],
)
def test_names_are_recognised(tmp_path, text, names):
    assert table_of(text, tmp_path).reading.header == (names[0] != "x0" or names[1] == "a")
    assert table_of(text, tmp_path, columns=list(names)).feature_names == names


@pytest.mark.parametrize("text", ["1,2,3\n4,5,6\n7,8,1\n", "c\na\nb\nc\nc\n", "5\n1.5\n2.5\n"])
def test_a_first_line_that_may_be_either_is_asked_for(tmp_path, text):
    assert "--header or --no-header" in refusal_of(text, tmp_path)


# columns


def test_what_carries_nothing_is_skipped_and_everything_else_is_used(tmp_path):
    random = np.random.default_rng(0)
    n = 480
    frame = pd.DataFrame({
        "Unnamed: 0": range(n),
        "order_id": random.permutation(10**6)[:n],
        "hour": [i % 24 for i in range(n)],
        "year": range(1500, 1500 + n),
        "tail": [f"N{random.integers(200)}" for _ in range(n)],
        "country": random.choice([f"C{i}" for i in range(150)], n),
        "note": [f"text {i}" for i in range(n)],
        "unit": "kg",
        "empty": np.nan,
        "is_fraud": random.integers(0, 2, n),
        "gappy": [1.5 if i % 50 == 0 else np.nan for i in range(n)],
        "size": random.normal(size=n),
    })  # fmt: skip
    frame.loc[0, "gappy"] = 2.5
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")
    assert table.feature_names == ("hour", "year", "tail", "country", "gappy", "size")
    found = {column.column: column for column in table.left_out}
    assert found["Unnamed: 0"].reason == "row numbers"
    assert found["order_id"].reason.startswith("identifier")
    assert found["note"].reason.startswith("one text per row")
    assert found["unit"].reason == "constant: always 'kg'"
    assert found["empty"].reason == "no values"
    assert found["is_fraud"].remedy == "--label is_fraud"
    names = ["order_id", "note", "unit"]
    assert set(names) < set(read_table(tmp_path / "t.csv", use=names).feature_names)


def test_rows_are_left_out_only_if_asked(tmp_path):
    frame = pd.DataFrame({"a": [1.5, np.nan, 1.5, 3.5, np.inf], "b": [1, 2, 1, 4, 5]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")
    assert (table.n_rows, table.n_gaps, table.n_infinite, table.n_repeated) == (5, 2, 1, 1)
    table = read_table(tmp_path / "t.csv", drop_gaps=True, drop_duplicates=True)
    assert table.row_numbers.tolist() == [0, 3]
    assert len(list(table.cells())) == 5


# formats


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zip"])
def test_packed_files(tmp_path, ending):
    text = b"a,b\n1,2\n3,4\n"
    path = tmp_path / f"t.csv.{ending}"
    if ending == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.csv", text)
    else:
        path.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[ending].compress(text))
    assert read_table(path).X.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_files_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    monkeypatch.setattr("oddrank.io.sources.MAX_BYTES", 1000)
    with pytest.raises(InvalidDataError, match="Save the table as Parquet"):
        read_table(tmp_path / "t.csv.gz")


def test_sheets_are_read_where_they_stand(tmp_path):
    book = openpyxl.Workbook()
    hidden, sheet, other = book.active, book.create_sheet("Data"), book.create_sheet("More")
    hidden.title, hidden.sheet_state = "Secret", "hidden"
    hidden.append(["a", "b"])
    hidden.append([99, 99])
    other.append(["a", "b"])
    for _ in range(3):
        sheet.append([])
    for row in (["size", "when", "word"], [1.5, datetime(2024, 1, 26), "NA"], [None] * 3,
                [2, datetime(2024, 1, 27), "x"], ["NA", datetime(2024, 2, 1), "x"]):  # fmt: skip
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx", columns=["size", "when", "word"])
    assert table.reading.sheet == "Data"
    assert table.notes == ("Other sheets are not read: 'More' (--sheet).",)
    assert table.X["word"].tolist() == ["NA", "x", "x"]
    assert table.X["size"].tolist()[:2] == [1.5, 2.0]
    assert np.isnan(table.X["size"].iloc[2])
    assert table.X["when"].iloc[0] == pd.Timestamp("2024-01-26")
    assert table.places() == [("5",), ("7",), ("8",)]
    told = read_table(
        tmp_path / "t.xlsx", reading=Reading(sheet="Secret"), columns=["a"], min_rows=1
    )
    assert told.X["a"].tolist() == [99]
    with pytest.raises(InvalidDataError, match="has no sheet 'Nothing'"):
        read_table(tmp_path / "t.xlsx", reading=Reading(sheet="Nothing"))


@pytest.mark.parametrize("ending", ["xlsx", "ods"])
def test_a_cell_in_the_last_corner_is_refused_before_anything_is_laid_out(tmp_path, ending):
    path = tmp_path / f"far.{ending}"
    if ending == "xlsx":
        book = openpyxl.Workbook()
        for i in range(30):
            book.active.append([i * 1.5, i % 3])
        book.active.cell(1_048_576, 16_384, "far")
        book.save(path)
    else:
        pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}).to_excel(path, index=False, engine="odf")
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        end = parts["content.xml"].index(b"</table:table>")
        far = (
            b'<table:table-row table:number-rows-repeated="1048570"><table:table-cell/>'
            b"</table:table-row><table:table-row><table:table-cell "
            b'table:number-columns-repeated="16383"/><table:table-cell office:value-type="float" '
            b'office:value="1"><text:p>1</text:p></table:table-cell></table:table-row>'
        )
        parts["content.xml"] = parts["content.xml"][:end] + far + parts["content.xml"][end:]
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
    with pytest.raises(InvalidDataError, match=r"1,048,57\d rows and 16,384 columns"):
        read_table(path)


def test_cells_of_any_length_and_too_many_columns(tmp_path):
    long = "x" * 3_000_000
    table = table_of(f"t,v\n{long},1.5\nb,2.5\nb,3.5\n", tmp_path)
    assert [row[0] for row in table.cells()] == [long, "b", "b"]
    names = ",".join(f"c{j}" for j in range(100_000))
    wide = f"{names}\n" + f"{','.join(['1.5'] * 100_000)}\n" * 2
    assert "has 100,000 columns" in refusal_of(wide, tmp_path)
    assert table_of(wide, tmp_path, columns=["c5", "c70000"]).X.shape == (2, 2)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(library):
    frame = library({"size": [1.5, 2.5, None, 3.5], "word": ["a", "b", "a", None]})
    table = read_table(frame)
    assert table.kinds == ("number", "category")
    assert table.X["word"].tolist()[:3] == ["a", "b", "a"]
    assert (table.n_gaps, table.source) == (2, "the frame")


def test_arrays_and_arff(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.arange(20.0).reshape(10, 2) ** 2, y=np.arange(10) % 2)
    table = read_table(tmp_path / "t.npz", label="y")
    assert table.feature_names == ("x0", "x1")
    assert table.labels.sum() == 5
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute size numeric\n@attribute c {a,b}\n@data\n1.5,a\n?,b\n2.5,a\n"
    )
    table = read_table(tmp_path / "t.arff")
    assert table.kinds == ("number", "category")
    assert table.n_gaps == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,a\n1,2\n", "more than one column called 'a'"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x80\x04abc", "pickle"),
        (b'{"a": 1}', "JSON or markup"),
        (b"a,b\n1,2\n3\n", "Line 3 of table.csv has 1 cell, and the table has 2 columns"),
        (b"PAR1 nothing", "cannot be read"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, content, sentence):
    refusal = refusal_of(content, tmp_path)
    assert sentence in refusal
    assert "\n" not in refusal


def test_wrong_options():
    for wrong in ({"separator": "ab"}, {"decimal": ";"}, {"dates": "day"}, {"thousands": "12"},
                  {"decimal": ",", "thousands": ","}, {"quote": "x"}):  # fmt: skip
        with pytest.raises(InvalidParameterError, match="--"):
            Reading(**wrong)
    frame = pd.DataFrame({"a": [1, 2], "b": [2, 3]})
    with pytest.raises(InvalidParameterError, match="no detector may see it"):
        read_table(frame, label="a", columns=["a"])
    with pytest.raises(InvalidParameterError, match="'columns' parameter"):
        read_table(frame, columns=[])


# new rows, read as the table before

BEFORE = "when;size;share\n" + "".join(f"{1 + i % 28:02d}/01/2024;{i},25;{i}%\n" for i in range(40))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("01/13/2024;1,5;5%", "'01/13/2024' in column 'when'"),
        ("01/02/2024;1.5;5%", "'1.5' in column 'size'"),
        ("01/02/2024;1,5;0,5", "'0,5' in column 'share'"),
        ("01/02/2024;much;5%", "'much' in column 'size'"),
    ],
)
def test_a_table_is_read_as_the_one_before_or_refused(tmp_path, line, sentence):
    before = table_of(BEFORE, tmp_path).reading
    new = table_of("when;size;share\n03/02/2024;1,5;50%\n", tmp_path, reading=before, min_rows=1,
                   columns=["when", "size", "share"])  # fmt: skip
    assert new.X.iloc[0].tolist() == [pd.Timestamp("2024-02-03"), 1.5, 0.5]
    assert sentence in refusal_of(f"when;size;share\n{line}\n", tmp_path, reading=before)


def test_decimal_commas_are_no_thousands_of_the_table_before(tmp_path):
    before = table_of("size,n\n" + "".join(f"{i}.25,{i}\n" for i in range(20)), tmp_path).reading
    assert "'3,125' in column 'size'" in refusal_of('size,n\n"3,125",1\n', tmp_path, reading=before)


def test_a_typed_file_may_follow_a_text_file(tmp_path):
    before = table_of(BEFORE, tmp_path).reading
    frame = pd.DataFrame({"when": [pd.Timestamp("2024-02-03")], "size": [1.5], "share": [0.5]})
    for ending, write in (("xlsx", frame.to_excel), ("parquet", frame.to_parquet)):
        write(tmp_path / f"t.{ending}", index=False)
        new = read_table(tmp_path / f"t.{ending}", reading=before, min_rows=1, columns=list(frame))
        assert new.X.iloc[0].tolist() == frame.iloc[0].tolist()
    frame.assign(size="big").to_parquet(tmp_path / "t.parquet", index=False)
    with pytest.raises(InvalidDataError, match="holds text, and the table before held numbers"):
        read_table(tmp_path / "t.parquet", reading=before, columns=list(frame))


# what a hostile tester found


def test_a_stray_mark_in_a_column_that_nobody_uses_is_refused(tmp_path):
    lines = [f"{i},text,{i % 7}" for i in range(30)]
    lines[3], lines[9] = '3,"see 5,1', '9,pipe 3",1'
    for options in ({"ignore": ["b"]}, {"columns": ["a", "c"]}):
        assert "quotation mark" in refusal_of("\n".join(["a,b,c", *lines]), tmp_path, **options)


def test_a_file_without_decimal_signs_decides_nothing_for_the_next(tmp_path):
    before = table_of("a;b\n" + "".join(f"{i};{i % 7}\n" for i in range(40)), tmp_path).reading
    assert before.decimal is None
    assert "may mean 1234 or 1.234" in refusal_of("a;b\n1.234;5\n", tmp_path, reading=before)
    (tmp_path / "a.csv").write_text("v;w\n1;2\n3;4\n")
    (tmp_path / "b.csv").write_text("v;w\n1,5;2\n3;4\n")
    (tmp_path / "c.csv").write_text("v;w\n1.234;2\n3;4\n")
    assert read_table([tmp_path / "a.csv", tmp_path / "b.csv"]).X["v"].iloc[2] == 1.5
    with pytest.raises(InvalidDataError, match=r"'1\.234' in column 'v' of c\.csv"):
        read_table([tmp_path / f"{name}.csv" for name in "abc"])


def test_several_marks_in_a_cell_do_not_change_the_numbers_of_the_file(tmp_path):
    text = "tags,v\n" + "".join(f'"{i % 3},{i % 2}",{i}.111\n' for i in range(20))
    assert "decimal point in 'v'" in refusal_of(text, tmp_path)
    for options in ({"categories": ["tags"]}, {"label": "tags"}):
        assert table_of(text, tmp_path, **options).X["v"].iloc[3] == 3.111
    whole = "tags,v\n" + "".join(f'"{i % 3},{i % 2}",{i}\n' for i in range(20))
    assert "--categories tags" in refusal_of(whole, tmp_path)
    mixed = 'a,b\n"1,234",0.25\n"2,345",0.5\n'
    assert table_of(mixed, tmp_path).X["a"].tolist() == [1234.0, 2345.0]


def sheet_of(rows, path, start=0):
    book = openpyxl.Workbook()
    for _ in range(start):
        book.active.append([])
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_numbers_of_a_sheet_stay_numbers_beside_texts(tmp_path):
    body = [[1.719 + i / 100, "x" if i % 2 else "y"] for i in range(30)]
    body[7][0] = "0,5"
    table = read_table(sheet_of([["a", "b"], *body], tmp_path / "t.xlsx"))
    assert table.X["a"].iloc[[0, 7]].tolist() == [1.719, 0.5]
    body[8][0] = "much"
    with pytest.raises(InvalidDataError, match=r"holds numbers in 28 of 30 rows"):
        read_table(sheet_of([["a", "b"], *body], tmp_path / "t.xlsx"))
    body = [[-999 if i == 3 else i, i % 5] for i in range(30)]
    path = sheet_of([["a", "b"], *body], tmp_path / "t.xlsx")
    assert read_table(path, reading=Reading(gaps_as=("", "-999"))).n_gaps == 1


def test_names_of_sheets_are_recognised_as_those_of_text(tmp_path):
    body = [["NO" if i % 2 else "SE", i, i * 2] for i in range(20)]
    table = read_table(sheet_of([["country", 2019, 2020], *body], tmp_path / "t.xlsx"))
    assert table.column_names == ["country", "2019", "2020"]
    two = [["size", "n"], *([i / 7, i % 5] for i in range(20))]
    path = sheet_of([["Report", None], *two], tmp_path / "t.xlsx", start=2)
    with pytest.raises(InvalidDataError, match=r"Row 3 .*--skip-rows"):
        read_table(path)
    assert read_table(path, reading=Reading(skip_rows=3)).column_names == ["size", "n"]


def test_an_order_that_no_date_has_is_refused(tmp_path):
    text = "when,n\n" + "".join(f"01/{13 + i % 9}/2024,{i}\n" for i in range(20))
    assert "is no date in the order dmy" in refusal_of(text, tmp_path, reading=Reading(dates="dmy"))
    iso = "a,b\n2024/01/26,26/01/2024\n2024/01/27,01/02/2024\n"
    assert table_of(iso, tmp_path, reading=Reading(dates="dmy")).kinds == ("date", "date")


def test_legacy_encodings_do_not_spoil_utf8(tmp_path):
    text = "stadt,n\nKöln,1\nBonn,2\nKöln,4\n"
    refusal = refusal_of(text, tmp_path, reading=Reading(encoding="cp1252"))
    assert "--encoding utf-8" in refusal
    late = "a,b\n" + "1,x\n" * 100_000
    assert "not written in UTF-8" in refusal_of(
        late.encode() + b"2,\xf6\n", tmp_path, columns=["a"]
    )


def test_currencies_are_not_mixed(tmp_path):
    text = "v,n\n" + "".join(f"{'€' if i == 7 else '$'}{i}.50,{i}\n" for i in range(20))
    assert "several currencies" in refusal_of(text, tmp_path)
    before = table_of(text.replace("€", "$"), tmp_path).reading
    assert "'€3.00' in column 'v'" in refusal_of("v,n\n€3.00,1\n", tmp_path, reading=before)


@pytest.mark.parametrize("first", ["tbd", "2024-13-45"])
def test_a_slip_in_the_first_cell_is_a_slip(tmp_path, first):
    text = f"when,n\n{first},1\n" + "".join(f"{13 + i % 9}/01/2024,{i}\n" for i in range(40))
    assert f"{first!r} in line 2" in refusal_of(text, tmp_path)


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,50\u00a0€", 1.5), ("(1,50)", -1.5), ("1,50-", -1.5), ("-€1,50", -1.5), ("5\u00a0%", 0.05)],
)
def test_signs_and_units_as_people_write_them(tmp_path, cell, value):
    unit = "%" if "%" in cell else ""
    text = "v;n\n" + f"{cell};1\n" + "".join(f"{i},25{unit};{i}\n" for i in range(20))
    assert table_of(text, tmp_path).X["v"].iloc[0] == value


def test_text_that_is_mostly_numbers_is_told(tmp_path):
    text = "amt,n\n" + "".join(f"{'pending' if i % 3 == 0 else i},{i}\n" for i in range(60))
    (note,) = table_of(text, tmp_path).notes
    assert "'amt' is read as text, though 67 % of its cells are numbers" in note
    years = "born,n\n" + "".join(f"{13 + i % 15}/01/40,{i}\n" for i in range(30))
    (note,) = table_of(years, tmp_path, reading=Reading(dates="dmy")).notes
    assert "1969 to 2068" in note


def test_a_first_row_with_a_slip_is_no_header(tmp_path):
    body = "".join(f"{i}.5,{i}.25,{i}.75\n" for i in range(20))
    for first in ("<0.1,1.5,2.5", "sample,400.5,401.0"):
        assert "--header or --no-header" in refusal_of(f"{first}\n{body}", tmp_path)
    assert table_of(f"inf,1.5,2.5\n{body}", tmp_path).n_rows == 21


def test_levels_of_frames_stay_levels(tmp_path):
    frame = pd.DataFrame({"code": pd.Categorical([7, 8, 7, 9]), "v": [1.5, 2.5, 3.5, 4.5]})
    assert read_table(frame).kinds == ("category", "number")
    frame.index = [30, 40, 10, 20]
    frame.to_parquet(tmp_path / "t.parquet")
    assert "__index_level_0__" not in read_table(tmp_path / "t.parquet").feature_names
    sparse = pd.DataFrame({"s": pd.arrays.SparseArray([0.0, 0.0, 1.5, 2.0]), "v": [1, 2, 3, 5]})
    assert read_table(sparse).kinds == ("number", "number")


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), pl.LazyFrame({"a": [1.5, 2.5]})],
)
def test_frames_that_cannot_be_read_get_a_sentence(frame):
    with pytest.raises((InvalidDataError, InvalidParameterError)):
        read_table(frame)


def test_codes_comments_footers_and_trailing_separators(tmp_path):
    hexadecimal = "id,n\n" + "".join(f"0x{i % 4}6,{i}\n" for i in range(20))
    assert table_of(hexadecimal, tmp_path).kinds[0] == "category"
    text = 'note,n\n"one\n# two",1\n# gone\nplain,2\nplain,3\n'
    table = table_of(text, tmp_path, reading=Reading(comment="#", quote='"'))
    assert [row[0] for row in table.cells()] == ["one\n# two", "plain", "plain"]
    trailing = "a,b\n" + "".join(f"{i},{i % 5},\n" for i in range(20))
    assert table_of(trailing, tmp_path).feature_names == ("a", "b")
    assert table_of("sep=;\na;b\n1;2\n3;5\n", tmp_path).X.shape == (2, 2)
    assert "two kinds of line ends" in refusal_of(b"a,b\r1,2\n3,4\n", tmp_path)


def test_names_like_marks_of_other_formats_are_names(tmp_path):
    for head in ("PAR1,PAR2", "FEA1,FEA2", "<TICKER>,<DATE>"):
        assert table_of(f"{head}\n1,2\n3,5\n", tmp_path).n_rows == 2
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n3,5\n")
        archive.writestr("__MACOSX/._t.csv", "x")
    assert read_table(tmp_path / "t.zip").n_rows == 2


def test_no_file_takes_for_ever(tmp_path):
    text = "% exported by tool\n\n" * 300 + "a,b\n1,2\n"
    assert "--header" in refusal_of(text, tmp_path)
    names = ",".join([*(f"c{j}" for j in range(100_000)), "c7"])
    refusal = refusal_of(f"{names}\n" + ",".join(["1.5"] * 100_001) + "\n", tmp_path)
    assert "more than one column called 'c7'" in refusal


def test_a_column_that_is_empty_in_one_file_has_the_type_of_the_others(tmp_path):
    (tmp_path / "a.csv").write_text("when,word,n\n,,1\n,,2\n")
    (tmp_path / "b.csv").write_text("when,word,n\n26/01/2024,x,3\n27/01/2024,x,5\n")
    table = read_table([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert table.kinds == ("date", "category", "number")
    assert table.X["when"].isna().tolist() == [True, True, False, False]


def test_one_value_and_gaps_are_used(tmp_path):
    text = "mark,n\n" + "".join(f"{'X' if i % 9 == 0 else ''},{i}\n" for i in range(40))
    assert table_of(text, tmp_path).feature_names[0] == "mark"


def test_folders_of_partitions_are_read(tmp_path):
    folder = tmp_path / "hive" / "year=2024"
    folder.mkdir(parents=True)
    pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}).to_parquet(folder / "p.parquet")
    assert read_table(tmp_path / "hive").n_rows == 2
