"""Judges decide the order. A judge is an object with its own options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_mass_range, check_option
from oddrank.criteria import (
    CRITERIA,
    EXCESS_MASS,
    MASS_VOLUME,
    Criterion,
    FoldedCriteria,
    MeasuredAreas,
)
from oddrank.errors import InvalidParameterError
from oddrank.judging.growth import undecided
from oddrank.judging.judgement import Judgement, compare_volumes
from oddrank.judging.leads import judge_by_areas, kinds_of_anomaly
from oddrank.judging.peers import peer_areas, peer_reviews
from oddrank.reference import ReferenceMixture, ReferenceSampler
from oddrank.rows import BoundingBox, FeatureSubsampling

__all__ = ["JUDGES", "Consensus", "Heard", "Judge", "References", "Volume", "as_judge"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Heard:
    """What a judge decides on.

    Attributes
    ----------
    criteria : mapping of name to FoldedCriteria
    areas : mapping of name to sequence of MeasuredAreas
        Of every fold; empty if no reference measures were used.
    scores : mapping of name to sequence of arrays
        Of the test rows of every fold.
    polluted : bool or None
        Whether the training rows hold anomalies, as far as the user knows.
    confidence_level : float
    """

    criteria: Mapping[str, FoldedCriteria]
    areas: Mapping[str, Sequence[MeasuredAreas]]
    scores: Mapping[str, Sequence[FloatArray]]
    polluted: bool | None
    confidence_level: float


class Judge(ABC):
    """Orders detectors; see `References`, `Volume` and `Consensus`."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def in_volume(self) -> Volume:
        """How volumes are measured, if they are measured."""

    @property
    @abstractmethod
    def asks(self) -> ReferenceMixture | None:
        """The reference measures that this judge needs, if any."""

    def undecided(
        self,
        criteria: Mapping[str, FoldedCriteria],
        confidence_level: float,  # noqa: ARG002
    ) -> frozenset[str]:
        """Return the detectors that need more reference points of volume.

        If volumes do not decide, these are the detectors without a resolved criterion.
        """
        return frozenset(
            name
            for name, each in criteria.items()
            if not (each.excess_mass.resolved and each.mass_volume.resolved)
        )

    @abstractmethod
    def decide(self, heard: Heard) -> Judgement:
        """Order the detectors."""


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
        Where volumes come from. The default "auto" is `oddrank.reference.AutoReference`, which adds
        points only where they may break a tie, with fewer points in each draw of features. In more
        than 8 features at once (`subsampling=None`) it is `MultilevelSplitting()`.
    box : BoundingBox, optional
        In the units of `X_train`. By default the range of training and test rows or, in draws of
        features, of the test rows.
    mass_range : (float, float) or "auto"
        Masses between which the area below the mass-volume curve is taken; "auto" goes from 0.9
        as far towards 0.999 as the test rows reach.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.

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
    mass_range: tuple[float, float] | str = (0.9, 0.999)
    excess_mass_floor: float = 0.9

    def __post_init__(self) -> None:
        names = ("auto", *(each.name for each in CRITERIA))
        check_option(self.criterion, "criterion", "Volume", names)
        if self.mass_range != "auto":
            check_mass_range(self.mass_range, "mass_range", "Volume")
        check_fraction(self.excess_mass_floor, "excess_mass_floor", "Volume")

    @property
    def in_volume(self) -> Volume:
        """How volumes are measured: as this judge says."""
        return self

    @property
    def asks(self) -> None:
        """No reference measures: volumes decide alone."""
        return

    def masses_for(self, n_rows: int) -> Any:
        """Return the mass range, "auto" by the number of test rows."""
        if self.mass_range != "auto":
            return self.mass_range
        reached = [mass for mass, needed in ((0.999, 1000), (0.99, 100)) if n_rows >= needed]
        return (0.9, reached[0] if reached else 0.95)

    def deciding(self, criteria: Mapping[str, FoldedCriteria]) -> Criterion:
        """Return the criterion that "auto" stands for."""
        if self.criterion != "auto":
            return EXCESS_MASS if self.criterion == EXCESS_MASS.name else MASS_VOLUME
        resolved = all(each.excess_mass.resolved for each in criteria.values())
        return EXCESS_MASS if resolved else MASS_VOLUME

    def undecided(
        self, criteria: Mapping[str, FoldedCriteria], confidence_level: float
    ) -> frozenset[str]:
        """Return the detectors that more points may tell from others."""
        criterion = MASS_VOLUME if self.criterion == MASS_VOLUME.name else EXCESS_MASS
        return undecided(criteria, criterion, confidence_level)

    def decide(self, heard: Heard) -> Judgement:
        """Order the detectors by their criterion; unresolved ones are left out."""
        criterion, level = self.deciding(heard.criteria), heard.confidence_level
        estimates = {n: each[criterion].estimate(level) for n, each in heard.criteria.items()}
        resolved = {name: each for name, each in estimates.items() if each.resolved}
        order = sorted(resolved, key=lambda name: (-criterion.sign * resolved[name].value, name))
        return Judgement(
            judge=self.name,
            criterion=criterion,
            polluted=heard.polluted,
            scores={name: resolved[name] for name in order},
            comparisons=compare_volumes(heard.criteria, criterion, level, heard.polluted),
            n_fits=max((len(each.folds) for each in heard.criteria.values()), default=1),
        )


@dataclass(frozen=True, kw_only=True)
class References(Judge):
    """Several reference measures decide, in all features at once: the default.

    Parameters
    ----------
    measures : ReferenceMixture
        The reference measures, and how many points of each. The number is fixed, because a number
        that grows until the order settles would depend on the other detectors.
    volume : Volume
        How volumes are measured and shown, up to 8 features. If it names no reference, all
        detectors share 1,024 points, which gives the mass volume to about 5 %.

    Examples
    --------
    >>> from oddrank import References
    >>> len(References().measures.measures)
    6
    """

    name: ClassVar[str] = "references"

    measures: ReferenceMixture = field(default_factory=ReferenceMixture)
    volume: Volume = field(default_factory=lambda: Volume(mass_range="auto"))

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if not isinstance(self.measures, ReferenceMixture):
            raise InvalidParameterError(
                f"The 'measures' parameter of {owner} must be a ReferenceMixture. "
                f"Got {self.measures!r} instead."
            )
        if not isinstance(self.volume, Volume) or isinstance(
            self.volume.subsampling, FeatureSubsampling
        ):
            raise InvalidParameterError(
                f"The 'volume' parameter of {owner} must be a Volume without draws of features, "
                "because reference measures judge in all features at once. To judge by draws, use "
                f"judge=Volume(subsampling=…). Got {self.volume!r} instead."
            )

    @property
    def in_volume(self) -> Volume:
        """How volumes are measured; they are shown, but do not decide."""
        return self.volume

    @property
    def asks(self) -> ReferenceMixture:
        """The reference measures that this judge needs."""
        return self.measures

    def decide(self, heard: Heard) -> Judgement:
        """Order the detectors by their mean areas."""
        judgement = judge_by_areas(
            heard.areas,
            self.measures.names,
            judge=self.name,
            polluted=heard.polluted,
            confidence_level=heard.confidence_level,
        )
        judgement = replace(judgement, consensus=peer_areas(heard.scores))
        return self._with_kinds(judgement, heard)

    def _with_kinds(self, judgement: Judgement, heard: Heard) -> Judgement:
        kinds = kinds_of_anomaly(
            judgement, heard.areas, self.measures.kinds, heard.confidence_level
        )
        return replace(judgement, kinds=kinds)


@dataclass(frozen=True, kw_only=True)
class Consensus(References):
    """Agreement with the other detectors decides, so the verdict depends on the others.

    Parameters
    ----------
    measures, volume
        As in `References`; they are shown, but do not decide.

    Examples
    --------
    >>> from oddrank import Consensus
    >>> Consensus().name
    'consensus'
    """

    name: ClassVar[str] = "consensus"

    def decide(self, heard: Heard) -> Judgement:
        """Order the detectors by how well they agree with the others on what is odd."""
        beside = super().decide(heard)
        if len(heard.scores) < 2:
            return beside
        judgement = judge_by_areas(
            peer_reviews(heard.scores),
            ("what the others find odd",),
            judge=self.name,
            polluted=heard.polluted,
            confidence_level=heard.confidence_level,
        )
        judgement = replace(
            judgement,
            measures=beside.measures,
            areas={name: beside.areas[name] for name in judgement.order},
            consensus=beside.consensus,
        )
        return self._with_kinds(judgement, heard)


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
    if judge == "combined":
        raise InvalidParameterError(
            f"The 'judge' parameter of {owner} has no 'combined' any more: a vote of the other "
            "detectors improved no verdict. Take 'references', which is the default."
        )
    if not isinstance(judge, str) or judge not in JUDGES:
        listed = ", ".join(repr(name) for name in JUDGES)
        raise InvalidParameterError(
            f"The 'judge' parameter of {owner} must be one of {listed}, or a judge with options, "
            f"such as Volume(criterion='mass_volume'). Got {judge!r} instead."
        )
    return JUDGES[judge]()
