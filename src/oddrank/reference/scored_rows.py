"""The input and output of samplers: rows, points and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.rows import BoundingBox

__all__ = ["ReferencePoints", "ScoredReference", "ScoredRows"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferencePoints:
    """A chunk of reference points.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
    log_weights : array of shape (n_points,), or None
        Logarithm of the share of the box's volume that each point carries. Over a whole replicate
        the shares sum to 1 in expectation. None says that all points carry the same share.
    """

    points: FloatArray
    log_weights: FloatArray | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredReference:
    """Scores and weights of one replicate of reference points.

    Attributes
    ----------
    scores : array of shape (n_points,)
    log_weights : array of shape (n_points,), or None
        None where all points carry the same share of the volume.
    movement : float
        Share of accepted moves at the level set where chains move least; 1 for points that need no
        chains.
    """

    scores: FloatArray
    log_weights: FloatArray | None
    movement: float = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredRows:
    """One detector and the rows it is measured on: the input of a sampler.

    Attributes
    ----------
    score : callable
        Points in, one score each out, higher = more normal.
    box : BoundingBox
    rows, row_scores : arrays
        Rows and their scores.
    target : float
        Level sets up to this score are to be resolved.
    root : SeedSequence
        The only source of randomness. Each replicate has its own stream, so points do not depend
        on the caller.
    continuous : array of bool, or None
        Which columns are numbers or dates with many values, if these are the user's raw rows: in
        their own units, with categories as numbers and NaN for gaps. None if all columns are plain
        numbers that have been scaled.
    """

    score: Callable[[FloatArray], FloatArray]
    box: BoundingBox
    rows: FloatArray
    row_scores: FloatArray
    target: float
    root: np.random.SeedSequence
    continuous: BoolArray | None = None
