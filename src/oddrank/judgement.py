"""The verdict of several reference measures, and of the detectors about each other.

Each measure orders the detectors by the area under the ROC curve of rows against its points.
Areas of different measures have no common scale, so that orders are averaged, not areas: the score
of a detector is the share of the other detectors that it beats, averaged over the measures. The
detectors' agreement with each other may have a say as one more order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank.consensus import standard_ranks
from oddrank.judge_choice import Weighing, weighing_of
from oddrank.judged_comparison import JudgedComparison, compare_judged
from oddrank.table import FloatArray
from oddrank.task_results import NamedArrays
from oddrank.uncertainty import Estimate
from oddrank.votes import Votes, shares_beaten

__all__ = ["Judgement", "judge_detectors"]


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
    resamples = votes.resampled(n_rows, stream(root, "judge", 1))
    order = sorted(range(len(names)), key=lambda i: (-scores[i], names[i]))
    agreement = {
        measure: _correlation(votes.values[position], scores)
        for position, measure in enumerate(measures)
    }
    draws = shares_beaten(resamples, share)
    errors = draws.std(axis=0, ddof=1)
    return Judgement(
        judge=judge,
        polluted=polluted,
        weighing=weighing,
        measures=measures,
        areas={
            name: tuple(
                Estimate.normal(float(value), float(error), confidence_level)
                for value, error in zip(values, area_errors, strict=True)
            )
            for name, values, area_errors in zip(
                names, votes.values[:-1].T, votes.area_errors(n_rows).T, strict=True
            )
        },
        consensus={name: float(votes.values[-1][i]) for i, name in enumerate(names)},
        scores={
            names[i]: Estimate.normal(float(scores[i]), float(errors[i]), confidence_level)
            for i in order
        },
        comparisons=compare_judged(names, scores, votes, resamples, draws, judge=judge,
                                   weighing=weighing, polluted=polluted, level=confidence_level),
        agreement=agreement,
    )  # fmt: skip


def _correlation(first: FloatArray, second: FloatArray) -> float:
    ranks: npt.NDArray[np.float64] = standard_ranks(np.vstack([first, second]))
    return float((ranks[0] * ranks[1]).mean()) if ranks.any(axis=1).all() else float("nan")
