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
from scipy.stats import norm

from oddrank._random import stream
from oddrank.comparison import holm
from oddrank.consensus import standard_ranks
from oddrank.errors import InvalidParameterError
from oddrank.feature_subsampling import DIRECT_FEATURES
from oddrank.sureness import Sureness, sureness_of
from oddrank.table import FloatArray
from oddrank.task_results import NamedArrays
from oddrank.uncertainty import Estimate
from oddrank.votes import Votes, shares_beaten

__all__ = [
    "JUDGEMENT",
    "JUDGES",
    "JudgedComparison",
    "Judgement",
    "Weighing",
    "chosen_judge",
    "judge_detectors",
    "weighing_of",
]


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


# By what the user says about the training rows. Chosen on the benchmark "verdict", where each of
# these holds when the dataset that it is tried on is left out (see `benchmarks/verdict`).
_COMBINED = {
    False: Weighing(consensus_share=0.1),
    None: Weighing(consensus_share=0.2),
    True: Weighing(consensus_share=0.6, trimmed_share=0.2),
}
JUDGEMENT = "judgement"
JUDGES = ("auto", "volume", "references", "combined", "consensus")


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
    weighing : Weighing
    measures : tuple of str
    areas : mapping of name to tuple of Estimate
        Area under the ROC curve of rows against the points of each measure.
    consensus : mapping of name to float
        How well it sees what the others see: see `oddrank.consensus`; NaN for a detector alone.
    scores : mapping of name to Estimate
        Share of the other detectors that it beats, averaged; best first.
    comparisons : tuple of JudgedComparison
    agreement : mapping of measure to float
        Rank correlation of each measure's order with that of the judgement.
    """

    judge: str
    polluted: bool | None
    weighing: Weighing
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


def weighing_of(judge: str, polluted: bool | None) -> Weighing:
    """Return how a judge weighs references and peers."""
    if judge == "combined":
        return _COMBINED[polluted]
    return Weighing(consensus_share=1.0 if judge == "consensus" else 0.0)


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
    weighing = weighing_of(judge, polluted)
    votes = Votes.of([results[name] for name in names], weighing.trimmed_share)
    share = weighing.consensus_share
    scores = shares_beaten(votes.values, share)
    draws = shares_beaten(votes.resampled(n_rows, stream(root, "judge", 1)), share)
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
        weighing=weighing,
        measures=measures,
        areas={
            name: tuple(map(_estimate, values, errors_of, [quantile] * len(measures)))
            for name, values, errors_of in zip(
                names, votes.values[:-1].T, votes.area_errors(n_rows).T, strict=True
            )
        },
        consensus={name: float(votes.values[-1][i]) for i, name in enumerate(names)},
        scores={names[i]: _estimate(scores[i], errors[i], quantile) for i in order},
        comparisons=_compare([names[i] for i in order], scores[order], draws[:, order],
                             judge=judge, polluted=polluted, level=confidence_level),
        agreement=agreement,
    )  # fmt: skip


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
