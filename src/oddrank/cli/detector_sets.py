"""Detectors by short names, and named sets of them.

scikit-learn's detectors are always available; PyOD's are if PyOD is installed. The score of a row
must depend on that row alone, so ECOD and COPOD are not offered.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oddrank.errors import InvalidParameterError, missing_extra

__all__ = ["DETECTORS", "PRESETS", "detectors_from", "named_detectors"]


def _forest() -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest()


def _lof() -> Any:
    from sklearn.neighbors import LocalOutlierFactor

    return LocalOutlierFactor(novelty=True)


def _svm() -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import SGDOneClassSVM
    from sklearn.pipeline import make_pipeline

    # Time grows with the number of rows, not with its square as in the exact SVM.
    return make_pipeline(Nystroem(n_components=50), SGDOneClassSVM(nu=0.1))


def _exact_svm() -> Any:
    from sklearn.svm import OneClassSVM

    return OneClassSVM(nu=0.1)


def _gaussian() -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(n_components=1)


def _robust() -> Any:
    from sklearn.covariance import EllipticEnvelope

    # A Gaussian that odd rows do not distort; it takes minutes where `gaussian` takes seconds.
    return EllipticEnvelope()


def _mixture() -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(n_components=5, reg_covar=1e-4)


def _density() -> Any:
    from sklearn.neighbors import KernelDensity

    return KernelDensity(bandwidth="scott")


def _pyod(module: str, name: str) -> Callable[[], Any]:
    def make() -> Any:
        if importlib.util.find_spec("pyod") is None:
            raise missing_extra(f"The detector {module!r} needs PyOD", "pyod")
        return getattr(importlib.import_module(f"pyod.models.{module}"), name)()

    return make


DETECTORS: Mapping[str, Callable[[], Any]] = {
    "forest": _forest,
    "lof": _lof,
    "svm": _svm,
    "gaussian": _gaussian,
    "mixture": _mixture,
    "density": _density,
    "robust": _robust,
    "exact_svm": _exact_svm,
    "knn": _pyod("knn", "KNN"),
    "hbos": _pyod("hbos", "HBOS"),
    "loda": _pyod("loda", "LODA"),
    "pca": _pyod("pca", "PCA"),
}

_PYOD = ("knn", "hbos", "loda", "pca")

PRESETS: Mapping[str, tuple[str, ...]] = {
    "fast": ("forest", "gaussian", "mixture", "svm", "hbos"),
    "default": ("forest", "lof", "svm", "gaussian", "mixture", "knn", "hbos"),
    "all": tuple(DETECTORS),
}


def named_detectors(text: str) -> dict[str, Any]:
    """Return detectors from a list of names and presets, such as "fast,lof".

    A preset leaves out PyOD's detectors if PyOD is not installed. To name one is then an error.
    """
    chosen: list[str] = []
    for name in (part.strip() for part in text.split(",") if part.strip()):
        if name in PRESETS:
            chosen += [each for each in PRESETS[name] if each not in _PYOD or _has_pyod()]
        elif name in DETECTORS:
            chosen.append(name)
        else:
            raise InvalidParameterError(
                f"There is no detector or preset {name!r}. Presets: {', '.join(PRESETS)}; "
                f"detectors: {', '.join(DETECTORS)}."
            )
    if not chosen:
        raise InvalidParameterError(
            "--detectors names no detector. Without it oddrank uses a good set."
        )
    return {name: DETECTORS[name]() for name in dict.fromkeys(chosen)}


def named_detector(text: str, who: str) -> tuple[str, Any]:
    """Return the one detector that a text names, and its name."""
    chosen = named_detectors(text)
    if len(chosen) != 1:
        raise InvalidParameterError(f"{who} takes one detector. Got {text!r}.")
    return next(iter(chosen.items()))


def detectors_from(place: str) -> Any:
    """Return the detectors that `module:name` holds, or that calling it returns.

    Modules in the current folder are found, as `python -m` finds them.
    """
    module_name, colon, attribute = place.partition(":")
    if not (module_name.strip(".") and colon and attribute):
        raise InvalidParameterError(
            f"--detectors-from needs module:name, such as my_module:detectors. Got {place!r}."
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise InvalidParameterError(
            f"The module {module_name!r} of --detectors-from cannot be imported: "
            f"{_in_words(error)}. Mend it, or name another one."
        ) from error
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise InvalidParameterError(
            f"The module {module_name!r} has no {attribute!r}. Name a mapping of names to "
            "detectors in it, or a function that returns one."
        ) from None
    try:
        detectors = found() if callable(found) else found
    except (Exception, SystemExit) as error:
        raise InvalidParameterError(
            f"The function {place!r} of --detectors-from failed: {_in_words(error)}. "
            "It is called without arguments, and returns a mapping of names to detectors."
        ) from error
    if not isinstance(detectors, Mapping | Sequence) or isinstance(detectors, str):
        raise InvalidParameterError(
            f"--detectors-from {place} must be a mapping of names to detectors, or a list of "
            f"detectors. Got {type(detectors).__name__} instead."
        )
    return detectors


def _in_words(error: BaseException) -> str:
    text = str(error).strip().rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _has_pyod() -> bool:
    return importlib.util.find_spec("pyod") is not None
