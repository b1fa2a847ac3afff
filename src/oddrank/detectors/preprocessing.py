"""What happens to rows before a detector sees them: the user's transformer, then scaling."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from oddrank._typing import FloatArray
from oddrank.detectors.normality import FittedDetector, innermost, is_pyod
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows import Table, TableEncoder, as_table, is_frame

__all__ = [
    "PlainNumbers",
    "PreparedDetector",
    "as_preprocess",
    "check_rows_suit",
    "fits_into_pipeline",
    "preparation",
    "read_for_fit",
]


class PlainNumbers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns the output of a transformer into an array of numbers; sparse output becomes dense."""

    def fit(self, X: Any, y: Any = None) -> PlainNumbers:  # noqa: ARG002
        """Store the number of columns."""
        self.n_features_in_ = self.transform(X).shape[1]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return an array of numbers, or say which columns are not numbers."""
        table = as_table(X.toarray() if hasattr(X, "toarray") else X, minimum_rows=1)
        if any(column.kind not in ("number", "boolean") for column in table.columns):
            raise InvalidDataError(
                table.why_not_plain("What preprocess= returns") + " Let it encode or drop them."
            )
        return table.values

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names that came in."""
        return input_features


class PreparedDetector:
    """A fitted detector behind fitted transformers, for detectors that fit into no `Pipeline`.

    Parameters
    ----------
    preparation : fitted Pipeline of transformers
    fitted : FittedDetector
    """

    def __init__(self, preparation: Any, fitted: FittedDetector) -> None:
        self.preparation = preparation
        self.fitted = fitted

    def score_samples(self, X: Any) -> Any:
        """Return scores of raw rows, higher = more normal."""
        return self.fitted.score(as_table(self.preparation.transform(X), minimum_rows=1))


def preparation(preprocess: Any, table: Table, *, scale: bool) -> list[Any]:
    """Return the transformers before a detector, in their order."""
    steps: list[Any] = []
    if preprocess is not None:
        steps = [clone(preprocess), PlainNumbers()]
    if scale and (steps or table.is_plain):
        scaler = StandardScaler()
        if not steps and table.container in ("pandas", "polars"):
            scaler.set_output(transform=table.container)
        steps.append(scaler)
    return steps


def as_preprocess(preprocess: Any, table: Table, owner: str) -> Any:
    """Return the transformer ("auto" gives one for all types), and try it before work starts.

    "auto" does nothing if all columns are plain numbers.
    """
    if isinstance(preprocess, str) and preprocess == "auto":
        return None if table.is_plain else TableEncoder()
    if preprocess is None:
        return None
    if isinstance(preprocess, type) or not all(
        hasattr(preprocess, method) for method in ("fit", "transform")
    ):
        raise InvalidParameterError(
            f"The 'preprocess' parameter of {owner} must be 'auto', None or a transformer with fit "
            f"and transform, such as a ColumnTransformer. Got {preprocess!r} instead."
        )
    few = table.rows(np.arange(min(table.n_rows, 1000)))
    try:
        fitted = clone(preprocess).fit(few.wrap(few.values))
        found = fitted.transform(few.wrap(few.values))
        PlainNumbers().fit(found)
    except InvalidDataError:
        raise
    except Exception as error:
        raise InvalidDataError(
            f"The 'preprocess' parameter of {owner} fails on these rows: {type(error).__name__}: "
            f"{error}"
        ) from error
    return preprocess


def check_rows_suit(detectors: Sequence[Any], table: Table, preprocess: Any, name: str) -> None:
    """Refuse, before any work starts, rows that none of these detectors can take."""
    if table.is_plain or preprocess is not None:
        return
    numeric = all(column.kind in ("number", "boolean") for column in table.columns)
    if any(_may_take(detector, gaps_only=numeric) for detector in detectors):
        return
    remedy = "Drop those rows or impute them" if numeric else "Drop or encode them"
    raise InvalidDataError(
        f"{table.why_not_plain(name)} {remedy} before evaluating. preprocess='auto' encodes and "
        "imputes in every fold, and preprocess= takes any transformer. Detectors may also be "
        "pipelines that do it themselves."
    )


def read_for_fit(
    estimator: Any, X: Any, detectors: Sequence[Any], preprocess: Any, *, minimum_rows: int
) -> Table:
    """Read the rows that a scikit-learn estimator of ours is fitted on, with its own checks.

    scikit-learn has no checks for columns of several types.
    """
    if is_frame(X):
        table = as_table(X, minimum_rows=minimum_rows)
        if not table.is_plain:
            estimator.n_features_in_ = table.n_features
            estimator.feature_names_in_ = np.array(table.feature_names, dtype=object)
            return table
    takes_gaps = preprocess is not None or any(_may_take(d, gaps_only=True) for d in detectors)
    validate_data(
        estimator,
        X,
        dtype=np.float64,
        ensure_min_samples=minimum_rows,
        ensure_all_finite="allow-nan" if takes_gaps else True,
    )
    return as_table(X, minimum_rows=minimum_rows)


def _may_take(detector: Any, *, gaps_only: bool) -> bool:
    """Return whether a detector might take such rows; unknown classes are tried."""
    if isinstance(detector, Pipeline) or innermost(detector) is not detector:
        return True
    if is_pyod(detector):
        return False
    if type(detector).__module__.partition(".")[0] != "sklearn":
        return True
    return gaps_only and bool(detector.__sklearn_tags__().input_tags.allow_nan)


def fits_into_pipeline(detector: Any) -> bool:
    """Return whether scikit-learn's `Pipeline` can fit it: with parameters and y."""
    if not (isinstance(detector, BaseEstimator) or is_pyod(detector)):
        return False
    parameters = inspect.signature(detector.fit).parameters.values()
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return takes_any or len([p for p in parameters if p.kind is not p.KEYWORD_ONLY]) >= 2
