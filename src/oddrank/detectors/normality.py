"""The one place where score signs are decided: higher = more normal, whatever the detector."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.svm import OneClassSVM

from oddrank._typing import FloatArray
from oddrank._validation import check_option
from oddrank.detectors.radial_svm import RadialKernelSum
from oddrank.errors import DetectorError, DetectorFailedError
from oddrank.rows import CHUNK_ROWS, Table

__all__ = [
    "ORIENTATIONS",
    "FittedDetector",
    "LentRows",
    "innermost",
    "is_pyod",
    "is_radial_one_class_svm",
    "normality_function",
]

ORIENTATIONS = (None, "normality", "abnormality")


def normality_function(detector: Any, *, orientation: str | None = None) -> Callable[[Any], Any]:
    """Return a function of rows whose values are higher the more normal a row is.

    Parameters
    ----------
    detector : object
        One of

        - a scikit-learn outlier detector, density estimator (`KernelDensity`, `GaussianMixture`),
          or anything else with a `score_samples` method: higher is more normal by scikit-learn's
          convention. For outlier detectors without it, `decision_function` is used;
        - a PyOD detector: its `decision_function` is higher for more abnormal rows, and negated;
        - a `Pipeline` or a search around one of these: the last step decides;
        - a function of rows, taken to be higher for more normal rows.
    orientation : None, "normality" or "abnormality"
        What high scores mean. None follows the conventions above. A given value overrules
        them. Objects that follow none of the conventions need it.

    Examples
    --------
    >>> score = normality_function(lambda X: X[:, 0] ** 2, orientation="abnormality")
    >>> import numpy as np
    >>> score(np.array([[1.0], [3.0]]))
    array([-1., -9.])
    """
    check_option(orientation, "orientation", "normality_function", ORIENTATIONS)
    method, high_is_normal = _method_and_sign(detector, orientation)
    return method if high_is_normal else _Negated(method)


class _Negated:
    # A class, not a closure: it can be pickled and sent to workers.
    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, rows: Any) -> Any:
        # as floats first: unsigned and boolean scores have no negative
        return -np.asarray(self.function(rows), dtype=np.float64)


def _method_and_sign(detector: Any, orientation: str | None) -> tuple[Callable[[Any], Any], bool]:
    core = innermost(detector)
    if isinstance(detector, type):
        raise DetectorError(
            f"{detector.__name__} is a class, not a detector. Pass an instance: "
            f"{detector.__name__}()."
        )
    _refuse_inlier_only_lof(core)
    if is_pyod(core):
        return detector.decision_function, orientation == "normality"
    if is_radial_one_class_svm(detector):
        return RadialKernelSum(detector), orientation != "abnormality"
    if hasattr(detector, "score_samples"):
        # "Log-likelihood, or higher for more normal" throughout scikit-learn.
        return detector.score_samples, orientation != "abnormality"
    if _is_outlier_detector(core) and hasattr(detector, "decision_function"):
        return detector.decision_function, orientation != "abnormality"
    if orientation is not None and hasattr(detector, "decision_function"):
        return detector.decision_function, orientation == "normality"
    if callable(detector):
        return detector, orientation != "abnormality"
    raise DetectorError(_unknown_sentence(detector))


def innermost(detector: Any) -> Any:
    """Return the detector inside pipelines and searches.

    An outlier detector by scikit-learn's own class keeps its own scores, and so does a
    `LabelFreeSearchCV`.
    """
    if isinstance(detector, OutlierMixin):
        return detector
    if isinstance(detector, Pipeline):
        return innermost(detector.steps[-1][1])
    if hasattr(detector, "best_estimator_"):
        return innermost(detector.best_estimator_)
    if hasattr(detector, "param_grid") or hasattr(detector, "param_distributions"):
        return innermost(detector.estimator)
    return detector


def is_pyod(detector: Any) -> bool:
    """Return whether this is a PyOD detector, without importing PyOD."""
    return any(
        base.__name__ == "BaseDetector" and base.__module__.partition(".")[0] == "pyod"
        for base in type(detector).__mro__
    )


def _is_outlier_detector(core: Any) -> bool:
    if getattr(core, "_estimator_type", None) == "outlier_detector":
        return True
    if not isinstance(core, BaseEstimator) or not hasattr(core, "__sklearn_tags__"):
        return False
    return bool(core.__sklearn_tags__().estimator_type == "outlier_detector")


def _refuse_inlier_only_lof(core: Any) -> None:
    if type(core).__name__ == "LocalOutlierFactor" and getattr(core, "novelty", True) is False:
        raise DetectorError(
            "LocalOutlierFactor(novelty=False) cannot score new points. Use novelty=True."
        )


def is_radial_one_class_svm(detector: Any) -> bool:
    """Return whether this is scikit-learn's own class, fitted on dense rows, with a radial kernel.

    Sub-classes may score in their own way, and keep it.
    """
    return (
        type(detector) is OneClassSVM
        and detector.kernel == "rbf"
        and isinstance(getattr(detector, "support_vectors_", None), np.ndarray)
    )


def _unknown_sentence(detector: Any) -> str:
    name = type(detector).__name__
    if hasattr(detector, "decision_function"):
        return (
            f"{name} has a decision_function whose direction is not known: it is neither a "
            "scikit-learn outlier detector nor a PyOD detector. Set what high values mean with "
            "orientation='normality' or orientation='abnormality'."
        )
    return (
        f"{name} cannot score rows: it has no score_samples or decision_function method and is "
        "not a function. Pass an outlier detector or a density estimator; evaluate_scores also "
        "takes a function of rows."
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedDetector:
    """A fitted detector, and the one place where its scores get their sign.

    Attributes
    ----------
    name : str
        What it is called in messages.
    detector : object
        The library's own detector: `oddrank.detectors.normality` says which are understood.
    orientation : None, "normality" or "abnormality"
        What high scores mean; None takes the library's convention.
    """

    name: str
    detector: Any
    orientation: str | None = None

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return normality_function(self.detector, orientation=self.orientation)

    @cached_property
    def _last(self) -> LastAnswer:
        return LastAnswer()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again where it is needed: skops reads no inherited methods."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def score(self, table: Table) -> FloatArray:
        """Score all rows of a table, in chunks: higher = more normal."""
        chunks = [
            self._score_chunk(table, table.values[start : start + CHUNK_ROWS])
            for start in range(0, table.n_rows, CHUNK_ROWS)
        ]
        return np.concatenate(chunks)

    def score_of_points(self, like: Table) -> Callable[[FloatArray], FloatArray]:
        """Return a function of plain points, which are passed on in the form of `like`."""
        return lambda points: self.score(like.with_values(points))

    def _score_chunk(self, table: Table, values: FloatArray) -> FloatArray:
        rows = LentRows(table, values)
        try:
            with warnings.catch_warnings():
                # Some of scikit-learn's detectors drop a frame's names before they call themselves.
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                # Rows and points may have levels that no training row of a fold has.
                warnings.filterwarnings("ignore", message="Found unknown categories")
                scores = self._function(rows.lent)
        except NotFittedError:
            raise DetectorError(
                f"{self.name} is not fitted, so it cannot score rows. "
                "Fit it first, or let evaluate_detector fit it."
            ) from None
        except (Exception, SystemExit) as error:
            raise DetectorFailedError(
                f"{self.name} failed to score {len(values)} rows of {table.n_features} features: "
                f"{type(error).__name__}: {error}"
            ) from error
        rows.check_unchanged(self.name)
        checked = _checked(scores, len(values), self.name)
        self._last.check_kept(scores, self.name)
        return checked


def _checked(scores: Any, n_rows: int, name: str) -> FloatArray:
    try:
        values = np.array(scores, dtype=np.float64)  # a copy: the detector may reuse its own
    except (TypeError, ValueError):
        raise DetectorFailedError(
            f"{name} returned scores that are not numbers. It must return one number per row."
        ) from None
    if values.shape == (n_rows, 1):
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise DetectorFailedError(
            f"{name} returned scores of shape {values.shape} for {n_rows} rows. "
            "It must return one number per row."
        )
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        raise DetectorFailedError(
            f"{name} returned NaN for {n_missing} of {n_rows} rows, and NaN cannot be ordered. "
            "Correct the detector; a division by 0 is a common cause."
        )
    return values


class LentRows:
    """A copy of rows for one detector, so that its changes do not reach the others.

    Parameters
    ----------
    table : Table
        How the rows are wrapped.
    values : array
    """

    def __init__(self, table: Table, values: FloatArray) -> None:
        self._values = values
        self._table = table
        self._plain = values.copy() if table.is_plain else values
        self.lent = table.wrap(self._plain)

    def check_unchanged(self, name: str) -> None:
        """Refuse a detector that has written into its copy.

        Frames of several types are made again for every call, and are not checked.
        """
        if not self._table.is_plain or self._unchanged():
            return
        raise DetectorFailedError(
            f"{name} changes the rows it is given, so its figures would depend on other users of "
            "these rows. Let it work on a copy (copy=True in scikit-learn's transformers)."
        )

    def _unchanged(self) -> bool:
        now = np.asarray(self.lent)
        return now.shape == self._values.shape and np.array_equal(now, self._values)


class LastAnswer:
    """The last scores of a detector, and a copy of them."""

    def __init__(self) -> None:
        self._given: Any = None
        self._then: FloatArray | None = None

    def check_kept(self, given: Any, name: str) -> None:
        """Refuse a detector whose last scores have changed since, and keep the new ones."""
        if self._then is not None and not np.array_equal(self._flat(self._given), self._then):
            raise DetectorFailedError(
                f"{name} returns the same array every time, so earlier scores change when it is "
                "called again. Let it return a new array each time."
            )
        self._given, self._then = given, self._flat(given).copy()

    @staticmethod
    def _flat(given: Any) -> FloatArray:
        return np.asarray(given, dtype=np.float64).reshape(-1)
