"""The one place where score signs are decided: higher = more normal, whatever the detector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.pipeline import Pipeline
from sklearn.svm import OneClassSVM
from sklearn.utils.validation import validate_data

from oddrank._typing import FloatArray
from oddrank._validation import check_option
from oddrank.errors import DetectorError

__all__ = ["ORIENTATIONS", "RadialKernelSum", "is_radial_one_class_svm", "normality_function"]

ORIENTATIONS = (None, "normality", "abnormality")
# 64 rows of 5,000 kernel values are 2.5 MB: they stay in the cache between the three steps.
_BLOCK_ROWS = 64


def normality_function(detector: Any, *, orientation: str | None = None) -> Callable[[Any], Any]:
    """Return a function of rows whose values are higher the more normal a row is.

    Parameters
    ----------
    detector : object
        One of

        - a scikit-learn outlier detector, density estimator (`KernelDensity`, `GaussianMixture`),
          or anything else with a `score_samples` method: higher is more normal by scikit-learn's
          convention. Outlier detectors without it are asked for `decision_function`;
        - a PyOD detector: its `decision_function` is higher for more abnormal rows, and negated;
        - a `Pipeline` or a search around one of these: the last step decides;
        - a function of rows, taken to be higher for more normal rows.
    orientation : None, "normality" or "abnormality"
        What high scores mean. None asks for the conventions above; naming it overrules them, and
        is needed for objects that follow none of them.

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

    What is an outlier detector by scikit-learn's own class, a `LabelFreeSearchCV` too, answers for
    its own scores.
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
    """Tell whether this is a PyOD detector, without importing PyOD."""
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


def _unknown_sentence(detector: Any) -> str:
    name = type(detector).__name__
    if hasattr(detector, "decision_function"):
        return (
            f"{name} has a decision_function whose direction is not known: it is neither a "
            "scikit-learn outlier detector nor a PyOD detector. Say what high values mean with "
            "orientation='normality' or orientation='abnormality'."
        )
    return (
        f"{name} cannot score rows: it has no score_samples or decision_function method and is "
        "not a function. Pass an outlier detector, a density estimator, or a function of rows."
    )


def is_radial_one_class_svm(detector: Any) -> bool:
    """Tell whether this is scikit-learn's own class, fitted on dense rows with the radial kernel.

    Sub-classes may score in their own way and keep it.
    """
    return (
        type(detector) is OneClassSVM
        and detector.kernel == "rbf"
        and isinstance(getattr(detector, "support_vectors_", None), np.ndarray)
    )


class RadialKernelSum:
    """`Σ αₖ exp(-γ ‖x - xₖ‖²)` over the support vectors of a fitted `OneClassSVM`.

    libsvm sums the kernel over the support vectors point by point. The same sum in blocks that fit
    into a processor's cache, with vectorised exponentials, is several times as fast (`make bench`),
    and one-class SVMs are what a ranking waits for. Distances are summed as libsvm sums them,
    feature by feature: a row's score does not depend on the rows beside it.

    The same as its `score_samples`, up to rounding: that subtracts the offset and adds it again, so
    that far points tie, which here keep their order.

    Parameters
    ----------
    detector : OneClassSVM
    """

    def __init__(self, detector: OneClassSVM) -> None:
        self.detector = detector

    def __call__(self, rows: Any) -> FloatArray:
        """Score rows; what scikit-learn would refuse is refused in its words."""
        values = validate_data(self.detector, rows, dtype=np.float64, reset=False)
        vectors, weights = self.detector.support_vectors_, self.detector.dual_coef_[0]
        scores = np.empty(len(values))
        for start in range(0, len(values), _BLOCK_ROWS):
            kernel = cdist(values[start : start + _BLOCK_ROWS], vectors, "sqeuclidean")
            kernel *= -self.detector._gamma
            np.exp(kernel, out=kernel)
            # a product by BLAS may round a row by its place in the block; this does not
            scores[start : start + _BLOCK_ROWS] = np.einsum("ij,j->i", kernel, weights)
        return scores
