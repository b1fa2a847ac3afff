"""Scores for all rows of a table that is not in memory."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import false_discovery_control
from sklearn.mixture import GaussianMixture

from oddrank import CalibratedDetector, evaluate_scores, rank_detectors, score_large_table
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows import large_tables

NAMES = ["a", "b"]


@pytest.fixture(scope="module")
def model():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(2000, 2)), columns=NAMES)
    return CalibratedDetector(GaussianMixture(), random_state=0).fit(X)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rows = np.random.default_rng(1).normal(size=(6000, 2))
    rows[7], rows[4321] = 30.0, -40.0
    frame = pd.DataFrame(rows, columns=NAMES).assign(other="text")
    path = tmp_path_factory.mktemp("large") / "new.parquet"
    frame.to_parquet(path, row_group_size=1000)
    return path, frame


def sources(table):
    path, frame = table
    return {"path": path, "frame": frame, "dask": dd.from_pandas(frame, npartitions=5)}


@pytest.mark.parametrize("name", ["path", "frame", "dask"])
def test_chunks_give_what_all_rows_give_at_once(model, table, name, monkeypatch):
    monkeypatch.setattr(large_tables, "BATCH_ROWS", 512)
    oddness, p_values = model.compare(table[1][NAMES])
    adjusted = false_discovery_control(p_values)
    found = score_large_table(model, sources(table)[name], n_oddest=50)
    assert found.numbers[:2].tolist() == [4321, 7]
    assert found.n_rows == 6000
    assert found.n_flagged == (adjusted <= 0.1).sum()
    np.testing.assert_allclose(found.oddness, oddness[found.numbers])
    np.testing.assert_allclose(found.adjusted_p_values, adjusted[found.numbers])
    assert (np.diff(found.oddness) <= 0.0).all()
    assert len(found.frame()) == 50


def test_every_chunk_is_told_in_order(model, table, monkeypatch):
    monkeypatch.setattr(large_tables, "BATCH_ROWS", 512)
    starts, seen = [], []

    def keep(start, chunk, oddness, p_values):
        starts.append(start)
        seen.append(np.column_stack([chunk[NAMES], oddness, p_values]))

    score_large_table(model, table[0], on_chunk=keep)
    oddness, p_values = model.compare(table[1][NAMES])
    assert starts == np.cumsum([0, *map(len, seen[:-1])]).tolist()
    expected = np.column_stack([table[1][NAMES], oddness, p_values])
    np.testing.assert_allclose(np.vstack(seen), expected)


def test_rows_with_gaps_are_counted_and_not_scored(model, table):
    frame = table[1].copy()
    frame.loc[[0, 5], "a"] = np.nan
    found = score_large_table(model, frame)
    assert (found.n_rows, found.n_not_scored) == (6000, 2)
    assert not {0, 5} & set(found.numbers.tolist())


def test_a_model_without_held_out_rows_is_refused():
    with pytest.raises(InvalidParameterError, match="must be a fitted CalibratedDetector"):
        score_large_table(GaussianMixture(), np.zeros((3, 2)))


def test_a_ranking_of_a_large_table_is_the_ranking_of_its_sample(table):
    _, frame = table
    detectors = {"one": GaussianMixture(1), "two": GaussianMixture(2)}
    numbers = frame[NAMES]
    of_sample = rank_detectors(detectors, numbers, sample=1000, random_state=0)
    assert of_sample.n_rows == 1000
    assert "a sample of 1,000 of 6,000 rows" in of_sample.setting
    again = rank_detectors(detectors, numbers.iloc[of_sample.sample.numbers], random_state=0)
    assert again.to_dict() == of_sample.to_dict()
    rows = of_sample.odd_rows(n_explained=0).rows
    np.testing.assert_array_equal(rows, of_sample.sample.numbers)


def test_evaluate_scores_counts_all_rows(table, monkeypatch):
    monkeypatch.setattr(large_tables, "SAMPLE_ROWS", 1000)
    rows = np.random.default_rng(0).normal(size=(20_000, 2))

    def density(X):
        return -(np.asarray(X) ** 2).sum(axis=1)

    counted = evaluate_scores(density, rows, sample=2000, random_state=0)
    low, high = counted.mass_volume.interval
    assert low < 2.0254 < high  # the truth for a standard Gaussian in two dimensions
    sampled = evaluate_scores(density, rows[:2000], random_state=0)
    assert counted.mass_volume.standard_error < sampled.mass_volume.standard_error / 2


def test_the_box_of_a_large_table_is_that_of_all_rows():
    rows = np.random.default_rng(0).standard_t(2.0, size=(20_000, 2))

    def score(X):
        return -np.abs(np.asarray(X)).max(axis=1)

    whole = evaluate_scores(score, rows, random_state=0)
    for seed in range(3):
        sampled = evaluate_scores(score, rows, sample=1000, random_state=seed)
        low, high = sampled.mass_volume.interval
        assert low < whole.mass_volume.value < high
        assert sampled.diagnostics["rows"].value == 20_000


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_any_library_with_gaps_and_other_columns(model, table, library):
    frame = table[1].head(300).convert_dtypes()
    frame.loc[[3, 4], "b"] = None
    native = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(frame, preserve_index=False),
    }[library]
    found = score_large_table(model, native)
    assert (found.n_rows, found.n_not_scored) == (300, 2)
    expected, _ = model.compare(table[1].head(300)[NAMES])
    np.testing.assert_allclose(found.oddness, expected[found.numbers])


def test_a_missing_column_is_one_sentence(model, table):
    with pytest.raises(InvalidDataError, match="has no column 'b', which the model was fitted on"):
        score_large_table(model, table[1][["a", "other"]])
