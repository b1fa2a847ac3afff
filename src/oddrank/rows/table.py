"""What oddrank reads from a user's data: numbers, feature names, and the container they came in.

Detectors get rows in the user's container (a pandas frame stays a pandas frame), so pipelines that
select columns by name work, on reference points too. Columns of other types are numbers in here as
well: `oddrank.rows.columns` says what they stand for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._typing import BoolArray, FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows.columns import Column, names_of, number_column, read_column, typed_frame
from oddrank.rows.settled_types import check_not_all_sparse, settled, settled_template

__all__ = ["CHUNK_ROWS"]

_MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Table:
    """Numbers with feature names, and what they stand for.

    Attributes
    ----------
    values : array of shape (n_rows, n_features)
        Finite, or NaN for a gap.
    feature_names : tuple of str
        The frame's column names, or `x0`, `x1`, … for arrays.
    container : str
        "numpy", or the library of the frame: what `wrap` gives back.
    labels : tuple
        The frame's own column labels, which need not be text.
    columns : tuple of Column
        What the numbers stand for; empty where all of them are plain numbers without gaps.
    template : frame or None
        A frame without rows that has the user's types, where there are `columns`.
    """

    values: FloatArray
    feature_names: tuple[str, ...]
    container: str = "numpy"
    labels: tuple[Any, ...] = ()
    columns: tuple[Column, ...] = ()
    template: Any = field(default=None, compare=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    @property
    def is_plain(self) -> bool:
        """Whether all of it is numbers, without gaps."""
        return not self.columns

    @property
    def continuous(self) -> BoolArray:
        """Which columns are numbers or dates of many values."""
        if self.is_plain:
            return np.ones(self.n_features, dtype=bool)
        return np.array([column.is_continuous for column in self.columns])

    def wrap(self, values: FloatArray) -> Any:
        """Return `values` in the container the user's data came in, and in its types."""
        if self.columns and self.template is not None:
            return typed_frame(self.template, self.columns, values)
        if self.columns:
            whole = [column.is_integer for column in self.columns]
            return np.where(whole, np.rint(values), values)
        if self.container == "numpy":
            return values
        backend: Any = self.container
        # narwhals takes no empty name here, and columns may have one
        names = {f"x{j}": name for j, name in enumerate(self.feature_names)}
        frame = nw.from_numpy(values, schema=list(names), backend=backend)
        if not self.labels:
            return frame.rename(names).to_native()
        native = frame.to_native()
        native.columns = list(self.labels)
        return native

    def rows(self, index: npt.NDArray[np.intp]) -> Table:
        """Return the table of these rows."""
        return self.with_values(self.values[index])

    def features(self, index: npt.NDArray[np.intp]) -> Table:
        """Return the table of these features."""
        template = self.template
        if template is not None:
            template = nw.from_native(template, eager_only=True)[:, index.tolist()].to_native()
        return replace(
            self,
            values=self.values[:, index],
            feature_names=tuple(self.feature_names[j] for j in index),
            labels=tuple(self.labels[j] for j in index) if self.labels else (),
            columns=tuple(self.columns[j] for j in index) if self.columns else (),
            template=template,
        )

    def without_rows(self) -> Table:
        """Return names, types and container alone."""
        return self.with_values(np.empty((0, self.n_features)))

    def with_values(self, values: FloatArray) -> Table:
        """Return a table of the same features that holds `values`."""
        return replace(self, values=values)

    def why_not_plain(self, name: str) -> str:
        """Say which columns are not numbers, or have gaps; empty if there are none."""
        other = [
            feature
            for feature, column in zip(self.feature_names, self.columns, strict=False)
            if column.kind not in ("number", "boolean")
        ]
        if other:
            return f"{name} has columns that are not numbers: {_listed(other)}."
        found = [
            f"{feature!r} ({int(gaps)} NaN)"
            for feature, gaps in zip(
                self.feature_names, np.isnan(self.values).sum(axis=0), strict=True
            )
            if gaps
        ]
        if not found:
            return ""
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        return f"{name} has values that are not finite, in {', '.join(found[:_MAX_NAMED])}{more}."


def as_table(
    X: Any, *, name: str = "X", minimum_rows: int = 2, discrete_as_levels: bool = False
) -> Table:
    """Read an array or a frame, and refuse what cannot be evaluated.

    Parameters
    ----------
    X : array or frame
    name : str
        What messages call it.
    minimum_rows : int
    discrete_as_levels : bool
        Draw values of number columns that have fewer than 10 of them from these values, also
        where every column is a number.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).feature_names
    ('x0', 'x1')
    """
    if isinstance(X, Table):
        return X
    frame = _as_frame(X, name)
    table = (
        _read_array(X, name, with_columns=discrete_as_levels)
        if frame is None
        else _read_frame(frame, name)
    )
    _check_rows(table.values, name, minimum_rows)
    _check_no_infinity(table, name)
    kinds = {column.kind for column in table.columns}
    has_levels = discrete_as_levels and any(column.is_discrete for column in table.columns)
    if kinds <= {"number", "boolean"} and not has_levels and not np.isnan(table.values).any():
        return replace(table, columns=(), template=None)
    return table


def index_of(X: Any) -> Any:
    """Return the index of a pandas frame, or None: other containers have none."""
    return X.index if nw.dependencies.is_pandas_dataframe(X) else None


def is_frame(X: Any) -> bool:
    """Return whether this is a frame of a library that narwhals knows."""
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame | nw.LazyFrame)


def with_types(table: Table, X: Any) -> Table:
    """Return a table with the types that a plain one has forgotten."""
    if table.columns:
        return table
    if isinstance(X, Table):
        return replace(table, columns=tuple(number_column(column) for column in X.values.T))
    frame = _as_frame(X, "X")
    return _read_array(X, "X", with_columns=True) if frame is None else _read_frame(frame, "X")


def check_same_features(table: Table, other: Table, name: str, other_name: str) -> None:
    """Refuse two tables whose features differ in number or in name."""
    if table.n_features != other.n_features:
        raise InvalidDataError(
            f"{name} has {table.n_features} features but {other_name} has {other.n_features}. "
            "Give both the same columns, in the same order."
        )
    if "numpy" in {table.container, other.container}:
        return  # arrays have no column names
    for position, (left, right) in enumerate(
        zip(table.feature_names, other.feature_names, strict=True)
    ):
        if left != right:
            raise InvalidDataError(
                f"Column {position} is {left!r} in {name} but {right!r} in {other_name}. "
                "Give both the same columns, in the same order."
            )


def _as_frame(X: Any, name: str) -> Any:
    """Return a narwhals frame, or None for arrays and lists."""
    names = names_of(X) if hasattr(X, "columns") else []
    repeated = sorted(column for column, count in Counter(names).items() if count > 1)
    if repeated:
        raise InvalidDataError(
            f"{name} has more than one column called {_listed(repeated)}. "
            "Rename or drop the copies before evaluating."
        )
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise InvalidDataError(f"{name} is a lazy frame. Pass {name}.collect().")
    return frame if isinstance(frame, nw.DataFrame) else None


def _read_frame(frame: Any, name: str) -> Table:
    names = tuple(str(column) for column in frame.columns)
    check_not_all_sparse(frame, name)
    series = [settled(frame[:, j]) for j in range(len(names))]
    read = [read_column(each, label, name) for each, label in zip(series, names, strict=True)]
    values = np.column_stack([column for column, _ in read]) if read else np.empty((len(frame), 0))
    template = settled_template(frame, series)
    return Table(
        values=values,
        feature_names=names,
        container=frame.implementation.value,
        labels=tuple(template.columns) if frame.implementation.is_pandas_like() else (),
        columns=tuple(column for _, column in read),
        template=template,
    )


def _read_array(X: Any, name: str, *, with_columns: bool) -> Table:
    if hasattr(X, "toarray"):
        raise InvalidDataError(
            f"{name} is a sparse matrix, and volumes need every value. Pass {name}.toarray()."
        )
    try:
        # a masked value is a gap, whatever number lies under the mask
        masked = np.ma.isMaskedArray(X)
        values = X.astype(np.float64).filled(np.nan) if masked else np.asarray(X)
        if values.dtype.kind not in "biuf":
            values = _numbers_from_objects(values)
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(
            f"{name} holds values that are not numbers. "
            "Pass a numeric array, or a pandas or polars frame."
        ) from None
    if values.ndim != 2:
        raise InvalidDataError(
            f"{name} must be a table with rows and features (two dimensions). "
            f"Got {values.ndim} dimension{'s' if values.ndim != 1 else ''}; "
            f"reshape a single feature with {name}.reshape(-1, 1)."
        )
    values = np.ascontiguousarray(values)
    names = tuple(f"x{j}" for j in range(values.shape[1]))
    if not with_columns and not np.isnan(values).any():
        return Table(values=values, feature_names=names)
    columns = tuple(number_column(column) for column in values.T)
    return Table(values=values, feature_names=names, columns=columns)


def _numbers_from_objects(values: npt.NDArray[Any]) -> FloatArray:
    # numpy converts text such as "1.5" without complaint; here it is an error.
    if values.dtype.kind != "O" or any(isinstance(value, str) for value in values.ravel()):
        raise TypeError
    return values.astype(np.float64)


def _check_rows(values: FloatArray, name: str, minimum_rows: int) -> None:
    if values.shape[1] == 0:
        raise InvalidDataError(f"{name} has no features. Give at least one numeric column.")
    if values.shape[0] < minimum_rows:
        need = "masses need at least 2" if minimum_rows > 1 else "there is nothing to score"
        raise InvalidDataError(
            f"{name} has {values.shape[0]} row{'s' if values.shape[0] != 1 else ''}, and {need}. "
            "Give more data."
        )


def _check_no_infinity(table: Table, name: str) -> None:
    infinite = np.isinf(table.values).sum(axis=0)
    found = [
        f"{feature!r} ({count} infinite)"
        for feature, count in zip(table.feature_names, infinite, strict=True)
        if count
    ]
    if found:
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        raise InvalidDataError(
            f"{name} has values that are not finite, in {', '.join(found[:_MAX_NAMED])}{more}. "
            "Drop those rows or impute them before evaluating."
        )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(repr(column) for column in names[:_MAX_NAMED]) + more


# Points are made, scored and dropped in chunks of this many rows: memory stays flat, and since the
# chunk does not depend on jobs or backend, neither do the scores.
CHUNK_ROWS = 2**14
