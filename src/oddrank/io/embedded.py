"""Datasets that scikit-learn ships: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets as scikit_learn

from oddrank._validation import check_option
from oddrank.io.dataset import Dataset

# The paper keeps attributes with at least this many distinct values.
MIN_DISTINCT = 10


@dataclass(frozen=True, kw_only=True)
class _Embedded:
    loader: Callable[[], Any]
    anomaly_class: int
    source: str
    citation: str


_EMBEDDED = {
    "breast_cancer": _Embedded(
        loader=scikit_learn.load_breast_cancer,
        anomaly_class=0,
        source='scikit-learn\'s copy of UCI "Breast Cancer Wisconsin (Diagnostic)"; '
        "anomalies: malignant",
        citation="Wolberg, W., Mangasarian, O., Street, N., Street, W. (1993). Breast Cancer "
        "Wisconsin (Diagnostic). UCI Machine Learning Repository. doi:10.24432/C5DW2B",
    ),
    "digits": _Embedded(
        loader=scikit_learn.load_digits,
        anomaly_class=4,
        source="scikit-learn's copy of the test part of UCI \"Optical Recognition of Handwritten "
        'Digits"; anomalies: the digit 4; pixels with fewer than 10 distinct values left out',
        citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. "
        "UCI Machine Learning Repository. doi:10.24432/C50P49",
    ),
    "wine": _Embedded(
        loader=scikit_learn.load_wine,
        anomaly_class=2,
        source='scikit-learn\'s copy of UCI "Wine"; anomalies: the third cultivar',
        citation="Aeberhard, S., Forina, M. (1992). Wine. UCI Machine Learning Repository. "
        "doi:10.24432/C5PC7J",
    ),
}


def load_embedded(name: str = "breast_cancer") -> Dataset:
    """Return a dataset that scikit-learn ships, with one of its classes as the anomalies.

    Parameters
    ----------
    name : "breast_cancer", "digits" or "wine"

    Returns
    -------
    Dataset
        Features with fewer than 10 distinct values are skipped, as in the paper. Anomalies are
        as frequent as their class.

    Examples
    --------
    >>> from oddrank.io import load_embedded
    >>> cancer = load_embedded("breast_cancer")
    >>> cancer.n_rows, cancer.n_features, cancer.n_anomalies
    (569, 30, 212)
    """
    check_option(name, "name", "load_embedded", tuple(_EMBEDDED))
    embedded = _EMBEDDED[name]
    bunch = embedded.loader()
    X = np.asarray(bunch.data, dtype=np.float64)
    keep = [j for j, column in enumerate(X.T) if len(np.unique(column)) >= MIN_DISTINCT]
    names = [str(feature) for feature in bunch.feature_names]
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X[:, keep]),
        y=(np.asarray(bunch.target) == embedded.anomaly_class).astype(np.int64),
        feature_names=tuple(names[j] for j in keep),
        source=embedded.source,
        citation=embedded.citation,
        licence="CC BY 4.0",
    )
