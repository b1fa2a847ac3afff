"""As many points as an accuracy needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from oddrank._random import stream
from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_integer, check_power_of_two
from oddrank.errors import InvalidParameterError
from oddrank.reference.box_points import ImportanceMixture, mixture_points
from oddrank.reference.kernels import (
    MAX_ROWS,
    TruncatedKernels,
    kernels_in_level_sets,
    neighbourhoods,
    together,
)
from oddrank.reference.points import PointSampler
from oddrank.reference.samplers_by_scores import AdaptingSampler
from oddrank.reference.scored_rows import Place, ReferencePoints, check_numbers
from oddrank.rows import BoundingBox

__all__ = ["AdaptedMixture", "AutoReference"]

# The error is the spread over replicates: with fewer than this many it is hardly known.
FIRST_REPLICATES = 8
# As many replicates of `ImportanceMixture` show where the level sets are.
PILOT_REPLICATES = 4
LEAST_REPLICATES = FIRST_REPLICATES + PILOT_REPLICATES
# EM depends on the level sets of mass 0.9 and a little more, MV on all of these.
MASSES = (0.9, 0.95, 0.99, 0.999)
# Kernels in each of them, and around rows: the shares of the points that fall there.
LEVEL_KERNELS = 128
ROW_KERNELS = 64
# The first points only show where to look.
PILOT_KERNELS = 256
UNIFORM_SHARE = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class AdaptedMixture(PointSampler):
    """Points around one detector's level sets, with weights that make up for it.

    Attributes
    ----------
    kernels : TruncatedKernels
    n_points, n_replicates : int
    """

    kernels: TruncatedKernels
    n_points: int
    n_replicates: int

    def replicate(
        self,
        box: BoundingBox,  # noqa: ARG002  (the kernels know their box)
        rows: FloatArray,  # noqa: ARG002
        random: np.random.Generator,
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        engine = qmc.Sobol(self.kernels.box.n_features + 1, seed=random)
        return mixture_points(self.kernels, UNIFORM_SHARE, self.n_points, engine)


@dataclass(frozen=True)
class AutoReference(AdaptingSampler):
    """As many points as an accuracy needs, around one detector's level sets.

    First `4 * n_points` points of `ImportanceMixture` are scored. They show where the level sets of
    masses 0.9 to 0.999 are. Kernels fill these level sets, and all further points come from a
    mixture of these kernels, some around rows, and the uniform distribution in the box. The first
    points only decide where to look, and the others carry weights `1 / q`. So volumes are unbiased
    for every scoring function.

    Eight replicates are scored first. As long as the relative standard error that the reference
    points bring to EM or to MV may be above `relative_error`, the number of replicates is doubled,
    up to the budget; `diagnostics["accuracy"]` says what was reached. A standard error from `n`
    replicates is itself uncertain by about `1 / sqrt(2 (n - 1))` of its size, and must be below the
    target with that added.

    All detectors share the first points, but not the others.

    Parameters
    ----------
    relative_error : float
        Standard error of EM and of MV due to reference points, as a share of their values. More
        points do not change errors due to the rows.
    max_points : int
        Budget: points scored by one detector, at least `12 * n_points`.
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
        least = LEAST_REPLICATES
        if self.max_points < least * self.n_points:
            raise InvalidParameterError(
                f"The 'max_points' parameter of {owner} must be at least {least} times "
                f"n_points, {least * self.n_points}. Got {self.max_points} instead."
            )

    @property
    def n_replicates(self) -> int:
        """Largest number of independent replicates, without the points that show where to look."""
        return self.max_points // self.n_points - PILOT_REPLICATES

    @property
    def pilot_points(self) -> int:
        """Number of points that only show where the level sets are."""
        return PILOT_REPLICATES * self.n_points

    @property
    def stages(self) -> tuple[int, ...]:
        """Numbers of replicates after which the accuracy is checked; the last one is the budget."""
        stages = [FIRST_REPLICATES]
        while stages[-1] < self.n_replicates:
            stages.append(min(2 * stages[-1], self.n_replicates))
        return tuple(stages)

    @property
    def points_in_words(self) -> str:
        """How many points one detector scores."""
        return f"at most {super().points_in_words}"

    @property
    def target_error(self) -> float:  # type: ignore[override]
        """The relative error that points are drawn for."""
        return self.relative_error

    def is_reached(self, error: float, n_replicates: int) -> bool:
        """Return whether an error from this many replicates is safely below the target."""
        return bool(error * (1.0 + 1.0 / np.sqrt(2.0 * (n_replicates - 1))) <= self.relative_error)

    def prepare(self, place: Place) -> tuple[FloatArray, ...]:
        """Return the first points and their log weights, and kernels around rows."""
        if place.continuous is not None:
            check_numbers(place.rows, place.continuous, type(self).__name__)
        random = stream(place.root, "neighbours")
        most = min(MAX_ROWS, max(self.n_points // 2, 2 * PILOT_KERNELS))
        near = neighbourhoods(place.rows, place.box, random, most)
        # Nobody asks how these replicates differ: one sequence of points serves all of them.
        engine = qmc.Sobol(place.box.n_features + 1, seed=random)
        share = ImportanceMixture.uniform_share
        chunks = [
            chunk
            for _ in range(PILOT_REPLICATES)
            for chunk in mixture_points(
                near.kernels(PILOT_KERNELS, random), share, self.n_points, engine
            )
        ]
        around = near.kernels(ROW_KERNELS, random)
        return (
            np.concatenate([chunk.points for chunk in chunks]),
            np.concatenate([np.asarray(chunk.log_weights) for chunk in chunks]),
            around.centres,
            around.widths,
        )

    def adapt(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        row_scores: FloatArray,
        prepared: tuple[FloatArray, ...],
        random: np.random.Generator,
    ) -> AdaptedMixture:
        """Look where the level sets of one detector are, and return a sampler of points there."""
        points, log_weights, centres, widths = prepared
        thresholds = np.quantile(row_scores, [1.0 - mass for mass in MASSES], method="lower")
        inside = kernels_in_level_sets(
            points,
            np.exp(log_weights),
            score(points),
            thresholds.tolist(),
            box,
            n_kernels=LEVEL_KERNELS,
            random=random,
        )
        around = TruncatedKernels(centres=centres, widths=widths, box=box)
        return AdaptedMixture(
            kernels=together([*inside, around]),
            n_points=self.n_points,
            n_replicates=self.n_replicates,
        )
