"""Samplers that choose points by the scores of one detector."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from oddrank._random import stream
from oddrank._typing import FloatArray
from oddrank.reference.points import Enough, PointSampler, ReferenceSampler
from oddrank.reference.scored_rows import Place, ScoredPoints, ScoredRows
from oddrank.rows import BoundingBox

__all__ = ["AdaptingSampler", "FollowingSampler"]


class AdaptingSampler(ReferenceSampler):
    """Anything that looks at the scores of one detector once, and is then a `PointSampler`."""

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

    def score(self, at: ScoredRows, enough: Enough) -> ScoredPoints:
        """Score replicates stage after stage, until they are enough."""
        prepared = at.prepared or self.prepare(at)
        random = stream(at.root, "reference")
        points = self.adapt(at.score, at.box, at.row_scores, prepared, random)
        found = ScoredPoints(scores=())
        for stop in self.stages:
            found += points.score_replicates(at, range(len(found), stop))
            if stop < self.stages[-1] and enough(found):
                break
        return found


class FollowingSampler(ReferenceSampler):
    """Anything that chooses its points by their scores, for each detector separately."""

    has_chains = True
    #: Chains work in many features, but not in any number of them.
    most_features = 50

    @property
    def points_in_words(self) -> str:
        """How many points one detector scores."""
        return f"at most {super().points_in_words}"

    @abstractmethod
    def follow(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        target: float,
        random: np.random.Generator,
    ) -> ScoredPoints:
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

    def score(self, at: ScoredRows, enough: Enough) -> ScoredPoints:  # noqa: ARG002
        """Score all replicates."""
        return self.follow(at.score, at.box, at.target, stream(at.root, "reference"))
