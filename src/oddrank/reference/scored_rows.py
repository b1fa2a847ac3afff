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
    "ScoredPoints",
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
    """

    points: FloatArray
    log_weights: FloatArray | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredPoints:
    """Scores and weights of the points of one measure, replicate by replicate.

    Attributes
    ----------
    scores : tuple of arrays
    log_weights : tuple of arrays
        Empty where all points of a replicate carry the same share of the volume.
    movement : float
        Share of accepted moves at the level set where chains move least; 1 for points that need no
        chains.
    """

    scores: tuple[FloatArray, ...]
    log_weights: tuple[FloatArray, ...] = ()
    movement: float = 1.0

    def __len__(self) -> int:
        return len(self.scores)

    def __add__(self, other: ScoredPoints) -> ScoredPoints:
        return ScoredPoints(
            scores=self.scores + other.scores,
            log_weights=self.log_weights + other.log_weights,
            movement=min(self.movement, other.movement),
        )

    def replicates(self) -> list[tuple[FloatArray, FloatArray | None]]:
        """Return scores and log weights of every replicate; no weights where all are equal."""
        weights = self.log_weights or (None,) * len(self)
        return list(zip(self.scores, weights, strict=True))


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
) -> ScoredPoints:
    """Score points and log weights, if they have any, of several replicates of one size."""
    points, *log_weights = together
    return ScoredPoints(
        scores=tuple(np.split(score(points), n_replicates)),
        log_weights=tuple(np.split(log_weights[0], n_replicates)) if log_weights else (),
    )


def score_chunks(
    score: Callable[[FloatArray], FloatArray], chunks: Iterator[ReferencePoints]
) -> ScoredPoints:
    """Score one replicate; points are dropped as soon as they are scored."""
    scores, log_weights = [], []
    for chunk in chunks:
        scores.append(score(chunk.points))
        if chunk.log_weights is not None:
            log_weights.append(chunk.log_weights)
    return ScoredPoints(
        scores=(np.concatenate(scores),),
        log_weights=(np.concatenate(log_weights),) if log_weights else (),
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
