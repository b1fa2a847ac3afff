"""Data whose density is known exactly, so that results can be compared with the truth.

Every kind can be sampled and has a closed-form log density that integrates to 1 (the tests check
both). No download, no optional library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import special, stats

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank._validation import check_integer, check_option
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io.optional_libraries import require
from oddrank.rows import as_table


class Density(Protocol):
    """What every kind offers: draws, and the log density at any point."""

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return the log density of each row."""


@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """The standard Gaussian in `d` dimensions."""

    d: int

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""
        return generator.standard_normal((n, self.d))

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return `-|x|²/2 - d/2 log 2π`."""
        return np.asarray(-0.5 * (X**2).sum(axis=1) - 0.5 * self.d * np.log(2 * np.pi))


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """Three round Gaussians on the first axis: weights 0.6, 0.3, 0.1; widths 1, 0.5, 0.25."""

    d: int
    weights: tuple[float, ...] = (0.6, 0.3, 0.1)
    centres: tuple[float, ...] = (0.0, 5.0, -4.0)
    widths: tuple[float, ...] = (1.0, 0.5, 0.25)

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""
        component = generator.choice(len(self.weights), size=n, p=self.weights)
        X = generator.standard_normal((n, self.d)) * np.asarray(self.widths)[component, None]
        X[:, 0] += np.asarray(self.centres)[component]
        return np.asarray(X)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return the logarithm of the weighted sum of the three densities."""
        gaussian = Gaussian(d=self.d)
        parts = []
        for weight, centre, width in zip(self.weights, self.centres, self.widths, strict=True):
            standard = X.copy()
            standard[:, 0] -= centre
            scaled = gaussian.log_density(standard / width) - self.d * np.log(width)
            parts.append(np.log(weight) + scaled)
        return np.asarray(special.logsumexp(parts, axis=0))


@dataclass(frozen=True, kw_only=True)
class Shell:
    """A hollow sphere of radius about 5: normal rows lie on it, its centre is empty.

    The radius has a Gamma distribution of mean 5 whose shape, `d + 99`, makes the density vanish
    at the centre in every dimension; directions are uniform.
    """

    d: int

    def _radius(self) -> Any:
        shape = self.d + 99
        return stats.gamma(shape, scale=5.0 / shape)

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""
        direction = generator.standard_normal((n, self.d))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        radius = self._radius().rvs(size=(n, 1), random_state=generator)
        return np.asarray(direction * radius)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return the radius' log density less the log area of the sphere through the row."""
        radius = np.linalg.norm(X, axis=1)
        log_unit_area = np.log(2) + 0.5 * self.d * np.log(np.pi) - special.gammaln(0.5 * self.d)
        # At the centre the density is 0: its logarithm is taken there, not at log(0) - log(0).
        safe = np.where(radius > 0, radius, 1.0)
        log_density = self._radius().logpdf(safe) - log_unit_area - (self.d - 1) * np.log(safe)
        return np.where(radius > 0, log_density, -np.inf)


@dataclass(frozen=True, kw_only=True)
class Banana:
    """A Gaussian bent along a parabola: `x1 = z1 + (x0² - 4) / 4` with `x0` of width 2.

    The bend preserves volume, so the density is the Gaussian's at the straightened row.
    """

    d: int

    def __post_init__(self) -> None:
        if self.d < 2:
            raise InvalidParameterError(
                "The 'd' parameter of make_known_density must be an int in the range [2, inf) "
                f"for kind 'banana', which bends one feature by another. Got {self.d} instead."
            )

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""
        X = generator.standard_normal((n, self.d))
        X[:, 0] *= 2.0
        X[:, 1] += (X[:, 0] ** 2 - 4.0) / 4.0
        return np.asarray(X)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return the Gaussian log density of the straightened rows."""
        straight = X.copy()
        straight[:, 1] -= (X[:, 0] ** 2 - 4.0) / 4.0
        straight[:, 0] /= 2.0
        return np.asarray(Gaussian(d=self.d).log_density(straight) - np.log(2.0))


@dataclass(frozen=True, kw_only=True)
class HeavyTails:
    """Student's t in `d` dimensions with 3 degrees of freedom: a few rows lie very far out."""

    d: int
    degrees_of_freedom: float = 3.0

    def sample(self, n: int, generator: np.random.Generator) -> FloatArray:
        """Draw `n` rows."""
        scale = generator.chisquare(self.degrees_of_freedom, size=(n, 1)) / self.degrees_of_freedom
        return np.asarray(generator.standard_normal((n, self.d)) / np.sqrt(scale))

    def log_density(self, X: FloatArray) -> FloatArray:
        """Return scipy's log density of the multivariate t."""
        density = stats.multivariate_t(np.zeros(self.d), np.eye(self.d), df=self.degrees_of_freedom)
        return np.atleast_1d(density.logpdf(X))


KINDS: dict[str, type[Any]] = {
    "gaussian": Gaussian,
    "mixture": Mixture,
    "shell": Shell,
    "banana": Banana,
    "heavy_tails": HeavyTails,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownDensitySample:
    """Rows drawn from a density that is known.

    Attributes
    ----------
    kind : str
    X : array of shape (n, d)
    density : Density
        Draws more rows (`density.sample`), and knows the truth.

    Examples
    --------
    >>> from oddrank import io
    >>> sample = io.make_known_density("gaussian", 5, 2, random_state=0)
    >>> sample.X.shape, sample.log_density(sample.X).shape
    ((5, 2), (5,))
    """

    kind: str
    X: FloatArray
    density: Density

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names `x0`, `x1` and so on."""
        return tuple(f"x{j}" for j in range(self.X.shape[1]))

    def log_density(self, X: Any) -> FloatArray:
        """Return the true log density of each row: the best possible score, higher = more normal.

        `evaluate_scores(sample.log_density, sample.X)` gives the criteria of a perfect detector.
        """
        table = as_table(X)
        if table.n_features != self.X.shape[1]:
            raise InvalidDataError(
                f"X has {table.n_features} features but this density has {self.X.shape[1]}. "
                "Give rows of the same features."
            )
        return self.density.log_density(table.values)

    def frame(self) -> Any:
        """Return a pandas frame of the rows."""
        pandas = require("pandas", "KnownDensitySample.frame()")
        return pandas.DataFrame(self.X, columns=list(self.feature_names))

    def __str__(self) -> str:
        n, d = self.X.shape
        return f"{n:,} rows x {d} features drawn from a known density of kind {self.kind!r}"


def make_known_density(
    kind: str = "gaussian", n: int = 1000, d: int = 2, *, random_state: Any = None
) -> KnownDensitySample:
    """Draw rows from a density that is known exactly.

    Parameters
    ----------
    kind : "gaussian", "mixture", "shell", "banana" or "heavy_tails"
    n : int
        Number of rows.
    d : int
        Number of features; "banana" needs two.
    random_state : None, int, Generator, RandomState or SeedSequence

    Returns
    -------
    KnownDensitySample
        With `X`, and `log_density`, a function of rows.

    Examples
    --------
    >>> from oddrank.io import make_known_density
    >>> sample = make_known_density("gaussian", 500, 2, random_state=0)
    >>> sample.X.shape
    (500, 2)
    >>> sample.log_density([[0.0, 0.0], [3.0, 0.0]]).round(3)
    array([-1.838, -6.338])
    """
    check_option(kind, "kind", "make_known_density", tuple(KINDS))
    check_integer(n, "n", "make_known_density")
    check_integer(d, "d", "make_known_density")
    density = KINDS[kind](d=int(d))
    generator = stream(root_of(random_state, "make_known_density"), "generator")
    return KnownDensitySample(kind=kind, X=density.sample(int(n), generator), density=density)
