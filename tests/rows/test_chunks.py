"""Tables in chunks: any cut of the same rows is the same table, and bad chunks are one sentence."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oddrank.errors import InvalidDataError
from oddrank.rows import (
    as_chunks,
    as_table,
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
        (lambda: [ROWS], False),
        (iter([ROWS]), False),
    ],
)
def test_what_is_in_memory(X, expected):
    assert is_in_memory(X) is expected


def test_a_dask_series_is_refused():
    with pytest.raises(InvalidDataError, match="two dimensions"):
        as_chunks(dask_array()[:, 0])
