"""Samplers that choose points by the scores of one detector."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator

import numpy as np

from oddrank._random import stream
from oddrank._typing import FloatArray
from oddrank.reference.points import PointSampler, ReferenceSampler, SeenPoints
from oddrank.reference.scored_rows import Place, ScoredReference, ScoredRows
from oddrank.rows import BoundingBox

__all__ = ["AdaptingSampler", "FollowingSampler"]


class AdaptingSampler(ReferenceSampler):
    """Anything that looks at the scores of one detector once, and is then a `PointSampler`.

    Examples
    --------
    >>> from oddrank.reference import AdaptingSampler, AutoReference
    >>> issubclass(AutoReference, AdaptingSampler)
    True
    """

    @abstractmethod
    def prepare(self, place: Place) -> tuple[FloatArray, ...]:
        """Return the points that show where to look, and what else all detectors share."""

    @abstractmethod
    def adapt(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        row_scores: FloatArray,
        prepared: tuple[FloatArray, ...],
        random: np.random.Generator,
    ) -> PointSampler:
        """Return a sampler of points for this detector.

        Parameters
        ----------
        score : callable
            Points in, one score each out, higher = more normal.
        box : BoundingBox
        row_scores : array
            Scores of the rows.
        prepared : tuple of arrays
            What `prepare` gives.
        random : numpy Generator
            The only source of randomness.
        """

    def look(self, at: ScoredRows, seen: SeenPoints | None = None) -> Iterator[SeenPoints]:
        """Score replicates stage after stage."""
        points = seen.points if seen else None
        if points is None:
            prepared = at.prepared or self.prepare(at)
            random = stream(at.root, "reference")
            points = self.adapt(at.score, at.box, at.row_scores, prepared, random)
        replicates = list(seen.replicates) if seen else []
        for stop in self.stages:
            replicates += points.score_replicates(at, range(len(replicates), stop))
            yield SeenPoints(points=points, replicates=replicates)


class FollowingSampler(ReferenceSampler):
    """Anything that chooses its points by their scores, for each detector separately.

    Examples
    --------
    >>> from oddrank.reference import FollowingSampler, MultilevelSplitting
    >>> issubclass(MultilevelSplitting, FollowingSampler)
    True
    """

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
