"""Folds: every row is tested by a fit that has not seen it, whatever the order of the table."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit
from sklearn.preprocessing import StandardScaler

from oddrank._random import root_of
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows import BoundingBox, Scaling, as_table, folds_of, natural_order

X = np.random.default_rng(0).normal(size=(101, 3))
ROOT = root_of(0, "test")


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_every_row_is_tested_once_and_never_by_a_fit_that_saw_it(n_folds):
    folds = folds_of(X, None, n_folds, ROOT, "test")
    assert len(folds) == n_folds
    assert sorted(np.concatenate(folds.test)) == list(range(101))
    for train, test in zip(folds.train, folds.test, strict=True):
        assert not set(train) & set(test)
        assert len(train) + len(test) == 101


def test_two_folds_train_on_disjoint_halves():
    folds = folds_of(X, None, 2, ROOT, "test")
    assert not set(folds.train[0]) & set(folds.train[1])


def test_folds_belong_to_rows_and_not_to_their_places():
    shuffled = np.random.default_rng(1).permutation(101)
    folds, other = folds_of(X, None, 2, ROOT, "test"), folds_of(X[shuffled], None, 2, ROOT, "test")
    for fold in range(2):
        trained = [each.train_rows.rows(each.train[fold]).values for each in (folds, other)]
        assert np.array_equal(*trained)
        assert np.array_equal(folds.test_table(fold).values, other.test_table(fold).values)


def test_the_natural_order_does_not_depend_on_units():
    scaled = X * np.array([1.0, 1000.0, 1e-3]) + 5.0
    assert np.array_equal(natural_order(X, ROOT), natural_order(scaled, ROOT))


def test_test_rows_of_their_own_are_dealt_out_too_and_no_training_row_is_repeated():
    folds = folds_of(X, X[:40] + 1.0, 2, ROOT, "test")
    assert sorted(np.concatenate(folds.train)) == list(range(101))
    assert sorted(np.concatenate(folds.test)) == list(range(40))


def test_a_single_fold_is_one_fit():
    folds = folds_of(X, None, 1, ROOT, "test")
    assert len(folds) == 1
    whole = folds_of(X, X[:40], 1, ROOT, "test")
    assert sorted(whole.train[0]) == list(range(101))
    assert sorted(whole.test[0]) == list(range(40))


def test_scores_of_folds_are_put_back_in_the_order_of_the_table():
    folds = folds_of(X, None, 2, ROOT, "test")
    parts = [folds.test_table(fold).values[:, 0] for fold in range(2)]
    assert np.array_equal(folds.put_together(parts), X[:, 0])


def test_features_that_are_constant_in_one_fold_do_not_vary():
    table = X.copy()
    folds = folds_of(table, None, 2, ROOT, "test")
    table[folds.test[0], 1] = 7.0
    fixed = type(folds)(
        train_rows=as_table(table), test_rows=as_table(table), train=folds.train, test=folds.test
    )
    assert fixed.varying_features.tolist() == [0, 2]


def test_too_few_rows_are_refused():
    with pytest.raises(InvalidDataError, match="3 rows cannot be split"):
        folds_of(X[:3], None, 2, ROOT, "test")
    with pytest.raises(InvalidDataError) as caught:
        folds_of(X, X[:3], 2, ROOT, "test")
    assert str(caught.value) == (
        "3 rows of X_test cannot be split into parts of at least 2 each in 2 folds. Give more data."
    )
    with pytest.raises(InvalidDataError, match=r"^3 rows of X cannot be split"):
        folds_of(X[:3], X, 2, ROOT, "test")
    with pytest.raises(InvalidParameterError, match="'cv' parameter of test must be an int"):
        folds_of(X, None, 0, ROOT, "test")


def test_scaling_gives_mean_0_and_variance_1_and_carries_the_box_along():
    table = as_table(X * 5.0 + 3.0)
    scaling = Scaling.of(table)
    scaled = scaling.apply(table)
    assert np.allclose(scaled.values.mean(axis=0), 0.0)
    assert np.allclose(scaled.values.std(axis=0), 1.0)
    box = BoundingBox.from_arrays(table)
    moved = scaling.apply_to_box(box)
    assert moved.contains(scaled.values).all()
    assert moved.log_volume + scaling.log_volume == pytest.approx(box.log_volume)
    assert Scaling.of(table, scale=False).apply(table).values.tolist() == table.values.tolist()


@pytest.mark.parametrize("constant", [0.1, 7.3e9, 0.0, -1e-12])
def test_a_feature_that_is_constant_but_for_rounding_is_not_blown_up(constant):
    rows = np.column_stack([np.random.default_rng(0).normal(size=1000), np.full(1000, constant)])
    scaling, scaler = Scaling.of(as_table(rows)), StandardScaler().fit(rows)
    assert scaling.spread[1] == scaler.scale_[1] == 1.0
    assert scaling.spread[0] == rows.std(axis=0)[0]
    odd = np.array([[0.0, constant + 0.1]])
    assert np.allclose(scaling.apply(as_table(rows).with_values(odd)).values, scaler.transform(odd))


def test_rows_of_one_group_stay_together():
    groups = np.arange(len(X)) // 5
    for cv in (2, 3):
        folds = folds_of(X, None, cv, ROOT, "test", groups=groups)
        assert len(folds) == cv
        assert (np.bincount(np.concatenate(folds.test), minlength=len(X)) == 1).all()
        for train, test in zip(folds.train, folds.test, strict=True):
            assert not set(groups[train]) & set(groups[test])


def test_groups_are_divided_alike_whatever_the_order_of_the_rows():
    groups = np.arange(len(X)) // 5
    order = np.random.default_rng(0).permutation(len(X))
    folds = folds_of(X, None, 2, ROOT, "test", groups=groups)
    shuffled = folds_of(X[order], None, 2, ROOT, "test", groups=groups[order])
    for first, second in zip(folds.test, shuffled.test, strict=True):
        np.testing.assert_array_equal(X[first], X[order][second])


@pytest.mark.parametrize("splitter", [KFold(4), KFold(3, shuffle=True), GroupKFold(3)], ids=repr)
def test_a_splitter_that_tests_every_row_once_divides_the_rows(splitter):
    groups = np.arange(len(X)) % 7 if isinstance(splitter, GroupKFold) else None
    folds = folds_of(X, None, splitter, ROOT, "test", groups=groups)
    again = folds_of(X, None, splitter, ROOT, "test", groups=groups)
    assert len(folds) == splitter.n_splits
    assert (np.bincount(np.concatenate(folds.test), minlength=len(X)) == 1).all()
    for first, second in zip(folds.test, again.test, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("splitter", [ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)])
def test_a_splitter_that_does_not_is_refused_with_a_sentence(splitter):
    with pytest.raises(InvalidParameterError, match=r"rows never\. test needs one test of every"):
        folds_of(X, None, splitter, ROOT, "test")


def test_a_splitter_that_divides_groups_is_refused():
    with pytest.raises(InvalidParameterError, match="divides rows of one group"):
        folds_of(X, None, KFold(3), ROOT, "test", groups=np.arange(len(X)) % 5)


def test_groups_that_cannot_be_divided_are_refused():
    with pytest.raises(InvalidParameterError, match="one entry for each"):
        folds_of(X, None, 2, ROOT, "test", groups=[1, 2])
    with pytest.raises(InvalidParameterError, match="at least 2 groups"):
        folds_of(X, None, 2, ROOT, "test", groups=np.zeros(len(X)))
    with pytest.raises(InvalidParameterError, match="leave X_test out"):
        folds_of(X, X, 2, ROOT, "test", groups=np.arange(len(X)))
