"""A registry: every criterion keeps what theory says it keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddrank import evaluate_scores, excess_mass_curve, level_sets, mass_volume_curve
from oddrank.reference import (
    AutoReference,
    ImportanceMixture,
    InflatedGaussian,
    MultilevelSplitting,
    NoisyData,
    PartialRedraw,
    PrincipalBox,
    ProductOfMarginals,
    ReferenceMixture,
    UniformBox,
)

CRITERIA = {
    "excess_mass": lambda levels: excess_mass_curve(levels).area(0.6),
    "mass_volume": lambda levels: mass_volume_curve(levels).area(0.6, 0.98),
}


def _scores(seed):
    random = np.random.default_rng(seed)
    return np.round(random.normal(1.0, 1.0, 60), 1), np.round(random.normal(0.0, 1.5, 80), 1)


def row_order(data, reference, random):
    return random.permutation(data), random.permutation(reference)


def increasing_transform(data, reference, random):
    return np.arctan(data) * 3 + 7, np.arctan(reference) * 3 + 7


def duplication_of_data(data, reference, random):
    return np.repeat(data, 3), reference


def duplication_of_reference(data, reference, random):
    return data, np.tile(reference, 4)


PROPERTIES = [row_order, increasing_transform, duplication_of_data, duplication_of_reference]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("change", PROPERTIES, ids=lambda change: change.__name__)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_of_scores(criterion, change, seed):
    data, reference = _scores(seed)
    changed = change(data, reference, np.random.default_rng(seed))
    area = CRITERIA[criterion]
    assert area(level_sets(*changed)) == pytest.approx(area(level_sets(data, reference)), rel=1e-9)


def density(X):
    return -np.abs(X - X_MIDDLE).sum(axis=1)


X_MIDDLE = np.array([1.0, 2.0, 3.0])
SMALL = UniformBox(n_points=2**9, n_replicates=4)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(4).normal(size=(1500, 3)) + X_MIDDLE


def _values(function, X, reference=SMALL):
    evaluation = evaluate_scores(function, X, reference=reference, random_state=3)
    return np.array([evaluation.excess_mass.value, evaluation.mass_volume.value])


REFERENCES = [
    SMALL,
    AutoReference(relative_error=0.3, max_points=2**12, n_points=2**8),
    ImportanceMixture(n_points=2**9),
    MultilevelSplitting(n_points=2**12, n_replicates=4),
    ProductOfMarginals(),
    NoisyData(),
    PartialRedraw(),
    PrincipalBox(),
    InflatedGaussian(),
    ReferenceMixture(n_points=64),
]


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda each: type(each).__name__)
def test_rows_in_another_order_give_the_same_estimates(rows, reference):
    shuffled = np.random.default_rng(0).permutation(rows)
    np.testing.assert_array_equal(
        _values(density, shuffled, reference), _values(density, rows, reference)
    )


def test_translation(rows):
    moved = _values(lambda X: density(X - 16.0), rows + 16.0)
    np.testing.assert_allclose(moved, _values(density, rows), rtol=1e-9)


def test_scaling_a_feature_scales_volumes(rows):
    factor = np.array([1.0, 8.0, 1.0])
    scaled = _values(lambda X: density(X / factor), rows * factor)
    np.testing.assert_allclose(scaled * [8.0, 1 / 8.0], _values(density, rows), rtol=1e-9)


def test_increasing_transform_of_the_detector(rows):
    np.testing.assert_allclose(
        _values(lambda X: np.exp(density(X)), rows), _values(density, rows), rtol=1e-12
    )
