"""Tables that are not in memory: a sample of their rows, or all rows in chunks."""

import time

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from oddrank.errors import InvalidDataError
from oddrank.rows import is_in_memory, large_table, rows_at_hand

N_ROWS = 5000
FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(N_ROWS, 3)), columns=["a", "b", "c"])
ROOT = np.random.SeedSequence(0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for place, part in enumerate(np.array_split(np.arange(N_ROWS), 3)):
        FRAME.iloc[part].to_parquet(folder / f"{place}.parquet", row_group_size=400)
    return folder


def sources(folder):
    return {
        "folder": folder,
        "text": str(folder),
        "dataset": ds.dataset(folder),
        "dask frame": dd.from_pandas(FRAME, npartitions=4),
        "dask array": da.from_array(FRAME.to_numpy(), chunks=(700, 2)),
        "frame": FRAME,
        "array": FRAME.to_numpy(),
    }


@pytest.mark.parametrize(
    "name", ["folder", "text", "dataset", "dask frame", "dask array", "frame", "array"]
)
def test_row_i_is_row_i_whatever_the_source(folder, name):
    table = large_table(sources(folder)[name])
    assert table.n_rows == N_ROWS
    chunks = list(table.chunks())
    np.testing.assert_array_equal(np.concatenate([np.asarray(c) for c in chunks]), FRAME)
    numbers = np.array([0, 3, 1700, 1701, 4999])
    np.testing.assert_array_equal(np.asarray(table.take(numbers)), FRAME.iloc[numbers])
    sums = [answer for _, answer in table.map(lambda chunk: float(np.asarray(chunk).sum()))]
    assert sum(sums) == pytest.approx(FRAME.to_numpy().sum())


def test_the_same_sample_of_every_source(folder):
    samples = {}
    for name, source in sources(folder).items():
        rows, sampled = rows_at_hand(source, 500, ROOT, "f")
        assert (sampled.n_rows, len(sampled.numbers), len(rows)) == (N_ROWS, 500, 500)
        np.testing.assert_array_equal(np.asarray(rows), FRAME.iloc[sampled.numbers])
        samples[name] = sampled.numbers
    assert all(np.array_equal(each, samples["array"]) for each in samples.values())


@pytest.mark.parametrize("as_dataset", [False, True])
def test_a_slow_reader_holds_little_of_the_table(tmp_path, as_dataset):
    path = tmp_path / "long.parquet"
    long = pd.DataFrame(np.random.default_rng(0).normal(size=(2_000_000, 4)), columns=list("abcd"))
    long.to_parquet(path, row_group_size=2**16)
    before, held = pa.total_allocated_bytes(), []
    for _ in large_table(ds.dataset(path) if as_dataset else path).chunks():
        time.sleep(0.02)
        held.append(pa.total_allocated_bytes() - before)
    assert max(held) < long.memory_usage(index=False).sum() / 2


def test_a_small_table_is_taken_whole(folder):
    rows, sampled = rows_at_hand(folder, None, ROOT, "f")
    assert sampled is None
    np.testing.assert_array_equal(np.asarray(rows), FRAME)
    same, sampled = rows_at_hand(FRAME, None, ROOT, "f")
    assert same is FRAME
    assert sampled is None


@pytest.mark.parametrize(
    ("X", "expected"), [(FRAME, True), ([[1.0, 2.0]], True), ("a.parquet", False)]
)
def test_what_is_in_memory(X, expected):
    assert is_in_memory(X) == expected


def test_what_cannot_be_read_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(InvalidDataError, match="There is no file or folder"):
        large_table(tmp_path / "nowhere.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidDataError, match="cannot be read as Parquet"):
        large_table(tmp_path / "broken.parquet").n_rows  # noqa: B018
    with pytest.raises(InvalidDataError, match=r"Pass a dask\.array or a dask\.dataframe"):
        large_table(da.ones(5))
    empty = tmp_path / "empty.parquet"
    FRAME.iloc[:0].to_parquet(empty)
    with pytest.raises(InvalidDataError, match="has no rows"):
        rows_at_hand(empty, None, ROOT, "f")
