"""Parts of chunks as tables, in the form of the sampled rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows.columns import Column, names_of
from oddrank.rows.joint_tables import check_columns
from oddrank.rows.table import Table, as_table

__all__ = ["part_table"]


def part_table(
    part: Any, form: Table, title: str, *, with_gaps: bool = True
) -> tuple[Table, npt.NDArray[np.intp]]:
    """Read a part of a chunk in the form of the sampled rows.

    Where these are all numbers, rows with gaps are left out; in other forms with `with_gaps=False`.

    Returns
    -------
    table : Table
    kept : array of int
        Places of its rows in the part.
    """
    if form.is_plain and (values := _plain_values(part, form)) is not None:
        return form.with_values(values), np.arange(len(values))
    try:
        table = as_table(part, minimum_rows=1)
        # arrays have no names to compare
        either = form.container == "numpy" or table.container == "numpy"
        compared = replace(table, container="numpy") if either else table
        check_columns(compared, list(form.feature_names))
        if form.is_plain:
            kept = np.flatnonzero(~np.isnan(table.values).any(axis=1))
            if not all(_is_number(each) or _is_gap(each) for each in table.columns):
                raise InvalidDataError(table.why_not_plain("X"))
            return form.with_values(table.values[kept]), kept
        _check_kinds(table, form)
    except InvalidDataError as error:
        raise InvalidDataError(
            f"In {title}: {error} All chunks need the same columns, of the same types."
        ) from error
    if with_gaps:
        return table, np.arange(table.n_rows)
    kept = np.flatnonzero(~np.isnan(table.values).any(axis=1))
    return table.rows(kept), kept


def _is_number(column: Column) -> bool:
    return column.kind in ("number", "boolean")


def _is_gap(column: Column) -> bool:
    """Return whether a column of any type holds gaps alone."""
    return column.kind == "category" and not column.levels


def _check_kinds(table: Table, form: Table) -> None:
    """Refuse texts where the sample has numbers or dates; a category may be anything."""
    found = table.columns or (Column(kind="number"),) * table.n_features
    for name, column, wanted in zip(form.feature_names, found, form.columns, strict=True):
        alike = column.kind == wanted.kind or (_is_number(column) and _is_number(wanted))
        if wanted.kind != "category" and not alike and not _is_gap(column):
            raise InvalidDataError(
                f"Column {name!r} holds a {column.kind}, and a {wanted.kind} in the sample."
            )


def _plain_values(part: Any, form: Table) -> FloatArray | None:
    """Return finite numbers of the right columns, the common case, without a closer look."""
    names = names_of(part)
    if names and form.container != "numpy" and names != list(form.feature_names):
        return None
    values = part.to_numpy() if hasattr(part, "to_numpy") else np.asarray(part)
    if values.dtype.kind not in "biuf" or values.ndim != 2 or values.shape[1] != form.n_features:
        return None
    values = np.ascontiguousarray(values, dtype=np.float64)
    return values if np.isfinite(values).all() else None
