"""The kernel density of the tests is scikit-learn's."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity

from tests.quick_density import QuickDensity


@pytest.mark.parametrize("bandwidth", [0.2, 1.0, 3.0])
def test_it_is_the_density_of_scikit_learn(bandwidth):
    random = np.random.default_rng(0)
    rows, points = random.normal(4.0, size=(300, 3)), random.normal(4.0, 2.0, size=(700, 3))
    quick, theirs = (
        kind(bandwidth=bandwidth).fit(rows).score_samples(points)
        for kind in (QuickDensity, KernelDensity)
    )
    exponents = -0.5 * cdist(points, rows, "sqeuclidean") / bandwidth**2
    unit = 1.5 * np.log(2.0 * np.pi) + 3.0 * np.log(bandwidth) + np.log(len(rows))
    np.testing.assert_allclose(quick, logsumexp(exponents, axis=1) - unit, rtol=1e-6)
    # far from all rows the tree of scikit-learn rounds
    near = quick > -20.0
    assert near.sum() > 400
    np.testing.assert_allclose(quick[near], theirs[near], rtol=1e-6)
