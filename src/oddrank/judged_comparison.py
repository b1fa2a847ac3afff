"""Two detectors under a judgement: how large the lead is, how surely it is one, how often right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import norm

from oddrank.comparison import holm
from oddrank.judge_choice import JUDGEMENT, Weighing
from oddrank.sureness import Sureness, sureness_of
from oddrank.table import FloatArray
from oddrank.votes import Votes, vote_weights

__all__ = ["JudgedComparison", "compare_judged"]


@dataclass(frozen=True, kw_only=True)
class JudgedComparison:
    """Two detectors, compared by a judgement.

    Attributes
    ----------
    criterion : "judgement"
    better, worse : str
    lead : float
        Difference of their scores.
    standard_error : float
        Of the lead, over resamples of rows and reference points.
    holds : float
        Probability that another sample of rows and points would give the same order, if the
        observed areas are the true ones up to their errors.
    p_value : float
        Of equal areas, corrected for the number of comparisons (Holm).
    separated : bool
        Whether the corrected p-value is below 1 - confidence_level.
    sureness : Sureness
        How often a lead this large was right on datasets with labels.
    """

    better: str
    worse: str
    lead: float
    standard_error: float
    holds: float
    p_value: float
    separated: bool
    sureness: Sureness
    criterion: str = JUDGEMENT

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        return {
            "criterion": JUDGEMENT,
            "better": self.better,
            "worse": self.worse,
            "lead": self.lead,
            "standard_error": self.standard_error,
            "holds": self.holds,
            "p_value": self.p_value,
            "separated": self.separated,
            "probability_right": self.sureness.probability,
        }

    def __str__(self) -> str:
        verdict = "separated" if self.separated else "cannot be separated"
        return (
            f"{self.better} leads {self.worse} by {self.lead:.2f} ± {self.standard_error:.2f}: "
            f"{verdict}. {self.sureness.sentence}"
        )


def compare_judged(
    names: Sequence[str],
    scores: FloatArray,
    votes: Votes,
    resamples: FloatArray,
    draws: FloatArray,
    *,
    judge: str,
    weighing: Weighing,
    polluted: bool | None,
    level: float,
) -> tuple[JudgedComparison, ...]:
    """Compare every two detectors by their votes, and resamples of votes and of scores."""
    pairs = [(i, j) if scores[i] >= scores[j] else (j, i)
             for i, j in combinations(range(len(names)), 2)]  # fmt: skip
    weights = vote_weights(len(votes.values), weighing.consensus_share)
    lead = np.array([scores[i] - scores[j] for i, j in pairs])
    sure = np.array([_standardised(votes.values, resamples, weights, i, j) for i, j in pairs])
    # an order that the areas do not share is no evidence
    corrected = holm(2.0 * norm.sf(np.maximum(sure, 0.0)))
    return tuple(
        JudgedComparison(
            better=names[i],
            worse=names[j],
            lead=float(lead[position]),
            standard_error=float((draws[:, i] - draws[:, j]).std(ddof=1)),
            holds=float(norm.cdf(sure[position] / np.sqrt(2.0))),
            p_value=float(min(corrected[position], 1.0)),
            separated=bool(corrected[position] < 1.0 - level),
            sureness=sureness_of(judge, polluted, float(lead[position])),
        )
        for position, (i, j) in enumerate(pairs)
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
