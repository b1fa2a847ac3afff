"""Gaussian kernels around rows, cut off at the walls of the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree
from scipy.special import ndtr, ndtri

from oddrank._typing import FloatArray
from oddrank.rows import BoundingBox

__all__ = [
    "Neighbourhoods",
    "TruncatedKernels",
    "kernels_in_level_sets",
    "nearest",
    "neighbourhoods",
    "together",
]

# Widths come from this many neighbours, about as many as local detectors look at.
N_NEIGHBOURS = 20
# Neighbours are looked for among at most this many rows, so that large tables cost no more.
MAX_ROWS = 2048
# Leaves of the tree: in 5 to 8 features as many rows as this are compared faster than parted.
LEAF_ROWS = 32
# Level sets reach beyond the rows: kernels are as wide as the neighbourhood, or a few times wider.
SCALES = (1.0, 2.0, 4.0)
# A feature in which all neighbours agree still needs a width: this share of its spread.
LEAST_WIDTH = 0.02
# Densities of this many points are computed at a time, so that pairs of points and kernels fit into
# the processor's cache.
BLOCK_ROWS = 128
# Squares of this size, in units of a kernel's width, leave exponents right to 1e-6.
LARGEST_SQUARE = 1e10
# Squares up to this one leave sums of 32 bits right to 1e-4: weights need no more.
LARGEST_SQUARE_OF_32_BITS = 1e3
# Logarithms of densities, in units of the uniform one. Below the first a kernel adds nothing to any
# density that matters, up to the second numbers of 32 bits hold the sum over all kernels.
NO_DENSITY, LARGEST_LOG_PEAK = -60.0, 70.0
# Rows are grouped by the volume of their neighbourhood into this many groups.
N_GROUPS = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class TruncatedKernels:
    """Products of normal distributions, each feature cut off at the walls of the box.

    Attributes
    ----------
    centres, widths : arrays of shape (n_kernels, n_features)
    box : BoundingBox

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import BoundingBox
    >>> from oddrank.reference import TruncatedKernels
    >>> box = BoundingBox.from_arrays([[0.0, 0.0], [1.0, 1.0]])
    >>> kernels = TruncatedKernels(
    ...     centres=np.full((3, 2), 0.5), widths=np.full((3, 2), 0.1), box=box
    ... )
    >>> kernels.centres.shape
    (3, 2)
    """

    centres: FloatArray
    widths: FloatArray
    box: BoundingBox

    @cached_property
    def _below(self) -> FloatArray:
        return np.asarray(ndtr((self.box.lower - self.centres) / self.widths))

    @cached_property
    def _within(self) -> FloatArray:
        return np.asarray(ndtr((self.box.upper - self.centres) / self.widths) - self._below)

    @cached_property
    def _log_peaks(self) -> FloatArray:
        relative = self.widths * self._within * np.sqrt(2.0 * np.pi) / self.box.widths
        return np.asarray(-np.log(relative).sum(axis=1))

    def points(self, position: FloatArray, unit: FloatArray) -> FloatArray:
        """Carry points of the unit cube into kernels; `position` in [0, 1) chooses the kernel."""
        chosen = (position * len(self.centres)).astype(np.intp)
        chosen = np.minimum(chosen, len(self.centres) - 1)
        probability = self._below[chosen] + unit * self._within[chosen]
        # Rounding may carry a probability to 0 or 1, where the quantile is infinite: clip it.
        points = self.centres[chosen] + self.widths[chosen] * ndtri(probability)
        return np.asarray(np.clip(points, self.box.lower, self.box.upper))

    @cached_property
    def _exponents(self) -> FloatArray | None:
        """Coefficients of squares, coordinates and 1, from the middle of the box; see below."""
        if self._largest_square > LARGEST_SQUARE:
            return None
        centres, squares = self.centres - self.box.middle, 1.0 / self.widths**2
        constants = self._log_peaks - 0.5 * (centres**2 * squares).sum(axis=1)
        parts = [-0.5 * squares, centres * squares, constants[:, np.newaxis]]
        return np.ascontiguousarray(np.concatenate(parts, axis=1).T)

    @cached_property
    def _largest_square(self) -> float:
        return float(((self.box.widths / self.widths) ** 2).max())

    @cached_property
    def _short_exponents(self) -> npt.NDArray[np.float32] | None:
        """The same in 32 bits, where that is enough for them too."""
        fits = self._largest_square <= LARGEST_SQUARE_OF_32_BITS
        if self._precision is not np.float32 or self._exponents is None or not fits:
            return None
        return self._exponents.astype(np.float32)

    @cached_property
    def _precision(self) -> type[np.floating[Any]]:
        # Exponentials in 32 bits are right to 1e-7, and take a quarter of the time.
        fits = float(self._log_peaks.max()) <= LARGEST_LOG_PEAK
        return np.float32 if fits else np.float64

    def relative_density(self, points: FloatArray) -> FloatArray:
        """Return the average density of the kernels, in units of the uniform density in the box.

        The exponent of a normal density is linear in squares and coordinates: one matrix product
        gives those of all kernels. Where widths are tiny beside the box the squares would cancel,
        and differences are taken one feature after another, which is slower.
        """
        densities = np.empty(len(points))
        # One place for all blocks: fresh memory for each would cost more than the arithmetic.
        shape = (min(BLOCK_ROWS, len(points)), len(self.centres))
        places = np.empty((2, *shape))
        powers = np.empty(shape, dtype=self._precision)
        equal = np.full(len(self.centres), 1.0 / len(self.centres), dtype=self._precision)
        for start in range(0, len(points), BLOCK_ROWS):
            block = points[start : start + BLOCK_ROWS]
            if self._short_exponents is not None:
                terms = self._terms(block).astype(np.float32)
                exponents = np.matmul(terms, self._short_exponents, out=powers[: len(block)])
            else:
                exponents, scratch = places[:, : len(block)]
                self._fill_exponents(block, exponents, scratch)
            # Processors are slow with numbers next to 0.
            np.maximum(exponents, NO_DENSITY, out=powers[: len(block)], casting="same_kind")
            np.exp(powers, out=powers)
            densities[start : start + len(block)] = powers[: len(block)] @ equal
        return densities

    def _terms(self, points: FloatArray) -> FloatArray:
        steps = points - self.box.middle
        return np.concatenate([steps**2, steps, np.ones((len(points), 1))], axis=1)

    def _fill_exponents(
        self, points: FloatArray, exponents: FloatArray, scratch: FloatArray
    ) -> None:
        if self._exponents is not None:
            np.matmul(self._terms(points), self._exponents, out=exponents)
            return
        exponents[:] = self._log_peaks
        for feature in range(self.box.n_features):
            column = points[:, feature, np.newaxis]
            np.subtract(column, self.centres[:, feature], out=scratch)
            scratch /= self.widths[:, feature]
            scratch *= scratch
            scratch *= 0.5
            exponents -= scratch


@dataclass(frozen=True, kw_only=True, eq=False)
class Neighbourhoods:
    """Rows, and how far their neighbours are in every feature.

    Attributes
    ----------
    rows, widths : arrays of shape (n_rows, n_features)
    box : BoundingBox
    """

    rows: FloatArray
    widths: FloatArray
    box: BoundingBox

    def kernels(self, n_kernels: int, random: np.random.Generator) -> TruncatedKernels:
        """Choose rows and give each a kernel as wide, in every feature, as its neighbourhood.

        Rows with small and large neighbourhoods are chosen equally often: level sets are mostly
        made of the surroundings of dense rows for some detectors and of sparse ones for others.
        """
        # more would only repeat the same rows at the same scales
        n_kernels = min(n_kernels, len(SCALES) * len(self.rows))
        log_volumes = np.log(self.widths).sum(axis=1)
        chosen = _spread_over_volumes(log_volumes, n_kernels, random)
        scales = np.resize(SCALES, n_kernels)[random.permutation(n_kernels)]
        return TruncatedKernels(
            centres=self.rows[chosen],
            widths=np.minimum(self.widths[chosen] * scales[:, np.newaxis], self.box.widths),
            box=self.box,
        )


def neighbourhoods(
    rows: FloatArray, box: BoundingBox, random: np.random.Generator, most: int = MAX_ROWS
) -> Neighbourhoods:
    """Measure the neighbourhoods of rows in the box, of a number of them at most."""
    inside = rows[box.contains(rows)]
    if len(inside) == 0:
        inside = box.middle[np.newaxis]
    # The order depends on the rows alone, so a shuffled table has the same kernels.
    ordered = inside[_order_of_rows(inside)]
    pool = ordered[random.permutation(len(ordered))[:most]]
    # The distance between the 10 % and 90 % quantiles: a few far rows do not set the unit.
    low, high = np.quantile(pool, (0.1, 0.9), axis=0)
    unit = np.where(high > low, high - low, box.widths)
    near = nearest(pool / unit, pool / unit, min(N_NEIGHBOURS, len(pool)))
    spread = np.sqrt(((pool[near] - pool[:, np.newaxis]) ** 2).mean(axis=1))
    return Neighbourhoods(rows=pool, widths=np.maximum(spread, LEAST_WIDTH * unit), box=box)


def _order_of_rows(rows: FloatArray) -> npt.NDArray[np.intp]:
    """Return the order by the last feature, then by the one before, and so on."""
    order = np.argsort(rows[:, -1], kind="stable")
    last = rows[order, -1]
    return order if (last[1:] > last[:-1]).all() else np.lexsort(rows.T)


def nearest(pool: FloatArray, points: FloatArray, n_neighbours: int) -> npt.NDArray[np.intp]:
    """Return the places in the pool of the nearest neighbours of every point.

    It runs on one thread, because the choice among neighbours at the same distance must not depend
    on the machine.
    """
    tree = KDTree(pool, leafsize=LEAF_ROWS)
    _, found = tree.query(points, k=list(range(1, n_neighbours + 1)), workers=1)
    return np.asarray(found)


def _spread_over_volumes(
    log_volumes: FloatArray, n_chosen: int, random: np.random.Generator
) -> npt.NDArray[np.intp]:
    # Systematic sampling along the sorted volumes, with equal shares for all groups that have rows.
    order = np.argsort(log_volumes, kind="stable")
    edges = np.linspace(log_volumes.min(), log_volumes.max(), N_GROUPS + 1)[1:-1]
    group = np.searchsorted(edges, log_volumes[order], side="right")
    shares = 1.0 / np.bincount(group, minlength=N_GROUPS)[group]
    reached = np.cumsum(shares) / shares.sum()
    wanted = (np.arange(n_chosen) + random.random()) / n_chosen
    return np.asarray(order[np.minimum(np.searchsorted(reached, wanted), len(order) - 1)])


# Centres are spread evenly in the level set: a width of some neighbours closes the gaps between
# them, and hardly reaches beyond its border.
LEVEL_NEIGHBOURS = 12
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
        if len(inside) <= LEVEL_NEIGHBOURS:
            continue
        reached = np.cumsum(weights[inside]) / weights[inside].sum()
        wanted = (np.arange(n_kernels) + random.random()) / n_kernels
        chosen = inside[np.minimum(np.searchsorted(reached, wanted), len(inside) - 1)]
        distinct = np.unique(chosen)
        if len(distinct) <= LEVEL_NEIGHBOURS:
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
    near = nearest(pool / unit, centres / unit, LEVEL_NEIGHBOURS)
    spread = WIDENED * np.sqrt(((pool[near] - centres[:, np.newaxis]) ** 2).mean(axis=1))
    return np.asarray(np.clip(spread, LEAST_WIDTH * unit, box.widths))
