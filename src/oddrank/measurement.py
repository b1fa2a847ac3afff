"""Score rows and reference points with one function, and sample both criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank.bounding_box import BoundingBox
from oddrank.criteria import CriteriaOptions, SampledCriteria, sample_criteria
from oddrank.reference import AutoReference, ReferenceSampler
from oddrank.scoring import ScoredReference, score_reference, score_table
from oddrank.table import FloatArray, Table

__all__ = ["measure"]


def measure(
    function: Callable[[Any], Any],
    name: str,
    table: Table,
    box: BoundingBox,
    sampler: ReferenceSampler,
    *,
    options: CriteriaOptions,
    root: np.random.SeedSequence,
) -> SampledCriteria:
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
        The same root gives the same points and the same halves to every function.
    """
    scores = score_table(function, table, name)[_order_of_rows(table.values, box, root)]
    replicates: list[ScoredReference] = []
    for stop in _stages(sampler):
        indices = range(len(replicates), stop)
        replicates += score_reference(
            function, sampler, box, table, name, root=root, indices=indices
        )
        if _enough(scores, replicates, sampler, options):
            break
    return sample_criteria(
        scores,
        replicates,
        log_volume=box.log_volume,
        options=options,
        random=stream(root, "rows", 0),
    )


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


def _order_of_rows(
    values: FloatArray, box: BoundingBox, root: np.random.SeedSequence
) -> npt.NDArray[np.intp]:
    # Random halves belong to rows, not to their places: in an order that the rows themselves give,
    # a shuffled table has the same halves, and so the same errors and corrections.
    direction = stream(root, "rows", 1).normal(size=box.n_features)
    return np.argsort(((values - box.lower) / box.widths * direction).sum(axis=1), kind="stable")
