"""Random splits: who tests, who trains, who calibrates."""

import numpy as np
import pytest

from oddrank._random import root_of
from oddrank.search.splits import make_splits


def splits(n_rows=100, n_splits=10, test_size=0.2, calibration_size=None, seed=0):
    return make_splits(
        n_rows,
        n_splits,
        test_size=test_size,
        calibration_size=calibration_size,
        root=root_of(seed, "test"),
    )


@pytest.mark.parametrize("calibration_size", [None, 0.1])
@pytest.mark.parametrize("test_size", [0.2, 0.3, 0.7])
def test_every_row_trains_tests_or_calibrates(test_size, calibration_size):
    made = splits(test_size=test_size, calibration_size=calibration_size)
    for split in range(len(made)):
        train, test = made.rows(split)
        assert sorted([*train, *test, *made.calibration]) == list(range(100))
        assert len(test) == made.n_test
        assert len(train) == made.n_train


def test_as_many_rows_as_possible_test():
    made = splits(n_splits=10, test_size=0.2)
    tested = np.concatenate([made.rows(split)[1] for split in range(10)])
    assert np.bincount(tested).tolist() == [2] * 100
    first, again = made.rows(0)[1], made.rows(5)[1]
    assert first.tolist() != again.tolist()


def test_fewer_test_rows_are_among_all_of_them():
    made = splits()
    train, test = made.rows(3)
    same, fewer = made.rows(3, 0.5)
    np.testing.assert_array_equal(train, same)
    assert len(fewer) == 10
    assert set(fewer) < set(test)


def test_more_splits_begin_with_the_same():
    few, many = splits(n_splits=3), splits(n_splits=8)
    for split in range(3):
        np.testing.assert_array_equal(few.rows(split)[1], many.rows(split)[1])
    assert splits(seed=1).rows(0)[1].tolist() != few.rows(0)[1].tolist()
