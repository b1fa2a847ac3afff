"""The orders that a judgement is made of: one per reference measure, and one by the peers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from oddrank.consensus import peer_review, standard_ranks
from oddrank.table import FloatArray
from oddrank.task_results import NamedArrays

__all__ = ["Votes", "shares_beaten", "vote_weights"]

N_RESAMPLES = 400


@dataclass(frozen=True, kw_only=True, eq=False)
class Votes:
    """All orders: one per measure, and the last for the detectors' agreement.

    Every vote is a mean over rows and, for measures, over points: what single rows and points add
    gives all errors at once, with all their dependence.

    Attributes
    ----------
    values : array of shape (n_votes, n_detectors)
    of_rows : array of shape (n_votes, n_detectors, n_kept)
    of_points : array of shape (n_measures, n_detectors, n_points)
    """

    values: FloatArray
    of_rows: FloatArray
    of_points: FloatArray

    @classmethod
    def of(cls, results: Sequence[NamedArrays], trimmed_share: float) -> Votes:
        """Gather the votes from what the detectors' tasks brought back under "judged.…"."""
        areas = np.array([result["judged.areas"] for result in results]).T
        of_rows = np.array([result["judged.of_rows"] for result in results]).swapaxes(0, 1)
        of_points = np.array([result["judged.of_points"] for result in results]).swapaxes(0, 1)
        scores = np.array([result["judged.scores"] for result in results])
        ranks = standard_ranks(scores)
        together = ranks.sum(axis=0)
        peers = np.full((1, scores.shape[1]), np.nan)
        if len(results) > 1:
            reviews = zip(scores, together - ranks, strict=True)
            peers = np.array([peer_review(own, others)[1] for own, others in reviews])
        if trimmed_share:
            kept = together > np.quantile(together, trimmed_share)
            areas = of_rows[:, :, kept].mean(axis=2, dtype=np.float64)
            # a row that is left out adds nothing to the spread, but is a row
            of_rows = np.where(kept, of_rows, areas[:, :, None])
        return cls(
            values=np.vstack([areas, peers.mean(axis=1)]),
            of_rows=np.concatenate([of_rows, peers[None]]),
            of_points=of_points,
        )

    def area_errors(self, n_rows: int) -> FloatArray:
        """Return standard errors of the areas, shape (n_measures, n_detectors)."""
        variance = self.of_rows[:-1].var(axis=2, ddof=1) / n_rows
        return np.asarray(
            np.sqrt(variance + self.of_points.var(axis=2, ddof=1) / self.of_points.shape[2])
        )

    def resampled(self, n_rows: int, random: np.random.Generator) -> FloatArray:
        """Return the votes under resamples, shape (n_resamples, n_votes, n_detectors)."""
        n_votes, n_detectors, n_kept = self.of_rows.shape
        n_points = self.of_points.shape[2]
        centered = self.of_rows - self.of_rows.mean(axis=2, keepdims=True)
        weights = random.standard_normal((N_RESAMPLES, n_kept)) / np.sqrt(n_kept * n_rows)
        moved = weights @ centered.reshape(n_votes * n_detectors, n_kept).T
        resamples = self.values + moved.reshape(N_RESAMPLES, n_votes, n_detectors)
        for measure, points in enumerate(self.of_points):
            weights = random.standard_normal((N_RESAMPLES, n_points)) / n_points
            resamples[:, measure] += weights @ (points - points.mean(axis=1, keepdims=True)).T
        return np.asarray(resamples)


def shares_beaten(votes: FloatArray, consensus_share: float) -> FloatArray:
    """Return the average share of the others that each detector beats, ties counting half.

    Parameters
    ----------
    votes : array of shape (…, n_votes, n_detectors)
        The last vote is the peers'.
    consensus_share : float
        The peers' share; the measures have the rest, in equal parts.
    """
    n_detectors = votes.shape[-1]
    if n_detectors < 2:
        return np.ones((*votes.shape[:-2], n_detectors))
    beaten = (rankdata(votes, axis=-1) - 1.0) / (n_detectors - 1.0)
    return np.asarray(np.einsum("v,...vd->...d", vote_weights(votes.shape[-2], consensus_share),
                                beaten))  # fmt: skip


def vote_weights(n_votes: int, consensus_share: float) -> FloatArray:
    """Return the weight of each vote: they sum to 1, and the last is the peers'."""
    measures = np.full(n_votes - 1, (1.0 - consensus_share) / (n_votes - 1))
    return np.append(measures, consensus_share)
