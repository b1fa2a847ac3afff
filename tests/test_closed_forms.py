"""Both criteria against densities whose level sets have a known volume."""

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import chi2

from oddrank import BoundingBox, evaluate_scores, level_sets, mass_volume_curve
from oddrank.reference import AutoReference, UniformBox
from tests.oracles import gaussian_truth

# DESIGN: standard Gaussian scored by its own density, in dimension d.
TRUTH = {2: (3.0755e-3, 2.0254), 5: (2.336e-5, 260.8), 8: (2.031e-7, 3.239e4)}


def gaussian_log_density(X):
    return -(np.asarray(X) ** 2).sum(axis=1)


SAMPLERS = {"auto": AutoReference(), "uniform": UniformBox(n_points=2**14)}


def gaussian_evaluation(d, seed, sampler, confidence_level=0.95):
    X = np.random.default_rng([seed, d]).normal(size=(20_000, d))
    # The closed form knows no box. In 8 dimensions the ball of mass 0.999 reaches beyond the range
    # of the rows, and that range differs from sample to sample.
    radius = np.sqrt(chi2.ppf(0.9995, d))
    return evaluate_scores(
        gaussian_log_density,
        X,
        reference=SAMPLERS[sampler],
        box=BoundingBox(lower=np.full(d, -radius), upper=np.full(d, radius)),
        confidence_level=confidence_level,
        random_state=seed,
    )


@pytest.mark.parametrize("d", TRUTH)
def test_the_truth_itself_by_quadrature(d):
    assert gaussian_truth(d) == pytest.approx(TRUTH[d], rel=5e-4)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("d", TRUTH)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_gaussian_criteria(d, seed, sampler):
    # 24 intervals: at this level all of them hold the truth with probability 0.976
    evaluation = gaussian_evaluation(d, seed, sampler, confidence_level=0.999)
    for estimate, truth in zip(
        (evaluation.excess_mass, evaluation.mass_volume), gaussian_truth(d), strict=True
    ):
        assert estimate.interval[0] < truth < estimate.interval[1]
        assert estimate.relative_error < 0.1


def test_grid_scored_by_its_first_coordinate_has_volume_equal_to_mass():
    grid = (np.arange(1000) + 0.5) / 1000
    curve = mass_volume_curve(level_sets(-grid, -grid))
    masses = np.arange(1, 1001) / 1000
    np.testing.assert_allclose(curve(masses), masses, rtol=1e-14)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_uniform_data_has_mass_equal_to_volume_fraction(d):
    X = np.random.default_rng(d).random((4000, d)) * 7.0
    box = BoundingBox(lower=np.zeros(d), upper=np.full(d, 7.0))
    evaluation = evaluate_scores(lambda X: -X.max(axis=1), X, box=box, random_state=d)
    truth = 7.0**d * (0.999**2 - 0.9**2) / 2
    assert abs(evaluation.mass_volume.value - truth) < 4 * evaluation.mass_volume.standard_error


@pytest.mark.long
@pytest.mark.parametrize("d", TRUTH)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_intervals_cover_the_truth(d, sampler):
    evaluations = Parallel(n_jobs=2)(
        delayed(gaussian_evaluation)(d, i, sampler) for i in range(200)
    )
    for position, truth in enumerate(gaussian_truth(d)):
        estimates = [(e.excess_mass, e.mass_volume)[position] for e in evaluations]
        covered = np.mean([e.interval[0] < truth < e.interval[1] for e in estimates])
        bias = np.mean([e.value for e in estimates]) / truth - 1
        assert 0.92 <= covered <= 0.98, (d, position, covered)
        assert abs(bias) < 0.006, (d, position, bias)
