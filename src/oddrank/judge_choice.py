"""Which judge decides, and how it weighs what it hears."""

from __future__ import annotations

from dataclasses import dataclass

from oddrank.errors import InvalidParameterError
from oddrank.feature_subsampling import DIRECT_FEATURES
from oddrank.reference import ReferenceMixture

__all__ = ["JUDGEMENT", "JUDGES", "Weighing", "chosen_judge", "default_measures", "weighing_of"]


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


# By what the user says about the training rows. Chosen on the benchmark "verdict": with any dataset
# left out the others choose no peers or 10 % of them for clean rows, and trimming with 40 % for
# polluted ones; 60 % do as well there, and better on digits, which are not among the twelve. See
# `benchmarks/verdict`.
_COMBINED = {
    False: Weighing(consensus_share=0.1),
    None: Weighing(consensus_share=0.2),
    True: Weighing(consensus_share=0.6, trimmed_share=0.2),
}
JUDGEMENT = "judgement"
JUDGES = ("auto", "volume", "references", "combined", "consensus")


def chosen_judge(judge: str, *, volumes_asked: bool, owner: str) -> str:
    """Return the judge that "auto" stands for, and refuse one that contradicts other parameters."""
    if judge == "auto":
        return "volume" if volumes_asked else "combined"
    if judge != "volume" and volumes_asked:
        raise InvalidParameterError(
            f"The 'judge' parameter of {owner} is {judge!r}, and volumes do not decide then, but "
            "subsampling, reference, box or criterion was given. Leave these out, or take "
            "judge='volume'."
        )
    return judge


def weighing_of(judge: str, polluted: bool | None) -> Weighing:
    """Return how a judge weighs references and peers."""
    if judge == "combined":
        return _COMBINED[polluted]
    return Weighing(consensus_share=1.0 if judge == "consensus" else 0.0)


def default_measures(n_features: int) -> ReferenceMixture:
    """Return the measures that judge, with as many points as cost little beside the rest.

    Up to 8 features volumes take far more points anyway; above, scoring is what a judgement costs.
    """
    if n_features <= DIRECT_FEATURES:
        return ReferenceMixture(n_points=64, n_replicates=4)
    return ReferenceMixture()
