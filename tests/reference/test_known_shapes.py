"""Shapes of known volume: the log volume is within 3 of its standard errors, as it should be."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.special import gammaln

from oddrank import BoundingBox
from oddrank._random import child
from oddrank.reference import ImportanceMixture

REPETITIONS = 40


@dataclass(frozen=True)
class Shape:
    """The set of scores >= 0 in the box [-1, 1]^d, how to draw rows in it, and its log volume."""

    score: Any
    draw: Any
    log_volume: float


def log_ball(d, radius):
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1) + d * np.log(radius)


def in_ball(n, d, random, inner=0.0, outer=1.0):
    direction = random.normal(size=(n, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * random.uniform(inner**d, outer**d, size=(n, 1)) ** (1 / d)


def shapes(d):
    far = np.zeros(d)
    far[0] = 0.7
    axes = np.array([0.6, *[0.03] * (d - 1)])

    def norm(X):
        return np.linalg.norm(X, axis=1)

    return {
        "ball": Shape(
            lambda X: 0.5 - norm(X),
            lambda n, random: in_ball(n, d, random, outer=0.5),
            log_ball(d, 0.5),
        ),
        "box": Shape(
            lambda X: 0.3 - np.abs(X).max(axis=1),
            lambda n, random: random.uniform(-0.3, 0.3, size=(n, d)),
            d * np.log(0.6),
        ),
        "shell": Shape(
            lambda X: 0.05 - np.abs(norm(X) - 0.45),
            lambda n, random: in_ball(n, d, random, inner=0.4, outer=0.5),
            np.log(np.exp(log_ball(d, 0.5)) - np.exp(log_ball(d, 0.4))),
        ),
        "two far balls": Shape(
            lambda X: 0.2 - np.minimum(norm(X - far), norm(X + far)),
            lambda n, random: (
                in_ball(n, d, random, outer=0.2) + far * random.choice([-1, 1], size=(n, 1))
            ),
            log_ball(d, 0.2) + np.log(2),
        ),
        "thin ellipsoid": Shape(
            lambda X: 1.0 - norm(X / axes),
            lambda n, random: in_ball(n, d, random) * axes,
            log_ball(d, 1.0) + np.log(axes).sum(),
        ),
        "staircase": Shape(
            lambda X: np.floor(10 * (0.5 - norm(X))),
            lambda n, random: in_ball(n, d, random, outer=0.5),
            log_ball(d, 0.5),
        ),
    }


def standardised_error(name, d, repetition, sampler):
    """How many standard errors the log volume is off, and that standard error."""
    shape = shapes(d)[name]
    root = np.random.SeedSequence([repetition, d])
    random = np.random.default_rng(root)
    # 90 % of the rows fill the shape, the others the box: the shape is the set of mass 0.9.
    rows = np.vstack([shape.draw(900, random), random.uniform(-1, 1, size=(100, d))])
    box = BoundingBox(lower=-np.ones(d), upper=np.ones(d))
    shares = []
    for index in range(sampler.n_replicates):
        stream = np.random.default_rng(child(root, "reference", index))
        chunk = next(sampler.replicate(box, rows, stream))
        shares.append(np.exp(chunk.log_weights[shape.score(chunk.points) >= 0]).sum())
    relative = np.std(shares, ddof=1) / np.sqrt(len(shares)) / np.mean(shares)
    return (np.log(np.mean(shares)) + box.log_volume - shape.log_volume) / relative, relative


@pytest.mark.long
@pytest.mark.parametrize("name", shapes(2))
@pytest.mark.parametrize("d", [2, 5])
def test_log_volumes_are_within_three_standard_errors(d, name):
    sampler = ImportanceMixture(n_points=1024, n_kernels=128, n_replicates=16)
    off, errors = np.transpose(
        Parallel(n_jobs=2)(
            delayed(standardised_error)(name, d, repetition, sampler)
            for repetition in range(REPETITIONS)
        )
    )
    within, error = np.mean(np.abs(off) < 3), np.median(errors)
    print(f"{name}, d = {d}: {within:.1%} within 3 standard errors of {error:.3f}")  # noqa: T201
    assert within >= 0.95
    assert error < 0.1
