"""What oddrank reads from a user's data: numbers, feature names, and the container they came in.

Detectors are handed rows in the container they were given in (a pandas frame stays a pandas frame),
so that pipelines which select columns by name work, on reference points too.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError

__all__ = ["CHUNK_ROWS"]

_MAX_NAMED = 5
FEW_DISTINCT = 10


@dataclass(frozen=True, kw_only=True)
class Table:
    """Finite numbers with feature names.

    Attributes
    ----------
    values : array of shape (n_rows, n_features)
    feature_names : tuple of str
        The frame's column names, or `x0`, `x1`, … for arrays.
    container : "numpy", "pandas" or "polars"
        What `wrap` gives back.
    labels : tuple
        The frame's own column labels, which need not be text.
    """

    values: FloatArray
    feature_names: tuple[str, ...]
    container: str = "numpy"
    labels: tuple[Any, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    def wrap(self, values: FloatArray) -> Any:
        """Return `values` in the container the user's data came in."""
        if self.container == "numpy":
            return values
        # Not from sys.modules: a worker process may not have imported the library yet.
        library = importlib.import_module(self.container)
        if self.container == "pandas":
            return library.DataFrame(values, columns=list(self.labels or self.feature_names))
        return library.DataFrame(values, schema=list(self.feature_names))

    def rows(self, index: npt.NDArray[np.intp]) -> Table:
        """Return the table of these rows."""
        return self.with_values(self.values[index])

    def features(self, index: npt.NDArray[np.intp]) -> Table:
        """Return the table of these features."""
        return replace(
            self,
            values=self.values[:, index],
            feature_names=tuple(self.feature_names[j] for j in index),
            labels=tuple(self.labels[j] for j in index) if self.labels else (),
        )

    def without_rows(self) -> Table:
        """Return names and container alone."""
        return self.with_values(np.empty((0, self.n_features)))

    def with_values(self, values: FloatArray) -> Table:
        """Return a table of the same features that holds `values`."""
        return replace(self, values=values)


def as_table(X: Any, *, name: str = "X", minimum_rows: int = 2) -> Table:
    """Read an array or a frame, and refuse what cannot be evaluated.

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).feature_names
    ('x0', 'x1')
    """
    if isinstance(X, Table):
        return X
    container = _container_of(X)
    names = _feature_names(X, container, name)
    values = _as_numbers(X, container, names, name)
    names = names or tuple(f"x{j}" for j in range(values.shape[1]))
    _check_rows(values, name, minimum_rows)
    _check_finite(values, names, name)
    labels = tuple(X.columns) if container == "pandas" else ()
    return Table(values=values, feature_names=names, container=container, labels=labels)


def few_valued_features(table: Table) -> list[str]:
    """Return the features with fewer than 10 distinct values: volume says little about them."""
    return [
        name
        for name, column in zip(table.feature_names, table.values.T, strict=True)
        # A look at the first rows settles it for almost every continuous feature.
        if len(np.unique(column[:1000])) < FEW_DISTINCT and len(np.unique(column)) < FEW_DISTINCT
    ]


def check_same_features(table: Table, other: Table, name: str, other_name: str) -> None:
    """Refuse two tables whose features differ in number or in name."""
    if table.n_features != other.n_features:
        raise InvalidDataError(
            f"{name} has {table.n_features} features but {other_name} has {other.n_features}. "
            "Give both the same columns, in the same order."
        )
    if "numpy" in {table.container, other.container}:
        return  # arrays have no names of their own
    for position, (left, right) in enumerate(
        zip(table.feature_names, other.feature_names, strict=True)
    ):
        if left != right:
            raise InvalidDataError(
                f"Column {position} is {left!r} in {name} but {right!r} in {other_name}. "
                "Give both the same columns, in the same order."
            )


def _container_of(X: Any) -> str:
    for library in ("pandas", "polars"):
        module = sys.modules.get(library)
        if module is not None and isinstance(X, module.DataFrame):
            return library
    return "numpy"


def _feature_names(X: Any, container: str, name: str) -> tuple[str, ...]:
    if container == "numpy":
        return ()
    names = tuple(str(column) for column in X.columns)
    repeated = sorted(column for column, count in Counter(names).items() if count > 1)
    if repeated:
        raise InvalidDataError(
            f"{name} has more than one column called {_listed(repeated)}. "
            "Rename or drop the copies before evaluating."
        )
    return names


def _as_numbers(X: Any, container: str, names: tuple[str, ...], name: str) -> FloatArray:
    if container != "numpy":
        columns = [X.iloc[:, j] if container == "pandas" else X[:, j] for j in range(len(names))]
        text = [names[j] for j, column in enumerate(columns) if not _is_numeric(column)]
        if text:
            raise InvalidDataError(
                f"{name} has columns that are not numbers: {_listed(text)}. "
                "Drop or encode them before evaluating."
            )
        arrays = [_column_of_numbers(column, container) for column in columns]
        return np.column_stack(arrays) if arrays else np.empty((len(X), 0))
    if hasattr(X, "toarray"):
        raise InvalidDataError(
            f"{name} is a sparse matrix, and volumes need every value. Pass {name}.toarray()."
        )
    try:
        values = np.asarray(X)
        if values.dtype.kind not in "biuf":
            values = _numbers_from_objects(values)
        values = values.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError(
            f"{name} holds values that are not numbers. "
            "Pass a numeric array, or a pandas or polars frame of numeric columns."
        ) from None
    if values.ndim != 2:
        raise InvalidDataError(
            f"{name} must be a table with rows and features (two dimensions). "
            f"Got {values.ndim} dimension{'s' if values.ndim != 1 else ''}; "
            f"reshape a single feature with {name}.reshape(-1, 1)."
        )
    return np.ascontiguousarray(values)


def _column_of_numbers(column: Any, container: str) -> FloatArray:
    if container == "pandas":  # nullable columns have a missing value of their own
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _numbers_from_objects(values: npt.NDArray[Any]) -> FloatArray:
    # Text such as "1.5" converts without complaint in numpy; here it is a mistake to be told.
    if values.dtype.kind != "O" or any(isinstance(value, str) for value in values.ravel()):
        raise TypeError
    return values.astype(np.float64)


def _is_numeric(column: Any) -> bool:
    if hasattr(column.dtype, "is_numeric"):  # polars
        return bool(column.dtype.is_numeric()) or str(column.dtype) == "Boolean"
    types = sys.modules["pandas"].api.types
    return bool(types.is_numeric_dtype(column.dtype)) and not types.is_complex_dtype(column.dtype)


def _check_rows(values: FloatArray, name: str, minimum_rows: int) -> None:
    if values.shape[1] == 0:
        raise InvalidDataError(f"{name} has no features. Give at least one numeric column.")
    if values.shape[0] < minimum_rows:
        need = "masses need at least 2" if minimum_rows > 1 else "there is nothing to score"
        raise InvalidDataError(
            f"{name} has {values.shape[0]} row{'s' if values.shape[0] != 1 else ''}, and {need}. "
            "Give more data."
        )


def _check_finite(values: FloatArray, names: tuple[str, ...], name: str) -> None:
    if np.isfinite(values).all():
        return
    found = []
    for j, feature in enumerate(names):
        missing = int(np.isnan(values[:, j]).sum())
        infinite = int(np.isinf(values[:, j]).sum())
        counts = [f"{missing} NaN"] * bool(missing) + [f"{infinite} infinite"] * bool(infinite)
        if counts:
            found.append(f"{feature!r} ({', '.join(counts)})")
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
