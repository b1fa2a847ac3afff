"""`make demo`: three detectors on the breast-cancer data that scikit-learn ships."""

from __future__ import annotations

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from oddrank.detector_evaluation import evaluate_detector
from oddrank.evaluation import Evaluation

__all__ = ["main"]

DETECTORS = {
    "isolation forest": IsolationForest(),
    "one-class SVM": OneClassSVM(),
    "local outlier factor": LocalOutlierFactor(novelty=True),
}


def main() -> None:
    """Evaluate three detectors and print a table with errors."""
    data = load_breast_cancer()
    X = StandardScaler().fit_transform(data.data[:, :5])
    evaluations = {
        name: evaluate_detector(detector, X, mass_range=(0.9, 0.99), random_state=0)
        for name, detector in DETECTORS.items()
    }
    sys.stdout.write(_table(evaluations) + "\n")


def _table(evaluations: dict[str, Evaluation]) -> str:
    head = f"{'detector':<22}{'excess mass (bigger is better)':<36}mass volume (smaller is better)"
    rows = [
        f"{name:<22}{evaluation.excess_mass!s:<36}{evaluation.mass_volume}"
        for name, evaluation in evaluations.items()
    ]
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main()
