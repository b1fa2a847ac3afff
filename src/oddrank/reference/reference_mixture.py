"""Several reference measures in equal parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_integer, check_power_of_two
from oddrank.errors import InvalidParameterError
from oddrank.reference.box_points import PrincipalBox, UniformBox
from oddrank.reference.data_measures import (
    DataMeasure,
    InflatedGaussian,
    PartialRedraw,
    ProductOfMarginals,
)
from oddrank.reference.points import PointSampler
from oddrank.reference.scored_rows import ReferencePoints, ScoredPoints
from oddrank.rows import BoundingBox

__all__ = ["ReferenceMixture"]

_MEASURES: tuple[UniformBox | DataMeasure, ...] = (
    UniformBox(),
    ProductOfMarginals(),
    PartialRedraw(share=0.1),
    PartialRedraw(share=0.3),
    PrincipalBox(),
    InflatedGaussian(inflation=1.5),
)


@dataclass(frozen=True)
class ReferenceMixture(PointSampler):
    """Points from several reference measures, equally many from each.

    Future anomalies may be of any kind; each measure stands for another kind.

    Parameters
    ----------
    measures : tuple of samplers
        Six by default: uniform in the box, product of marginals, 10 and 30 % of the features
        redrawn, uniform in principal axes, and the inflated Gaussian. Their own `n_points` are not
        used here.
    n_points : int
        Points of each measure per replicate, a power of two for the uniform box.
    n_replicates : int
        Independent replicates, at least 2.

    Examples
    --------
    >>> mixture = ReferenceMixture()
    >>> mixture.measure, mixture.points_per_replicate
    ('mixture of 6 measures', 768)
    """

    measures: tuple[UniformBox | DataMeasure, ...] = _MEASURES
    n_points: int = 128
    n_replicates: int = 2

    def __post_init__(self) -> None:
        owner = "ReferenceMixture"
        check_integer(self.n_replicates, "n_replicates", owner, minimum=2)
        check_power_of_two(self.n_points, "n_points", owner)
        measures = tuple(self.measures)
        object.__setattr__(self, "measures", measures)
        if not measures or not all(isinstance(m, (UniformBox, DataMeasure)) for m in measures):
            raise InvalidParameterError(
                "The 'measures' parameter of ReferenceMixture must be one or more of UniformBox(), "
                "ProductOfMarginals(), NoisyData(), PartialRedraw(), PrincipalBox() and "
                f"InflatedGaussian(). Got {self.measures!r} instead."
            )
        if len(set(self.names)) < len(measures):
            raise InvalidParameterError(
                f"The measures of a ReferenceMixture must differ. Got {', '.join(self.names)}."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each measure."""
        return tuple(each.title for each in self.measures)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of anomaly that each measure stands for."""
        return tuple(str(each.stands_for) for each in self.measures)

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return f"mixture of {len(self.measures)} measures"

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""
        return self.n_points * len(self.measures)

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate in one piece: measure after measure, `n_points` of each.

        Some detectors take as long for ten points as for a thousand.
        """
        chunks = (each.replicate(box, rows, random) for each in self._sized)
        yield _joined(chunks)

    def replicate_raw(
        self, box: BoundingBox, rows: FloatArray, continuous: BoolArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate among the user's raw rows, in one piece."""
        chunks = (each.replicate_raw(box, rows, continuous, random) for each in self._sized)
        yield _joined(chunks)

    def by_measure(self, points: ScoredPoints) -> dict[str, ScoredPoints]:
        """Return the points of each measure under its name."""
        parts = [scores.reshape(len(self.measures), self.n_points) for scores in points.scores]
        return {
            name: ScoredPoints(scores=tuple(part[place] for part in parts))
            for place, name in enumerate(self.names)
        }

    @property
    def _sized(self) -> Iterator[UniformBox | DataMeasure]:
        return (replace(each, n_points=self.n_points) for each in self.measures)


def _joined(of_measures: Iterable[Iterator[ReferencePoints]]) -> ReferencePoints:
    points = [chunk.points for chunks in of_measures for chunk in chunks]
    return ReferencePoints(points=np.concatenate(points), log_weights=None)
