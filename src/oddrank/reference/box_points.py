"""Points in the box: evenly spread, or with weights and more of them near the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.stats import qmc

from oddrank._random import stream
from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_fraction, check_integer, check_option, check_power_of_two
from oddrank.errors import InvalidDataError
from oddrank.reference.data_measures import DataMeasure
from oddrank.reference.kernels import Neighbourhoods, TruncatedKernels, neighbourhoods
from oddrank.reference.mixed_columns import among_other_columns
from oddrank.reference.points import PointSampler, Replicate, principal_axes
from oddrank.reference.scored_rows import Place, ReferencePoints, check_numbers
from oddrank.rows import CHUNK_ROWS, BoundingBox

__all__ = ["ImportanceMixture", "PrincipalBox", "UniformBox", "mixture_points"]


@dataclass(frozen=True)
class UniformBox(PointSampler):
    """Points that fill the box evenly; each carries the same share of its volume.

    If columns are not all numbers, it fills the box of numbers and dates, and takes the other
    values from a row. That is not a volume, but it serves as one of several reference measures.

    Parameters
    ----------
    n_points : int
        Points per replicate. Sobol points are balanced at powers of two, so they need a power of
        two.
    method : "sobol" or "random"
        Sobol points, scrambled anew in each replicate, or independent uniform points.
    n_replicates : int
        Independent replicates, at least 2. All points together give the criterion; the spread over
        replicates gives its error. The default is 8 × 16,384 points, about as many as the 100,000
        of Goix (2016).

    Examples
    --------
    >>> UniformBox(n_points=1024)
    UniformBox(n_points=1024, method='sobol', n_replicates=8)
    """

    stands_for: ClassVar[str] = "anomalies anywhere in the range of the data"
    optimal_score: ClassVar[str] = "f(x), the density itself"

    n_points: int = 2**14
    method: str = "sobol"
    n_replicates: int = 8

    title = "uniform in the box"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_points", check_integer(self.n_points, "n_points", "UniformBox"))
        check_option(self.method, "method", "UniformBox", ("sobol", "random"))
        check_integer(self.n_replicates, "n_replicates", "UniformBox", minimum=2)
        if self.method == "sobol":
            check_power_of_two(self.n_points, "n_points", "UniformBox")

    def replicate(
        self,
        box: BoundingBox,
        rows: FloatArray,  # noqa: ARG002  (uniform points do not look at the data)
        random: np.random.Generator,
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        if self.method == "sobol" and box.n_features > qmc.Sobol.MAXDIM:
            raise InvalidDataError(
                f"Sobol points have at most {qmc.Sobol.MAXDIM} features, and the box has "
                f"{box.n_features}. Sub-sample the features, or use method='random'."
            )
        engine = qmc.Sobol(box.n_features, seed=random) if self.method == "sobol" else None
        for start in range(0, self.n_points, CHUNK_ROWS):
            size = min(CHUNK_ROWS, self.n_points - start)
            unit = engine.random(size) if engine else random.random((size, box.n_features))
            yield ReferencePoints(points=box.scale_up(unit), log_weights=None)

    def replicate_raw(
        self, box: BoundingBox, rows: FloatArray, continuous: BoolArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate: uniform in the continuous columns, the others taken from a row."""

        def uniform(size: int, inner_box: BoundingBox, _: FloatArray) -> FloatArray:
            sized = replace(self, n_points=size)
            chunks = sized.replicate(inner_box, rows, random)
            return np.concatenate([chunk.points for chunk in chunks])

        points = among_other_columns(uniform, self.n_points, box, rows, continuous, random)
        yield ReferencePoints(points=points, log_weights=None)


@dataclass(frozen=True)
class PrincipalBox(DataMeasure):
    """Uniform points in the range of the rows along their principal axes.

    If features are correlated, this box is far smaller than the one along the features, and holds
    fewer points that any detector tells from data. Values of columns that are not numbers or dates,
    and of numbers with few values, are taken from a row.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.

    Examples
    --------
    >>> PrincipalBox(n_points=1024).measure
    'uniform in principal axes'
    """

    stands_for: ClassVar[str] = "anomalies anywhere along the main directions of the data"
    optimal_score: ClassVar[str] = "f(x), the density itself"

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return "uniform in principal axes"

    def draw(
        self,
        size: int,
        box: BoundingBox,  # noqa: ARG002
        rows: FloatArray,
        random: np.random.Generator,
    ) -> FloatArray:
        """Return this many points."""
        center, axes, _ = principal_axes(rows)
        along = (rows - center) @ axes.T
        lower, upper = along.min(axis=0), along.max(axis=0)
        along = lower + (upper - lower) * random.random((size, len(axes)))
        return np.asarray(center + along @ axes)


@dataclass(frozen=True)
class ImportanceMixture(PointSampler):
    """Points from a mixture of kernels around the rows and of the uniform distribution in the box.

    Level sets that hold 90 % of the rows often fill less than a thousandth of their box, and
    uniform points hardly ever fall into them. Here most points fall near rows, and each carries the
    share `1 / (n q(x))` of the volume, where `q` is the density of the whole mixture relative to
    the uniform one. Volumes are unbiased for every scoring function; the uniform part bounds the
    weights by `1 / uniform_share` (a defensive mixture: Hesterberg 1995; Owen and Zhou 2000).

    Kernels follow the rows that are evaluated, never a detector. So all detectors are measured with
    the same points.

    Parameters
    ----------
    n_points : int
        Points per replicate, a power of two: they are scrambled Sobol points whose first coordinate
        chooses the kernel.
    uniform_share : float
        Share of the points that fill the box evenly.
    n_kernels : int
        Kernels per replicate, at most three for every row; each replicate has its own.
    n_replicates : int
        Independent replicates, at least 2.

    References
    ----------
    T. Hesterberg, "Weighted average importance sampling and defensive mixture distributions",
    Technometrics 37, 1995. A. Owen and Y. Zhou, "Safe and effective importance sampling", Journal
    of the American Statistical Association 95, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 5))
    >>> mixture = ImportanceMixture(n_points=1024)
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> evaluation = evaluate_scores(density, X, reference=mixture, random_state=0)
    >>> bool(evaluation.criteria.folds[0].inside_effective > 1000)  # of 8 x 1,024 points
    True
    """

    n_points: int = 2**12
    uniform_share: float = 0.25
    n_kernels: int = 512
    n_replicates: int = 8

    def __post_init__(self) -> None:
        owner = "ImportanceMixture"
        check_power_of_two(self.n_points, "n_points", owner)
        check_fraction(self.uniform_share, "uniform_share", owner)
        check_integer(self.n_kernels, "n_kernels", owner)
        check_integer(self.n_replicates, "n_replicates", owner, minimum=2)

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        return self.around(neighbourhoods(rows, box, random), random)

    def drawing(self, place: Place) -> Replicate:
        """Return what draws one replicate after another around the same neighbourhoods."""
        if place.continuous is not None:
            check_numbers(place.rows, place.continuous, type(self).__name__)
        random = stream(place.root, "neighbours")
        return partial(self.around, neighbourhoods(place.rows, place.box, random))

    def around(
        self, near: Neighbourhoods, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk, with kernels of its own."""
        kernels = near.kernels(self.n_kernels, random)
        engine = qmc.Sobol(near.box.n_features + 1, seed=random)
        return mixture_points(kernels, self.uniform_share, self.n_points, engine)


def mixture_points(
    kernels: TruncatedKernels, uniform_share: float, n_points: int, engine: qmc.Sobol
) -> Iterator[ReferencePoints]:
    """Yield points of a mixture of kernels and of the uniform distribution in their box."""
    for start in range(0, n_points, CHUNK_ROWS):
        unit = engine.random(min(CHUNK_ROWS, n_points - start))
        points = _carry(unit, uniform_share, kernels)
        mixed = uniform_share + (1.0 - uniform_share) * kernels.relative_density(points)
        yield ReferencePoints(points=points, log_weights=-np.log(mixed) - np.log(n_points))


def _carry(unit: FloatArray, uniform_share: float, kernels: TruncatedKernels) -> FloatArray:
    # The first coordinate chooses: below the uniform share the box, above it one of the kernels.
    # Points with the first coordinate in one interval are still evenly spread in the others.
    chooser, within = unit[:, 0], unit[:, 1:]
    points = kernels.box.scale_up(within)
    near = chooser >= uniform_share
    position = (chooser[near] - uniform_share) / (1.0 - uniform_share)
    points[near] = kernels.points(position, within[near])
    return points
