"""Kernels that fill the level sets of one detector, found with points that were scored before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oddrank.bounding_box import BoundingBox
from oddrank.reference.kernels import LEAST_WIDTH, TruncatedKernels, nearest
from oddrank.table import FloatArray

__all__ = ["kernels_in_level_sets", "together"]

# Centres are spread evenly in the level set: a width of some neighbours closes the gaps between
# them, and hardly reaches beyond its border.
N_NEIGHBOURS = 12
WIDENED = 1.5


def kernels_in_level_sets(
    points: FloatArray,
    weights: FloatArray,
    scores: FloatArray,
    thresholds: Sequence[float],
    box: BoundingBox,
    *,
    n_kernels: int,
    random: np.random.Generator,
) -> list[TruncatedKernels]:
    """Fill each level set `{score >= threshold}` with kernels, as evenly as the points allow.

    Points are chosen in proportion to their weights: weighted points in a level set stand for the
    uniform law in it. Level sets in which the points are too few for a width have no kernels.
    """
    found = []
    for threshold in thresholds:
        inside = np.flatnonzero(scores >= threshold)
        # Neighbours in the order of scores: a Sobol coordinate that chooses kernels has a meaning.
        inside = inside[np.argsort(scores[inside], kind="stable")]
        if len(inside) <= N_NEIGHBOURS:
            continue
        reached = np.cumsum(weights[inside]) / weights[inside].sum()
        wanted = (np.arange(n_kernels) + random.random()) / n_kernels
        chosen = inside[np.minimum(np.searchsorted(reached, wanted), len(inside) - 1)]
        distinct = np.unique(chosen)
        if len(distinct) <= N_NEIGHBOURS:
            continue
        widths = _widths(points[chosen], points[distinct], box)
        found.append(TruncatedKernels(centres=points[chosen], widths=widths, box=box))
    return found


def together(parts: Sequence[TruncatedKernels]) -> TruncatedKernels:
    """Return one mixture of all kernels, each with the same share."""
    return TruncatedKernels(
        centres=np.concatenate([part.centres for part in parts]),
        widths=np.concatenate([part.widths for part in parts]),
        box=parts[0].box,
    )


def _widths(centres: FloatArray, pool: FloatArray, box: BoundingBox) -> FloatArray:
    unit = pool.std(axis=0)
    unit = np.where(unit > 0.0, unit, box.widths)
    near = nearest(pool / unit, centres / unit, N_NEIGHBOURS)
    spread = WIDENED * np.sqrt(((pool[near] - centres[:, np.newaxis]) ** 2).mean(axis=1))
    return np.asarray(np.clip(spread, LEAST_WIDTH * unit, box.widths))
