"""The verdict of several reference measures, and of the detectors about each other.

Each measure orders the detectors by the area under the ROC curve of rows against its points.
Areas of different measures have no common scale, so that orders are averaged, not areas: the score
of a detector is the share of the other detectors that it beats, averaged over the measures. The
detectors' agreement with each other may have a say as one more order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import norm, rankdata

from oddrank._random import stream
from oddrank._typing import FloatArray
from oddrank.criteria import SCORE, Estimate, MeasuredAreas
from oddrank.judging.comparison import Comparison, conclude_pairs
from oddrank.judging.judgement import Judgement
from oddrank.judging.peers import peer_review, standard_ranks

__all__ = ["Votes", "Weighing", "judge_by_votes", "shares_beaten"]

N_RESAMPLES = 400


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """How a judge weighs what it hears.

    Attributes
    ----------
    consensus_share : float
        The peers' share of the score; the reference measures have the rest.
    trimmed_share : float
        Share of the rows, those that the detectors together find oddest, that is not held against
        the reference measures: a detector should not be praised for knowing the pollution well.
    """

    consensus_share: float
    trimmed_share: float = 0.0


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
    def of(cls, results: Sequence[MeasuredAreas], trimmed_share: float) -> Votes:
        """Gather the votes of several detectors, on the same rows and points."""
        areas = np.array([result.areas for result in results]).T
        of_rows = np.array([result.of_rows for result in results]).swapaxes(0, 1)
        of_points = np.array([result.of_points for result in results]).swapaxes(0, 1)
        scores = np.array([result.scores for result in results])
        ranks = standard_ranks(scores)
        together = ranks.sum(axis=0)
        peers = np.full((1, scores.shape[1]), np.nan)
        if len(results) > 1:
            reviews = zip(scores, together - ranks, strict=True)
            peers = np.array([peer_review(own, others)[1] for own, others in reviews])
        if trimmed_share:
            kept = together > np.quantile(together, trimmed_share)
            if not kept.any():  # nobody tells any two rows apart
                kept[:] = True
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


def judge_by_votes(
    areas: Mapping[str, MeasuredAreas],
    measures: tuple[str, ...],
    *,
    judge: str,
    weighing: Weighing,
    polluted: bool | None,
    confidence_level: float,
    n_rows: int,
    root: np.random.SeedSequence,
) -> Judgement:
    """Order detectors by the averaged orders of measures and peers.

    Parameters
    ----------
    areas : mapping of name to MeasuredAreas
    measures : tuple of str
    judge : str
        What the judge is called.
    weighing : Weighing
    polluted : bool or None
    confidence_level : float
    n_rows : int
        All rows that were scored; the areas hold a sample of them.
    root : SeedSequence
    """
    if not areas:
        return Judgement(judge=judge, criterion=SCORE, polluted=polluted, scores={}, comparisons=())
    names = sorted(areas)
    votes = Votes.of([areas[name] for name in names], weighing.trimmed_share)
    share = weighing.consensus_share
    scores = shares_beaten(votes.values, share)
    resamples = votes.resampled(n_rows, stream(root, "judge", 1))
    order = sorted(range(len(names)), key=lambda i: (-scores[i], names[i]))
    draws = shares_beaten(resamples, share)
    errors = draws.std(axis=0, ddof=1)
    area_errors = votes.area_errors(n_rows)
    return Judgement(
        judge=judge,
        criterion=SCORE,
        polluted=polluted,
        scores={
            names[i]: Estimate.normal(float(scores[i]), float(errors[i]), confidence_level)
            for i in order
        },
        comparisons=_compare(
            names,
            scores,
            votes,
            resamples,
            draws,
            weighing=weighing,
            judge=judge,
            polluted=polluted,
            confidence_level=confidence_level,
        ),
        measures=measures,
        areas={
            name: tuple(
                Estimate.normal(float(value), float(error), confidence_level)
                for value, error in zip(votes.values[:-1, i], area_errors[:, i], strict=True)
            )
            for i, name in enumerate(names)
        },
        consensus={name: float(votes.values[-1][i]) for i, name in enumerate(names)},
        consensus_share=share,
        agreement={
            measure: _correlation(votes.values[position], scores)
            for position, measure in enumerate(measures)
        },
    )


def _compare(
    names: Sequence[str],
    scores: FloatArray,
    votes: Votes,
    resamples: FloatArray,
    draws: FloatArray,
    *,
    weighing: Weighing,
    judge: str,
    polluted: bool | None,
    confidence_level: float,
) -> tuple[Comparison, ...]:
    weights = vote_weights(len(votes.values), weighing.consensus_share)
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        better, worse = (i, j) if scores[i] >= scores[j] else (j, i)
        sure = _standardised(votes.values, resamples, weights, better, worse)
        error = float((draws[:, better] - draws[:, worse]).std(ddof=1))
        lead = Estimate.normal(float(scores[better] - scores[worse]), error, confidence_level)
        # an order that the areas do not share is no evidence
        p_value = float(2.0 * norm.sf(max(sure, 0.0)))
        pairs.append((names[better], names[worse], lead, p_value))
    return conclude_pairs(
        SCORE, pairs, judge=judge, polluted=polluted, confidence_level=confidence_level
    )


def _standardised(
    values: FloatArray, resamples: FloatArray, weights: FloatArray, first: int, second: int
) -> float:
    """Return the lead of one detector in all votes together, in standard errors.

    Shares beaten jump where two areas are equal, and their resamples do not show how far they
    would jump in other data. So each vote's difference is taken in its own standard errors, and the
    weighted sum of these in its standard error: both are smooth.
    """
    difference = values[:, first] - values[:, second]
    resampled = resamples[:, :, first] - resamples[:, :, second]
    errors = resampled.std(axis=0, ddof=1)
    unit = np.divide(weights, errors, out=np.zeros_like(weights), where=errors > 1e-12)
    spread = float((resampled @ unit).std(ddof=1))
    return float(difference @ unit) / spread if spread > 0.0 else 0.0


def _correlation(first: FloatArray, second: FloatArray) -> float:
    ranks = standard_ranks(np.vstack([first, second]))
    return float((ranks[0] * ranks[1]).mean()) if ranks.any(axis=1).all() else float("nan")
