"""Columns of any type as numbers that detectors understand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from oddrank._typing import FloatArray
from oddrank._validation import check_integer, check_option
from oddrank.errors import InvalidDataError
from oddrank.rows.joint_tables import check_columns
from oddrank.rows.table import Table, as_table, with_types

__all__ = ["TableEncoder"]

# Rarer levels share a column: scaling would make a separate column outweigh all others.
RARE_LEVEL = 0.02
_SECONDS = 1e6
_DAY = 86_400
# 1 January 1970 was a Thursday; Monday is 0.
_FIRST_WEEKDAY = 3


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers, booleans, categories and dates of a frame as columns of numbers, without gaps.

    Numbers stay as they are. Booleans become 0 and 1. Durations become seconds, times of the day
    seconds since midnight. Dates become seconds since 1970 and, if they vary, weekday and hour. A
    category becomes a column of 0 and 1 for each level (scikit-learn's `OneHotEncoder`); levels in
    fewer than 2 % of the rows share one column. A gap in a number becomes the median of the
    training rows. A gap in a category is an extra level.

    Parameters
    ----------
    gaps : "impute" or "keep"
        "keep" adds a column of 0 and 1 for each number with gaps, so that detectors see them.
    max_levels : int
        Levels of a category; the rarest share the last one.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> list(encoder.get_feature_names_out())
    ['size', 'colour_blue', 'colour_red']
    >>> encoder.transform(frame)
    array([[1., 0., 1.],
           [2., 1., 0.],
           [3., 0., 1.]])
    """

    def __init__(self, *, gaps: str = "impute", max_levels: int = 20) -> None:
        self.gaps = gaps
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any = None) -> TableEncoder:  # noqa: ARG002
        """Learn levels, medians, and which parts of dates vary."""
        check_option(self.gaps, "gaps", "TableEncoder", ("impute", "keep"))
        check_integer(self.max_levels, "max_levels", "TableEncoder", minimum=2)
        table = with_types(as_table(X), X)
        self.n_features_in_ = table.n_features
        self.names_ = list(table.feature_names)
        if table.container != "numpy":
            self.feature_names_in_ = np.array(self.names_, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of a former fit
        self.kinds_ = [column.kind for column in table.columns]
        self.date_parts_ = {
            name: _varying_parts(table.values[:, j])
            for j, (name, kind) in enumerate(zip(self.names_, self.kinds_, strict=True))
            if kind == "date"
        }
        self.imputer_ = SimpleImputer(
            strategy="median", add_indicator=self.gaps == "keep", keep_empty_features=True
        )
        if self._number_names():
            self.imputer_.fit(self._numbers(table))
        self.one_hot_ = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=self.max_levels,
            min_frequency=RARE_LEVEL,
            sparse_output=False,
        )
        if "category" in self.kinds_:
            self.one_hot_.fit(self._texts(table))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return numbers without gaps.

        A level that training did not have is 1 in the column that rare levels share; where there
        is none, it is 0 in all columns of its category.
        """
        check_is_fitted(self)
        table = self._checked(X)
        parts: list[FloatArray] = []
        if self._number_names():
            parts.append(np.asarray(self.imputer_.transform(self._numbers(table)), dtype=float))
        if "category" in self.kinds_:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Found unknown categories")
                parts.append(np.asarray(self.one_hot_.transform(self._texts(table))))
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:  # noqa: ARG002
        """Return the names of the columns."""
        check_is_fitted(self)
        names: list[str] = []
        if numbers := self._number_names():
            added = self.imputer_.get_feature_names_out(np.array(numbers, dtype=object))
            names = [name.replace("missingindicator_", "missing_") for name in added]
        if "category" in self.kinds_:
            names += list(self.one_hot_.get_feature_names_out(self._named("category")))
        return np.array(names, dtype=object)

    def _named(self, kind: str) -> list[str]:
        return [n for n, k in zip(self.names_, self.kinds_, strict=True) if k == kind]

    def _number_names(self) -> list[str]:
        names: list[str] = []
        for name, kind in zip(self.names_, self.kinds_, strict=True):
            if kind == "date":
                names += [name, *(f"{name}_{part}" for part in self.date_parts_[name])]
            elif kind != "category":
                names.append(name)
        return names

    def _numbers(self, table: Table) -> FloatArray:
        found: list[FloatArray] = []
        for j, (name, kind) in enumerate(zip(self.names_, self.kinds_, strict=True)):
            values = table.values[:, j]
            if kind == "date":
                seconds = values / _SECONDS
                found += [seconds, *(_PARTS[part](seconds) for part in self.date_parts_[name])]
            elif kind == "duration":
                found.append(values / _SECONDS)
            elif kind != "category":
                found.append(values)
        return np.column_stack(found) if found else np.empty((table.n_rows, 0))

    def _texts(self, table: Table) -> npt.NDArray[Any]:
        columns = [
            [None if level is None else str(level) for level in column.decode_list(values)]
            for kind, column, values in zip(self.kinds_, table.columns, table.values.T, strict=True)
            if kind == "category"
        ]
        return np.array(columns, dtype=object).T

    def _checked(self, X: Any) -> Table:
        table = with_types(as_table(X, minimum_rows=1), X)
        if table.n_features != self.n_features_in_:
            raise InvalidDataError(  # in scikit-learn's words, which its checks look for
                f"X has {table.n_features} features, but TableEncoder is expecting "
                f"{self.n_features_in_} features as input. Give the same columns."
            )
        if hasattr(self, "feature_names_in_"):
            check_columns(table, self.names_)
        for name, then, values, column in zip(
            self.names_, self.kinds_, table.values.T, table.columns, strict=True
        ):
            same = then in (column.kind, "category") or bool(np.isnan(values).all())
            if not same and {then, column.kind} != {"number", "boolean"}:
                raise InvalidDataError(
                    f"Column {name!r} held {then} values when the encoder was fitted, and holds "
                    f"{column.kind} values now. Give the same types."
                )
        return table


def _weekday(seconds: FloatArray) -> FloatArray:
    return np.asarray((np.floor(seconds / _DAY) + _FIRST_WEEKDAY) % 7)


def _hour(seconds: FloatArray) -> FloatArray:
    return np.asarray(np.floor(seconds / 3600) % 24)


_PARTS = {"weekday": _weekday, "hour": _hour}


def _varying_parts(microseconds: FloatArray) -> list[str]:
    seconds = microseconds[~np.isnan(microseconds)] / _SECONDS
    return [part for part, of in _PARTS.items() if len(np.unique(of(seconds))) > 1]
