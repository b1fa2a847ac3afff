"""Where and with what criteria are measured: draws of features, reference points, the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.evaluation_inputs import check_box, check_direct_sampler, check_sampler
from oddrank.feature_subsampling import (
    Draw,
    FeatureSubsampling,
    choose_subsampling,
    random_draws,
)
from oddrank.joint_evaluation import DRAW_AUTO
from oddrank.reference import ReferenceSampler
from oddrank.reference.points import LEBESGUE
from oddrank.table import Table

__all__ = ["MeasuringGround", "lay_ground"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuringGround:
    """What all detectors of an evaluation or ranking are measured on.

    Attributes
    ----------
    subsampling : FeatureSubsampling or None
    draws : sequence of draws, or None
        None for all features at once.
    sampler : ReferenceSampler
    box : BoundingBox or None
        None takes the range of the test rows, in each draw anew.
    """

    subsampling: FeatureSubsampling | None
    draws: Sequence[Draw] | None
    sampler: ReferenceSampler
    box: BoundingBox | None

    @property
    def aggregation(self) -> str:
        """How draws are averaged."""
        return self.subsampling.aggregation if self.subsampling else "mean"


def lay_ground(
    train: Table,
    test: Table,
    *,
    subsampling: Any,
    reference: Any,
    box: Any,
    root: np.random.SeedSequence,
    owner: str,
) -> MeasuringGround:
    """Check what was asked for, and fill in what was not."""
    of_volume = not isinstance(reference, ReferenceSampler) or reference.measure == LEBESGUE
    if subsampling == "auto" and not of_volume:
        subsampling = None  # all features at once, however many
    chosen = choose_subsampling(subsampling, test, owner)
    sampler = (
        check_sampler(reference, DRAW_AUTO, owner, auto=DRAW_AUTO)
        if chosen
        else check_direct_sampler(reference, test, owner)
    )
    if box is not None or chosen is None:
        box = check_box(box, train, test, owner=owner)
    draws = random_draws(chosen, test, root) if chosen else None
    return MeasuringGround(subsampling=chosen, draws=draws, sampler=sampler, box=box)
