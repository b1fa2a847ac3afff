"""Shapes whose share of a cube is known in any dimension, also where the cube cuts them.

A point is uniform in the cube, so that the square of its distance from the centre is a sum of
independent terms; its law is their convolution, here on a fine lattice. Sizes are chosen so that a
shape fills `exp(-3 - d / 4)` of the cube, about what a level set of mass 0.9 of a Gaussian fills of
the range of its rows: `exp(-10.5)` in 30 dimensions.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.signal import fftconvolve

NAMES = ("ball", "box", "shell", "two far balls", "thin ellipsoid", "staircase")
CELLS = 2**16
THINNESS = 0.03
FAR = 3.0


@dataclass(frozen=True)
class CubeShape:
    """The set of scores >= 0 in the cube [-1, 1]^d, and the logarithm of its share of the cube."""

    score: Any
    log_share: float


def depth(d):
    return 3.0 + d / 4.0


class SquaredDistance:
    """Distribution function of a sum of independent positive terms."""

    def __init__(self, distribution_functions, top):
        self.cell = top / CELLS
        edges = np.maximum((np.arange(CELLS + 2) - 0.5) * self.cell, 0.0)
        total = np.ones(1)
        for distribution_function in distribution_functions:
            masses = np.diff(distribution_function(edges))
            total = fftconvolve(total, masses)[: CELLS + 1]
        self.sums = np.cumsum(np.maximum(total, 0.0))

    def __call__(self, square):
        return np.interp(square / self.cell, np.arange(CELLS + 1) + 0.5, self.sums)

    def radius(self, log_share):
        """The distance within which the share is found."""
        end = (CELLS - 1) * self.cell
        found = brentq(lambda x: np.log(self(x)) - log_share, end * 1e-4, end)
        return np.sqrt(found)


def uniform_square(half_width):
    return lambda x: np.minimum(np.sqrt(x) / half_width, 1.0)


def thin_diagonal_square(x):
    """Law of ((u - v) / (√2 ε))² for uniform u and v: |u - v| has a triangular density."""
    return 1.0 - (1.0 - np.minimum(np.sqrt(2.0 * x) * THINNESS, 2.0) / 2.0) ** 2


def _two_far_balls(d):
    # The first side of the cube stands for one that is six times as long.
    law = SquaredDistance([uniform_square(FAR)] + [uniform_square(1.0)] * (d - 1), float(d))
    radius = law.radius(-depth(d))
    assert radius < FAR - 0.2  # they do not touch

    def score(X):
        rest = (X[:, 1:] ** 2).sum(axis=1)
        first = 2.0 * FAR * X[:, 0]
        return radius - np.sqrt(rest + np.minimum((first - FAR) ** 2, (first + FAR) ** 2))

    return CubeShape(score, float(np.log(law(radius**2))))


def _thin_ellipsoid(d):
    # Thin across the diagonals of one or two pairs of features.
    n_pairs = 1 if d < 4 else 2
    laws = [thin_diagonal_square] * n_pairs + [uniform_square(1.0)] * (d - 2 * n_pairs)
    law = SquaredDistance(laws, 3.0 * d)
    radius = law.radius(-depth(d))

    def score(X):
        across = (X[:, : 2 * n_pairs : 2] - X[:, 1 : 2 * n_pairs : 2]) ** 2 / 2.0 / THINNESS**2
        return radius - np.sqrt(across.sum(axis=1) + (X[:, 2 * n_pairs :] ** 2).sum(axis=1))

    return CubeShape(score, float(np.log(law(radius**2))))


@cache
def cube_shapes(d):
    law = SquaredDistance([uniform_square(1.0)] * d, float(d))
    radius = law.radius(-depth(d))
    ball, hole = law(radius**2), law((0.8 * radius) ** 2)
    half_width = np.exp(-depth(d) / d)

    def norm(X):
        return np.linalg.norm(X, axis=1)

    return {
        "ball": CubeShape(lambda X: radius - norm(X), float(np.log(ball))),
        "box": CubeShape(lambda X: half_width - np.abs(X).max(axis=1), -depth(d)),
        "shell": CubeShape(
            lambda X: 0.1 * radius - np.abs(norm(X) - 0.9 * radius), float(np.log(ball - hole))
        ),
        "two far balls": _two_far_balls(d),
        "thin ellipsoid": _thin_ellipsoid(d),
        "staircase": CubeShape(
            lambda X: np.floor(8.0 * (1.0 - norm(X) / radius)), float(np.log(ball))
        ),
    }
