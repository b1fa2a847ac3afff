"""What a model file keeps of the table that it was fitted on, so that new rows are read alike.

Beside the fitted model it holds the names of its columns, how their file was read, and a sample of
its rows, with which odd rows are compared when they are explained.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from oddrank.errors import InvalidDataError

if TYPE_CHECKING:
    from oddrank._typing import FloatArray
    from oddrank.cli.common_options import Common
    from oddrank.cli.table_options import TableOptions
    from oddrank.io import Reading, UserTable
    from oddrank.rows import Column, Table

__all__ = [
    "KNOWN_SHARE",
    "as_fitted",
    "compared_rows",
    "fitted_columns",
    "known_share",
    "model_options",
    "model_reading",
    "read_rows_for",
    "save_with_rows",
]

# Medians, spreads and near rows of an explanation hardly change with more.
KEPT_ROWS = 1000
# Figures on rows are too good if the model was fitted on more than this share of them.
KNOWN_SHARE = 0.1
_KINDS = ("number", "boolean", "category", "date", "duration")
_STORED_AS = {"number": "float64", "boolean": "float64", "category": "object", "duration": "m8[us]"}


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what commands that read a model need."""
    trust = click.option(
        "--trust",
        multiple=True,
        metavar="TYPE",
        help="A type in the model file that you vouch for; may be given several times.",
    )
    allow_pickle = click.option(
        "--allow-pickle",
        is_flag=True,
        help="Read pickle and joblib files. They run code: only for files you made.",
    )
    return trust(allow_pickle(function))


def save_with_rows(model: Any, rows: Table, reading: Reading, path: str) -> None:
    """Write a fitted model with its columns, how they were read, and a sample of its rows."""
    import numpy as np

    from oddrank.io import save_model
    from oddrank.rows import Column

    model = copy.copy(model)
    model.feature_names_in_ = np.array(list(rows.feature_names), dtype=object)
    model.reading_ = reading.to_dict()
    chosen = np.random.default_rng(0).permutation(rows.n_rows)[:KEPT_ROWS]
    columns = rows.columns or (Column(kind="number"),) * rows.n_features
    # plain values, which any version can read
    model.ordinary_rows_ = {
        "values": rows.values[np.sort(chosen)],
        "is_plain": rows.is_plain,
        "kinds": [column.kind for column in columns],
        "levels": [list(column.levels) for column in columns],
        "is_integer": [column.is_integer for column in columns],
        "is_discrete": [column.is_discrete for column in columns],
    }
    if isinstance(getattr(model, "random_state", None), np.random.SeedSequence):
        model.random_state = None  # a fitted model needs no seed, and skops knows no such thing
    save_model(model, path)


def fitted_columns(model: Any) -> list[str] | None:
    """Return the names of the columns that a model was fitted on, if it has them."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def model_reading(model: Any) -> Reading | None:
    """Return how the table of a model was read; None in files that do not say it."""
    from oddrank.io import Reading

    stored = getattr(model, "reading_", None)
    if stored is None:
        return None
    try:
        return Reading.from_dict(stored)
    except Exception as error:
        raise InvalidDataError(
            f"The model does not say how its table was read: {error!r}. Rank again, and save it."
        ) from error


def read_rows_for(
    model: Any, tables: Sequence[str], common: Common, options: TableOptions, **others: Any
) -> UserTable:
    """Read the columns of a model, as its table was read; flags that are given come first."""
    from oddrank.cli.user_rows import read_rows

    columns = options.columns or fitted_columns(model)
    return read_rows(tables, common, options, like=model_reading(model), columns=columns, **others)


def as_fitted(model: Any, read: UserTable) -> tuple[Table, int]:
    """Return rows as a model had them, and how many gaps were filled because it knows none."""
    import numpy as np

    from oddrank.cli.user_rows import rows_of
    from oddrank.ranking import FoldCalibrated
    from oddrank.rows import Table, as_table

    if fitted_columns(model) is None:
        return rows_of(read), 0
    table = as_table(read.X, minimum_rows=1)
    kinds = {column.kind for column in table.columns}
    n_gaps = int(np.isnan(table.values).sum())
    if n_gaps and isinstance(model, FoldCalibrated) and not model.takes_gaps:
        if not kinds <= {"number", "boolean"}:
            return table, 0
        values = np.where(np.isnan(table.values), model.medians_, table.values)
        names = read.feature_names
        return Table(values=values, feature_names=names, container="pandas", labels=names), n_gaps
    return table, 0


def known_share(model: Any, rows: Table) -> float:
    """Return the share of rows that a model was fitted on, as far as it knows."""
    from oddrank.ranking import FoldCalibrated

    return model.share_known(rows) if isinstance(model, FoldCalibrated) else 0.0


def compared_rows(model: Any, odd: Table, others: Table) -> tuple[Table, Table]:
    """Return odd rows, and ordinary rows to compare them with, in the same coding.

    Ordinary rows are those in the model file. A file without any leaves only the `others`.
    """
    from oddrank.rows import Column, joint_tables

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
    import numpy as np

    from oddrank.rows import Column

    if kind == "category":
        texts = [None if each is None else str(each) for each in column.decode_list(values)]
        levels = sorted({text for text in texts if text is not None})
        codes = [np.nan if text is None else float(levels.index(text)) for text in texts]
        return np.array(codes), Column(kind=kind, levels=tuple(levels))
    if np.isnan(values).all():
        return values, Column(kind=kind)
    return values, Column(kind="number")


def _columns(kept: dict[str, Any]) -> list[Column]:
    from oddrank.rows import Column

    parts = ("kinds", "levels", "is_integer", "is_discrete")
    return [
        Column(kind=kind, levels=tuple(levels), is_integer=whole, is_discrete=few)
        for kind, levels, whole, few in zip(*(kept[part] for part in parts), strict=True)
    ]


def _kept(model: Any, n_features: int) -> dict[str, Any] | None:
    """Return the rows that a model file holds; None in files without."""
    import numpy as np

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
            sound = sound and column.kind in _KINDS and (column.kind != "category" or bool(inside))
    except Exception as error:
        raise InvalidDataError(f"The model's own rows cannot be read: {error!r}.") from error
    if not sound:
        raise InvalidDataError("The model's own rows are damaged. Rank again, and save the winner.")
    return dict(kept)
