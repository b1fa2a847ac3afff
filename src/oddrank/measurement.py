"""Score rows and reference points with one function, and sample both criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import (
    CriteriaOptions,
    SampledCriteria,
    innermost_threshold,
    sample_criteria,
)
from oddrank.reference import (
    AdaptingSampler,
    AutoReference,
    FollowingSampler,
    PointSampler,
    ReferenceSampler,
)
from oddrank.reference.points import LEBESGUE, log_total
from oddrank.roc_area import roc_area
from oddrank.scoring import ScoredReference, score_of_points, score_reference, score_table
from oddrank.table import FloatArray, Table

__all__ = ["Measured", "RowHalves", "SeenPoints", "measure"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RowHalves:
    """Which random halves the rows fall into: the same for every detector and draw of features.

    Halves belong to rows, not to their places: in an order that the rows themselves give, a
    shuffled table has the same halves, and so the same errors and corrections.

    Attributes
    ----------
    order : array of int
    root : SeedSequence
    """

    order: npt.NDArray[np.intp]
    root: np.random.SeedSequence

    @classmethod
    def of(cls, values: FloatArray, root: np.random.SeedSequence) -> RowHalves:
        """Order rows along a random direction, whatever their features are scaled by."""
        width = np.ptp(values, axis=0)
        direction = stream(root, "rows", 1).normal(size=values.shape[1])
        unit = (values - values.min(axis=0)) / np.where(width > 0.0, width, 1.0)
        return cls(order=np.argsort((unit * direction).sum(axis=1), kind="stable"), root=root)

    def random(self) -> np.random.Generator:
        """Return the random numbers that make the halves."""
        return stream(self.root, "rows", 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """Both criteria, and the scores they came from.

    Attributes
    ----------
    criteria : SampledCriteria
    scores : array of shape (n_rows,)
        In the order of `RowHalves`, the same for every detector.
    replicates : list of ScoredReference
    points : PointSampler or None
        Where they came from; None for a sampler that follows scores.
    """

    criteria: SampledCriteria
    scores: FloatArray
    replicates: list[ScoredReference]
    points: PointSampler | None


@dataclass(frozen=True, kw_only=True, eq=False)
class SeenPoints:
    """Replicates that were scored before, and the sampler that gives the next ones.

    Attributes
    ----------
    points : PointSampler
    replicates : list of ScoredReference
    """

    points: PointSampler
    replicates: list[ScoredReference]


def measure(
    function: Callable[[Any], Any],
    name: str,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    options: CriteriaOptions,
    root: np.random.SeedSequence,
    halves: RowHalves | None = None,
    seen: SeenPoints | None = None,
) -> Measured:
    """Return both criteria of a function that is known to be higher for more normal rows.

    Parameters
    ----------
    function : callable
    name : str
        What the detector is called in messages.
    table : Table
        Rows to evaluate on.
    box : BoundingBox
    sampler : ReferenceSampler
    options : CriteriaOptions
    root : SeedSequence
        The same root gives the same points to every function, if the sampler looks at none.
    halves : RowHalves, optional
        Made from the rows and the root by default.
    seen : SeenPoints, optional
        What the same function scored before, with the same root: it is not scored again.
    """
    halves = halves or RowHalves.of(table.values, root)
    scores = score_table(function, table, name)[halves.order]
    points: PointSampler | None = None
    if isinstance(sampler, FollowingSampler):
        target = innermost_threshold(scores, options)
        score = score_of_points(function, table, name)
        replicates = sampler.follow(score, box, target, stream(root, "reference"))
    else:
        if seen is None:
            points = _points_for(function, name, table, box, sampler, scores=scores, root=root)
            seen = SeenPoints(points=points, replicates=[])
        points, replicates = seen.points, list(seen.replicates)
        for stop in _stages(sampler):
            indices = range(len(replicates), stop)
            replicates += score_reference(
                function, points, box, table, name, root=root, indices=indices
            )
            if _enough(scores, replicates, sampler, options):
                break
    criteria = sample_criteria(
        scores,
        replicates,
        log_volume=log_total(sampler, box),
        options=options,
        random=halves.random(),
    )
    if sampler.measure != LEBESGUE:
        # measures around the data have points of equal weight
        area = roc_area(scores, np.concatenate([part.scores for part in replicates])).estimate()
        criteria = replace(criteria, roc_value=area.value, roc_error=area.standard_error)
    return Measured(criteria=criteria, scores=scores, replicates=replicates, points=points)


def _points_for(
    function: Callable[[Any], Any],
    name: str,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    scores: FloatArray,
    root: np.random.SeedSequence,
) -> PointSampler:
    if isinstance(sampler, AdaptingSampler):
        score = score_of_points(function, table, name)
        return sampler.adapt(score, box, table.values, scores, stream(root, "reference"))
    assert isinstance(sampler, PointSampler)  # the last kind, as `check_sampler` saw to
    return sampler


def _stages(sampler: ReferenceSampler) -> tuple[int, ...]:
    if isinstance(sampler, AutoReference):
        return sampler.stages
    return (sampler.n_replicates,)


def _enough(
    scores: FloatArray,
    replicates: list[ScoredReference],
    sampler: ReferenceSampler,
    options: CriteriaOptions,
) -> bool:
    if len(replicates) == sampler.n_replicates or not isinstance(sampler, AutoReference):
        return True
    # More points do not lower the errors that come from the rows: halves are not needed here.
    criteria = sample_criteria(
        scores,
        replicates,
        log_volume=0.0,
        options=replace(options, n_halves=0),
        random=np.random.default_rng(0),
    )
    return sampler.is_reached(criteria.points_error, len(replicates))
