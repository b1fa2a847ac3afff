"""Which rows train and which rows test: folds, in an order that depends on the rows alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._plain_text import counted
from oddrank._random import child, stream
from oddrank._typing import FloatArray
from oddrank._validation import check_integer
from oddrank.errors import InvalidDataError
from oddrank.rows.bounding_box import BoundingBox, column_ranges, scaling_spreads
from oddrank.rows.joint_tables import joint_tables
from oddrank.rows.table import Table, as_table

if TYPE_CHECKING:
    from oddrank.rows.sampled_rows import SampledTable

__all__ = [
    "Folds",
    "Scaling",
    "folds_of",
    "is_in_memory",
    "natural_order",
    "rows_at_hand",
]

# Rows that detectors are fitted on, of a table that is not in memory.
SAMPLE_ROWS = 200_000

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
    corners : Table or None
        Lowest and highest values of all rows, where these are a sample.
    n_beyond : int
        How many rows are tested besides, where these are a sample.
    """

    train_rows: Table
    test_rows: Table
    train: tuple[RowIndex, ...]
    test: tuple[RowIndex, ...]
    corners: Table | None = None
    n_beyond: int = 0

    def __len__(self) -> int:
        return len(self.train)

    @property
    def extent(self) -> tuple[Table, ...]:
        """Rows that reach as far as all rows do."""
        tables = (self.train_rows, self.test_rows)
        return tables if self.corners is None else (*tables, self.corners)

    def sampled_from(self, sampled: SampledTable | None) -> Folds:
        """Return the same folds as those of a sample of a larger table."""
        if sampled is None:
            return self
        folds = replace(self, n_beyond=sampled.table.n_rows - self.test_rows.n_rows)
        if sampled.corners is None or not np.isfinite(sampled.corners).all():
            return folds
        return replace(folds, corners=self.train_rows.with_values(sampled.corners))

    def n_tested(self, fold: int = 0) -> int:
        """Return how many rows test the fit of a fold, about so many of those beyond a sample."""
        return len(self.test[fold]) + self.n_beyond // len(self)

    @property
    def cover_all_rows(self) -> bool:
        """Whether every training row is tested by a fit that has not seen it."""
        return self.train_rows is self.test_rows and len(self) > 1

    def trained_on(self, trusted: npt.NDArray[np.bool_]) -> Folds:
        """Return the same folds with these training rows only; test rows do not change."""
        return replace(self, train=tuple(part[trusted[part]] for part in self.train))

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

    @property
    def constant_features(self) -> tuple[str, ...]:
        """Names of the features that are the same in all rows."""
        ranges = np.array([column_ranges(each.values) for each in self.extent])
        lowest, highest = ranges[:, 0].min(axis=0), ranges[:, 1].max(axis=0)
        names = self.test_rows.feature_names
        return tuple(names[j] for j in np.flatnonzero(~(highest > lowest)))

    def test_table(self, fold: int) -> Table:
        """Return the test rows of a fold."""
        return self.test_rows.rows(self.test[fold])


def folds_of(
    X_train: Any, X_test: Any, n_folds: Any, root: np.random.SeedSequence, owner: str
) -> Folds:
    """Read the rows, and divide them into folds.

    One fold is a single fit: on a random half of the rows, tested on the other half, or on all
    training rows if there are separate test rows.
    """
    n_folds = check_integer(n_folds, "n_folds", owner)
    if X_test is None:
        train = test = as_table(X_train)
    else:
        train, test = joint_tables(X_train, X_test)
    for table in (train, test):
        _check_squares(table)
    parts = _parts(train, max(n_folds, 2), root)
    if test is train:
        _check_size(train, parts, "", n_folds)
    else:
        test_parts = _parts(test, n_folds, root)
        _check_size(train, parts, " of X_train", n_folds)
        _check_size(test, test_parts, " of X_test", n_folds)
    if test is not train and n_folds == 1:
        order = natural_order(train.values, root)
        return Folds(train_rows=train, test_rows=test, train=(order,), test=tuple(test_parts))
    if test is not train:
        # two disjoint halves, or all parts but one: no row is repeated, which would break LOF
        chosen = parts if n_folds == 2 else _others(parts)
        return Folds(train_rows=train, test_rows=test, train=tuple(chosen), test=tuple(test_parts))
    return Folds(
        train_rows=train,
        test_rows=train,
        train=tuple(_others(parts)[:n_folds]),
        test=tuple(parts[:n_folds]),
    )


def _check_size(table: Table, parts: list[RowIndex], of: str, n_folds: int) -> None:
    if min(map(len, parts)) < FEWEST_ROWS:
        what = "training and test rows" if not of else "parts"
        raise InvalidDataError(
            f"{counted(table.n_rows, 'row')}{of} cannot be split into {what} of at least "
            f"{FEWEST_ROWS} each in {counted(n_folds, 'fold')}. Give more data."
        )


def rows_at_hand(
    X_train: Any,
    X_test: Any,
    sample: Any,
    *,
    root: np.random.SeedSequence,
    client: Any = None,
    owner: str,
) -> tuple[Any, Any, SampledTable | None]:
    """Return training and test rows in memory: all of them, or a sample.

    Returns
    -------
    X_train, X_test
        As they were given, or samples of them.
    sampled : SampledTable or None
        All rows to be tested.
    """
    if sample is None and is_in_memory(X_train) and is_in_memory(X_test):
        return X_train, X_test, None
    from oddrank.rows.sampled_rows import draw_sample

    size = SAMPLE_ROWS if sample is None else check_integer(sample, "sample", owner, minimum=4)
    train, sampled = X_train, None
    if sample is not None or not is_in_memory(X_train):
        train, sampled = draw_sample(X_train, size, root, client, "X_train")
    if X_test is None:
        return train, None, sampled
    if sample is None and is_in_memory(X_test):
        return train, X_test, None
    test, sampled = draw_sample(X_test, size, child(root, "sample"), client, "X_test")
    return train, test, sampled


def is_in_memory(X: Any) -> bool:
    """Return whether this is an array, a frame or nested lists, and not a table in chunks."""
    # frames first: their columns may be called as any attribute below
    if X is None or isinstance(X, np.ndarray) or nw.dependencies.is_into_dataframe(X):
        return True
    stored = type(X).__module__.startswith(("dask", "pyarrow.parquet"))
    if isinstance(X, str | os.PathLike) or callable(X) or stored:
        return False
    if hasattr(X, "toarray"):
        return True
    # PreparedSample, ChunkedTable, a pyarrow dataset
    if any(hasattr(X, name) for name in ("sampled", "survey", "get_fragments")):
        return False
    if isinstance(X, list | tuple):
        return not (len(X) and (hasattr(X[0], "columns") or getattr(X[0], "ndim", 0) == 2))
    return hasattr(X, "__array__") or hasattr(X, "columns") or not isinstance(X, Iterable)


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaling:
    """Mean 0 and variance 1 for every feature of the rows it was learnt on.

    Attributes
    ----------
    middle, spread : arrays of shape (n_features,)
    """

    middle: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, table: Table, *, scale: bool = True) -> Scaling:
        """Learn the scaling of these rows; without `scale` nothing is changed."""
        if not scale:
            return cls(middle=np.zeros(table.n_features), spread=np.ones(table.n_features))
        return cls(middle=table.values.mean(axis=0), spread=scaling_spreads(table.values))

    def apply(self, table: Table) -> Table:
        """Return the rows, scaled."""
        return table.with_values((table.values - self.middle) / self.spread)

    def apply_to_box(self, box: BoundingBox) -> BoundingBox:
        """Return the box around the scaled rows."""
        return BoundingBox(
            lower=(box.lower - self.middle) / self.spread,
            upper=(box.upper - self.middle) / self.spread,
            feature_names=box.feature_names,
        )

    def features(self, index: RowIndex) -> Scaling:
        """Return the scaling of these features only."""
        return Scaling(middle=self.middle[index], spread=self.spread[index])

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume that a unit of scaled volume stands for."""
        return float(np.log(self.spread).sum())
