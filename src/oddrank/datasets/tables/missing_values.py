"""Rows with missing values are dropped, or the values imputed, and either is said with counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.datasets.tables.raw_table import RawColumn
from oddrank.errors import InvalidDataError


@dataclass(frozen=True, kw_only=True, eq=False)
class Complete:
    """A table without missing values.

    Attributes
    ----------
    X : array
    row_numbers : array of int
        Which rows are left, counted from 0.
    n_imputed : int
        Values put in.
    notes : tuple of str
    """

    X: FloatArray
    row_numbers: npt.NDArray[np.intp]
    n_imputed: int
    notes: tuple[str, ...]


def complete(columns: list[RawColumn], n_rows: int, impute: str | None, what: str) -> Complete:
    """Join columns into a table and deal with missing values; the list is emptied."""
    X = np.empty((n_rows, len(columns)))
    missing_in: dict[str, int] = {}
    n_infinite = 0
    for j in range(X.shape[1]):
        column = columns.pop(0)
        assert column.values is not None
        X[:, j] = column.values
        n_infinite += int(np.isinf(X[:, j]).sum())
        X[~np.isfinite(X[:, j]), j] = np.nan
        missing_in[column.name] = int(np.isnan(X[:, j]).sum())
    notes = [f"{n_infinite:,} infinite values count as missing."] if n_infinite else []
    n_missing = sum(missing_in.values())
    if not n_missing:
        return _finish(X, np.arange(n_rows), 0, notes, what)
    worst = max(missing_in, key=lambda name: missing_in[name])
    most = f"most in {worst!r} ({missing_in[worst]:,} of {n_rows:,} rows)"
    if impute == "median":
        return _imputed(X, n_missing, notes, most, what)
    present = np.flatnonzero(~np.isnan(X).any(axis=1))
    n_dropped = n_rows - len(present)
    if len(present) == 0:
        raise InvalidDataError(
            f"Every one of the {n_rows:,} rows of {what} has a missing value, {most}, so no row "
            "is left. Give impute='median', or name columns with columns=."
        )
    notes.append(
        f"Dropped {n_dropped:,} of {n_rows:,} rows with missing values, {most}; "
        "impute='median' would keep them."
    )
    return _finish(X[present], present, 0, notes, what)


def _imputed(X: FloatArray, n_missing: int, notes: list[str], most: str, what: str) -> Complete:
    for j in range(X.shape[1]):
        missing = np.isnan(X[:, j])
        if missing.all():
            raise InvalidDataError(
                f"A column of {what} that was asked for has no values, so it has no median. "
                "Leave it out of columns=."
            )
        X[missing, j] = np.median(X[~missing, j])
    notes.append(f"Put the column's median in place of {n_missing:,} missing values, {most}.")
    return _finish(X, np.arange(len(X)), n_missing, notes, what)


def _finish(
    X: FloatArray, row_numbers: npt.NDArray[np.intp], n_imputed: int, notes: list[str], what: str
) -> Complete:
    if len(X) < 2:
        raise InvalidDataError(
            f"{what} has {len(X)} row{'s' if len(X) != 1 else ''} to use, and at least 2 are "
            "needed. Give more data."
        )
    return Complete(X=X, row_numbers=row_numbers, n_imputed=n_imputed, notes=tuple(notes))
