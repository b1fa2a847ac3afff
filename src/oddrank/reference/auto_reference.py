"""As many points as an accuracy needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oddrank._validation import check_fraction, check_integer, check_power_of_two
from oddrank.bounding_box import BoundingBox
from oddrank.errors import InvalidParameterError
from oddrank.reference.importance_mixture import ImportanceMixture
from oddrank.reference.points import ReferencePoints
from oddrank.table import FloatArray

__all__ = ["AutoReference"]

# The error is the spread over replicates: with fewer than this many it is hardly known.
FIRST_REPLICATES = 8


@dataclass(frozen=True)
class AutoReference:
    """Points of `ImportanceMixture`, replicate after replicate, until both criteria are accurate.

    Eight replicates are scored first. As long as the relative standard error that the reference
    points bring to EM or to MV may be above `relative_error`, the number of replicates is doubled,
    up to the budget; `diagnostics["accuracy"]` says what was reached. A standard error from `n`
    replicates is itself uncertain by about `1 / sqrt(2 (n - 1))` of its size, and must be below the
    target with that added.

    Replicate `k` has the same points for every detector and every accuracy: growing only adds. In a
    comparison of detectors that stopped at different numbers, common replicates are paired.

    Parameters
    ----------
    relative_error : float
        Standard error of EM and of MV due to reference points, as a share of their values. Errors
        due to the rows are not touched by more points.
    max_points : int
        Budget: points scored by one detector, at least `8 * n_points`.
    n_points : int
        Points per replicate, a power of two.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> evaluation = evaluate_scores(density, X, reference="auto", random_state=0)
    >>> bool(evaluation.diagnostics["accuracy"].value <= 0.02)
    True
    """

    relative_error: float = 0.02
    max_points: int = 2**17
    n_points: int = 2**11

    def __post_init__(self) -> None:
        owner = "AutoReference"
        check_fraction(self.relative_error, "relative_error", owner)
        check_power_of_two(self.n_points, "n_points", owner)
        check_integer(self.max_points, "max_points", owner)
        if self.max_points < FIRST_REPLICATES * self.n_points:
            raise InvalidParameterError(
                f"The 'max_points' parameter of {owner} must be at least {FIRST_REPLICATES} times "
                f"n_points, {FIRST_REPLICATES * self.n_points}. Got {self.max_points} instead."
            )

    @property
    def n_replicates(self) -> int:
        """Largest number of independent replicates."""
        return self.max_points // self.n_points

    @property
    def measure(self) -> str:
        """Weights turn the points into ordinary volume."""
        return "Lebesgue"

    @property
    def points_per_replicate(self) -> int:
        """Number of points of one replicate."""
        return self.n_points

    @property
    def stages(self) -> tuple[int, ...]:
        """Numbers of replicates after which the accuracy is looked at, the last one the budget."""
        stages = [FIRST_REPLICATES]
        while stages[-1] < self.n_replicates:
            stages.append(min(2 * stages[-1], self.n_replicates))
        return tuple(stages)

    def is_reached(self, error: float, n_replicates: int) -> bool:
        """Tell whether an error seen on so many replicates is safely below the target."""
        return bool(error * (1.0 + 1.0 / np.sqrt(2.0 * (n_replicates - 1))) <= self.relative_error)

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        return ImportanceMixture(n_points=self.n_points).replicate(box, rows, random)
