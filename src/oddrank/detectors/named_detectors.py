"""Detectors by short names, and named sets of them.

scikit-learn's detectors are always available; PyOD's are if PyOD is installed. The score of a row
must depend on that row alone, so ECOD and COPOD are not offered.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oddrank.errors import InvalidParameterError, missing_extra

__all__ = ["DETECTORS", "PRESETS", "pool_of"]


def _forest() -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest()


def _lof() -> Any:
    from sklearn.neighbors import LocalOutlierFactor

    return LocalOutlierFactor(n_neighbors=50, novelty=True)


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

    return GaussianMixture(n_components=1, reg_covar=1e-3)


def _robust() -> Any:
    from sklearn.covariance import EllipticEnvelope

    # A Gaussian that odd rows do not distort; it takes minutes where `gaussian` takes seconds.
    return EllipticEnvelope()


def _mixture() -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(n_components=8, reg_covar=1e-3)


def _copula() -> Any:
    from sklearn.mixture import GaussianMixture
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import QuantileTransformer

    # Every feature by its ranks, as normal scores: far values do not hide odd combinations.
    ranks = QuantileTransformer(n_quantiles=100, output_distribution="normal")
    return make_pipeline(ranks, GaussianMixture(n_components=1, reg_covar=1e-2))


def _value() -> Any:
    from oddrank.detectors.single_values import LargestValue

    return LargestValue()


def _residual() -> Any:
    from oddrank.detectors.single_values import LargestResidual

    return LargestResidual()


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
    "copula": _copula,
    "value": _value,
    "residual": _residual,
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
    # no neighbours: time grows with the number of rows alone
    "fast": ("forest", "mixture", "copula", "residual", "value"),
    # chosen for its committee, with tables left out: benchmarks/odd_tables
    "default": ("forest", "lof", "mixture", "copula", "residual", "value"),
    "all": tuple(DETECTORS),
}


def pool_of(names: Sequence[str]) -> dict[str, Any]:
    """Return detectors by their names, and those of presets, such as "fast".

    A preset leaves out PyOD's detectors if PyOD is not installed. To name one is then an error.

    Examples
    --------
    >>> list(pool_of(["forest", "lof"]))
    ['forest', 'lof']
    """
    chosen: list[str] = []
    for name in names:
        if name in PRESETS:
            chosen += [each for each in PRESETS[name] if each not in _PYOD or _has_pyod()]
        elif name in DETECTORS:
            chosen.append(name)
        else:
            raise InvalidParameterError(
                f"There is no detector or preset {name!r}. Presets: {', '.join(PRESETS)}; "
                f"detectors: {', '.join(DETECTORS)}."
            )
    return {name: DETECTORS[name]() for name in dict.fromkeys(chosen)}


def _has_pyod() -> bool:
    return importlib.util.find_spec("pyod") is not None
