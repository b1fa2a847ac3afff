"""The rows of a dataset in one setting of the paper, and the areas by their labels."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score

from oddrank._random import root_of, stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.benchmark.specification import DatasetSpec
from oddrank.criteria import CriteriaOptions, innermost_threshold
from oddrank.datasets import load, prepare, read_table
from oddrank.detectors import FittedDetector
from oddrank.inspection import anomaly_labels
from oddrank.reference import ScoredRows
from oddrank.rows import BoundingBox, Table

__all__ = ["criteria_rows", "labelled_areas", "scored_rows", "split_of"]

# With fewer anomalies in a half, ROC areas are noise.
FEWEST_ANOMALIES = 50

LabelArray = npt.NDArray[np.int64]


def split_of(
    dataset: DatasetSpec, setting: str, seed: int, max_rows: int, data_home: str | None
) -> tuple[prepare.Split, str]:
    """Return the prepared rows of a dataset, and a hash of what they were made from."""
    path = Path(dataset.path).expanduser()
    state = (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None
    return _split(dataset, setting, seed, max_rows, data_home, state=state)


@lru_cache(maxsize=2)
def _split(
    dataset: DatasetSpec,
    setting: str,
    seed: int,
    max_rows: int,
    data_home: str | None,
    *,
    state: tuple[int, int] | None,  # noqa: ARG001 (a file that has changed is read again)
) -> tuple[prepare.Split, str]:
    X, y = _loaded(dataset, data_home)
    if max_rows and len(y) > max_rows:
        kept = _sampled(y, max_rows, stream(root_of(seed, "run_benchmark"), "split"))
        X, y = X[kept], y[kept]
    split = prepare.paper_split((X, y), setting, random_state=seed)
    return split, str(joblib.hash((X, y)))


def _loaded(dataset: DatasetSpec, data_home: str | None) -> tuple[FloatArray, LabelArray]:
    if not dataset.path:
        loaded = load(dataset.name, data_home=data_home, progress=False)
        return loaded.X, loaded.y
    table = read_table(dataset.path, label=dataset.label or None)
    if table.labels is None:
        return table.X, np.zeros(len(table.X), dtype=np.int64)
    labels = anomaly_labels(table.labels, dataset.anomaly)
    known = ~np.isnan(labels)  # rows without a label are neither normal nor odd
    return table.X[known], labels[known].astype(np.int64)


def _sampled(y: LabelArray, max_rows: int, random: np.random.Generator) -> npt.NDArray[np.intp]:
    """Take a sample of the rows; it keeps as many rare anomalies as ROC areas need."""
    odd, ordinary = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_odd = min(len(odd), max(FEWEST_ANOMALIES, round(max_rows * len(odd) / len(y))))
    parts = (
        random.choice(odd, n_odd, replace=False),
        random.choice(ordinary, min(len(ordinary), max_rows - n_odd), replace=False),
    )
    return np.sort(np.concatenate(parts))


def criteria_rows(split: prepare.Split) -> BoolArray:
    """Return which test rows EM and MV are measured on: in the novelty setting the normal ones."""
    if split.setting == "novelty":
        return np.asarray(split.y_test == 0)
    return np.ones(len(split.y_test), dtype=bool)


def scored_rows(
    fitted: FittedDetector,
    test: Table,
    scores: FloatArray,
    split: prepare.Split,
    *,
    box: BoundingBox,
    root: np.random.SeedSequence,
) -> ScoredRows:
    """Return what samplers need: the test rows of `criteria_rows`, with their scores."""
    counted = criteria_rows(split)
    return ScoredRows(
        score=fitted.score_of_points(test),
        box=box,
        rows=test.values[counted],
        row_scores=scores[counted],
        target=innermost_threshold(scores[counted], CriteriaOptions()),
        root=root,
    )


def labelled_areas(scores: FloatArray, split: prepare.Split) -> dict[str, Any]:
    """Return ROC and PR areas of scores (higher = more normal) against the labels."""
    if len(np.unique(split.y_test)) < 2:
        return {"roc": None, "pr": None}
    finite = np.nan_to_num(-scores, posinf=np.finfo(float).max, neginf=np.finfo(float).min)
    return {
        "roc": float(roc_auc_score(split.y_test, finite)),
        "pr": float(average_precision_score(split.y_test, finite)),
    }
