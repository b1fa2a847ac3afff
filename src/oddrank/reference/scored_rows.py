"""The input and output of samplers: rows, points and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows import BoundingBox

__all__ = [
    "Place",
    "ReferencePoints",
    "ScoredReference",
    "ScoredRows",
    "check_numbers",
    "points_together",
    "rows_in_random_order",
    "score_chunks",
    "score_together",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferencePoints:
    """A chunk of reference points.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
    log_weights : array of shape (n_points,), or None
        Logarithm of the share of the box's volume that each point carries. Over a whole replicate
        the shares sum to 1 in expectation. None says that all points carry the same share.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.reference import ReferencePoints
    >>> chunk = ReferencePoints(points=np.zeros((4, 2)), log_weights=None)  # equal weights
    >>> chunk.points.shape
    (4, 2)
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

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.reference import ScoredReference
    >>> ScoredReference(scores=np.array([0.5, 0.1]), log_weights=None).movement
    1.0
    """

    scores: FloatArray
    log_weights: FloatArray | None
    movement: float = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Place:
    """Rows and their box: where points are drawn, whoever scores them.

    Attributes
    ----------
    box : BoundingBox
    rows : array
    root : SeedSequence
        The only source of randomness. Each replicate has its own stream, so points do not depend
        on the caller.
    continuous : array of bool, or None
        Which columns are numbers or dates with many values, if these are the user's raw rows: in
        their own units, with categories as numbers and NaN for gaps. None if all columns are plain
        numbers that have been scaled.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import BoundingBox
    >>> from oddrank.reference import Place
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> box = BoundingBox.from_arrays(X)
    >>> place = Place(box=box, rows=X, root=np.random.SeedSequence(0))
    >>> place.continuous is None  # all columns are plain numbers
    True
    """

    box: BoundingBox
    rows: FloatArray
    root: np.random.SeedSequence
    continuous: BoolArray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredRows(Place):
    """One detector and the rows it is measured on: what a sampler may look at.

    Attributes
    ----------
    score : callable
        Points in, one score each out, higher = more normal.
    row_scores : array
        Scores of the rows.
    target : float
        Level sets up to this score are to be resolved.
    prepared : tuple of arrays
        What `ReferenceSampler.prepare` gave for this place; empty where nothing was prepared.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import BoundingBox
    >>> from oddrank.reference import ScoredRows
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> box = BoundingBox.from_arrays(X)
    >>> def score(rows):
    ...     return -(rows**2).sum(axis=1)
    >>> root = np.random.SeedSequence(0)
    >>> at = ScoredRows(
    ...     box=box, rows=X, root=root, score=score, row_scores=score(X), target=-4.0
    ... )
    >>> at.score(at.rows[:1]) == at.row_scores[:1]
    array([ True])
    """

    score: Callable[[FloatArray], FloatArray]
    row_scores: FloatArray
    target: float
    prepared: tuple[FloatArray, ...] = ()


def points_together(chunks: Sequence[ReferencePoints]) -> tuple[FloatArray, ...]:
    """Return the points of all chunks, and their log weights if they have any."""
    points = np.concatenate([chunk.points for chunk in chunks])
    log_weights = [chunk.log_weights for chunk in chunks if chunk.log_weights is not None]
    return (points, np.concatenate(log_weights)) if log_weights else (points,)


def score_together(
    score: Callable[[FloatArray], FloatArray], together: tuple[FloatArray, ...], n_replicates: int
) -> list[ScoredReference]:
    """Score points and log weights, if they have any, of several replicates of one size."""
    points, *log_weights = together
    parts = [np.split(score(points), n_replicates)]
    parts += [np.split(each, n_replicates) for each in log_weights]
    return [
        ScoredReference(scores=scores, log_weights=weights[0] if weights else None)
        for scores, *weights in zip(*parts, strict=True)
    ]


def score_chunks(
    score: Callable[[FloatArray], FloatArray], chunks: Iterator[ReferencePoints]
) -> ScoredReference:
    """Score one replicate; points are dropped as soon as they are scored."""
    scores, log_weights = [], []
    for chunk in chunks:
        scores.append(score(chunk.points))
        if chunk.log_weights is not None:
            log_weights.append(chunk.log_weights)
    return ScoredReference(
        scores=np.concatenate(scores),
        log_weights=np.concatenate(log_weights) if log_weights else None,
    )


def check_numbers(rows: FloatArray, continuous: BoolArray, owner: str) -> None:
    """Refuse rows that are not all numbers."""
    if not continuous.all() or np.isnan(rows).any():
        raise InvalidDataError(
            f"{owner} draws points among numbers without gaps only. Use a "
            "reference measure such as ReferenceMixture(), or encode the columns first."
        )


def rows_in_random_order(rows: FloatArray, size: int, random: np.random.Generator) -> FloatArray:
    """Return `size` rows; none a second time before all were taken once."""
    whole, rest = divmod(size, len(rows))
    rounds = [random.permutation(len(rows)) for _ in range(whole)]
    order = np.concatenate([*rounds, random.choice(len(rows), rest, replace=False)])
    return np.asarray(rows[order])
