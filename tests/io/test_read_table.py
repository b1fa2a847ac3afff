"""`read_table` on good tables: every format, every choice, every count."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.datasets import load
from oddrank.io import UserTable, read_table

N = 40
RNG = np.random.default_rng(0)
HEIGHT = RNG.normal(size=N).round(3)
WEIGHT = RNG.normal(70, 10, size=N).round(3)


def frame() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "row": np.arange(N),
            "height": HEIGHT,
            "town": ["Rome", "Oslo"] * (N // 2),
            "weight": WEIGHT,
            "sex": [0, 1] * (N // 2),
            "planet": np.full(N, 3),
            "fraud": ["no"] * (N - 1) + ["yes"],
        }
    )


def write_npz(path: Path) -> None:
    np.savez(path, X=np.column_stack([HEIGHT, WEIGHT]), fraud=frame()["fraud"].to_numpy(str))


def write_arff(path: Path) -> None:
    lines = ["% a comment", "@relation people", "@attribute height numeric",
             "@attribute town {Rome,Oslo}", "@attribute weight real",
             "@attribute fraud {no,yes}", "@data"]  # fmt: skip
    lines += [f"{row.height},{row.town},{row.weight},{row.fraud}" for row in frame().itertuples()]
    path.write_text("\n".join(lines), encoding="utf-8")


WRITERS: dict[str, Callable[[Path], object]] = {
    "people.csv": lambda path: frame().to_csv(path, index=False),
    "people.tsv": lambda path: frame().to_csv(path, index=False, sep="\t"),
    "people.txt": lambda path: frame().to_csv(path, index=False, sep="|"),
    "people.csv.gz": lambda path: frame().to_csv(path, index=False),
    "people.csv.bz2": lambda path: path.write_bytes(bz2.compress(csv_bytes())),
    "people.csv.xz": lambda path: path.write_bytes(lzma.compress(csv_bytes())),
    "people.zip": lambda path: frame().to_csv(path, index=False),
    "semicolon.csv": lambda path: frame().to_csv(path, index=False, sep=";", decimal=","),
    "blanks.dat": lambda path: path.write_text(frame().to_string(index=False)),
    "utf16.csv": lambda path: frame().to_csv(path, index=False, encoding="utf-16"),
    "bom.csv": lambda path: frame().to_csv(path, index=False, encoding="utf-8-sig"),
    "crlf.csv": lambda path: frame().to_csv(path, index=False, lineterminator="\r\n"),
    "people.parquet": lambda path: frame().to_parquet(path),
    "people.feather": lambda path: frame().to_feather(path),
    "wrong_name.csv.parquet.txt": lambda path: frame().to_parquet(path),
    "people.npz": write_npz,
    "people.arff": write_arff,
}


def csv_bytes() -> bytes:
    return frame().to_csv(index=False).encode()


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_numbers_and_labels(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    table = read_table(path, label="fraud")
    expected = ("x0", "x1") if name.endswith("npz") else ("height", "weight")
    assert table.feature_names == expected
    np.testing.assert_array_equal(table.X, np.column_stack([HEIGHT, WEIGHT]))
    assert table.labels.tolist() == frame()["fraud"].tolist()
    np.testing.assert_array_equal(table.row_numbers, np.arange(N))
    assert table.X.flags.c_contiguous


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str) -> None:
    source = frame() if library == "pandas" else polars.from_pandas(frame())
    table = read_table(source, label="fraud")
    assert table.source == "the frame"
    np.testing.assert_array_equal(table.X, np.column_stack([HEIGHT, WEIGHT]))
    assert table.labels.tolist() == frame()["fraud"].tolist()
    assert {column.column for column in table.left_out} == {"row", "town", "sex", "planet"}


def test_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", np.column_stack([HEIGHT, WEIGHT, np.arange(N) % 2]))
    table = read_table(tmp_path / "table.npy", label="x2")
    np.testing.assert_array_equal(table.X, np.column_stack([HEIGHT, WEIGHT]))
    np.testing.assert_array_equal(table.labels, np.arange(N) % 2)


def test_the_account_says_what_was_left_out_and_why(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    frame().to_csv(path, index=False)
    table = read_table(path, label="fraud")
    assert {column.column: column.reason for column in table.left_out} == {
        "row": "row numbers: consecutive integers, each once",
        "town": "text: 'Rome' in row 0",
        "sex": "only 2 distinct values, fewer than 10",
        "planet": "constant: always 3",
    }
    assert str(table).splitlines() == [
        "people.csv: 40 rows x 2 features",
        "  skipped 'row' (row numbers: consecutive integers, each once)",
        "  skipped 'town' (text: 'Rome' in row 0)",
        "  skipped 'sex' (only 2 distinct values, fewer than 10)",
        "  skipped 'planet' (constant: always 3)",
        "  people.csv: utf-8, separator ',', first line read as column names.",
        "  'fraud' is kept apart as the label.",
    ]
    assert table.to_dict()["left_out"]["planet"] == "constant: always 3"
    assert repr(table) == "UserTable('people.csv', 40 rows, 2 features)"


def test_the_label_is_never_among_the_features() -> None:
    numbers = frame().assign(fraud=RNG.normal(size=N))
    table = read_table(numbers, label="fraud")
    assert "fraud" not in table.feature_names
    assert table.X.shape == (N, 2)
    assert "fraud" not in table.frame().columns
    np.testing.assert_array_equal(table.labels, numbers["fraud"])


@pytest.mark.parametrize("made_by", ["csv", "pandas", "polars", "parquet"])
def test_rows_with_missing_values_are_dropped_with_counts(made_by: str, tmp_path: Path) -> None:
    holes = frame()
    holes.loc[[2, 5], "height"] = np.nan
    holes.loc[[5, 7], "weight"] = np.nan
    holes.loc[9, "weight"] = np.inf
    source: object = holes
    if made_by == "csv":
        source = tmp_path / "holes.csv"
        holes.to_csv(source, index=False, na_rep="NA")
    if made_by == "parquet":
        source = tmp_path / "holes.parquet"
        holes.to_parquet(source)
    if made_by == "polars":
        source = polars.from_pandas(holes)
    table = read_table(source, label="fraud", gaps="drop")
    assert (table.n_rows_read, table.n_rows, table.n_rows_dropped) == (N, N - 4, 4)
    kept = [row for row in range(N) if row not in (2, 5, 7, 9)]
    np.testing.assert_array_equal(table.row_numbers, kept)
    np.testing.assert_array_equal(table.X[:, 0], HEIGHT[kept])
    assert table.labels.tolist() == holes["fraud"][kept].tolist()
    assert "1 infinite values count as missing." in table.notes
    assert any(
        "Dropped 4 of 40 rows with missing values, most in 'weight' (3 of 40 rows)" in note
        for note in table.notes
    )
    imputed = read_table(source, label="fraud", gaps="impute")
    assert (imputed.n_rows, imputed.n_imputed) == (N, 5)
    others = np.delete(HEIGHT, [2, 5])
    assert imputed.X[2, 0] == imputed.X[5, 0] == np.median(others)
    assert any("median in place of 5 missing values" in note for note in imputed.notes)


@pytest.mark.parametrize("token", ["", "?", "NA", "n/a", " NaN ", "null", "None", "-", "#N/A"])
def test_tokens_that_stand_for_nothing(token: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "\n".join(f"{i}.5,{token if i == 3 else i * i}" for i in range(20)))
    table = read_table(path)
    assert table.n_rows == 19
    assert 3 not in table.row_numbers


def test_columns_are_used_exactly_and_in_the_order_given(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    frame().to_csv(path, index=False)
    table = read_table(path, columns=["sex", "height", "row"])
    assert table.feature_names == ("sex", "height", "row")
    np.testing.assert_array_equal(table.X[:, 1], HEIGHT)
    np.testing.assert_array_equal(table.X[:, 2], np.arange(N))
    assert table.left_out == ()


def test_min_distinct_can_be_lowered() -> None:
    assert "sex" in read_table(frame().drop(columns="fraud"), min_distinct=2).feature_names


@pytest.mark.parametrize(
    ("name", "values", "left_out"),
    [
        ("x", np.arange(5, 45), True),  # consecutive, whatever it is called
        ("x", np.random.default_rng(1).permutation(N), True),  # and in any order
        ("x", np.arange(N) * 2, False),  # every integer another, but a step and no name
        ("customer_id", np.arange(N) * 17 + 3, True),
        ("ID", np.arange(N) * 17 + 3, True),
        ("customer_id", np.arange(N) // 2 * 17, False),  # repeated: not an identifier of rows
        ("customer_id", np.arange(N) + 0.5, False),  # not integers
        ("humid", np.arange(N) * 17 + 3, False),  # ends in "id", and is a word
    ],
)
def test_identifiers(name: str, values: np.ndarray, left_out: bool) -> None:
    table = read_table(pandas.DataFrame({name: values, "other": HEIGHT}))
    assert (name not in table.feature_names) == left_out


@pytest.mark.parametrize(
    ("text", "names", "first_row"),
    [
        ("a,b\n1.5,2\n2.5,7\n", ("a", "b"), [1.5, 2.0]),
        ("1.5,2\n2.5,7\n", ("x0", "x1"), [1.5, 2.0]),
        ("# made by hand\n\na,b\n1.5,2\n2.5,7\n", ("a", "b"), [1.5, 2.0]),
        (" a , b \n 1.5 , 2 \n 2.5 , 7 \n", ("a", "b"), [1.5, 2.0]),
        ("  1.5   2\n\n  2.5   7  \n", ("x0", "x1"), [1.5, 2.0]),
        ("1,5;2\n2,5;7\n", ("x0", "x1"), [1.5, 2.0]),
        ("a\tb\n1,5\t2\n2,5\t7\n", ("a", "b"), [1.5, 2.0]),
        ('"a, b",c\n"1.5",2\n"2.5",7\n', ("a, b", "c"), [1.5, 2.0]),
        (",b\n1.5,2\n2.5,7\n", ("x0", "b"), [1.5, 2.0]),
        ("a\n1.5\n2.5", ("a",), [1.5]),
        ("a,b\r1.5,2\r2.5,7\r", ("a", "b"), [1.5, 2.0]),
        ("a,b\n+1.5,2e0\n-2.5,.7e1\n", ("a", "b"), [1.5, 2.0]),
    ],
)
def test_layouts_told_from_the_text(
    text: str, names: tuple[str, ...], first_row: list[float], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    table = read_table(path, min_distinct=2)
    assert table.feature_names == names
    assert table.X[0].tolist() == first_row
    assert table.n_rows == 2


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
        min_size=2, max_size=30,
    ),
    separator=st.sampled_from([",", ";", "\t", "|", "blanks"]),
    decimal=st.sampled_from([".", ","]),
    header=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)  # fmt: skip
def test_numbers_written_as_text_come_back_to_the_last_bit(
    *,
    rows: list[list[float]],
    separator: str,
    decimal: str,
    header: bool,
    encoding: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if decimal == separator:
        return
    between = "  " if separator == "blanks" else separator
    lines = [between.join(repr(value).replace(".", decimal) for value in row) for row in rows]
    names = ["á", "b", "c"] if header else ["x0", "x1", "x2"]
    text = "\n".join([between.join(names)] * header + lines)
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    path.write_bytes(text.encode(encoding))
    table = read_table(
        path, columns=names, separator=separator, decimal=decimal, header=header, encoding=encoding
    )
    np.testing.assert_array_equal(table.X, np.array(rows))
    assert table.feature_names == tuple(names)


@pytest.mark.parametrize(
    ("first", "row", "has_names"),
    [
        ("0,1,2", "{i}.5,{j}.25,{k}.125", True),
        (",0,1,2", "{i},{j}.5,{k}.25,{i}.125", True),
        ("0,1,2", "{i}.5,word,{k}", True),
        ("0,1,2,3", "{j},{k},{i},{j}", True),
        ("0", "{i}.5", True),
        ("2021,2022,2023", "{i}.5,{j}.5,{k}", True),
        ("2021,2022,2023", "{j},{k},{i}", True),
        (",10,20", "{i},{j}.5,{k}.25", True),
        (",0,1", "row {i},{j},{k}", True),
        # a first row of data may look the same
        ("0,1", "{j},{k}", False),
        ("0", "{j}", False),
        ("2021,2022", "20{j:02},19{j:02}", False),
        ("1,2,3", "{i}.5,{j}.5,{k}.5", False),
        (",10,20", "{j},{k},{i}", False),
        (",0,1", "{j}.5,{k},{j}", False),
        (",0", "{i}.5,{k}", False),
    ],
)
def test_numbers_as_names(tmp_path: Path, first: str, row: str, has_names: bool) -> None:
    rows = [row.format(i=i, j=7 * i % 31, k=i * i % 97) for i in range(30)]
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join([first, *rows]) + "\n")
    table = read_table(path, columns=None, encode="auto", gaps="keep", min_distinct=2)
    assert table.n_rows == 30 + (not has_names)
    if has_names:
        used = {*table.feature_names, *(each.column for each in table.left_out)}
        assert set(first.split(",")) - {""} <= used


def test_long_numbers_are_called_constant_only_as_far_as_digits_go(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = "\n".join(f"{10**25 + i},{i % 13}.5" for i in range(60))
    path.write_text(f"long,short\n{rows}\n")
    (left_out,) = read_table(path).left_out
    assert left_out.reason == "constant in its first 15 digits: always 1e+25"


def test_what_is_given_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "years.csv"
    path.write_text("2019;2020\n" + "\n".join(f"{i}.5;{i * i}" for i in range(20)))
    assert read_table(path, header=True).feature_names == ("2019", "2020")
    assert read_table(path, header=False).n_rows == 21
    path.write_text("1,234;5\n" * 5 + "2,345;6\n" * 5)
    (left_out,) = read_table(path, min_distinct=2).left_out
    assert left_out.reason == "'1,234' may mean 1234 or 1.234"
    assert read_table(path, min_distinct=2, decimal=",").X[0, 0] == 1.234
    assert read_table(path, min_distinct=2, decimal=".").X[0, 0] == 1234
    comma = read_table(path, min_distinct=2, separator=",", header=False, columns=["x0"])
    assert comma.X[0].tolist() == [1.0]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-16", "shift_jis", "cp037"])
def test_encodings_that_are_given(encoding: str, tmp_path: Path) -> None:
    name = "大きさ" if encoding == "shift_jis" else "größe"
    text = f"{name},label\n" + "\n".join(f"{i}.5,{name}" for i in range(20))
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(encoding))
    table = read_table(path, encoding=encoding, label="label")
    assert table.feature_names == (name,)
    assert table.labels[0] == name


def test_an_encoding_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    town = "Größenwahn fährt über Brücken und träumt von süßen Früchten"
    path.write_bytes(("value,town\n" + f"1.5,{town}\n2.5,{town}\n").encode("cp1252"))
    table = read_table(path, label="town", min_distinct=2)
    assert table.X.ravel().tolist() == [1.5, 2.5]
    assert table.labels[0] == town
    assert "utf-8" not in table.notes[0]


def test_text_found_late_in_a_file_is_a_gap_named_with_its_line(tmp_path: Path) -> None:
    rows = [f"{i}.25,{i}.5" for i in range(250_000)]
    rows[200_000] = "oops,1.5"
    rows[240_000] = "1.5,"
    path = tmp_path / "late.csv"
    path.write_text("a,b\n" + "\n".join(rows))
    table = read_table(path)
    assert "'oops' in line 200002 of 'a' is read as a gap." in table.notes
    assert table.left_out == ()
    assert table.n_rows == 249_998
    assert table.X[-1].tolist() == [249_999.25, 249_999.5]
    assert table.line_numbers[-1] == 250_001


def test_quoted_line_breaks_at_the_end_of_the_sample_are_no_ragged_rows(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text("a,b\n" + "\n".join(f'{i}.5,"two\nlines"' for i in range(500)))
    table = read_table(path)
    assert table.n_rows == 500
    assert table.X[-1, 0] == 499.5


def test_wide_tables_are_read_when_the_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{j}" for j in range(10_000)]
    rows = [",".join(str((i * j) % 97) for j in range(10_000)) for i in range(12)]
    path.write_text("\n".join([",".join(names), *rows]))
    table = read_table(path, columns=["c9999", "c3"])
    assert table.X[5].tolist() == [(5 * 9999) % 97, 15.0]


def test_a_file_of_the_paper_is_read_as_the_loader_reads_it(data_folder: Path) -> None:
    table = read_table(data_folder / "spambase" / "spambase.data", label="x57")
    spambase = load("spambase", data_home=data_folder)
    np.testing.assert_array_equal(table.labels, spambase.y)
    kept = [j for j, name in enumerate(f"x{j}" for j in range(57)) if name in table.feature_names]
    np.testing.assert_array_equal(table.X, spambase.X[:, kept])


def test_covertype_packed_as_it_is(data_folder: Path) -> None:
    table = read_table(data_folder / "forestcover" / "covtype.data.gz", label="x54")
    assert table.X.shape == (581012, 10)
    assert np.bincount(table.labels.astype(int))[[2, 4]].tolist() == [283301, 2747]


def test_parquet_text_is_not_read_and_null_columns_are_named(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "number": pyarrow.array(HEIGHT),
            "decimal": pyarrow.array(WEIGHT).cast(pyarrow.decimal128(10, 3)),
            "big": pyarrow.array([2**60 + 7 * i * i for i in range(N)]),
            "when": pyarrow.array(np.arange(N), pyarrow.timestamp("s")),
            "nothing": pyarrow.nulls(N),
            "list": pyarrow.array([[1, 2]] * N),
            "dict": pyarrow.array(["a", "b"] * (N // 2)).dictionary_encode(),
            "dotted.name": pyarrow.array(HEIGHT + 1),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    for path in (tmp_path / "t.parquet", tmp_path / "t.feather"):
        result = read_table(path)
        assert result.feature_names == ("number", "decimal", "big", "dotted.name")
        np.testing.assert_allclose(result.X[:, 1], WEIGHT)
        np.testing.assert_array_equal(result.X[:, 3], HEIGHT + 1)
        reasons = {column.column: column.reason for column in result.left_out}
        assert reasons["when"].startswith("dates or times (timestamp")
        assert reasons["nothing"] == "no values"
        assert reasons["list"].startswith("nested values")
        assert reasons["dict"].startswith("text")


def test_pandas_types() -> None:
    source = pandas.DataFrame(
        {
            "nullable": pandas.array([None, *(i * i for i in range(1, N))], dtype="Int64"),
            "objects": pandas.Series([float(value) for value in HEIGHT], dtype=object),
            "mixed": pandas.Series([1.5] * (N - 5) + ["x"] * 5, dtype=object),
            "when": pandas.date_range("2020-01-01", periods=N),
            "kind": pandas.Categorical(["a", "b"] * (N // 2)),
            "complex": np.arange(N) * 1j,
        }
    )
    table = read_table(source)
    assert table.feature_names == ("nullable", "objects")
    assert table.n_rows == N - 1
    reasons = {column.column: column.reason for column in table.left_out}
    assert reasons["mixed"].startswith("text: ")
    assert reasons["when"].startswith("dates or times")


def test_row_numbers_lead_back_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    holes = frame()
    holes.loc[[0, 3], "height"] = np.nan
    holes.to_csv(path, index=False)
    table = read_table(path, label="fraud")
    assert isinstance(table, UserTable)
    again = pandas.read_csv(path).iloc[table.row_numbers]
    np.testing.assert_array_equal(again["weight"], table.X[:, 1])
    np.testing.assert_array_equal(table.frame().index, table.row_numbers)


def test_text_of_a_large_file_is_not_held_in_memory(tmp_path: Path) -> None:
    # 120 MB of which 110 are text; the numbers are 3 MB.
    path = tmp_path / "large.csv"
    block = "".join(f"{i}.5,{'lorem ipsum ' * 45}{i},{i * i}\n" for i in range(2_000))
    with path.open("w") as file:
        file.write("a,text,b\n")
        for _ in range(100):
            file.write(block)
    code = (
        "import resource, sys, pyarrow.csv, pyarrow.compute\n"
        "from oddrank.io import read_table\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "before = peak()\n"
        "table = read_table(sys.argv[1])\n"
        "print(table.n_rows, table.n_features, peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    n_rows, n_features, megabytes = map(int, done.stdout.split())
    assert (n_rows, n_features) == (200_000, 2)
    assert path.stat().st_size > 100 * 2**20
    assert megabytes < 90  # two or three blocks of 16 MB, never the file


def test_zip_with_a_folder_in_it(tmp_path: Path) -> None:
    path = tmp_path / "people.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/people.csv", csv_bytes())
    assert read_table(path, label="fraud").n_features == 2


def test_gzip_below_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(csv_bytes()))
    assert read_table(path, max_bytes=len(csv_bytes())).n_rows == N
