"""Judges decide the order. A judge is an object with its own options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from oddrank._validation import check_fraction, check_mass_range, check_option
from oddrank.criteria import CRITERIA, EXCESS_MASS, MASS_VOLUME, Criterion, FoldedCriteria
from oddrank.errors import InvalidParameterError
from oddrank.evaluation import (
    MeasuringPlan,
    ScoredDetectors,
    ScoredFits,
    plan_measures,
    plan_volumes,
)
from oddrank.ranking.agreement import peer_areas, peer_reviews
from oddrank.ranking.comparison import compare_volumes
from oddrank.ranking.judgement import Judgement
from oddrank.ranking.mean_areas import judge_by_areas, kinds_of_anomaly
from oddrank.reference import ReferenceMixture, ReferenceSampler
from oddrank.rows import BoundingBox, FeatureSubsampling, Folds, check_continuous

__all__ = ["JUDGES", "Consensus", "Judge", "References", "Volume", "as_judge"]


class Judge(ABC):
    """Orders detectors; see `References`, `Volume` and `Consensus`."""

    name: ClassVar[str]

    @abstractmethod
    def plan(self, folds: Folds, root: np.random.SeedSequence, owner: str) -> MeasuringPlan:
        """Say what detectors are to be asked: in which draws of features, for which points."""

    @abstractmethod
    def decide(self, scored: ScoredDetectors, polluted: bool | None) -> Judgement:
        """Order the detectors; `polluted` is what the user knows of the training rows."""


@dataclass(frozen=True, kw_only=True)
class Volume(Judge):
    """Excess mass or mass volume decides: the criteria of Goix (2016).

    Parameters
    ----------
    criterion : "auto", "excess_mass" or "mass_volume"
        "auto" is the excess mass, or the mass volume if a detector's excess mass is unresolved.
    subsampling : "auto", None or FeatureSubsampling
        Algorithm 1 of the paper in many dimensions; "auto" uses it above 8 features.
    reference : sampler or "auto", optional
        Where volumes come from. The default "auto" is `oddrank.reference.AutoReference`, with fewer
        points in each draw of features. In more than 8 features at once (`subsampling=None`) it is
        `MultilevelSplitting()`.
    box : BoundingBox, optional
        In the units of `X`. By default the range of training and test rows or, in draws of
        features, of the test rows.
    mass_range : (float, float) or "auto"
        Masses between which the area below the mass-volume curve is taken; "auto" goes from 0.9
        as far towards 0.999 as the test rows reach.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.
    confidence_level : float
        Of intervals, and of what counts as told apart.

    Examples
    --------
    >>> Volume(criterion="mass_volume").criterion
    'mass_volume'
    """

    name: ClassVar[str] = "volume"

    criterion: str = "auto"
    subsampling: FeatureSubsampling | str | None = "auto"
    reference: ReferenceSampler | str | None = None
    box: BoundingBox | None = None
    mass_range: tuple[float, float] | str = "auto"
    excess_mass_floor: float = 0.9
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        names = ("auto", *(each.name for each in CRITERIA))
        check_option(self.criterion, "criterion", "Volume", names)
        if self.mass_range != "auto":
            check_mass_range(self.mass_range, "mass_range", "Volume")
        check_fraction(self.excess_mass_floor, "excess_mass_floor", "Volume")
        check_fraction(self.confidence_level, "confidence_level", "Volume")

    def plan(self, folds: Folds, root: np.random.SeedSequence, owner: str) -> MeasuringPlan:
        """Plan to measure volumes, in all features or in draws of them."""
        check_continuous(folds.train_rows, owner)
        return plan_volumes(
            folds,
            subsampling=self.subsampling,
            reference=self.reference,
            box=self.box,
            mass_range=self.mass_range,
            excess_mass_floor=self.excess_mass_floor,
            confidence_level=self.confidence_level,
            root=root,
            owner=owner,
        )

    def deciding(self, criteria: Mapping[str, FoldedCriteria]) -> Criterion:
        """Return the criterion that "auto" stands for."""
        if self.criterion != "auto":
            return EXCESS_MASS if self.criterion == EXCESS_MASS.name else MASS_VOLUME
        resolved = all(each[EXCESS_MASS].resolved for each in criteria.values())
        return EXCESS_MASS if resolved else MASS_VOLUME

    def decide(self, scored: ScoredDetectors, polluted: bool | None) -> Judgement:
        """Order the detectors by their criterion; unresolved ones are left out."""
        criteria, level = scored.criteria, self.confidence_level
        criterion = self.deciding(criteria)
        estimates = {name: each[criterion].estimate(level) for name, each in criteria.items()}
        resolved = {name: each for name, each in estimates.items() if each.resolved}
        order = sorted(resolved, key=lambda name: (-criterion.sign * resolved[name].value, name))
        return Judgement(
            judge=self.name,
            criterion=criterion,
            polluted=polluted,
            scores={name: resolved[name] for name in order},
            comparisons=compare_volumes(
                {name: criteria[name] for name in order}, criterion, level, polluted
            ),
            confidence_level=level,
            n_fits=len(scored.folds),
        )


@dataclass(frozen=True, kw_only=True)
class References(Judge):
    """Several reference measures decide, in all features at once: the default.

    Parameters
    ----------
    measures : ReferenceMixture
        The reference measures, and how many points of each. The number is fixed, because a number
        that grows until the order settles would depend on the other detectors.
    confidence_level : float
        Of intervals, and of what counts as told apart.

    Examples
    --------
    >>> from oddrank import References
    >>> len(References().measures.measures)
    6
    """

    name: ClassVar[str] = "references"

    measures: ReferenceMixture = field(default_factory=ReferenceMixture)
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if not isinstance(self.measures, ReferenceMixture):
            raise InvalidParameterError(
                f"The 'measures' parameter of {owner} must be a ReferenceMixture. "
                f"Got {self.measures!r} instead."
            )
        check_fraction(self.confidence_level, "confidence_level", owner)

    def plan(
        self,
        folds: Folds,
        root: np.random.SeedSequence,  # noqa: ARG002
        owner: str,  # noqa: ARG002
    ) -> MeasuringPlan:
        """Plan to score the points of all measures, in all features at once."""
        return plan_measures(folds, self.measures, self.confidence_level)

    def decide(self, scored: ScoredDetectors, polluted: bool | None) -> Judgement:
        """Order the detectors by their mean areas."""
        assert isinstance(scored, ScoredFits)
        judgement = judge_by_areas(
            scored.areas,
            self.measures.names,
            judge=self.name,
            polluted=polluted,
            confidence_level=self.confidence_level,
        )
        judgement = replace(judgement, consensus=peer_areas(scored.row_scores))
        return self._with_kinds(judgement, scored)

    def _with_kinds(self, judgement: Judgement, scored: ScoredFits) -> Judgement:
        kinds = kinds_of_anomaly(
            judgement, scored.areas, self.measures.kinds, self.confidence_level
        )
        return replace(judgement, kinds=kinds)


@dataclass(frozen=True, kw_only=True)
class Consensus(References):
    """Agreement with the other detectors decides, so the verdict depends on the others.

    Parameters
    ----------
    measures : ReferenceMixture
        They are shown, but do not decide.
    confidence_level : float

    Examples
    --------
    >>> from oddrank import Consensus
    >>> Consensus().name
    'consensus'
    """

    name: ClassVar[str] = "consensus"

    def decide(self, scored: ScoredDetectors, polluted: bool | None) -> Judgement:
        """Order the detectors by how well they agree with the others on what is odd."""
        assert isinstance(scored, ScoredFits)
        beside = super().decide(scored, polluted)
        if len(scored.fits) < 2:
            return beside
        judgement = judge_by_areas(
            peer_reviews(scored.row_scores),
            ("what the others find odd",),
            judge=self.name,
            polluted=polluted,
            confidence_level=self.confidence_level,
        )
        judgement = replace(
            judgement,
            measures=beside.measures,
            areas={name: beside.areas[name] for name in judgement.order},
            consensus=beside.consensus,
        )
        return self._with_kinds(judgement, scored)


JUDGES: Mapping[str, type[Judge]] = {
    "auto": References,
    "volume": Volume,
    "references": References,
    "consensus": Consensus,
}


def as_judge(judge: Any, owner: str) -> Judge:
    """Return the judge that a short name stands for."""
    if isinstance(judge, Judge):
        return judge
    if not isinstance(judge, str) or judge not in JUDGES:
        listed = ", ".join(repr(name) for name in JUDGES)
        raise InvalidParameterError(
            f"The 'judge' parameter of {owner} must be one of {listed}, or a judge with options, "
            f"such as Volume(criterion='mass_volume'). Got {judge!r} instead."
        )
    return JUDGES[judge]()
