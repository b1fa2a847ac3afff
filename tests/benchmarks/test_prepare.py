"""The authors' steps: cap, scale, shuffle, halve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets import load
from benchmarks.prepare import capped, labelled_areas, paper_split, split_of

# Datasets of the paper with more anomalies than 10 % of their normal rows.
CAPPED = {"adult", "pima", "arrhythmia", "ionosphere", "pendigits", "spambase"}


def numbered_rows(n_normal, n_anomalies):
    """Row i holds the number i, so that every row can be traced."""
    n = n_normal + n_anomalies
    y = np.zeros(n, dtype=np.int64)
    y[np.random.default_rng(0).permutation(n)[:n_anomalies]] = 1
    return np.column_stack([np.arange(n), np.arange(n) ** 2]).astype(float), y


@given(n_normal=st.integers(1, 60), n_anomalies=st.integers(1, 60), seed=st.integers(0, 99))
def test_cap_keeps_normal_rows_in_order_and_the_allowed_number_of_anomalies(
    n_normal, n_anomalies, seed
):
    _, y = numbered_rows(n_normal, n_anomalies)
    kept = capped(y, np.random.default_rng(seed))
    assert int(y[kept].sum()) == min(n_anomalies, int(0.1 * n_normal))
    assert (np.diff(kept) > 0).all()
    assert set(np.flatnonzero(y == 0)) <= set(kept)


def test_cap_draws_each_anomaly_equally_often():
    _, y = numbered_rows(100, 40)
    kept = np.zeros(140)
    for seed in range(400):
        kept[capped(y, np.random.default_rng(seed))] += 1
    # 10 of 40 are kept each time: binomial(400, 1/4), mean 100, standard deviation 8.7.
    assert np.abs(kept[y == 1] - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


@pytest.mark.parametrize("name", ["pima", "arrhythmia", "wilt", "annthyroid", "spambase"])
def test_cap_on_the_paper_s_datasets(name, data_folder):
    y = load(name, data_home=data_folder).y
    kept = capped(y, np.random.default_rng(0))
    assert (len(kept) < len(y)) == (name in CAPPED)


@pytest.mark.parametrize("setting", ["novelty", "unsupervised"])
def test_halves_share_no_row_lose_none_and_are_scaled_together(setting):
    X, y = numbered_rows(61, 5)
    split = paper_split(X, y, setting, 7)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    number = {round(value, 9): row for row, value in enumerate(scaled[:, 0])}
    train, test, criteria = (
        [number[round(value, 9)] for value in part[:, 0]]
        for part in (split.X_train, split.X_test, split.X_criteria)
    )
    np.testing.assert_array_equal(split.y_test, y[test])
    assert not set(train) & set(test)
    assert len(test) == 33
    if setting == "novelty":
        assert not y[train].any()
        assert criteria == [row for row in test if not y[row]]
    else:
        assert sorted(train + test) == list(range(66))
        assert criteria == test
    np.testing.assert_allclose([split.lower, split.upper], [scaled.min(axis=0), scaled.max(axis=0)])


def test_same_seed_same_rows_and_other_seed_other_rows():
    X, y = numbered_rows(50, 5)
    first, again, other = (paper_split(X, y, "unsupervised", seed).X_train for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_sample_keeps_rare_anomalies(paper_data):
    split = split_of("wilt", "unsupervised", 0, max_rows=500)
    assert len(split.X_train) + len(split.X_test) <= 500
    assert 10 <= split.y_test.sum() <= 40


def test_other_settings_are_refused():
    with pytest.raises(ValueError, match="'novelty', 'unsupervised'"):
        paper_split(*numbered_rows(10, 2), "supervised", 0)


def test_areas_of_scores_that_are_higher_for_normal_rows():
    scores, y = np.array([3.0, 2.0, -np.inf]), np.array([0, 0, 1])
    assert labelled_areas(scores, y) == {"roc": 1.0, "pr": 1.0}
    assert labelled_areas(scores[:2], y[:2]) == {"roc": None, "pr": None}
