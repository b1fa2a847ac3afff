"""Rows and reference points in, one checked score per row out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from oddrank._random import child
from oddrank.bounding_box import BoundingBox
from oddrank.errors import DetectorError, DetectorFailedError
from oddrank.reference.points import (
    CHUNK_ROWS,
    PointSampler,
    ScoredReference,
)
from oddrank.table import FloatArray, Table

__all__ = ["ScoredReference", "score_of_points", "score_reference", "score_table"]


def score_table(function: Callable[[Any], Any], table: Table, name: str) -> FloatArray:
    """Score all rows of a table, in chunks.

    Parameters
    ----------
    function : callable
        Higher = more normal; see `oddrank.normality`.
    table : Table
    name : str
        What the detector is called in messages.
    """
    chunks = [
        _score_chunk(function, table, table.values[start : start + CHUNK_ROWS], name)
        for start in range(0, table.n_rows, CHUNK_ROWS)
    ]
    return np.concatenate(chunks)


def score_reference(
    function: Callable[[Any], Any],
    sampler: PointSampler,
    box: BoundingBox,
    table: Table,
    name: str,
    *,
    root: np.random.SeedSequence,
    indices: range | None = None,
) -> list[ScoredReference]:
    """Score replicates of the sampler, all by default; points are dropped as soon as scored.

    Each replicate has a stream of its own, so that points do not depend on who asks for them.
    """
    replicates = []
    for index in range(sampler.n_replicates) if indices is None else indices:
        random = np.random.default_rng(child(root, "reference", index))
        scores, log_weights = [], []
        for chunk in sampler.replicate(box, table.values, random):
            scores.append(_score_chunk(function, table, chunk.points, name))
            if chunk.log_weights is not None:
                log_weights.append(chunk.log_weights)
        replicates.append(
            ScoredReference(
                scores=np.concatenate(scores),
                log_weights=np.concatenate(log_weights) if log_weights else None,
            )
        )
    return replicates


def score_of_points(
    function: Callable[[Any], Any], table: Table, name: str
) -> Callable[[FloatArray], FloatArray]:
    """Return a function of plain points, for samplers that look at scores; it works in chunks."""
    return lambda points: score_table(function, table.with_values(points), name)


def detector_name(detector: Any) -> str:
    """Return what a detector or function is called in messages."""
    return getattr(detector, "__name__", None) or type(detector).__name__


def _score_chunk(
    function: Callable[[Any], Any], table: Table, values: FloatArray, name: str
) -> FloatArray:
    try:
        with warnings.catch_warnings():
            # Some of scikit-learn's detectors drop the names of a frame before they ask themselves.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            scores = function(table.wrap(values))
    except NotFittedError:
        raise DetectorError(
            f"{name} is not fitted, so it cannot score rows. "
            "Fit it first, or let evaluate_detector fit it."
        ) from None
    except Exception as error:
        raise DetectorFailedError(
            f"{name} failed to score {len(values)} rows of {table.n_features} features: "
            f"{type(error).__name__}: {error}"
        ) from error
    return _checked(scores, len(values), name)


def _checked(scores: Any, n_rows: int, name: str) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=np.float64)
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
            f"{name} returned NaN for {n_missing} of {n_rows} rows, which have no place in an "
            "order. Mend the detector, or clip what it divides by."
        )
    return values
