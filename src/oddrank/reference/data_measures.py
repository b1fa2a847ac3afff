"""Reference measures that follow the data: each stands for a kind of anomaly.

The measure of a level set is the share of reference points in it. So nothing has to be integrated,
and all features can be used at once. The best level sets are those of the ratio of data to measure.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_fraction, check_integer, check_positive
from oddrank.errors import InvalidDataError
from oddrank.reference.mixed_columns import among_other_columns, any_value
from oddrank.reference.points import PointSampler, principal_axes
from oddrank.reference.scored_rows import ReferencePoints, rows_in_random_order
from oddrank.rows import CHUNK_ROWS, BoundingBox

__all__ = [
    "DataMeasure",
    "InflatedGaussian",
    "PartialRedraw",
    "ProductOfMarginals",
]

Random = np.random.Generator
Draw = Callable[[int], FloatArray]


@dataclass(frozen=True)
class DataMeasure(PointSampler):
    """A probability measure made from the rows that are evaluated.

    Parameters
    ----------
    n_points : int
        Points per replicate.
    n_replicates : int
        Independent replicates, at least 2.

    Examples
    --------
    >>> from oddrank.reference import DataMeasure, ProductOfMarginals
    >>> issubclass(ProductOfMarginals, DataMeasure), ProductOfMarginals().measure
    (True, 'product of marginals')
    """

    n_points: int = 2**12
    n_replicates: int = 8

    #: What kind of anomaly the points are, as in "if you expect …".
    stands_for: ClassVar[Any] = ""
    #: The score that no other beats against this measure.
    optimal_score: ClassVar[str] = ""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_integer(self.n_points, "n_points", owner)
        check_integer(self.n_replicates, "n_replicates", owner, minimum=2)

    @property
    @abstractmethod
    def measure(self) -> str:
        """Name of the reference measure."""

    def replicate(
        self, box: BoundingBox, rows: FloatArray, random: np.random.Generator
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate, chunk by chunk."""
        draw = partial(self.draw, box=box, rows=rows, random=random)
        yield from self._in_chunks(rows, draw)

    def replicate_raw(
        self, box: BoundingBox, rows: FloatArray, continuous: BoolArray, random: Random
    ) -> Iterator[ReferencePoints]:
        """Yield one replicate among the user's raw rows, chunk by chunk."""
        draw = partial(self.draw_raw, box=box, rows=rows, continuous=continuous, random=random)
        yield from self._in_chunks(rows, draw)

    def _in_chunks(self, rows: FloatArray, draw: Draw) -> Iterator[ReferencePoints]:
        if len(rows) == 0:
            raise InvalidDataError(f"{type(self).__name__} is made from rows, and got none.")
        for start in range(0, self.n_points, CHUNK_ROWS):
            points = draw(min(CHUNK_ROWS, self.n_points - start))
            yield ReferencePoints(points=points, log_weights=None)

    @abstractmethod
    def draw(self, size: int, box: BoundingBox, rows: FloatArray, random: Random) -> FloatArray:
        """Return this many points."""

    def draw_raw(
        self,
        size: int,
        box: BoundingBox,
        rows: FloatArray,
        continuous: BoolArray,
        random: Random,
    ) -> FloatArray:
        """Return this many points among columns of any kind.

        By default a measure draws the continuous columns (numbers and dates with many values), and
        takes the other values, and the places of gaps, from a row.
        """
        draw = partial(self.draw, random=random)
        return among_other_columns(draw, size, box, rows, continuous, random)


@dataclass(frozen=True)
class ProductOfMarginals(DataMeasure):
    """Points whose single values all occur in the data, in any combination.

    Columns of any kind, and gaps, are drawn alike: each from a different row.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> X = np.column_stack([x, x + 0.1 * np.random.default_rng(1).normal(size=2000)])
    >>> knows = evaluate_scores(
    ...     lambda X: -np.abs(X[:, 0] - X[:, 1]), X, reference=ProductOfMarginals(), random_state=0
    ... )
    >>> ignores = evaluate_scores(
    ...     lambda X: -(X**2).sum(axis=1), X, reference=ProductOfMarginals(), random_state=0
    ... )
    >>> knows.mass_volume.value < ignores.mass_volume.value
    True
    """

    stands_for: ClassVar[str] = "ordinary values in unusual combinations"
    optimal_score: ClassVar[str] = "f(x) / ∏ f_j(x_j), the dependence of the features"

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return "product of marginals"

    def draw(self, size: int, box: BoundingBox, rows: FloatArray, random: Random) -> FloatArray:
        """Return this many points."""
        columns = [rows_in_random_order(column, size, random) for column in rows.T]
        return np.column_stack(columns)

    def draw_raw(
        self,
        size: int,
        box: BoundingBox,
        rows: FloatArray,
        continuous: BoolArray,
        random: Random,
    ) -> FloatArray:
        """Return this many points: every column, of whatever kind, from a different row."""
        return self.draw(size, box, rows, random)


@dataclass(frozen=True)
class PartialRedraw(DataMeasure):
    """Rows in which a random share of the features takes any value in its range.

    A category takes any of its levels; gaps are as frequent as in the rows.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.
    share : float
        Share of the features that are redrawn in each row; at least one of them.

    Examples
    --------
    >>> PartialRedraw(share=0.3).measure
    'data with 30 % of the features redrawn'
    """

    share: float = 0.1

    optimal_score: ClassVar[str] = "f(x) / mean over subsets S of f(x outside S) · uniform(x in S)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self.share, "share", "PartialRedraw")

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return f"data with {100 * self.share:g} % of the features redrawn"

    @property
    def stands_for(self) -> str:
        """What kind of anomaly the points are."""
        return f"ordinary rows with about {100 * self.share:g} % of their values wrong"

    def draw(self, size: int, box: BoundingBox, rows: FloatArray, random: Random) -> FloatArray:
        """Return this many points."""
        redrawn = self._redrawn(size, rows.shape[1], random)
        anything = box.scale_up(random.random((size, rows.shape[1])))
        return np.where(redrawn, anything, rows_in_random_order(rows, size, random))

    def draw_raw(
        self,
        size: int,
        box: BoundingBox,
        rows: FloatArray,
        continuous: BoolArray,
        random: Random,
    ) -> FloatArray:
        """Return this many points: categories take any level; gaps are as frequent as in rows."""
        redrawn = self._redrawn(size, rows.shape[1], random)
        anything = any_value(size, box, rows, continuous, random)
        return np.where(redrawn, anything, rows_in_random_order(rows, size, random))

    def _redrawn(self, size: int, n_features: int, random: Random) -> BoolArray:
        n_redrawn = max(1, round(self.share * n_features))
        return random.random((size, n_features)).argsort(axis=1) < n_redrawn


@dataclass(frozen=True)
class InflatedGaussian(DataMeasure):
    """A Gaussian with the mean and correlations of the rows, and larger standard deviations.

    Columns that are not numbers or dates, and numbers with few values, are taken from a row.

    Parameters
    ----------
    n_points, n_replicates : int
        As in `UniformBox`.
    inflation : float
        Factor of the standard deviations.

    Examples
    --------
    >>> InflatedGaussian(inflation=3.0).measure
    'Gaussian of the data, inflated 3 times'
    """

    inflation: float = 1.5

    stands_for: ClassVar[str] = "anomalies that are merely farther out"
    optimal_score: ClassVar[str] = "f(x) / N(x; mean, inflation² · covariance)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self.inflation, "inflation", "InflatedGaussian")

    @property
    def measure(self) -> str:
        """Name of the reference measure."""
        return f"Gaussian of the data, inflated {self.inflation:g} times"

    def draw(self, size: int, box: BoundingBox, rows: FloatArray, random: Random) -> FloatArray:
        """Return this many points."""
        center, axes, deviations = principal_axes(rows)
        along = random.standard_normal((size, len(axes))) * (self.inflation * deviations)
        return np.asarray(center + along @ axes)
