"""Fitting a copy of a detector, with seeds that do not depend on the company it is in."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from oddrank._random import integer_seed, stream
from oddrank.errors import DetectorError, DetectorFailedError, InvalidDataError
from oddrank.scoring import detector_name
from oddrank.table import Table

__all__ = ["check_can_fit", "copy_detector", "fit_detector", "split_rows"]


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


def check_can_fit(detector: Any) -> None:
    """Refuse what has no fit method."""
    if not hasattr(detector, "fit"):
        raise DetectorError(
            f"{detector_name(detector)} has no fit method, so it cannot be fitted. "
            "Use evaluate_scores for a function or a fitted model."
        )


def copy_detector(detector: Any) -> Any:
    """Return an unfitted copy; a deep one of what scikit-learn cannot clone."""
    check_can_fit(detector)
    try:
        return clone(detector)
    except Exception:
        return copy.deepcopy(detector)


def fit_detector(detector: Any, table: Table, root: np.random.SeedSequence) -> Any:
    """Return a fitted copy; where its `random_state` is None it is given one.

    The seed is the same for every detector, whatever their order or number.
    """
    check_can_fit(detector)
    try:
        fitted = copy_detector(detector)
        _seed(fitted, integer_seed(root, "detector"))
        fitted.fit(table.wrap(table.values))
    except Exception as error:
        raise DetectorFailedError(
            f"{detector_name(detector)} failed to fit {table.n_rows} rows of {table.n_features} "
            f"features: {type(error).__name__}: {error}"
        ) from error
    return fitted


def _seed(detector: Any, seed: int) -> None:
    if not hasattr(detector, "get_params"):
        return
    unset = {
        name: seed
        for name, value in detector.get_params().items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    if unset:
        detector.set_params(**unset)
