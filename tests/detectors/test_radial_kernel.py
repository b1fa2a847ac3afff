"""One-class SVMs scored in blocks: the same scores, whatever stands beside a row."""

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import OneClassSVM

from oddrank.detectors.normality import RadialKernelSum, normality_function

ROWS = np.random.default_rng(0).normal(size=(300, 4))
POINTS = np.random.default_rng(1).uniform(-6.0, 6.0, size=(333, 4))


@pytest.mark.parametrize("gamma", ["auto", "scale", 3.0])
def test_scores_are_those_of_score_samples(gamma):
    detector = OneClassSVM(nu=0.3, gamma=gamma).fit(ROWS)
    function = normality_function(detector)
    assert isinstance(function, RadialKernelSum)
    theirs = detector.score_samples(POINTS)
    # they subtract the offset and add it again, and so round far scores to the offset's last digit
    rounding = 1e-14 * (abs(detector.offset_[0]) + theirs.max())
    np.testing.assert_allclose(function(POINTS), theirs, rtol=1e-9, atol=rounding)


def test_a_score_does_not_depend_on_the_rows_beside_it():
    function = normality_function(OneClassSVM().fit(ROWS))
    together = function(POINTS)
    order = np.random.default_rng(2).permutation(len(POINTS))
    np.testing.assert_array_equal(function(POINTS[order]), together[order])
    np.testing.assert_array_equal(function(POINTS[5:6]), together[5:6])


def test_other_kernels_and_classes_score_as_they_do():
    class Own(OneClassSVM):
        pass

    for detector in (OneClassSVM(kernel="linear"), Own()):
        assert not isinstance(normality_function(detector.fit(ROWS)), RadialKernelSum)


def test_what_scikit_learn_refuses_is_refused():
    function = normality_function(OneClassSVM().fit(pd.DataFrame(ROWS, columns=list("abcd"))))
    with pytest.raises(ValueError, match="now missing"):
        function(pd.DataFrame(ROWS[:, :3], columns=list("abc")))
    with pytest.raises(ValueError, match="feature names"):
        function(pd.DataFrame(ROWS, columns=list("dcba")))
