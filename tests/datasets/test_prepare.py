"""The authors' steps, each alone and together."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddrank.datasets import Dataset, load, load_embedded, prepare
from oddrank.errors import InvalidDataError, InvalidParameterError

# Datasets of the paper with more anomalies than 10 % of their normal rows.
CAPPED = {"adult", "pima", "arrhythmia", "ionosphere", "pendigits", "spambase"}


def numbered_rows(n_normal: int, n_anomalies: int) -> tuple[np.ndarray, np.ndarray]:
    """Row i holds the number i, so that every row can be traced."""
    n = n_normal + n_anomalies
    y = np.zeros(n, dtype=np.int64)
    y[np.random.default_rng(0).permutation(n)[:n_anomalies]] = 1
    return np.column_stack([np.arange(n), np.arange(n) ** 2]).astype(float), y


@given(n_normal=st.integers(1, 60), n_anomalies=st.integers(1, 60), seed=st.integers(0, 99))
def test_cap_keeps_normal_rows_in_order_and_the_allowed_number_of_anomalies(
    n_normal: int, n_anomalies: int, seed: int
) -> None:
    X, y = numbered_rows(n_normal, n_anomalies)
    capped, labels = prepare.cap_anomalies((X, y), random_state=seed)
    assert int(labels.sum()) == min(n_anomalies, int(0.1 * n_normal))
    assert (np.diff(capped[:, 0]) > 0).all()
    np.testing.assert_array_equal(capped[labels == 0], X[y == 0])
    assert set(capped[labels == 1, 0]) <= set(X[y == 1, 0])


def test_cap_draws_each_anomaly_equally_often() -> None:
    X, y = numbered_rows(100, 40)
    kept = np.zeros(140)
    for seed in range(400):
        kept[prepare.cap_anomalies((X, y), random_state=seed)[0][:, 0].astype(int)] += 1
    # 10 of 40 are kept each time: binomial(400, 1/4), mean 100, standard deviation 8.7.
    assert np.abs(kept[y == 1] - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)
    assert len(np.unique(kept[y == 1])) > 1


@pytest.mark.parametrize("name", ["pima", "arrhythmia", "ionosphere", "pendigits", "spambase",
                                  "adult", "wilt", "annthyroid", "smtp", "shuttle"])  # fmt: skip
def test_cap_on_the_paper_s_datasets(name: str, data_folder: Path) -> None:
    dataset = load(name, data_home=data_folder)
    capped = prepare.cap_anomalies(dataset, random_state=0)
    n_normal = dataset.n_rows - dataset.n_anomalies
    assert isinstance(capped, Dataset)
    assert (capped.n_anomalies < dataset.n_anomalies) == (name in CAPPED)
    if name in CAPPED:
        assert capped.n_anomalies == int(0.1 * n_normal)
    scaled = prepare.scale(capped)
    np.testing.assert_allclose(scaled.X.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(scaled.X.std(axis=0), 1, rtol=1e-8)


def test_shuffle_moves_rows_with_their_labels() -> None:
    X, y = numbered_rows(50, 10)
    shuffled, labels = prepare.shuffle((X, y), random_state=3)
    order = shuffled[:, 0].astype(int)
    assert (order != np.arange(60)).any()
    np.testing.assert_array_equal(np.sort(order), np.arange(60))
    np.testing.assert_array_equal(labels, y[order])


def test_halves_share_no_row_and_lose_none() -> None:
    X, y = numbered_rows(6, 1)
    (first, _), (second, labels) = prepare.halves((X, y))
    assert (len(first), len(second)) == (3, 4)
    np.testing.assert_array_equal(np.concatenate([first, second]), X)
    np.testing.assert_array_equal(labels, y[3:])


def test_scale_leaves_a_constant_feature_at_zero() -> None:
    X, _ = prepare.scale((np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([0, 1])))
    np.testing.assert_array_equal(X, [[-1.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize("setting", ["novelty", "unsupervised"])
def test_paper_split_is_the_steps_one_after_the_other(setting: str) -> None:
    dataset = load_embedded("breast_cancer")
    split = prepare.paper_split(dataset, setting, random_state=7)
    ready = prepare.scale(prepare.cap_anomalies(dataset, random_state=7))
    train, test = prepare.halves(prepare.shuffle(ready, random_state=7))
    np.testing.assert_array_equal(split.X_test, test.X)
    np.testing.assert_array_equal(split.y_test, test.y)
    np.testing.assert_array_equal(split.lower, ready.X.min(axis=0))
    np.testing.assert_array_equal(split.upper, ready.X.max(axis=0))
    assert split.feature_names == dataset.feature_names
    assert test.n_anomalies > 0
    if setting == "novelty":
        np.testing.assert_array_equal(split.X_train, train.X[train.y == 0])
        np.testing.assert_array_equal(split.X_criteria, test.X[test.y == 0])
    else:
        np.testing.assert_array_equal(split.X_train, train.X)
        np.testing.assert_array_equal(split.X_criteria, test.X)


def test_same_seed_same_rows_and_other_seed_other_rows() -> None:
    dataset = load_embedded("wine")
    first, again, other = (
        prepare.paper_split(dataset, random_state=seed).X_train for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or (first != other).any()


def test_a_pair_goes_the_same_way_as_a_dataset() -> None:
    dataset = load_embedded("wine")
    from_pair = prepare.paper_split((dataset.X, dataset.y), random_state=0)
    np.testing.assert_array_equal(
        from_pair.X_train, prepare.paper_split(dataset, random_state=0).X_train
    )
    assert from_pair.feature_names[:2] == ("x0", "x1")


def test_refusals() -> None:
    X, y = numbered_rows(10, 2)
    with pytest.raises(InvalidParameterError, match="'share' parameter of cap_anomalies"):
        prepare.cap_anomalies((X, y), share=-1)
    with pytest.raises(InvalidParameterError, match="'novelty', 'unsupervised'"):
        prepare.paper_split((X, y), "supervised")
    with pytest.raises(InvalidParameterError, match="'random_state' parameter of shuffle"):
        prepare.shuffle((X, y), random_state="today")
    with pytest.raises(InvalidDataError, match=r"take a Dataset or a pair \(X, y\). Got ndarray"):
        prepare.scale(X)
    with pytest.raises(InvalidDataError, match="one label per row"):
        prepare.scale((X, y[:-1]))
    with pytest.raises(InvalidDataError, match="1 for an anomaly and 0"):
        prepare.scale((X, y + 1))
    wine = load_embedded("wine")
    one_row = dataclasses.replace(wine, X=wine.X[:1], y=wine.y[:1])
    with pytest.raises(InvalidDataError, match=r"at least 2 rows to have two halves\. Got 1"):
        prepare.halves(one_row)
