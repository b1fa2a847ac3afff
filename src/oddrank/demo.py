"""The demonstration: six detectors on data that scikit-learn ships. `make demo`, `oddrank demo`.

Benign and a few malignant tumours, three features, no labels for the detectors; at the end the
labels are held against the verdict.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank.datasets import load_embedded, prepare
from oddrank.inspection import check_against_labels
from oddrank.ranking import Ranking, rank_detectors
from oddrank.rows import Table

__all__ = ["demo_data", "demo_ranking", "main"]

FEATURES = ("mean texture", "mean area", "mean concave points")
DETECTORS = {
    "Gaussian": EllipticEnvelope(),
    "Gaussian mixture": GaussianMixture(n_components=2),
    "isolation forest": IsolationForest(),
    "kernel density": KernelDensity(bandwidth=0.5),
    "local outlier factor": LocalOutlierFactor(novelty=True),
    "one-class SVM": OneClassSVM(nu=0.1),
}


def demo_data() -> tuple[Table, npt.NDArray[np.int64]]:
    """Return the rows, and the labels that no detector sees."""
    data = prepare.cap_anomalies(load_embedded("breast_cancer"), random_state=0)
    columns = [data.feature_names.index(name) for name in FEATURES]
    return Table(values=data.X[:, columns], feature_names=FEATURES), data.y


def demo_ranking(rows: Table, **options: Any) -> Ranking:
    """Rank six detectors; options are those of `rank_detectors`."""
    return rank_detectors(DETECTORS, rows, **options)


def main() -> None:
    """Print the ranking, and what the labels say."""
    rows, labels = demo_data()
    ranking = demo_ranking(rows, random_state=0)
    check = check_against_labels(ranking, rows, labels)
    sys.stdout.write(f"{ranking}\n\n{check.sentence}\n")


if __name__ == "__main__":
    main()
