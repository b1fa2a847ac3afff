"""Algorithm 1: one detector in draws of features."""

import numpy as np
import pytest

from oddrank import BoundingBox, FeatureSubsampling, evaluate_detector
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME
from oddrank.errors import InvalidDataError, UnresolvedWarning
from oddrank.reference import UniformBox
from tests.quick_density import QuickDensity

SMALL = UniformBox(n_points=2**9, n_replicates=2)
FEW = FeatureSubsampling(n_features=3, n_draws=6)


def rows(n_features, n_rows=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def test_too_many_constant_features_are_named():
    X = rows(6)
    X[:, 1:5] = 7.0
    with pytest.raises(InvalidDataError, match=r"4 of 6 features are const.*'x1', 'x2'.*most 2"):
        evaluate_detector(QuickDensity(), X, subsampling=FEW, mass_range=(0.9, 0.95))


def test_evaluation_is_the_average_of_evaluations_in_the_draws():
    X = rows(9)
    sampler = UniformBox(n_points=2**12, n_replicates=2)
    options = {"mass_range": (0.9, 0.95), "cv": 1, "random_state": 3, "reference": sampler}
    evaluation = evaluate_detector(QuickDensity(), X[:100], X[100:], subsampling=FEW, **options)
    (drawn,) = evaluation.criteria.folds
    draws = drawn.draws
    values = [
        evaluate_detector(
            QuickDensity(),
            X[:100][:, draw],
            X[100:][:, draw],
            box=BoundingBox.from_arrays(X[100:, draw]),
            **options,
        ).mass_volume.value
        for draw in draws
    ]
    found = [each.value * np.exp(each.log_unit) for each in drawn.single[MASS_VOLUME]]
    # other points in each draw, so equal up to their error
    np.testing.assert_allclose(found, values, rtol=0.1)
    assert evaluation.mass_volume.value == pytest.approx(np.mean(found))
    plain = np.mean([each.value * np.exp(each.log_unit) for each in drawn.single[EXCESS_MASS]])
    assert drawn.criteria[EXCESS_MASS].value == pytest.approx(plain)
    assert evaluation.excess_mass.value < plain


def test_diagnostics_of_draws_that_few_govern_or_that_are_unresolved():
    X = rows(9, 400)
    X[0] = 1e4
    with pytest.warns(UnresolvedWarning, match="draws of features have no value"):
        evaluation = evaluate_detector(
            QuickDensity(),
            X,
            subsampling=FEW,
            scale=False,
            mass_range=(0.9, 0.99),
            reference=SMALL,
            random_state=0,
        )
    assert not evaluation.diagnostics["resolved"].ok
    heavy = rows(9, 400) * 10.0 ** np.arange(9)
    evaluation = evaluate_detector(
        QuickDensity(bandwidth=1e6),
        heavy,
        subsampling=FEW,
        scale=False,
        mass_range=(0.9, 0.99),
        reference=SMALL,
        random_state=0,
    )
    assert "geometric" in evaluation.diagnostics["few draws"].says()
