"""Score rows and reference points with one detector, and sample both criteria."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank._typing import FloatArray
from oddrank.criteria import (
    CriteriaOptions,
    SampledCriteria,
    innermost_threshold,
    roc_area,
    sample_criteria,
)
from oddrank.detectors import FittedDetector
from oddrank.reference import ReferenceSampler, ScoredReference, ScoredRows, SeenPoints
from oddrank.rows import BoundingBox, Table

__all__ = ["Measured", "RowHalves", "measure"]


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
    """Both criteria, and what they came from.

    Attributes
    ----------
    criteria : SampledCriteria
    scored : ScoredRows
        Scores of rows are in the order of `RowHalves`, the same for every detector.
    seen : SeenPoints
    """

    criteria: SampledCriteria
    scored: ScoredRows
    seen: SeenPoints


def measure(
    fitted: FittedDetector,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    options: CriteriaOptions,
    root: np.random.SeedSequence,
    halves: RowHalves | None = None,
    seen: SeenPoints | None = None,
) -> Measured:
    """Return both criteria of a fitted detector.

    Parameters
    ----------
    fitted : FittedDetector
    table : Table
        Rows to evaluate on.
    box : BoundingBox
    sampler : ReferenceSampler
    options : CriteriaOptions
    root : SeedSequence
        The same root gives the same points to every detector, if the sampler looks at none.
    halves : RowHalves, optional
        Made from the rows and the root by default.
    seen : SeenPoints, optional
        What the same detector scored before, with the same root: it is not scored again.
    """
    halves = halves or RowHalves.of(table.values, root)
    scores = fitted.score(table)[halves.order]
    at = ScoredRows(
        score=fitted.score_of_points(table),
        box=box,
        # in an order that the rows themselves give: points that follow them do so in any table
        rows=table.values[halves.order],
        row_scores=scores,
        target=innermost_threshold(scores, options),
        root=root,
    )
    for looked in sampler.look(at, seen):
        if _enough(scores, looked.replicates, sampler, options):
            break
    criteria = sample_criteria(
        scores,
        looked.replicates,
        log_volume=sampler.log_total(box),
        options=options,
        random=halves.random(),
    )
    if not sampler.of_volume:
        # measures around the data have points of equal weight
        points = np.concatenate([part.scores for part in looked.replicates])
        area = roc_area(scores, points).estimate()
        criteria = replace(criteria, roc_value=area.value, roc_error=area.standard_error)
    return Measured(criteria=criteria, scored=at, seen=looked)


def _enough(
    scores: FloatArray,
    replicates: list[ScoredReference],
    sampler: ReferenceSampler,
    options: CriteriaOptions,
) -> bool:
    if len(replicates) == sampler.stages[-1]:
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
