"""Points that fill a box evenly."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import kstest

from oddrank import BoundingBox, evaluate_scores
from oddrank.reference import ReferenceSampler, UniformBox

BOX = BoundingBox(lower=np.array([-1.0, 10.0]), upper=np.array([1.0, 30.0]))


def _replicate(sampler, box=BOX, seed=0):
    chunks = list(sampler.replicate(box, np.empty((0, 2)), np.random.default_rng(seed)))
    return np.concatenate([chunk.points for chunk in chunks])


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_points_are_uniform(method):
    sampler = UniformBox(n_points=2**12, method=method)
    assert isinstance(sampler, ReferenceSampler)
    points = _replicate(sampler)
    assert BOX.contains(points).all()
    for j in range(2):
        uniform = (points[:, j] - BOX.lower[j]) / BOX.widths[j]
        assert kstest(uniform, "uniform").pvalue > 0.001


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_replicates_differ_and_can_be_repeated(method):
    sampler = UniformBox(n_points=64, method=method)
    np.testing.assert_array_equal(_replicate(sampler), _replicate(sampler))
    assert not np.array_equal(_replicate(sampler), _replicate(sampler, seed=1))


def test_sobol_points_fill_a_half_box_exactly_and_random_ones_do_not():
    sobol = _replicate(UniformBox(n_points=1024))
    plain = _replicate(UniformBox(n_points=1024, method="random"))
    assert (sobol[:, 0] < 0).sum() == 512
    assert (plain[:, 0] < 0).sum() != 512


def test_points_come_in_chunks():
    sampler = UniformBox(n_points=2**16)
    chunks = list(sampler.replicate(BOX, np.empty((0, 2)), np.random.default_rng(0)))
    assert [len(chunk.points) for chunk in chunks] == [2**14] * 4


@pytest.mark.long
def test_ten_million_points_need_a_few_hundred_megabytes():
    X = np.random.default_rng(0).normal(size=(2000, 5))
    sampler = UniformBox(n_points=2**20, n_replicates=10)
    tracemalloc.start()
    evaluate_scores(lambda X: -(X**2).sum(axis=1), X, reference=sampler, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400e6
