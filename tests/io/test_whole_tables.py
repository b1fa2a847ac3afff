"""Whole tables as people have them: titles, totals, gaps, identifiers, labels, several files."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from oddrank.errors import InvalidDataError
from oddrank.io import read_table

N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(50, 10, N).round(2)


def sales() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "order_no": np.random.default_rng(3).permutation(N) * 3 + 1000,
            "when": pandas.date_range("2024-01-01", periods=N, freq="7h"),
            "amount": NUMBERS,
            "shop": ["Rome", "Oslo", "Bern"] * (N // 3),
            "paid": [True, False] * (N // 2),
            "note": [f"remark {i}" for i in range(N)],
            "stars": np.arange(N) % 5,
        }
    )


KINDS = {"when": "date", "amount": "number", "shop": "category", "paid": "boolean",
         "stars": "number"}  # fmt: skip


@pytest.mark.parametrize(
    "made_by", ["csv", "pandas", "polars", "pyarrow", "parquet", "xlsx", "ods"]
)
def test_every_source_gives_the_same_typed_columns(made_by: str, tmp_path: Path) -> None:
    frame = sales()
    path = tmp_path / f"sales.{made_by}"
    source: object = path
    match made_by:
        case "csv":
            frame.to_csv(path, index=False)
        case "parquet":
            frame.to_parquet(path)
        case "xlsx" | "ods":
            frame.to_excel(path, index=False, engine="odf" if made_by == "ods" else "openpyxl")
        case "pandas":
            source = frame
        case "polars":
            source = polars.from_pandas(frame)
        case "pyarrow":
            source = pyarrow.Table.from_pandas(frame)
    table = read_table(source, encode="auto")
    assert dict(zip(table.feature_names, table.kinds, strict=True)) == KINDS
    found = table.frame()
    assert found["when"].tolist() == frame["when"].tolist()
    assert found["shop"].astype(object).tolist() == frame["shop"].tolist()
    assert found["paid"].dtype == bool
    np.testing.assert_allclose(found["amount"], frame["amount"])
    reasons = {column.column: column.reason for column in table.left_out}
    assert reasons == {
        "order_no": "identifier: by its name, and 60 different integers in 60 rows",
        "note": "free text: 60 different texts in 60 rows",
    }
    assert isinstance(table.X, pandas.DataFrame)
    assert isinstance(table.X.index, pandas.RangeIndex)


def test_free_text_of_a_large_file_is_not_read_and_nothing_else_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sales.csv"
    clock = [f"{i % 24:02d}:{i:02d}" for i in range(N)]
    price = [f"${1000 + 7 * i:,}.50" for i in range(N)]
    sales().assign(clock=clock, price=price).to_csv(path, index=False)
    whole = read_table(path, encode="auto")
    monkeypatch.setattr("oddrank.io.tables.text.text_file._LARGE", 0)
    monkeypatch.setattr("oddrank.io.tables.text.text_file.MOST_LEVELS", 40)
    table = read_table(path, encode="auto")
    pandas.testing.assert_frame_equal(table.frame(), whole.frame())
    assert {"clock", "price", "when"} <= set(table.feature_names)
    reasons = {column.column: column.reason for column in table.left_out}
    assert reasons["note"] == "free text: 60 different texts in the first 60 rows"
    assert "note" in read_table(path, encode="auto", columns=["note", "amount"]).feature_names


def test_with_encode_none_the_others_are_left_out_with_a_remedy() -> None:
    table = read_table(sales())
    assert table.feature_names == ("amount",)
    assert isinstance(table.X, np.ndarray)
    remedies = {column.column: column.remedy for column in table.left_out}
    assert remedies["shop"] == remedies["when"] == remedies["paid"] == "--encode auto"
    assert remedies["order_no"] == "--columns amount,order_no"


def test_titles_totals_and_remarks_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    rows = [f"shop {'AB'[i % 2]};{i};{value}".replace(".", ",") for i, value in enumerate(NUMBERS)]
    rows.insert(30, "")
    lines = ["Sales 2024", "made on: Monday;;", "", "shop;week;größe", *rows]
    path.write_bytes("\n".join([*lines, "Summe;;1.234,5", "", "Source: the till"]).encode("cp1252"))
    table = read_table(path, encode="auto", columns=["shop", "größe"])
    np.testing.assert_array_equal(table.frame()["größe"], NUMBERS)
    assert table.n_rows_read == N
    assert table.line_numbers[[0, 29, 30, -1]].tolist() == [5, 34, 36, 65]
    assert "2 lines above the column names were skipped: 'Sales 2024' in line 1." in table.notes
    assert "Line 66 below the table was skipped: 'Summe;;1.234,5'." in table.notes
    assert "Line 68 below the table was skipped: 'Source: the till'." in table.notes


def test_a_title_as_wide_as_the_table_before_a_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "title.csv"
    path.write_text("Report,2024\n\nshop,amount\n" + "\n".join(f"A,{v}" for v in NUMBERS))
    table = read_table(path)
    assert table.feature_names == ("amount",)
    assert table.line_numbers[0] == 4


def test_one_column_of_decimal_commas_is_not_split(tmp_path: Path) -> None:
    path = tmp_path / "amounts.txt"
    path.write_text("amount\n" + "\n".join(f"{i} {200 + i},50" for i in range(1, 41)))
    np.testing.assert_array_equal(read_table(path).X[:2, 0], [1201.5, 2202.5])


def test_lines_are_those_an_editor_shows(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text('a,b\n1.5,x\n\n2.5,"two\nlines"\n3.5,y\r\n\n4.5,z\n')
    table = read_table(path, columns=["a"])
    assert table.line_numbers.tolist() == [2, 4, 6, 8]
    assert table.row_numbers.tolist() == [0, 1, 2, 3]


def test_an_empty_line_of_a_single_column_is_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("x\n" + "\n".join("" if i == 5 else f"{v}" for i, v in enumerate(NUMBERS)))
    table = read_table(path)
    assert table.n_rows_read == N
    assert 5 not in table.row_numbers
    assert table.line_numbers[5] == 8


def test_workbooks_with_titles_and_several_sheets(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path) as writer:
        pandas.DataFrame([["read me"]]).to_excel(writer, sheet_name="Info", header=False)
        sales().to_excel(writer, sheet_name="Sales", index=False, startrow=2)
        pandas.DataFrame({"x": NUMBERS}).to_excel(writer, sheet_name="More", index=False)
        writer.sheets["Sales"].cell(1, 1, "Sales of 2024")
        writer.sheets["Sales"].cell(N + 4, 1, "Total")
        writer.sheets["Sales"].cell(N + 4, 3, 1234.5)
    table = read_table(path, encode="auto")
    assert table.n_rows == N
    assert table.line_numbers[0] == 4
    assert (
        table.notes[0]
        == "book.xlsx: sheet 'Sales'; it also has 'Info', 'More', which --sheet reads."
    )
    assert read_table(path, sheet="More").feature_names == ("x",)
    with pytest.raises(InvalidDataError, match="has no sheet 'sales'"):
        read_table(path, sheet="sales")


def test_a_workbook_under_another_name_is_told_from_its_content(tmp_path: Path) -> None:
    sales().to_excel(tmp_path / "sales.xlsx", index=False)
    (tmp_path / "sales.xlsx").rename(tmp_path / "sales.ods")
    assert read_table(tmp_path / "sales.ods").n_rows == N


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    content = sales().to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    table = read_table("-")
    assert (table.source, table.n_rows) == ("standard input", N)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(InvalidDataError, match="standard input is empty"):
        read_table("-")


def test_a_folder_and_a_list_of_files(tmp_path: Path) -> None:
    for month in range(3):
        sales().iloc[20 * month : 20 * month + 20].to_csv(tmp_path / f"m{month}.csv", index=False)
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / "README.md").write_text("# files")
    table = read_table(tmp_path, encode="auto")
    assert dict(zip(table.feature_names, table.kinds, strict=True)) == KINDS
    np.testing.assert_array_equal(table.row_numbers, np.arange(N))
    np.testing.assert_array_equal(table.frame()["amount"], NUMBERS)
    assert "3 files are read as one table of 60 rows." in table.notes
    backwards = read_table([tmp_path / "m1.csv", str(tmp_path / "m0.csv")])
    np.testing.assert_array_equal(backwards.X[:, 0], np.r_[NUMBERS[20:40], NUMBERS[:20]])
    sales().rename(columns={"amount": "sum"}).to_csv(tmp_path / "m3.csv")
    with pytest.raises(
        InvalidDataError, match=r"m3\.csv has no column 'amount', which m0\.csv has"
    ):
        read_table(tmp_path)
    sales().assign(amount="much").to_csv(tmp_path / "m3.csv", index=False)
    with pytest.raises(InvalidDataError, match=r"Column 'amount' of m3\.csv holds text, and that"):
        read_table(tmp_path)


def test_the_index_of_a_pandas_frame_is_no_feature(tmp_path: Path) -> None:
    sales().sample(frac=1, random_state=0).to_parquet(tmp_path / "shuffled.parquet")
    sales().set_index("stars").to_feather(tmp_path / "index.feather")
    table = read_table(tmp_path / "shuffled.parquet")
    reasons = {column.column: column.reason for column in table.left_out}
    assert reasons["__index_level_0__"] == "the frame's index"
    table = read_table(tmp_path / "index.feather", encode="auto")
    assert "stars" not in table.feature_names


@pytest.mark.parametrize(
    ("name", "values", "used"),
    [
        ("customer_id", np.r_[np.arange(199) * 7, 0], False),  # one repeated row changes nothing
        ("customerId", np.arange(200) // 2 * 7, False),  # 100 different ones, each twice
        ("customer_id", 7 * np.arange(200) % 30, True),  # so few that they are rather a category
        ("order_no", np.r_[np.arange(195) * 7, np.zeros(5)], False),
        ("order_no", np.arange(200) // 2 * 7, True),
        ("t", np.r_[np.arange(100), np.arange(103, 203)], False),  # a counter with a jump
        ("user_id", np.arange(200) * 1.37, True),  # real numbers are never identifiers
    ],
)
def test_identifiers_by_name_and_by_what_they_hold(
    name: str, values: np.ndarray, used: bool
) -> None:
    other = RNG.normal(size=200)
    assert (name in read_table(pandas.DataFrame({name: values, "x": other})).feature_names) == used


@pytest.mark.parametrize(
    "name", ["fraud", "Label", "target", "y", "class", "is_fraud", "isAnomaly"]
)
@pytest.mark.parametrize("encode", ["none", "auto"])
def test_columns_that_look_like_labels(name: str, encode: str) -> None:
    frame = pandas.DataFrame({"x": NUMBERS, name: np.arange(N) % 2, "is_open": [True, False] * 30})
    table = read_table(frame, encode=encode)
    assert name not in table.feature_names
    (left_out,) = (each for each in table.left_out if each.column == name)
    assert (left_out.reason, left_out.remedy) == ("looks like a label", f"--label {name}")
    assert table.label_like == (name, "is_open")
    assert ("is_open" in table.feature_names) == (encode == "auto")
    assert read_table(frame, label=name, encode=encode).label_like == ("is_open",)
    assert name in read_table(frame, columns=["x", name], encode=encode).feature_names


def with_gaps(*shares: float) -> pandas.DataFrame:
    random = np.random.default_rng(1)
    values = random.normal(size=(1000, len(shares)))
    values[random.random(values.shape) < np.array(shares)] = np.nan
    return pandas.DataFrame(values, columns=[f"c{j}" for j in range(len(shares))])


def test_auto_drops_few_rows_leaves_out_empty_columns_and_imputes_the_rest() -> None:
    few = read_table(with_gaps(0, 0.03))
    assert (few.n_imputed, few.n_rows < 1000) == (0, True)
    one_empty = read_table(with_gaps(0, 0.02, 0.64))
    assert one_empty.feature_names == ("c0", "c1")
    assert one_empty.n_imputed == 0
    (left_out,) = one_empty.left_out
    assert left_out.reason.endswith("of 1,000 values are missing")
    assert left_out.remedy == "--columns c0,c1,c2"
    many = read_table(with_gaps(0, 0.3, 0.3))
    assert many.n_rows == 1000
    assert many.n_imputed == int(with_gaps(0, 0.3, 0.3).isna().sum().sum())
    assert any("--gaps drop would drop" in note for note in many.notes)
    asked = read_table(with_gaps(0, 0.02, 0.64), columns=["c0", "c2"])
    assert asked.feature_names == ("c0", "c2")
    kept = read_table(with_gaps(0, 0.3), gaps="keep")
    assert np.isnan(kept.X).sum() == with_gaps(0, 0.3).isna().sum().sum()


def test_gaps_of_every_kind() -> None:
    frame = sales().drop(columns=["order_no", "note"]).astype({"paid": "boolean"})
    frame.loc[1, "paid"] = pandas.NA
    frame.loc[2, "shop"] = None
    frame.loc[3, "when"] = pandas.NaT
    kept = read_table(frame, encode="auto", gaps="keep").frame()
    assert kept["paid"].dtype == "boolean"
    assert kept.isna().sum().tolist() == [1, 0, 1, 1, 0]
    filled = read_table(frame, encode="auto", gaps="impute")
    assert filled.n_imputed == 3
    assert filled.frame()["paid"].dtype == bool
    assert filled.frame()["shop"].iloc[2] == "missing"
    assert frame["when"].min() < filled.frame()["when"].iloc[3] < frame["when"].max()
    assert read_table(frame, encode="auto", gaps="drop").n_rows == N - 3


def test_repeated_rows_are_counted_and_dropped_on_request() -> None:
    letters = [*["a", "b"] * 30, *"aaaabbb"]
    frame = pandas.DataFrame({"x": np.r_[NUMBERS, NUMBERS[:7]], "letter": letters})
    table = read_table(frame, encode="auto")
    assert (table.n_repeated, table.n_rows) == (int(frame.duplicated().sum()), N + 7)
    note = f"{table.n_repeated} rows repeat an earlier row; --drop-duplicates drops them."
    assert note in table.notes
    dropped = read_table(frame, encode="auto", drop_duplicates=True)
    np.testing.assert_array_equal(dropped.row_numbers, np.flatnonzero(~frame.duplicated()))
    assert dropped.n_rows_read == N + 7


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("größe café 5 °C", "cp1252"), ("from 12 €", "cp1252"), ("Température µ", "latin-1")],
)
def test_western_encodings_are_preferred(text: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "western.csv"
    rows = "\n".join(f"{value},{text}" for value in NUMBERS)
    path.write_bytes(f"x,{text} name\n{rows}".encode(encoding))
    assert read_table(path, label=f"{text} name").labels[0] == text


def test_other_encodings_are_still_told(tmp_path: Path) -> None:
    path = tmp_path / "moscow.csv"
    town = "Москва столица нашей большой родины"
    path.write_bytes(("x,town\n" + f"1.5,{town}\n2.5,{town}\n" * 9).encode("cp1251"))
    assert read_table(path, label="town", min_distinct=2).labels[0] == town


def test_a_bad_byte_does_not_change_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    names = ["Zoë", "Jörg", "René", "Łukasz"]
    lines = [f"{names[i % 4]},{value}" for i, value in enumerate(NUMBERS)]
    content = "\n".join(["name,x", *lines]).encode().replace("René".encode(), b"Ren\xe9", 1)
    path.write_bytes(content)
    table = read_table(path, label="name")
    assert set(table.labels) == {*names, "Ren\ufffd"}
    assert "Bytes that are not UTF-8 are read as '\ufffd', the first of them in line 4." in (
        table.notes
    )


def test_the_note_says_which_line_holds_the_names(tmp_path: Path) -> None:
    path = tmp_path / "titled.csv"
    rows = "\n".join(f"{value},{value + 1}" for value in NUMBERS)
    path.write_text(f"All parts\n\na,b\n{rows}\n")
    table = read_table(path)
    assert table.feature_names == ("a", "b")
    assert table.notes[0] == "titled.csv: utf-8, separator ',', line 3 read as column names."


@pytest.mark.parametrize("odd_cell", ["", "--", "inf", "n.v.", "7"])
def test_many_blocks_give_what_one_block_gives(
    odd_cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "blocks.csv"
    numbers = np.random.default_rng(0).normal(size=(3000, 3)).round(3)
    numbers[2990] = numbers[5]
    lines = [",".join(map(str, row)) for row in numbers]
    lines[2500] = f"{odd_cell},0.5,-1.5"
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")
    one = read_table(path)
    monkeypatch.setattr("oddrank.io.tables.text.text_file._BLOCK_BYTES", (2**11, 2**26))
    many = read_table(path)
    np.testing.assert_array_equal(many.X, one.X)
    assert many.X.flags.c_contiguous
    kept = np.arange(3000) != 2500
    np.testing.assert_array_equal(many.X[many.row_numbers != 2500], numbers[kept])
    assert (many.n_rows, many.n_repeated) == (3000 if odd_cell == "7" else 2999, 1)
    assert many.notes == one.notes
    np.testing.assert_array_equal(many.line_numbers, many.row_numbers + 2)
