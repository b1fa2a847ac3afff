"""Samplers of reference points: what they give, and their properties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from oddrank._random import child, stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.errors import InvalidDataError
from oddrank.reference.scored_rows import ReferencePoints, ScoredReference, ScoredRows
from oddrank.rows import DIRECT_FEATURES, BoundingBox

__all__ = [
    "LEBESGUE",
    "AdaptingSampler",
    "FollowingSampler",
    "PointSampler",
    "ReferenceSampler",
    "SeenPoints",
]

LEBESGUE = "Lebesgue"


@dataclass(frozen=True, kw_only=True, eq=False)
class SeenPoints:
    """Replicates that were scored, and the sampler that gives the next ones.

    Attributes
    ----------
    points : PointSampler or None
        None for a sampler that follows scores, which gives all replicates at once.
    replicates : list of ScoredReference
    """

    points: PointSampler | None
    replicates: list[ScoredReference]


class ReferenceSampler(ABC):
    """Where volumes come from, in independent replicates.

    A sampler is a `PointSampler`, an `AdaptingSampler` or a `FollowingSampler`. `measure` names the
    reference measure, and is part of every result: EM and MV of different measures cannot be
    compared. Every measure except "Lebesgue" is a probability: its total is 1.
    """

    #: Name of the reference measure.
    measure: Any = LEBESGUE
    #: The relative error that points are drawn for; None where their number is fixed.
    target_error: ClassVar[float | None] = None
    #: Whether points come from chains, which may hardly move.
    has_chains: ClassVar[bool] = False
    #: In more features than this, volumes can hardly be estimated.
    most_features: ClassVar[int] = DIRECT_FEATURES
    #: Points that only show where to look, and count in no volume.
    pilot_points: Any = 0

    n_replicates: Any

    @property
    def title(self) -> str:
        """The name of the measure among others."""
        return str(self.measure)

    @property
    def of_volume(self) -> bool:
        """Whether weighted points stand for ordinary volume."""
        return bool(self.measure == LEBESGUE)

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""
        return int(self.n_points)  # type: ignore[attr-defined]

    @property
    def points_in_words(self) -> str:
        """How many points one detector scores."""
        return f"{self.n_replicates * self.points_per_replicate + self.pilot_points:,}"

    @property
    def stages(self) -> tuple[int, ...]:
        """Numbers of replicates after which the accuracy is checked."""
        return (self.n_replicates,)

    @property
    def first_look(self) -> ReferenceSampler:
        """The same points, up to the first stage only."""
        return self

    def is_reached(self, error: float, n_replicates: int) -> bool:  # noqa: ARG002
        """Return whether an error from this many replicates is safely below the target."""
        return True

    def thinned(self, share: float) -> ReferenceSampler:
        """Return the sampler with a share of its points."""
        fewer = max(1, int(self.n_points * share))  # type: ignore[attr-defined]
        return replace(self, n_points=fewer)  # type: ignore[type-var]

    def log_total(self, box: BoundingBox) -> float:
        """Return the logarithm of what all points of a replicate together stand for."""
        return box.log_volume if self.of_volume else 0.0

    @abstractmethod
    def look(self, at: ScoredRows, seen: SeenPoints | None = None) -> Iterator[SeenPoints]:
        """Score points, and yield all that were scored so far after each of `stages`.

        Parameters
        ----------
        at : ScoredRows
        seen : SeenPoints, optional
            Points that the same detector scored before with the same root; it keeps them.
        """


class PointSampler(ReferenceSampler):
    """Anything that turns a box into weighted points, the same for all detectors."""

    @abstractmethod
    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk.

        Parameters
        ----------
        box : BoundingBox
        rows : array
            Rows, for samplers that follow the data.
        random : numpy Generator
            The only source of randomness; the same state gives the same points.
        """

    def replicate_raw(
        self, box: BoundingBox, rows: FloatArray, continuous: BoolArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate among the user's raw rows (see `ScoredRows.continuous`).

        Samplers of volume work with numbers only.
        """
        if not continuous.all() or np.isnan(rows).any():
            raise InvalidDataError(
                f"{type(self).__name__} draws points among numbers without gaps only. Use a "
                "reference measure such as ReferenceMixture(), or encode the columns first."
            )
        yield from self.replicate(box, rows, random)

    def look(self, at: ScoredRows, seen: SeenPoints | None = None) -> Iterator[SeenPoints]:
        """Score all replicates; points are dropped as soon as they are scored."""
        replicates = list(seen.replicates) if seen else []
        replicates += self.score_replicates(at, range(len(replicates), self.n_replicates))
        yield SeenPoints(points=self, replicates=replicates)

    def score_replicates(self, at: ScoredRows, indices: range) -> list[ScoredReference]:
        """Score the replicates with these numbers."""
        replicates = []
        for index in indices:
            random = np.random.default_rng(child(at.root, "reference", index))
            scores, log_weights = [], []
            chunks = (
                self.replicate(at.box, at.rows, random)
                if at.continuous is None
                else self.replicate_raw(at.box, at.rows, at.continuous, random)
            )
            for chunk in chunks:
                scores.append(at.score(chunk.points))
                if chunk.log_weights is not None:
                    log_weights.append(chunk.log_weights)
            replicates.append(
                ScoredReference(
                    scores=np.concatenate(scores),
                    log_weights=np.concatenate(log_weights) if log_weights else None,
                )
            )
        return replicates


class AdaptingSampler(ReferenceSampler):
    """Anything that looks at the scores of one detector once, and is then a `PointSampler`."""

    @abstractmethod
    def adapt(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        rows: FloatArray,
        row_scores: FloatArray,
        random: np.random.Generator,
    ) -> PointSampler:
        """Return a sampler of points for this detector.

        Parameters
        ----------
        score : callable
            Points in, one score each out, higher = more normal.
        box : BoundingBox
        rows, row_scores : arrays
            Rows and their scores.
        random : numpy Generator
            The only source of randomness.
        """

    def look(self, at: ScoredRows, seen: SeenPoints | None = None) -> Iterator[SeenPoints]:
        """Score replicates stage after stage."""
        points = seen.points if seen else None
        if points is None:
            random = stream(at.root, "reference")
            points = self.adapt(at.score, at.box, at.rows, at.row_scores, random)
        replicates = list(seen.replicates) if seen else []
        for stop in self.stages:
            replicates += points.score_replicates(at, range(len(replicates), stop))
            yield SeenPoints(points=points, replicates=replicates)


class FollowingSampler(ReferenceSampler):
    """Anything that chooses its points by their scores, for each detector separately."""

    has_chains = True
    #: Chains work in many features, but not in any number of them.
    most_features = 50

    @property
    def points_in_words(self) -> str:
        """How many points one detector scores."""
        return f"at most {super().points_in_words}"

    def thinned(self, share: float) -> ReferenceSampler:  # noqa: ARG002
        """Return itself: with fewer points it would not reach the inner level sets."""
        return self

    @abstractmethod
    def follow(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        target: float,
        random: np.random.Generator,
    ) -> list[ScoredReference]:
        """Return scores and weights of all replicates.

        Parameters
        ----------
        score : callable
            Points in, one score each out, higher = more normal.
        box : BoundingBox
        target : float
            Level sets up to this score are to be resolved.
        random : numpy Generator
            The only source of randomness; the same state gives the same points.
        """

    def look(
        self,
        at: ScoredRows,
        seen: SeenPoints | None = None,  # noqa: ARG002
    ) -> Iterator[SeenPoints]:
        """Score all replicates."""
        replicates = self.follow(at.score, at.box, at.target, stream(at.root, "reference"))
        yield SeenPoints(points=None, replicates=replicates)


def rows_in_random_order(rows: FloatArray, size: int, random: np.random.Generator) -> FloatArray:
    """Return `size` rows; no row is repeated before all were taken once."""
    whole, rest = divmod(size, len(rows))
    rounds = [random.permutation(len(rows)) for _ in range(whole)]
    order = np.concatenate([*rounds, random.choice(len(rows), rest, replace=False)])
    return np.asarray(rows[order])


def principal_axes(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of the rows, their principal axes, and their deviations along these."""
    center = rows.mean(axis=0)
    centered = rows - center
    variances, axes = np.linalg.eigh(centered.T @ centered / len(rows))
    return center, axes.T, np.sqrt(np.maximum(variances, 0.0))
