"""Which rows train and which rows test: folds, in an order that depends on the rows alone."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupKFold

from oddrank._random import integer_seed, stream
from oddrank._text import counted
from oddrank._typing import FloatArray
from oddrank._validation import check_groups, check_integer
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows.bounding_box import column_ranges
from oddrank.rows.joint_tables import joint_tables
from oddrank.rows.table import Table, as_table

__all__ = [
    "Folds",
    "folds_of",
    "natural_order",
]

# Distances and variances hold squares of values, and of their differences.
LARGEST_VALUE = 1e150

RowIndex = npt.NDArray[np.intp]
FEWEST_ROWS = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Folds:
    """Training and test rows of every fit.

    With two folds each half trains one fit and tests the other: training rows are independent, and
    every row is scored by a model that has not seen it. With more folds each part is tested by a
    fit on all others.

    Attributes
    ----------
    train_rows, test_rows : Table
        The tables that `train` and `test` point into; the same one if there are no separate test
        rows.
    train, test : tuples of arrays of int
        Places of the training and test rows of each fold.
    """

    train_rows: Table
    test_rows: Table
    train: tuple[RowIndex, ...]
    test: tuple[RowIndex, ...]

    def __len__(self) -> int:
        return len(self.train)

    def put_together(self, of_folds: Sequence[FloatArray]) -> FloatArray:
        """Return one number per test row from one array per fold; NaN where there is none."""
        values = np.full(self.test_rows.n_rows, np.nan)
        for tested, of_fold in zip(self.test, of_folds, strict=True):
            values[tested] = of_fold
        return values

    @property
    def of_test_rows(self) -> RowIndex:
        """The fold that tests each test row; -1 for none."""
        folds = np.full(self.test_rows.n_rows, -1, dtype=np.intp)
        for fold, tested in enumerate(self.test):
            folds[tested] = fold
        return folds

    @property
    def varying_features(self) -> RowIndex:
        """Features that vary among the test rows of every fold: a box has no volume in others."""
        ranges = [column_ranges(self.test_rows.values[part]) for part in self.test]
        return np.flatnonzero(np.all([highest > lowest for lowest, highest in ranges], axis=0))

    def test_table(self, fold: int) -> Table:
        """Return the test rows of a fold."""
        return self.test_rows.rows(self.test[fold])


def folds_of(
    X: Any,
    X_test: Any,
    cv: Any,
    root: np.random.SeedSequence,
    owner: str,
    *,
    groups: Any = None,
) -> Folds:
    """Read the rows, and divide them into folds.

    Parameters
    ----------
    X, X_test : arrays or frames
        `X_test` may be None.
    cv : int or splitter
        A number of folds, or a splitter of scikit-learn that tests every row once. One fold is a
        single fit: on a random half of the rows, tested on the other half, or on all rows of `X` if
        there are separate test rows.
    root : SeedSequence
    owner : str
    groups : array, optional
        Rows of one group are never divided between training and test rows.
    """
    is_number = not hasattr(cv, "get_n_splits")
    n_folds = check_integer(cv, "cv", owner) if is_number else 0
    if X_test is None:
        train = test = as_table(X)
    else:
        train, test = joint_tables(X, X_test)
    for table in (train, test):
        _check_squares(table)
    if X_test is not None:
        if groups is not None or not is_number:
            raise InvalidParameterError(
                f"The 'groups' parameter of {owner}, and a splitter as cv=, divide the rows of X. "
                "With test rows of their own there is nothing to divide: leave X_test out, or give "
                "a number of folds."
            )
        return _folds_of_two(train, test, n_folds, root)
    if groups is not None or not is_number:
        return _split_by(train, _splitter(cv, groups, train, root, owner), groups, root, owner)
    parts = _parts(train, max(n_folds, 2), root)
    _check_size(train, parts, "", n_folds)
    return Folds(
        train_rows=train,
        test_rows=train,
        train=tuple(_others(parts)[:n_folds]),
        test=tuple(parts[:n_folds]),
    )


def _folds_of_two(train: Table, test: Table, n_folds: int, root: np.random.SeedSequence) -> Folds:
    """Divide training rows, and test rows of their own."""
    parts, test_parts = _parts(train, max(n_folds, 2), root), _parts(test, n_folds, root)
    _check_size(train, parts, " of X", n_folds)
    _check_size(test, test_parts, " of X_test", n_folds)
    if n_folds == 1:
        parts = [natural_order(train.values, root)]
    elif n_folds > 2:
        # with two folds disjoint halves: no row is repeated, which would break LOF
        parts = _others(parts)
    return Folds(train_rows=train, test_rows=test, train=tuple(parts), test=tuple(test_parts))


def _splitter(cv: Any, groups: Any, table: Table, root: np.random.SeedSequence, owner: str) -> Any:
    if groups is not None:
        check_groups(groups, table.n_rows, owner)
    seed = integer_seed(root, "split")
    if not hasattr(cv, "get_n_splits"):
        n_groups = len(np.unique(np.asarray(groups)))
        if n_groups < 2:
            raise InvalidParameterError(
                f"The 'groups' parameter of {owner} must name at least 2 groups. Got {n_groups}."
            )
        if not 2 <= cv <= n_groups:
            raise InvalidParameterError(
                f"The 'cv' parameter of {owner} must be from 2 to the number of groups, "
                f"{n_groups}. Got {cv} instead."
            )
        return GroupKFold(cv, shuffle=True, random_state=seed)
    if getattr(cv, "shuffle", False) and getattr(cv, "random_state", 0) is None:
        cv = copy.copy(cv)
        cv.random_state = seed
    return cv


def _split_by(
    table: Table, splitter: Any, groups: Any, root: np.random.SeedSequence, owner: str
) -> Folds:
    """Divide rows as a splitter does, and refuse one that does not test every row once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some splitters ignore groups: that is refused below
        found = list(splitter.split(table.values, groups=groups))
    if groups is not None:
        labels = np.asarray(groups)
        if any(np.isin(labels[test], labels[train]).any() for train, test in found):
            raise InvalidParameterError(
                f"The splitter {splitter!r} divides rows of one group between training and test "
                "rows. Give a number of folds, or GroupKFold(…)."
            )
    tested = np.zeros(table.n_rows, dtype=np.intp)
    for _, test in found:
        tested[test] += 1
    if not (tested == 1).all():
        raise InvalidParameterError(
            f"The splitter {splitter!r} tests {np.count_nonzero(tested > 1):,} rows more than once "
            f"and {np.count_nonzero(tested == 0):,} rows never. {owner} needs one test of every "
            "row: give a number of folds, KFold(…) or GroupKFold(…). Where rows have an order in "
            "time, give the earlier ones as X and the later ones as X_test."
        )
    place = np.argsort(natural_order(table.values, root))
    parts = [tuple(part[np.argsort(place[part])] for part in pair) for pair in found]
    for train, test in parts:
        _check_size(table, [train, test], "", len(parts))
    return Folds(
        train_rows=table,
        test_rows=table,
        train=tuple(train for train, _ in parts),
        test=tuple(test for _, test in parts),
    )


def _check_size(table: Table, parts: list[RowIndex], of: str, n_folds: int) -> None:
    if min(map(len, parts)) < FEWEST_ROWS:
        what = "training and test rows" if not of else "parts"
        raise InvalidDataError(
            f"{counted(table.n_rows, 'row')}{of} cannot be split into {what} of at least "
            f"{FEWEST_ROWS} each in {counted(n_folds, 'fold')}. Give more data."
        )


def _check_squares(table: Table) -> None:
    """Refuse values that no distance or variance can be computed of."""
    with np.errstate(invalid="ignore"):
        large = (np.abs(table.values) > LARGEST_VALUE).any(axis=0)
    if large.any():
        name = table.feature_names[int(np.argmax(large))]
        raise InvalidDataError(
            f"Feature {name!r} holds values beyond {LARGEST_VALUE:g}, whose squares are too large "
            "for a number. Clip or rescale it before evaluating."
        )


def natural_order(values: FloatArray, root: np.random.SeedSequence) -> RowIndex:
    """Order rows along a random direction; the scale of the features does not matter.

    A shuffled table gets the same order, so random draws by place belong to rows.
    """
    lowest, highest = column_ranges(values)
    width = highest - lowest
    direction = stream(root, "rows", 1).normal(size=values.shape[1])
    unit = (values - lowest) / np.where(width > 0.0, width, 1.0)
    unit[np.isnan(values)] = -1.0  # a gap is a separate value
    return np.argsort((unit * direction).sum(axis=1), kind="stable")


def _parts(table: Table, n_parts: int, root: np.random.SeedSequence) -> list[RowIndex]:
    order = natural_order(table.values, root)
    chosen = np.array_split(stream(root, "split").permutation(len(order)), n_parts)
    return [order[np.sort(part)] for part in chosen]


def _others(parts: list[RowIndex]) -> list[RowIndex]:
    return [
        np.concatenate([part for place, part in enumerate(parts) if place != left_out])
        for left_out in range(len(parts))
    ]
