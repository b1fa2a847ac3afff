"""Volumes from a mixture of kernels: unbiased for every function, and sharp where the data is."""

import numpy as np
import pytest
from scipy.stats import truncnorm
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import BoundingBox, evaluate_scores
from oddrank.criteria import CriteriaOptions
from oddrank.detectors import FittedDetector
from oddrank.errors import InvalidParameterError
from oddrank.evaluation import criteria_of, score_fold
from oddrank.reference import ImportanceMixture, Place, ReferenceSampler, UniformBox
from oddrank.reference.kernels import TruncatedKernels, neighbourhoods
from oddrank.rows import as_table
from tests.oracles import gaussian_truth


def heavy_tailed_rows(n_rows=1000, d=3, seed=0):
    return np.random.default_rng(seed).standard_t(2, size=(n_rows, d))


def replicates(sampler, box, rows, n_replicates):
    for seed in range(n_replicates):
        chunks = list(sampler.replicate(box, rows, np.random.default_rng(seed)))
        points = np.concatenate([chunk.points for chunk in chunks])
        yield points, np.exp(np.concatenate([chunk.log_weights for chunk in chunks]))


def volume_shares(function, sampler, box, rows, n_replicates=60):
    """One estimate of the share of the box in which `function` holds, per replicate."""
    return np.array([w[function(x)].sum() for x, w in replicates(sampler, box, rows, n_replicates)])


@pytest.mark.parametrize(
    ("region", "share"),
    [
        (lambda X: np.ones(len(X), bool), 1.0),
        (lambda X: (np.abs(X) < 0.25).all(axis=1), 0.25**3),
        (lambda X: (X > 0.5).all(axis=1), 0.25**3),  # a corner where there are no rows
        (lambda X: X[:, 0] < -0.5, 0.25),
        (lambda X: (X**2).sum(axis=1) < 0.25, 4 / 3 * np.pi * 0.125 / 8),
    ],
    ids=["box", "inner", "corner", "side", "ball"],
)
@pytest.mark.parametrize("scale", [0.01, 0.3], ids=["narrow", "wide"])
def test_known_volumes_are_unbiased(region, share, scale):
    box = BoundingBox(lower=-np.ones(3), upper=np.ones(3))
    rows = np.random.default_rng(1).normal(scale=scale, size=(500, 3))
    sampler = ImportanceMixture(n_points=512, n_kernels=64)
    shares = volume_shares(region, sampler, box, rows)
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    assert abs(shares.mean() - share) < 4 * error + 1e-12


@pytest.mark.parametrize(
    "detector",
    [
        IsolationForest(random_state=0),
        LocalOutlierFactor(novelty=True),
        OneClassSVM(gamma=0.3),
    ],
    ids=lambda detector: type(detector).__name__,
)
def test_detectors_have_the_volumes_that_uniform_points_give(detector):
    train, rows = heavy_tailed_rows(), heavy_tailed_rows(seed=1)
    box = BoundingBox.from_arrays(train, rows)
    detector.fit(train)
    thresholds = np.quantile(detector.score_samples(rows), [0.1, 0.01])
    uniform = next(UniformBox(n_points=2**17).replicate(box, rows, np.random.default_rng(0)))
    sampler = ImportanceMixture(n_points=1024, n_kernels=128)
    scored = [
        (detector.score_samples(x), w) for x, w in replicates(sampler, box, rows, n_replicates=30)
    ]
    uniform_scores = detector.score_samples(uniform.points)
    for threshold in thresholds:
        truth = (uniform_scores >= threshold).mean()
        shares = [w[scores >= threshold].sum() for scores, w in scored]
        error = np.hypot(
            np.std(shares, ddof=1) / np.sqrt(len(shares)), np.sqrt(truth / len(uniform_scores))
        )
        assert abs(np.mean(shares) - truth) < 4 * error


@pytest.mark.parametrize("d", [2, 5])
def test_gaussian_criteria(d):
    X = np.random.default_rng(d).normal(size=(20_000, d))
    evaluation = evaluate_scores(
        lambda X: -(X**2).sum(axis=1),
        X,
        reference=ImportanceMixture(n_points=2**11),
        box=BoundingBox.from_arrays(X, margin=0.03),
        confidence_level=0.99,
        random_state=d,
    )
    for estimate, truth in zip(
        (evaluation.excess_mass, evaluation.mass_volume), gaussian_truth(d), strict=True
    ):
        assert estimate.interval[0] < truth < estimate.interval[1]


def test_reported_errors_are_the_spread_over_seeds():
    table = as_table(heavy_tailed_rows())
    box = BoundingBox.from_arrays(table)
    sampler = ImportanceMixture(n_points=256, n_kernels=64)
    options = CriteriaOptions(n_halves=0)
    log_values, errors = [], []
    for seed in range(40):
        root = np.random.SeedSequence(seed)
        fitted = FittedDetector(name="sum", detector=lambda X: -np.abs(X).sum(axis=1))
        place = Place(box=box, rows=table.values, root=root)
        fold = score_fold(fitted, table, place, sampler, options)
        criteria = criteria_of(fold, options, root).criteria.values()
        log_values.append([each.log_value for each in criteria])
        errors.append([each.points_error for each in criteria])
    ratio = np.sqrt((np.array(errors) ** 2).mean(axis=0)) / np.std(log_values, axis=0, ddof=1)
    assert ((ratio > 0.7) & (ratio < 1.6)).all(), ratio


def test_inner_level_sets_hold_many_more_points_than_with_uniform_ones():
    X = heavy_tailed_rows()
    inside = [
        evaluate_scores(lambda X: -np.abs(X).sum(axis=1), X, reference=sampler, random_state=0)
        .criteria.folds[0]
        .inside_effective
        for sampler in (ImportanceMixture(n_points=1024), UniformBox(n_points=2**14))
    ]
    assert inside[0] > 10 * inside[1]


def test_weights_are_bounded_and_points_are_in_the_box():
    rows = heavy_tailed_rows()
    box = BoundingBox.from_arrays(rows)
    sampler = ImportanceMixture(n_points=2048, uniform_share=0.2)
    assert isinstance(sampler, ReferenceSampler)
    for points, weights in replicates(sampler, box, rows, 3):
        assert box.contains(points).all()
        assert weights.max() <= 1 / (0.2 * 2048)


def test_row_order_does_not_change_points_and_seeds_do():
    rows = heavy_tailed_rows()
    box = BoundingBox.from_arrays(rows)
    sampler = ImportanceMixture(n_points=256)
    (first, _), (other, _) = replicates(sampler, box, rows, 2)
    shuffled = np.random.default_rng(5).permutation(rows)
    (again, _), _ = replicates(sampler, box, shuffled, 2)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_density_of_the_kernels_has_mass_one():
    rows = np.array([[0.0, 0.0], [0.9, 0.5], [-1.0, 1.0]])  # one at a corner
    box = BoundingBox(lower=-np.ones(2), upper=np.ones(2))
    random = np.random.default_rng(0)
    kernels = neighbourhoods(rows, box, random).kernels(16, random)
    grid = UniformBox(n_points=2**14).replicate(box, rows, np.random.default_rng(0))
    assert kernels.relative_density(next(grid).points).mean() == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("reach", [3.0, 1e3, 1e7])  # of the box, in units of the kernels
def test_densities_of_kernels_are_those_of_truncated_normal_laws(reach):
    random = np.random.default_rng(0)
    box = BoundingBox(lower=np.full(3, -reach), upper=np.array([1.0, reach, 2.0]))
    kernels = TruncatedKernels(
        centres=random.normal(size=(5, 3)), widths=random.uniform(0.5, 2.0, (5, 3)), box=box
    )
    drawn = np.clip(random.normal(size=(20, 3)), box.lower, box.upper)
    points = np.concatenate([drawn, [box.lower, box.upper]])
    low, high = ((wall - kernels.centres) / kernels.widths for wall in (box.lower, box.upper))
    densities = truncnorm.pdf(
        points[:, np.newaxis], low, high, loc=kernels.centres, scale=kernels.widths
    )
    expected = densities.prod(axis=2).mean(axis=1) * np.exp(box.log_volume)
    np.testing.assert_allclose(kernels.relative_density(points), expected, rtol=2e-6, atol=1e-20)


@pytest.mark.parametrize("rows", [np.zeros((50, 2)), np.full((50, 2), 9.0), np.empty((0, 2))])
def test_rows_in_one_place_or_outside_the_box_still_give_volumes(rows):
    box = BoundingBox(lower=-np.ones(2), upper=np.ones(2))
    shares = volume_shares(
        lambda X: X[:, 0] < 0, ImportanceMixture(n_points=512, n_kernels=64), box, rows
    )
    assert abs(shares.mean() - 0.5) < 4 * shares.std(ddof=1) / np.sqrt(len(shares)) + 1e-12


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"n_points": 0},
            "'n_points' parameter of ImportanceMixture must be an int in the range [1, inf). "
            "Got 0 instead.",
        ),
        ({"n_points": 1000}, "must be a power of 2 for Sobol points. Got 1000 instead"),
        ({"uniform_share": 1.0}, "must be a float in the range (0, 1). Got 1.0 instead"),
        ({"n_kernels": 0}, "must be an int in the range [1, inf). Got 0 instead"),
        ({"n_replicates": 1}, "must be an int in the range [2, inf). Got 1 instead"),
    ],
)
def test_bad_parameters(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        ImportanceMixture(**options)
    assert sentence in str(caught.value)
