"""Uniform points in the box: scrambled Sobol points, or plain random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import qmc

from oddrank._typing import FloatArray
from oddrank._validation import check_integer, check_option, check_power_of_two
from oddrank.errors import InvalidDataError
from oddrank.reference.points import PointSampler, ReferencePoints
from oddrank.rows import CHUNK_ROWS, BoundingBox

__all__ = ["UniformBox"]


@dataclass(frozen=True)
class UniformBox(PointSampler):
    """Points that fill the box evenly; each carries the same share of its volume.

    Parameters
    ----------
    n_points : int
        Points per replicate. Sobol points are balanced at powers of two, so that a power of two is
        required of them.
    method : "sobol" or "random"
        Sobol points, each replicate with a scrambling of its own, or independent uniform points.
    n_replicates : int
        Independent replicates, at least 2. All points together give the criterion; the spread over
        replicates gives its error. The default is 8 × 16,384 points, about as many as the 100,000
        of Goix (2016).

    Examples
    --------
    >>> UniformBox(n_points=1024)
    UniformBox(n_points=1024, method='sobol', n_replicates=8)
    """

    stands_for: ClassVar[str] = "global anomalies: rows could be anywhere in the range of the data"
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
