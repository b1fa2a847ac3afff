"""Score rows and reference points with one detector, and sample both criteria."""

from __future__ import annotations

import warnings
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
from oddrank.detectors import FittedDetector, innermost
from oddrank.errors import OddrankWarning
from oddrank.reference import Place, ReferenceSampler, ScoredReference, ScoredRows, SeenPoints
from oddrank.rows import BoundingBox, Table

__all__ = ["Measured", "depends_on_batch", "measure", "place_of", "warn_of_batches"]

# Scores of one row may differ by rounding between batches, and by no more.
SAME_SCORE = 1e-6


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


def warn_of_batches(fitted: FittedDetector, test: Table, scores: FloatArray) -> None:
    """Warn of a detector whose score of a row is not of that row alone."""
    if type(innermost(fitted.detector)).__module__.startswith("sklearn."):
        return  # which score row by row
    if not depends_on_batch(fitted, test, scores):
        return
    how = "by the rows that are scored with it, and reference points count among them"
    some = test.rows(np.arange(min(test.n_rows, 100)))
    if not np.array_equal(fitted.score(some), fitted.score(some), equal_nan=True):
        how = "differently each time it is asked"
    warnings.warn(
        f"{fitted.name} scores a row {how}. Do not trust its place in the ranking.",
        OddrankWarning,
        stacklevel=2,
    )


def depends_on_batch(fitted: FittedDetector, test: Table, scores: FloatArray) -> bool:
    """Return whether rows get other scores when only every second of them is scored."""
    some = np.arange(0, test.n_rows, 2)[:1000]
    again = fitted.score(test.rows(some))
    finite = np.isfinite(scores[some]) & np.isfinite(again)
    unit = float(np.std(scores[some][finite])) if finite.any() else 0.0
    return bool((np.abs(again - scores[some])[finite] > SAME_SCORE * unit).any())
