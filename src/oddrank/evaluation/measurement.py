"""Score rows and reference points with one detector, and sample both criteria."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

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
from oddrank.reference import Place, ReferenceSampler, ScoredReference, ScoredRows, SeenPoints
from oddrank.rows import BoundingBox, Table

__all__ = ["Measured", "measure", "place_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """Both criteria, and what they came from.

    Attributes
    ----------
    criteria : SampledCriteria
    scored : ScoredRows
        Scores of rows are in the order of the table, the same for every detector.
    seen : SeenPoints
    log_volume : float
        Logarithm of what all points together stand for.
    of_volume : bool
        Whether that is a volume.
    """

    criteria: SampledCriteria
    scored: ScoredRows
    seen: SeenPoints
    log_volume: float
    of_volume: bool


def measure(
    fitted: FittedDetector,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    options: CriteriaOptions,
    root: np.random.SeedSequence,
    unit: float = 0.0,
    halves_root: np.random.SeedSequence | None = None,
    seen: SeenPoints | None = None,
    raw: bool = False,
    prepared: tuple[FloatArray, ...] = (),
) -> Measured:
    """Return both criteria of a fitted detector.

    Parameters
    ----------
    fitted : FittedDetector
    table : Table
        Rows to evaluate on, in their natural order (`oddrank.rows.natural_order`), so that random
        draws by place belong to rows.
    box : BoundingBox
    sampler : ReferenceSampler
    options : CriteriaOptions
    root : SeedSequence
        The same root gives every detector the same points, unless the sampler follows detectors.
    unit : float
        Logarithm of the volume that a unit of the rows' volume stands for.
    halves_root : SeedSequence, optional
        Draws random halves of the rows: the same ones in all draws of features.
    seen : SeenPoints, optional
        Points that the same detector scored before with the same root; it keeps them.
    raw : bool
        Whether the rows are as the user has them, not scaled; they may have any kind of column.
    prepared : tuple of arrays
        What the sampler has prepared for all detectors, at the same place.
    """
    scores = fitted.score(table)
    at = ScoredRows(
        **vars(place_of(table, box, root, raw=raw)),
        score=fitted.score_of_points(table),
        row_scores=scores,
        target=innermost_threshold(scores, options),
        prepared=prepared,
    )
    for looked in sampler.look(at, seen):
        if _enough(scores, looked.replicates, sampler, options):
            break
    log_volume = sampler.log_total(box) + (unit if sampler.of_volume else 0.0)
    criteria = sample_criteria(
        scores,
        looked.replicates,
        log_volume=log_volume,
        options=options,
        random=stream(halves_root or root, "rows", 0),
    )
    if not sampler.of_volume:
        # measures around the data have points of equal weight
        points = np.concatenate([part.scores for part in looked.replicates])
        area = roc_area(scores, points).estimate()
        criteria = replace(criteria, roc_value=area.value, roc_error=area.standard_error)
    return Measured(
        criteria=criteria,
        scored=at,
        seen=looked,
        log_volume=log_volume,
        of_volume=sampler.of_volume,
    )


def place_of(table: Table, box: BoundingBox, root: np.random.SeedSequence, *, raw: bool) -> Place:
    """Return where points are drawn."""
    continuous = table.continuous if raw or not table.is_plain else None
    return Place(box=box, rows=table.values, root=root, continuous=continuous)


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
