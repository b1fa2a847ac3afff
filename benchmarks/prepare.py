"""What the paper's authors did between loading a dataset and fitting a detector.

They kept at most a tenth as many anomalies as normal rows, standardised every feature over the rows
that were left, shuffled these, and took two halves. In the novelty setting training rows hold no
anomaly, and EM and MV see none either. In the unsupervised setting anomalies stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from benchmarks.datasets import load
from oddrank._random import stream

SETTINGS = ("novelty", "unsupervised")
# Anomalies per normal row.
MOST_ANOMALIES = 0.1
# A sample of rows keeps this many anomalies: with fewer in a half, ROC areas are noise.
FEWEST_ANOMALIES = 50

FloatArray = npt.NDArray[np.float64]
LabelArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """A dataset made ready for one setting of the paper.

    Attributes
    ----------
    X_train : array
        What detectors are fitted on.
    X_criteria : array
        The test rows on which EM and MV are measured: in the novelty setting the normal ones.
    X_test, y_test : arrays
        The whole second half and its labels, for ROC and precision-recall.
    lower, upper : arrays of shape (n_features,)
        The range of all rows, anomalies included: the paper's box when all features are used.
    """

    X_train: FloatArray
    X_criteria: FloatArray
    X_test: FloatArray
    y_test: LabelArray
    lower: FloatArray
    upper: FloatArray


def paper_split(X: Any, y: Any, setting: str, seed: int) -> Split:
    """Cap, scale, shuffle and halve, then take the rows that a setting uses."""
    if setting not in SETTINGS:
        raise ValueError(f"The setting must be one of {SETTINGS}. Got {setting!r} instead.")
    root = np.random.SeedSequence(seed)
    kept = capped(y, stream(root, "prepare", 0))
    X, y = StandardScaler().fit_transform(np.asarray(X)[kept]), np.asarray(y)[kept]
    order = stream(root, "prepare", 1).permutation(len(y))
    first, second = order[: len(y) // 2], order[len(y) // 2 :]
    train, criteria = first, second
    if setting == "novelty":
        train, criteria = first[y[first] == 0], second[y[second] == 0]
    return Split(
        X_train=X[train],
        X_criteria=X[criteria],
        X_test=X[second],
        y_test=y[second],
        lower=X.min(axis=0),
        upper=X.max(axis=0),
    )


def capped(y: Any, random: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return the rows to keep, in order: all normal ones, and a random choice of the anomalies."""
    anomalies, normal = np.flatnonzero(np.asarray(y) == 1), np.flatnonzero(np.asarray(y) == 0)
    allowed = int(MOST_ANOMALIES * len(normal))
    if len(anomalies) > allowed:
        anomalies = random.choice(anomalies, size=allowed, replace=False)
    return np.sort(np.concatenate([normal, anomalies]))


@lru_cache(maxsize=2)
def split_of(name: str, setting: str, seed: int, max_rows: int = 0) -> Split:
    """Return the split of a dataset, or of a sample of at most `max_rows` of its rows."""
    X, y = _rows(name)
    if max_rows and len(y) > max_rows:
        kept = _sample(y, max_rows, stream(np.random.SeedSequence(seed), "split"))
        X, y = X[kept], y[kept]
    return paper_split(X, y, setting, seed)


@lru_cache(maxsize=1)
def _rows(name: str) -> tuple[FloatArray, LabelArray]:
    dataset = load(name)
    return dataset.X, dataset.y


def _sample(y: LabelArray, max_rows: int, random: np.random.Generator) -> npt.NDArray[np.intp]:
    odd, ordinary = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_odd = min(len(odd), max(FEWEST_ANOMALIES, round(max_rows * len(odd) / len(y))))
    parts = (
        random.choice(odd, n_odd, replace=False),
        random.choice(ordinary, min(len(ordinary), max_rows - n_odd), replace=False),
    )
    return np.sort(np.concatenate(parts))


def labelled_areas(scores: FloatArray, y: LabelArray) -> dict[str, float | None]:
    """Return ROC and PR areas of scores (higher = more normal); None where one label is missing."""
    if len(np.unique(y)) < 2:
        return {"roc": None, "pr": None}
    finite = np.nan_to_num(-scores, posinf=np.finfo(float).max, neginf=np.finfo(float).min)
    return {
        "roc": float(roc_auc_score(y, finite)),
        "pr": float(average_precision_score(y, finite)),
    }
