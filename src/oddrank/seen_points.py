"""Reference points that one detector has scored, as arrays: a later task goes on from there."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.bounding_box import BoundingBox
from oddrank.measurement import Measured, SeenPoints
from oddrank.reference import AutoReference
from oddrank.reference.auto_reference import AdaptedMixture
from oddrank.reference.kernels import TruncatedKernels
from oddrank.scoring import ScoredReference
from oddrank.task_results import NamedArrays

__all__ = ["pack_seen", "unpack_seen"]


def pack_seen(measured: Measured) -> dict[str, npt.NDArray[Any]]:
    """Keep the kernels that points were drawn from, and the scores and weights of all points."""
    points = measured.points
    assert isinstance(points, AdaptedMixture)  # no other sampler is asked to go on
    return {
        "seen.centres": points.kernels.centres,
        "seen.widths": points.kernels.widths,
        "seen.scores": np.array([each.scores for each in measured.replicates]),
        "seen.log_weights": np.array([each.log_weights for each in measured.replicates]),
    }


def unpack_seen(arrays: NamedArrays, box: BoundingBox, sampler: AutoReference) -> SeenPoints | None:
    """Return what `pack_seen` was given; None where nothing was kept."""
    if "seen.scores" not in arrays:
        return None
    kernels = TruncatedKernels(
        centres=arrays["seen.centres"], widths=arrays["seen.widths"], box=box
    )
    return SeenPoints(
        points=AdaptedMixture(
            kernels=kernels, n_points=sampler.n_points, n_replicates=sampler.n_replicates
        ),
        replicates=[
            ScoredReference(scores=scores, log_weights=log_weights)
            for scores, log_weights in zip(
                arrays["seen.scores"], arrays["seen.log_weights"], strict=True
            )
        ],
    )
