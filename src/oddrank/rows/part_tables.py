"""Parts of chunks as tables, in the form of the sampled rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows.joint_tables import check_columns
from oddrank.rows.surveys import names_of
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
            others = [each for each in table.columns if each.kind not in ("number", "boolean")]
            if others:
                raise InvalidDataError(table.why_not_plain("X"))
            return form.with_values(table.values[kept]), kept
    except InvalidDataError as error:
        raise InvalidDataError(
            f"In {title}: {error} All chunks need the same columns, of the same types."
        ) from error
    if with_gaps:
        return table, np.arange(table.n_rows)
    kept = np.flatnonzero(~np.isnan(table.values).any(axis=1))
    return table.rows(kept), kept


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
