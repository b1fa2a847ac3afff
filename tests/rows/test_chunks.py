"""Tables in chunks: any cut of the same rows is the same table, and bad chunks are one sentence."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

from oddrank.errors import InvalidDataError
from oddrank.rows import (
    as_chunks,
    as_table,
    draw_sample,
    folds_of_numbers,
    halves_of_numbers,
    in_memory_chunks,
    is_in_memory,
    part_table,
    sample_numbers,
)

ROOT = np.random.SeedSequence(7)
ROWS = np.arange(300_000.0).reshape(-1, 3)


def parquet(path, rows=ROWS, **options):
    pd.DataFrame(rows, columns=list("abc")).to_parquet(path, index=False, **options)
    return path


def dask_array():
    return pytest.importorskip("dask.array").from_array(ROWS, chunks=(7_000, 2))


def dask_frame():
    frame = pd.DataFrame(ROWS, columns=list("abc"))
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=5)


SOURCES = {
    "array": lambda path: in_memory_chunks(ROWS),
    "frame": lambda path: in_memory_chunks(pd.DataFrame(ROWS)),
    "list": lambda path: as_chunks([ROWS[:1], ROWS[1:40_000], ROWS[40_000:]]),
    "function": lambda path: as_chunks(
        lambda: (ROWS[k : k + 9_999] for k in range(0, 10**5, 9_999))
    ),
    "Arrow tables": lambda path: as_chunks(
        [pa.Table.from_pandas(pd.DataFrame(k, columns=list("abc"))) for k in (ROWS[:9], ROWS[9:])]
    ),
    "dataset": lambda path: as_chunks(ds.dataset(parquet(path / "a.parquet"))),
    "parquet": lambda path: as_chunks(parquet(path / "a.parquet", row_group_size=8_000)),
    "dask array": lambda path: as_chunks(dask_array()),
    "dask frame": lambda path: as_chunks(dask_frame()),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_rows_by_their_numbers(kind, tmp_path):
    table = SOURCES[kind](tmp_path)
    numbers = np.array([99_999, 0, 40_000, 39_999, 7_000])
    assert table.n_rows == len(ROWS)
    np.testing.assert_array_equal(np.asarray(table.take(numbers)), ROWS[np.sort(numbers)])
    np.testing.assert_array_equal(table.survey(numbers).range, [ROWS.min(axis=0), ROWS.max(axis=0)])
    parts = [np.asarray(p) for wave in table.waves() for chunk in wave for p in chunk.parts()]
    np.testing.assert_array_equal(np.concatenate(parts), ROWS)


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    for k in range(3):
        parquet(tmp_path / f"{k}.parquet", ROWS[k * 10 : k * 10 + 10])
    assert as_chunks(tmp_path).n_rows == 30
    np.testing.assert_array_equal(as_chunks(str(tmp_path)).take(np.array([5, 29])), ROWS[[5, 29]])


def test_random_numbers_belong_to_rows_whatever_the_chunks():
    whole = halves_of_numbers(0, 200_000, 13, ROOT)
    np.testing.assert_array_equal(
        halves_of_numbers(65_530, 70_000, 13, ROOT), whole[65_530:135_530]
    )
    folds = folds_of_numbers(0, 200_000, 3, ROOT)
    np.testing.assert_array_equal(folds_of_numbers(131_000, 500, 3, ROOT), folds[131_000:131_500])
    assert np.bincount(folds).min() > 66_000  # 66,667 are expected, with a spread of 211
    assert abs(whole.mean() - 0.5) < 0.002


def test_a_sample_is_uniform_over_the_rows():
    counts = np.zeros(10)
    for seed in range(200):
        numbers = sample_numbers(100_000, 100, np.random.SeedSequence(seed))
        assert len(np.unique(numbers)) == 100
        counts += np.bincount(numbers // 10_000, minlength=10)
    # 2,000 in each tenth of the rows, with a spread of 42
    assert np.abs(counts - 2_000).max() < 170
    assert sample_numbers(50, 100, ROOT).tolist() == list(range(50))


def test_rows_with_gaps_are_left_out_where_the_sample_has_none():
    form = as_table(ROWS[:10]).without_rows()
    part = ROWS[:5].copy()
    part[3, 1] = np.nan
    table, kept = part_table(part, form, "chunk 0")
    assert kept.tolist() == [0, 1, 2, 4]
    np.testing.assert_array_equal(table.values, part[kept])


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (ROWS[:5, :2], "has 2 columns, but the fit was on 3"),
        (pd.DataFrame(ROWS[:5], columns=list("abd")), "is 'd', but it was 'c'"),
        (pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0], "c": [1.0, 2.0]}), "not numbers: 'a'"),
    ],
)
def test_a_chunk_with_other_columns_is_refused(part, message):
    form = as_table(pd.DataFrame(ROWS[:10], columns=list("abc"))).without_rows()
    with pytest.raises(InvalidDataError, match=message) as error:
        part_table(part, form, "row group 3 of 'a.parquet'")
    assert "row group 3" in str(error.value)


def test_what_can_be_read_once_only_is_refused():
    with pytest.raises(InvalidDataError, match="an iterator, which can be read once"):
        as_chunks(iter([ROWS]))


def test_chunks_must_be_tables():
    with pytest.raises(InvalidDataError, match="arrays of two dimensions or frames"):
        as_chunks([ROWS, [1.0, 2.0]])
    with pytest.raises(InvalidDataError, match="no rows"):
        as_chunks([ROWS[:0]])


def test_paths_of_other_files_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidDataError, match="only Parquet files"):
        as_chunks(tmp_path / "a.csv")
    with pytest.raises(InvalidDataError, match="There is no file"):
        as_chunks(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("no")
    with pytest.raises(InvalidDataError, match="cannot be read as Parquet"):
        as_chunks(tmp_path / "c.parquet")


def test_a_corrupt_row_group_is_named(tmp_path):
    path = parquet(tmp_path / "a.parquet", row_group_size=50_000, compression="none")
    content = bytearray(path.read_bytes())
    offset = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content[offset : offset + 40] = bytes(40)
    path.write_bytes(bytes(content))
    (wave,) = as_chunks(path).waves()
    with pytest.raises(InvalidDataError, match=r"^Row groups 0 to 1 of 'a.parquet' cannot be read"):
        list(wave[0].parts())


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (ROWS, True),
        ([[1.0, 2.0], [3.0, 4.0]], True),
        (pd.DataFrame(ROWS), True),
        (pa.table({"a": [1.0]}), True),
        ([ROWS, ROWS], False),
        ("a.parquet", False),
        (ds.dataset(pa.table({"a": [1.0]})), False),
        (lambda: [ROWS], False),
        (iter([ROWS]), False),
    ],
)
def test_what_is_in_memory(X, expected):
    assert is_in_memory(X) is expected


@pytest.mark.parametrize("name", ["survey", "sampled", "get_fragments", "toarray", "column_names"])
def test_columns_may_be_called_as_the_attributes_of_other_tables(name):
    frame = pd.DataFrame({name: ROWS[:9, 0] % 2.0, "b": ROWS[:9, 1]})
    assert is_in_memory(frame)
    assert as_table(frame).feature_names == (name, "b")
    dask = pytest.importorskip("dask.dataframe")
    assert not is_in_memory(dask.from_pandas(frame, npartitions=2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda dask: dask_array()[:, 0], "two dimensions"),
        (lambda dask: dask_frame()["a"], "two dimensions"),
        (lambda dask: dask.delayed(ROWS), "Pass a dask.array"),
    ],
)
def test_dask_collections_that_are_no_tables_are_refused(make, message):
    with pytest.raises(InvalidDataError, match=message):
        as_chunks(make(pytest.importorskip("dask")))


def test_a_dask_block_is_sent_without_the_other_blocks():
    chunk = next(iter(as_chunks(dask_array()).each()))
    sent = pickle.dumps(chunk)
    assert len(sent) < ROWS.nbytes / 5  # one of 15 blocks
    again = pickle.loads(sent)
    assert again.identity == chunk.identity
    np.testing.assert_array_equal(next(again.parts()), ROWS[:7_000])


def test_a_dataset_gives_the_columns_of_its_schema(tmp_path):
    path = parquet(tmp_path / "a.parquet")
    schema = pa.schema([("c", pa.float64()), ("a", pa.float64())])
    found = as_chunks(ds.dataset(path, schema=schema)).take(np.array([7]))
    np.testing.assert_array_equal(found, ROWS[[7]][:, [2, 0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda path: ds.dataset(parquet(path / "a.parquet")).filter(ds.field("a") > 9),
            "a filter",
        ),
        (lambda path: ds.dataset(pa.table({"a": [1.0]})), "not stored in Parquet files"),
    ],
)
def test_datasets_that_are_not_files_of_parquet_are_refused(make, message, tmp_path):
    with pytest.raises(InvalidDataError, match=message):
        as_chunks(make(tmp_path))


def test_a_broken_file_in_a_folder_is_named_instead_of_left_out(tmp_path):
    parquet(tmp_path / "a.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("no table")
    assert as_chunks(tmp_path).n_rows == len(ROWS)
    (tmp_path / "b.parquet").write_text("broken")
    with pytest.raises(InvalidDataError, match=r"'b.parquet' in the folder .* cannot be read"):
        as_chunks(tmp_path)


def test_a_file_without_a_column_that_is_used_is_named(tmp_path):
    parquet(tmp_path / "a.parquet")
    pd.DataFrame({"a": [1.0], "b": [2.0]}).to_parquet(tmp_path / "b.parquet")
    table = as_chunks(tmp_path).with_columns(("a", "c"))
    with pytest.raises(InvalidDataError, match=r"Row group 0 of 'b.parquet' has no column 'c'"):
        table.take(np.array([len(ROWS)]))


def test_what_pyarrow_reads_once_is_refused(tmp_path):
    remedy = "Pass the path of the Parquet file, a pyarrow dataset, or the rows as a pyarrow Table"
    table = pa.table({"a": ROWS[:, 0]})
    with pytest.raises(InvalidDataError, match=f"X is a pyarrow RecordBatchReader.*{remedy}"):
        draw_sample(table.to_reader(), 9, ROOT, None, "X")
    with pq.ParquetFile(parquet(tmp_path / "a.parquet")) as file:
        with pytest.raises(InvalidDataError, match=f"X is a pyarrow ParquetFile.*{remedy}"):
            draw_sample(file, 9, ROOT, None, "X")
        assert not is_in_memory(file)


@pytest.mark.parametrize("library", [pl.from_pandas, pa.Table.from_pandas])
def test_whole_numbers_in_some_chunks_are_numbers(library):
    chunks = [library(pd.DataFrame({"a": each})) for each in ([1, 2], [0.5])]
    assert np.asarray(as_chunks(chunks).take(np.arange(3))).ravel().tolist() == [1.0, 2.0, 0.5]
    with pytest.raises(InvalidDataError, match="columns of different types"):
        as_chunks([*chunks, library(pd.DataFrame({"a": ["x"]}))]).take(np.arange(4))


@pytest.mark.parametrize("source", [in_memory_chunks, lambda X: as_chunks([X])])
def test_two_columns_of_one_name_are_refused(source):
    with pytest.raises(InvalidDataError, match="more than one column called 'a'"):
        source(pd.DataFrame(ROWS, columns=list("aab")))


@pytest.mark.filterwarnings("ignore:Determining the column names")  # of polars
def test_what_is_no_table_is_refused_as_without_a_sample():
    with pytest.raises(InvalidDataError, match="sparse"):
        in_memory_chunks(csr_array(ROWS[:5]))
    with pytest.raises(InvalidDataError, match="two dimensions"):
        in_memory_chunks(ROWS[0])
    with pytest.raises(InvalidDataError, match="lazy frame"):
        in_memory_chunks(pl.DataFrame({"a": [1.0]}).lazy())
    with pytest.raises(InvalidDataError, match="Got csr_array after 0 rows"):
        as_chunks([csr_array(ROWS[:5])])


def test_a_function_that_gives_other_rows_later_is_refused():
    lengths = iter((50, 40))
    table = as_chunks(lambda: [ROWS[: next(lengths)]])
    with pytest.raises(InvalidDataError, match="50 rows at first, and 40 when"):
        table.survey(np.arange(3))


def test_equal_columns_of_an_arrow_table_are_two_columns():
    assert as_table(pa.table({"a": [1.0, 2.0], "b": [1.0, 2.0]})).feature_names == ("a", "b")


def test_a_chunk_of_gaps_alone_is_left_out_whatever_its_type():
    form = as_table(pd.DataFrame(ROWS[:10], columns=list("abc"))).without_rows()
    gaps = pd.Series([None, None], dtype=object)
    part = pd.DataFrame({"a": gaps, "b": [1.0, 2.0], "c": [1.0, 2.0]})
    _, kept = part_table(part, form, "chunk 0")
    assert not len(kept)


@pytest.mark.parametrize(
    ("value", "message"), [("x", "'a' holds a category, and a number"), (None, ""), (True, "")]
)
def test_types_of_mixed_chunks_are_those_of_the_sample(value, message):
    form = as_table(pd.DataFrame({"a": [1.5, 2.0], "b": ["x", "y"]})).without_rows()
    part = pd.DataFrame({"a": [value], "b": ["z"]})
    if message:
        with pytest.raises(InvalidDataError, match=f"In chunk 0: Column {message}"):
            part_table(part, form, "chunk 0")
    else:
        assert part_table(part, form, "chunk 0")[0].n_rows == 1
