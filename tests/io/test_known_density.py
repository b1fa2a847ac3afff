"""The densities integrate to one, and the rows follow them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats

from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io import make_known_density
from oddrank.io.known_density import KINDS

KINDS_AND_DIMENSIONS = [
    (kind, d) for kind, d in itertools.product(KINDS, (1, 2, 5, 8)) if (kind, d) != ("banana", 1)
]
N = 40_000
SIGMAS = 5.0  # 60 comparisons at 5 standard errors: one false alarm in 30,000 runs


def wide_proposal(kind: str, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw points from a density written with scipy alone, with heavier tails than the target's."""
    if kind == "shell":
        rng = np.random.default_rng(11)
        direction = rng.standard_normal((N, d))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        radius = stats.gamma(40.0, scale=5.0 / 40.0)
        r = radius.rvs(N, random_state=rng)
        log_area = np.log(2 * np.pi ** (d / 2)) - special.gammaln(d / 2) + (d - 1) * np.log(r)
        return direction * r[:, None], radius.logpdf(r) - log_area
    if kind == "mixture":
        return three_wide_components(d)
    scale = {"gaussian": 1.5, "banana": 3.0, "heavy_tails": 1.0}[kind]
    shape = np.full(d, scale**2)
    if kind == "banana":
        shape[2:] = 1.5
    freedom = 2.5 if kind == "heavy_tails" else 8.0
    proposal = stats.multivariate_t(np.zeros(d), np.diag(shape), df=freedom)
    points = proposal.rvs(N, random_state=5).reshape(N, d)
    return points, proposal.logpdf(points).reshape(N)


def three_wide_components(d: int) -> tuple[np.ndarray, np.ndarray]:
    components = [
        stats.multivariate_t(np.eye(d)[0] * centre, np.eye(d) * (1.3 * width) ** 2, df=8)
        for centre, width in ((0.0, 1.0), (5.0, 0.5), (-4.0, 0.25))
    ]
    which = np.random.default_rng(6).integers(3, size=N)
    draws = [c.rvs(N, random_state=seed).reshape(N, d) for seed, c in enumerate(components)]
    points = np.choose(which[:, None], draws)
    log_parts = [component.logpdf(points).reshape(N) for component in components]
    return points, special.logsumexp(log_parts, axis=0) - np.log(3)


@pytest.mark.parametrize(("kind", "d"), KINDS_AND_DIMENSIONS)
def test_density_integrates_to_one(kind: str, d: int) -> None:
    sample = make_known_density(kind, 2, d, random_state=0)
    points, log_proposal = wide_proposal(kind, d)
    weights = np.exp(sample.log_density(points) - log_proposal)
    error = weights.std() / np.sqrt(N)
    assert error < 0.05, "the proposal is too poor for this test to say anything"
    assert abs(weights.mean() - 1.0) < SIGMAS * error


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"banana"}))
def test_density_integrates_to_one_on_the_line(kind: str) -> None:
    log_density = make_known_density(kind, 2, 1, random_state=0).density.log_density
    total, error = integrate.quad(
        lambda x: float(np.exp(log_density(np.array([[x]]))[0])),
        -200, 200, points=[-5, -4, 0, 5], limit=500,
    )  # fmt: skip
    # Student's t with 3 degrees of freedom has 1e-7 of its mass beyond 200.
    assert total == pytest.approx(1.0, abs=1e-6 + 10 * error)


@pytest.mark.parametrize(("kind", "d"), KINDS_AND_DIMENSIONS)
def test_rows_follow_the_density(kind: str, d: int) -> None:
    """Shares of rows in regions against integrals of the density over the same regions."""
    sample = make_known_density(kind, N, d, random_state=1)
    points, log_proposal = wide_proposal(kind, d)
    weights = np.exp(sample.log_density(points) - log_proposal)
    level = np.median(sample.log_density(sample.X))
    regions = {
        "left": lambda X: X[:, 0] < -0.7,
        "right": lambda X: X[:, 0] > 2.0,
        "last": lambda X: X[:, -1] > 0.5,
        "near": lambda X: np.linalg.norm(X, axis=1) < np.sqrt(d),
        "dense": lambda X: sample.log_density(X) > level,
    }
    for name, region in regions.items():
        share = region(sample.X).mean()
        inside = weights * region(points)
        error = np.sqrt(share * (1 - share) / N + inside.var() / N)
        assert abs(share - inside.mean()) < SIGMAS * error + 1e-12, name


@pytest.mark.parametrize("d", [1, 2, 5])
def test_log_densities_against_scipy(d: int) -> None:
    X = np.random.default_rng(2).normal(size=(50, d)) * 2
    gaussian = make_known_density("gaussian", 2, d, random_state=0).log_density(X)
    truth = stats.multivariate_normal(np.zeros(d)).logpdf(X)
    np.testing.assert_allclose(gaussian, truth, rtol=1e-12)
    student = make_known_density("heavy_tails", 2, d, random_state=0).log_density(X)
    truth = stats.multivariate_t(np.zeros(d), df=3).logpdf(X)
    np.testing.assert_allclose(student, truth, rtol=1e-12)


def test_the_middle_of_the_shell_is_empty() -> None:
    sample = make_known_density("shell", 5000, 3, random_state=0)
    assert sample.log_density(np.zeros((2, 3))).tolist() == [-np.inf, -np.inf]
    radius = np.linalg.norm(sample.X, axis=1)
    assert abs(radius.mean() - 5.0) < 0.05
    assert radius.min() > 2.0


def test_reproducible_by_seed() -> None:
    first, again, other = (
        make_known_density("banana", 5, 3, random_state=seed).X for seed in (4, 4, 5)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_sample_prints_and_becomes_a_frame() -> None:
    sample = make_known_density("mixture", 12, 2, random_state=0)
    assert str(sample) == "12 rows x 2 features drawn from a known density of kind 'mixture'"
    frame = sample.frame()
    assert list(frame.columns) == ["x0", "x1"]
    np.testing.assert_array_equal(sample.log_density(frame), sample.log_density(sample.X))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("torus",), "must be one of 'gaussian', 'mixture', 'shell', 'banana', 'heavy_tails'"),
        (
            ("gaussian", 0),
            r"The 'n' parameter of make_known_density must be an int in the range \[",
        ),
        (("gaussian", 5, 0), r"The 'd' parameter of make_known_density must be an int in the"),
        (("banana", 5, 1), "for kind 'banana', which bends one feature by another. Got 1"),
    ],
)
def test_refusals(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        make_known_density(*arguments)


def test_rows_of_another_dimension_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="3 features but this density has 2"):
        make_known_density("gaussian", 5, 2).log_density(np.zeros((4, 3)))
