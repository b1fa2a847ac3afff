"""The same seed gives the same result."""

import sys

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from oddrank import evaluate_scores, rank_detectors
from oddrank._random import integer_seed, root_of, stream
from oddrank.errors import InvalidParameterError
from oddrank.reference import UniformBox


def density(X):
    return -np.abs(X).sum(axis=1)


ROWS = np.random.default_rng(0).normal(size=(1100, 2))


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_chunk_size_does_not_matter(monkeypatch, method):
    sampler = UniformBox(n_points=2**11, method=method, n_replicates=3)
    expected = evaluate_scores(density, ROWS, reference=sampler, random_state=5)
    chunked_modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("oddrank.") and hasattr(module, "CHUNK_ROWS")
    ]
    assert len(chunked_modules) >= 3  # rows, detectors and reference points at least
    for module in chunked_modules:
        monkeypatch.setattr(module, "CHUNK_ROWS", 2**7)
    chunked = evaluate_scores(density, ROWS, reference=sampler, random_state=5)
    assert chunked.to_dict() == expected.to_dict()


def test_seed_decides():
    sampler = UniformBox(n_points=2**8, n_replicates=3)
    values = [
        evaluate_scores(density, ROWS, reference=sampler, random_state=seed).excess_mass.value
        for seed in (1, 1, 2)
    ]
    assert values[0] == values[1] != values[2]


@pytest.mark.parametrize("n_features", [2, 7])
def test_threads_and_jobs_do_not_matter_where_rows_tie(n_features, monkeypatch):
    """Neighbours at the same distance: which of them are taken must not depend on threads."""
    monkeypatch.setattr("oddrank.execution.run.FEW_ROWS", 0)  # all that may run elsewhere does
    rows = np.random.default_rng(1).normal(size=(2400, n_features)).round(1)
    with threadpool_limits(limits=1):
        alone = evaluate_scores(density, rows, random_state=0)
    with threadpool_limits(limits=2):
        together = evaluate_scores(density, rows, random_state=0)
    assert together.to_dict() == alone.to_dict()
    detectors = {"ellipse": GaussianMixture(), "three": GaussianMixture(3)}
    one, two = (
        rank_detectors(detectors, rows, judge="volume", n_jobs=n_jobs, random_state=0)
        for n_jobs in (1, 2)
    )
    assert str(one) == str(two)


def test_streams_belong_to_purposes_and_indices():
    root = root_of(7, "test")
    assert stream(root, "reference", 1).random() == stream(root, "reference", 1).random()
    draws = {stream(root, *key).random() for key in [("reference", 0), ("reference", 1), ("rows",)]}
    assert len(draws) == 3
    assert integer_seed(root, "detector") < 2**31


@pytest.mark.parametrize(
    "state",
    [0, np.int64(3), np.random.default_rng(1), np.random.RandomState(1), np.random.SeedSequence(4)],
)
def test_every_kind_of_random_state(state):
    assert isinstance(root_of(state, "test"), np.random.SeedSequence)


@pytest.mark.parametrize("state", [-1, 0.5, "seed", True])
def test_other_random_states_are_refused(state):
    with pytest.raises(InvalidParameterError, match="'random_state' parameter of test must be"):
        root_of(state, "test")
