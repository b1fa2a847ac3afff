"""Training and test rows: split, and brought to one scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank._random import stream
from oddrank._validation import check_fraction
from oddrank.errors import InvalidDataError
from oddrank.rows.bounding_box import BoundingBox
from oddrank.rows.table import Table, as_table, check_same_features

__all__ = ["split_rows", "standardise", "train_and_test"]


def standardise(
    train: Table, test: Table, box: BoundingBox | None
) -> tuple[Table, Table, BoundingBox | None]:
    """Give every feature of the training rows mean 0 and variance 1, and carry the rest along."""
    middle, spread = train.values.mean(axis=0), train.values.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled = None
    if box is not None:
        scaled = BoundingBox(
            lower=(box.lower - middle) / spread,
            upper=(box.upper - middle) / spread,
            feature_names=box.feature_names,
        )
    return (
        train.with_values((train.values - middle) / spread),
        test.with_values((test.values - middle) / spread),
        scaled,
    )


def split_rows(table: Table, test_size: float, root: np.random.SeedSequence) -> tuple[Table, Table]:
    """Split rows at random into training and test rows."""
    n_test = round(test_size * table.n_rows)
    if n_test < 2 or table.n_rows - n_test < 2:
        raise InvalidDataError(
            f"{table.n_rows} rows cannot be split into training and test rows of at least 2 each. "
            "Give more data."
        )
    order = stream(root, "split").permutation(table.n_rows)
    return table.rows(np.sort(order[n_test:])), table.rows(np.sort(order[:n_test]))


def train_and_test(
    X_train: Any, X_test: Any, test_size: Any, root: np.random.SeedSequence, owner: str
) -> tuple[Table, Table]:
    """Read both tables, or split one."""
    check_fraction(test_size, "test_size", owner)
    train = as_table(X_train, name="X_train" if X_test is not None else "X")
    if X_test is None:
        return split_rows(train, test_size, root)
    test = as_table(X_test, name="X_test")
    check_same_features(train, test, "X_train", "X_test")
    return train, test
