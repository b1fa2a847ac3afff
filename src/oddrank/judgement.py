"""The verdict of several reference measures, and of the detectors about each other.

Each measure orders the detectors by the area under the ROC curve of rows against its points.
Areas of different measures have no common scale, so that orders are averaged, not areas: the score
of a detector is the share of the other detectors that it beats, averaged over the measures. The
detectors' agreement with each other may have a say as one more order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata

from oddrank._random import stream
from oddrank.comparison import holm
from oddrank.consensus import standard_ranks
from oddrank.errors import InvalidParameterError
from oddrank.feature_subsampling import DIRECT_FEATURES
from oddrank.sureness import Sureness, sureness_of
from oddrank.table import FloatArray
from oddrank.task_results import NamedArrays
from oddrank.uncertainty import Estimate

__all__ = [
    "JUDGEMENT",
    "JUDGES",
    "JudgedComparison",
    "Judgement",
    "chosen_judge",
    "judge_detectors",
]

# What share of the score the detectors' agreement has. A quarter to a fifth is best on the twelve
# datasets of the benchmark "verdict", whichever of them is left out.
CONSENSUS_SHARE = {"references": 0.0, "combined": 0.2, "consensus": 1.0}
JUDGEMENT = "judgement"
JUDGES = ("auto", "volume", *CONSENSUS_SHARE)

N_RESAMPLES = 400


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
        Share of the resamples in which the order is the same.
    p_value : float
        Of no lead, corrected for the number of comparisons (Holm).
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgement:
    """What the judge found.

    Attributes
    ----------
    judge : "references", "combined" or "consensus"
    polluted : bool or None
        Whether the training rows hold anomalies, as far as the user knows.
    measures : tuple of str
    areas : mapping of name to tuple of Estimate
        Area under the ROC curve of rows against the points of each measure.
    consensus : mapping of name to float
        Mean rank correlation with the other detectors; NaN for a detector alone.
    scores : mapping of name to Estimate
        Share of the other detectors that it beats, averaged; best first.
    comparisons : tuple of JudgedComparison
    agreement : mapping of measure to float
        Rank correlation of each measure's order with that of the judgement.
    """

    judge: str
    polluted: bool | None
    measures: tuple[str, ...]
    areas: Mapping[str, tuple[Estimate, ...]]
    consensus: Mapping[str, float]
    scores: Mapping[str, Estimate]
    comparisons: tuple[JudgedComparison, ...]
    agreement: Mapping[str, float]

    @property
    def order(self) -> tuple[str, ...]:
        """Names from best to worst."""
        return tuple(self.scores)

    @property
    def favourites(self) -> Mapping[str, str]:
        """The detector that each measure puts first."""
        return {
            measure: max(self.areas, key=lambda name: self.areas[name][position].value)
            for position, measure in enumerate(self.measures)
        }

    def mean_area(self, name: str) -> float:
        """Return the area under the ROC curve, averaged over the measures."""
        return float(np.mean([area.value for area in self.areas[name]]))

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers."""
        return {
            "judge": self.judge,
            "polluted": self.polluted,
            "measures": list(self.measures),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "areas": {name: [a.to_dict() for a in areas] for name, areas in self.areas.items()},
            "consensus": {n: None if np.isnan(v) else v for n, v in self.consensus.items()},
            "agreement": {n: None if np.isnan(v) else v for n, v in self.agreement.items()},
            "favourites": dict(self.favourites),
            "comparisons": [each.to_dict() for each in self.comparisons],
        }


def chosen_judge(judge: str, n_features: int, *, volumes_asked: bool, owner: str) -> str:
    """Return the judge that "auto" stands for, and refuse one that contradicts other parameters."""
    if judge == "auto":
        return "volume" if volumes_asked or n_features <= DIRECT_FEATURES else "combined"
    if judge != "volume" and volumes_asked:
        raise InvalidParameterError(
            f"The 'judge' parameter of {owner} is {judge!r}, which measures no volumes, but "
            "subsampling, reference, box or criterion was given. Leave these out, or take "
            "judge='volume'."
        )
    return judge


def judge_detectors(
    results: Mapping[str, NamedArrays],
    measures: tuple[str, ...],
    *,
    judge: str,
    polluted: bool | None,
    confidence_level: float,
    n_rows: int,
    root: np.random.SeedSequence,
) -> Judgement:
    """Judge detectors by what their tasks brought back under "judged.…".

    Parameters
    ----------
    results : mapping of name to arrays
        See `oddrank.task_results.pack_judged`.
    measures : tuple of str
    judge : "references", "combined" or "consensus"
    polluted : bool or None
    confidence_level : float
    n_rows : int
        All rows that were scored; the arrays hold a sample of them.
    root : SeedSequence
    """
    names = sorted(results)
    votes = _Votes.of([results[name] for name in names])
    share = CONSENSUS_SHARE[judge]
    scores = votes.score(votes.values[None], share)[0]
    draws = votes.score(votes.resampled(n_rows, stream(root, "judge", 1)), share)
    order = sorted(range(len(names)), key=lambda i: (-scores[i], names[i]))
    agreement = {
        measure: _correlation(votes.values[position], scores)
        for position, measure in enumerate(measures)
    }
    quantile = float(norm.ppf(0.5 + confidence_level / 2.0))
    errors = draws.std(axis=0, ddof=1)
    return Judgement(
        judge=judge,
        polluted=polluted,
        measures=measures,
        areas={name: votes.areas(i, n_rows, quantile) for i, name in enumerate(names)},
        consensus={name: float(votes.values[-1][i]) for i, name in enumerate(names)},
        scores={names[i]: _estimate(scores[i], errors[i], quantile) for i in order},
        comparisons=_compare([names[i] for i in order], scores[order], draws[:, order],
                             judge=judge, polluted=polluted, level=confidence_level),
        agreement=agreement,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class _Votes:
    """All orders: one per measure, and the last for the detectors' agreement.

    Every vote is a mean over rows and, for measures, over points: what single rows and points add
    gives all errors at once, with all their dependence.
    """

    values: FloatArray  # (n_votes, n_detectors)
    of_rows: FloatArray  # (n_votes, n_detectors, n_kept)
    of_points: FloatArray  # (n_measures, n_detectors, n_points)

    @classmethod
    def of(cls, results: list[NamedArrays]) -> _Votes:
        areas = np.array([result["judged.areas"] for result in results]).T
        of_rows = np.array([result["judged.of_rows"] for result in results]).swapaxes(0, 1)
        of_points = np.array([result["judged.of_points"] for result in results]).swapaxes(0, 1)
        ranks = standard_ranks(np.array([result["judged.scores"] for result in results]))
        others = max(len(results) - 1, 1)
        agreeing = ranks * (ranks.sum(axis=0) - ranks) / others
        central = agreeing.mean(axis=1) if len(results) > 1 else np.full(1, np.nan)
        return cls(
            values=np.vstack([areas, central]),
            of_rows=np.concatenate([of_rows, agreeing[None]]),
            of_points=of_points,
        )

    def areas(self, detector: int, n_rows: int, quantile: float) -> tuple[Estimate, ...]:
        n_points = self.of_points.shape[2]
        variance = self.of_rows[:-1, detector].var(axis=1, ddof=1) / n_rows
        variance = variance + self.of_points[:, detector].var(axis=1, ddof=1) / n_points
        pairs = zip(self.values[:-1, detector], np.sqrt(variance), strict=True)
        return tuple(_estimate(value, error, quantile) for value, error in pairs)

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

    def score(self, votes: FloatArray, consensus_share: float) -> FloatArray:
        """Return the average share of the others that each detector beats, ties counting half."""
        n_detectors = votes.shape[-1]
        if n_detectors < 2:
            return np.ones((len(votes), n_detectors))
        beaten = (rankdata(votes, axis=-1) - 1.0) / (n_detectors - 1.0)
        measures = beaten[:, :-1].mean(axis=1)
        return np.asarray((1.0 - consensus_share) * measures + consensus_share * beaten[:, -1])


def _compare(
    names: list[str],
    scores: FloatArray,
    draws: FloatArray,
    *,
    judge: str,
    polluted: bool | None,
    level: float,
) -> tuple[JudgedComparison, ...]:
    pairs = list(combinations(range(len(names)), 2))
    lead = np.array([scores[i] - scores[j] for i, j in pairs])
    differences = [draws[:, i] - draws[:, j] for i, j in pairs]
    errors = np.array([difference.std(ddof=1) for difference in differences])
    standardised = np.divide(
        lead, errors, out=np.where(lead > 0.0, np.inf, 0.0), where=errors > 0.0
    )
    corrected = holm(2.0 * norm.sf(standardised))
    return tuple(
        JudgedComparison(
            better=names[i],
            worse=names[j],
            lead=float(lead[position]),
            standard_error=float(errors[position]),
            holds=float(np.mean((differences[position] > 0) + (differences[position] == 0) / 2)),
            p_value=float(corrected[position]),
            separated=bool(corrected[position] < 1.0 - level),
            sureness=sureness_of(judge, polluted, float(lead[position])),
        )
        for position, (i, j) in enumerate(pairs)
    )


def _estimate(value: Any, error: Any, quantile: float) -> Estimate:
    reach = quantile * float(error)
    return Estimate(
        value=float(value),
        standard_error=float(error),
        interval=(float(value) - reach, float(value) + reach),
    )


def _correlation(first: FloatArray, second: FloatArray) -> float:
    ranks: npt.NDArray[np.float64] = standard_ranks(np.vstack([first, second]))
    return float((ranks[0] * ranks[1]).mean()) if ranks.any(axis=1).all() else float("nan")
