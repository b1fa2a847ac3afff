"""Rows that a model file holds, so that new rows are compared with those that it was fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from oddrank.cli.models.model_file import fitted_columns
from oddrank.cli.user_rows import read_rows, row_names
from oddrank.errors import InvalidDataError
from oddrank.rows import Column, Table, joint_tables

if TYPE_CHECKING:
    from oddrank._typing import FloatArray
    from oddrank.cli.common_options import Common
    from oddrank.cli.table_options import TableOptions
    from oddrank.io import UserTable

__all__ = ["check_types", "compared_rows", "keep_rows", "known_kinds", "read_rows_for"]

# Medians, spreads and near rows of an explanation hardly change with more.
KEPT_ROWS = 1000
_ARE = {
    "number": "a number", "boolean": "yes or no", "category": "text", "date": "a date",
    "duration": "a duration",
}  # fmt: skip
_STORED_AS = {"number": "float64", "boolean": "float64", "category": "object", "duration": "m8[us]"}


def keep_rows(model: Any, rows: Table) -> None:
    """Put a sample of the rows into a model, as plain values, which any version can read."""
    chosen = np.random.default_rng(0).permutation(rows.n_rows)[:KEPT_ROWS]
    columns = rows.columns or (Column(kind="number"),) * rows.n_features
    model.ordinary_rows_ = {
        "values": rows.values[np.sort(chosen)],
        "is_plain": rows.is_plain,
        "kinds": [column.kind for column in columns],
        "levels": [list(column.levels) for column in columns],
        "is_integer": [column.is_integer for column in columns],
        "is_discrete": [column.is_discrete for column in columns],
    }


def read_rows_for(
    model: Any, tables: Sequence[str], common: Common, reading: TableOptions, **options: Any
) -> UserTable:
    """Read a table's columns as the model had them; other options are those of `read_rows`."""
    read = read_rows(tables, common, reading, kinds=known_kinds(model), **options)
    check_types(model, read)
    return read


def known_kinds(model: Any) -> dict[str, str]:
    """Return what the columns of a model held, by name; empty in files of former versions."""
    names = fitted_columns(model) or []
    kept = _kept(model, len(names))
    return {} if kept is None else dict(zip(names, kept["kinds"], strict=True))


def check_types(model: Any, read: UserTable) -> None:
    """Refuse a table in which a column holds something else than the model was fitted on."""
    if fitted_columns(model) != list(read.feature_names):
        return  # the model itself says which columns it needs
    kept = _kept(model, read.n_features)
    if kept is None:
        return
    for name, then, now in zip(read.feature_names, kept["kinds"], read.kinds, strict=True):
        if then in (now, "category") or {then, now} == {"number", "boolean"}:
            continue
        found = next(_other_values(read, name, then), None)
        if found is not None:
            text, row = found
            raise InvalidDataError(
                f"{read.source}: {name!r} was {_ARE[then]} in the ranked table, and is {_ARE[now]} "
                f"here ({text!r}, {row}). Give the same types."
            )


def _other_values(read: UserTable, name: str, then: str) -> Iterator[tuple[str, str]]:
    """Yield values that are not of the former type, and what their rows are called."""
    names = row_names(read)
    content = read.frame()[name]
    for value, missing, row in zip(content, content.isna(), names, strict=True):
        if not missing and not (then == "number" and _reads_as_number(value)):
            yield str(value), row


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def compared_rows(model: Any, odd: Table, others: Table) -> tuple[Table, Table]:
    """Return odd rows, and ordinary rows to compare them with, in the same coding.

    Ordinary rows are those in the model file. A file without any leaves only the `others`.
    """
    kept = _kept(model, odd.n_features)
    if kept is None:
        return odd, others
    template = odd.template if odd.template is not None else odd.wrap(odd.values[:0])
    if kept["is_plain"] and odd.is_plain:
        return odd, odd.with_values(kept["values"])
    stored = _columns(kept)
    now = list(odd.columns) or [Column(kind="number")] * odd.n_features
    values = odd.values.copy()
    for j, column in enumerate(stored):
        if column.kind != now[j].kind:
            values[:, j], now[j] = _as_kind(column.kind, values[:, j], now[j])
            template = template.astype({template.columns[j]: _STORED_AS.get(column.kind, "M8[us]")})
            if column.kind == "boolean":
                stored[j] = now[j]
    odd = replace(odd, values=values, columns=tuple(now), template=template)
    ordinary = replace(odd, values=kept["values"], columns=tuple(stored))
    ordinary, odd = joint_tables(ordinary, odd)
    return odd, ordinary


def _as_kind(kind: str, values: FloatArray, column: Column) -> tuple[FloatArray, Column]:
    """Return values as another kind of column: as texts, as numbers, or gaps alone."""
    if kind == "category":
        texts = [None if each is None else str(each) for each in column.decode_list(values)]
        levels = sorted({text for text in texts if text is not None})
        codes = [np.nan if text is None else float(levels.index(text)) for text in texts]
        return np.array(codes), Column(kind=kind, levels=tuple(levels))
    if np.isnan(values).all():
        return values, Column(kind=kind)
    return values, Column(kind="number")


def _columns(kept: dict[str, Any]) -> list[Column]:
    parts = ("kinds", "levels", "is_integer", "is_discrete")
    return [
        Column(kind=kind, levels=tuple(levels), is_integer=whole, is_discrete=few)
        for kind, levels, whole, few in zip(*(kept[part] for part in parts), strict=True)
    ]


def _kept(model: Any, n_features: int) -> dict[str, Any] | None:
    """Return what `keep_rows` has put into a model; None in files of former versions."""
    kept = getattr(model, "ordinary_rows_", None)
    if kept is None:
        return None
    try:
        values = kept["values"]
        sound = values.ndim == 2 and values.shape[1] == n_features and len(values) > 0
        sound = sound and values.dtype == np.float64 and not np.isinf(values).any()
        for column, codes in zip(_columns(kept), values.T, strict=True):
            known = codes[~np.isnan(codes)]
            inside = ((known >= 0) & (known < len(column.levels))).all()
            sound = sound and column.kind in _ARE and (column.kind != "category" or bool(inside))
    except Exception as error:
        raise InvalidDataError(f"The model's own rows cannot be read: {error!r}.") from error
    if not sound:
        raise InvalidDataError("The model's own rows are damaged. Rank again, and save the winner.")
    return dict(kept)
