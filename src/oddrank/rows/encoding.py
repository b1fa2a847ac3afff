"""Columns of any type as numbers that detectors understand."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from oddrank._typing import FloatArray
from oddrank._validation import check_integer
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
    gap becomes the median of the training rows, and a column of 0 and 1 beside it says where gaps
    were, so that a gap itself can be odd.

    A category becomes a column of 0 and 1 for each level (scikit-learn's `OneHotEncoder`); levels
    in fewer than 2 % of the rows share one column. Beside these stands the logarithm of the
    level's frequency, so that a rare level stays visible however many there are. A gap is an extra
    level.

    Parameters
    ----------
    max_levels : int
        Levels of a category that get a column; the rarest share the last one.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> list(encoder.get_feature_names_out())
    ['size', 'size_missing', 'colour_blue', 'colour_red', 'colour_frequency']
    >>> encoder.transform(frame).round(2)
    array([[ 1.  ,  0.  ,  0.  ,  1.  , -0.41],
           [ 2.  ,  1.  ,  1.  ,  0.  , -1.1 ],
           [ 3.  ,  0.  ,  0.  ,  1.  , -0.41]])
    """

    def __init__(self, *, max_levels: int = 20) -> None:
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any = None) -> TableEncoder:  # noqa: ARG002
        """Learn levels and their frequencies, medians, and which parts of dates vary."""
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
        gaps = np.asarray(np.isnan(table.values).any(axis=0))
        self.with_gaps_ = [
            name
            for name, kind, has_gaps in zip(self.names_, self.kinds_, gaps, strict=True)
            if has_gaps and kind != "category"
        ]
        self.imputer_ = SimpleImputer(strategy="median", keep_empty_features=True)
        if self._number_names():
            self.imputer_.fit(self._numbers(table))
        self.one_hot_ = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=self.max_levels,
            min_frequency=RARE_LEVEL,
            sparse_output=False,
        )
        self.counts_: list[dict[str, int]] = []
        self.gap_counts_: list[int] = []
        self.n_rows_ = table.n_rows
        if "category" in self.kinds_:
            texts = self._texts(table)
            self.one_hot_.fit(texts)
            for column in texts.T.tolist():
                counts = Counter(column)
                self.gap_counts_.append(counts.pop(None, 0))
                self.counts_.append(dict(counts))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return numbers without gaps.

        A level that training did not have is 1 in the column that rare levels share; where there
        is none, it is 0 in all columns of its category. Its frequency counts as half a row.
        """
        check_is_fitted(self)
        table = self._checked(X)
        parts: list[FloatArray] = []
        if self._number_names():
            parts.append(np.asarray(self.imputer_.transform(self._numbers(table)), dtype=float))
            places = [self.names_.index(name) for name in self.with_gaps_]
            parts.append(np.isnan(table.values[:, places]).astype(float))
        if "category" in self.kinds_:
            texts = self._texts(table)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Found unknown categories")
                parts.append(np.asarray(self.one_hot_.transform(texts)))
            parts.append(self._log_frequencies(texts))
        return np.hstack(parts)

    def _log_frequencies(self, texts: npt.NDArray[Any]) -> FloatArray:
        found = np.empty(texts.shape)
        for j, (counts, n_gaps) in enumerate(zip(self.counts_, self.gap_counts_, strict=True)):
            known = {level: max(count, 0.5) for level, count in (*counts.items(), (None, n_gaps))}
            found[:, j] = [known.get(text, 0.5) for text in texts[:, j]]
        return np.asarray(np.log(found / self.n_rows_))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:  # noqa: ARG002
        """Return the names of the columns."""
        check_is_fitted(self)
        names = [*self._number_names(), *(f"{name}_missing" for name in self.with_gaps_)]
        if "category" in self.kinds_:
            categories = self._named("category")
            names += list(self.one_hot_.get_feature_names_out(categories))
            names += [f"{name}_frequency" for name in categories]
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
