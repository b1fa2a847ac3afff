"""Two tables of the same features, with the same coding of their values."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows.columns import Column, common_column, recode
from oddrank.rows.table import Table, as_table, check_same_features, with_types

__all__ = ["check_columns", "check_continuous", "comparable_values", "joint_tables"]


def joint_tables(X_train: Any, X_test: Any) -> tuple[Table, Table]:
    """Read two tables of the same features, with the same coding of their values."""
    train, test = as_table(X_train, name="X_train"), as_table(X_test, name="X_test")
    names = ("X_train", "X_test")
    check_same_features(train, test, *names)
    if train.is_plain and test.is_plain:
        return train, test
    old = [with_types(table, X) for table, X in ((train, X_train), (test, X_test))]
    columns = tuple(
        common_column(first, second, name, names)
        for name, first, second in zip(
            train.feature_names, old[0].columns, old[1].columns, strict=True
        )
    )
    template = _common_template(old[0], old[1], columns)
    both = [
        replace(
            table,
            values=np.column_stack(
                [
                    recode(table.values[:, j], table.columns[j], column)
                    for j, column in enumerate(columns)
                ]
            ),
            columns=columns,
            template=template,
        )
        for table in old
    ]
    return both[0], both[1]


def check_continuous(table: Table, owner: str, name: str = "X") -> None:
    """Refuse columns that have no volume."""
    if table.is_plain:
        return
    found = table.why_not_plain(name) or f"{name} has numbers with few different values."
    raise InvalidDataError(
        f"{found} Volumes (excess mass and mass volume) exist only for numbers without gaps, so "
        f"{owner} cannot measure them. Use reference measures instead (judge='references' in "
        "rank_detectors, reference=ReferenceMixture() elsewhere), or drop these columns."
    )


def check_columns(table: Table, names: list[str]) -> Table:
    """Return the table if it has exactly these columns; arrays have no names to compare."""
    if table.n_features != len(names):
        raise InvalidDataError(
            f"X has {table.n_features} columns, but the fit was on {len(names)}: "
            f"{', '.join(names[:5])}{' …' if len(names) > 5 else ''}. Give the same columns."
        )
    for place, (found, name) in enumerate(zip(table.feature_names, names, strict=True)):
        if table.container != "numpy" and found != name:
            raise InvalidDataError(
                f"Column {place} of X is {found!r}, but it was {name!r} in the fit. "
                "Give the same columns, in the same order."
            )
    return table


def comparable_values(table: Table) -> FloatArray:
    """Return numbers that are equal for equal rows, in any table."""
    values = table.values.copy()
    for j, column in enumerate(table.columns):
        if column.levels:
            of_levels = [zlib.crc32(str(level).encode()) for level in column.levels]
            codes = np.array([*of_levels, np.nan])
            missing = np.isnan(values[:, j])
            values[:, j] = codes[np.where(missing, len(of_levels), values[:, j]).astype(np.intp)]
    return values


def _common_template(train: Table, test: Table, columns: Sequence[Column]) -> Any:
    """Return types that hold the gaps and the fractions of either table."""
    if train.template is None or test.template is None:
        return None
    if train.container != test.container:
        raise InvalidDataError(
            f"X_train is a frame of {train.container} but X_test one of {test.container}, and not "
            "all columns are plain numbers. Give both as frames of the same library."
        )
    frame, other = (nw.from_native(each.template, eager_only=True) for each in (train, test))
    with_gaps = np.asarray(np.isnan(test.values).any(axis=0))
    taken = [
        other[:, j]
        for j, (kind, column) in enumerate(zip(frame.schema.values(), columns, strict=True))
        if with_gaps[j] or (kind.is_integer() and not column.is_integer)
    ]
    return frame.with_columns(*taken).to_native() if taken else train.template
