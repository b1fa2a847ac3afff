"""The area under the ROC curve of rows against points, and its error."""

import numpy as np
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from oddrank.criteria import roc_area


def test_it_is_the_area_that_scikit_learn_computes_ties_included():
    random = np.random.default_rng(0)
    rows, points = (
        random.integers(0, 9, 300).astype(float),
        random.integers(0, 6, 200).astype(float),
    )
    expected = roc_auc_score(np.r_[np.ones(300), np.zeros(200)], np.r_[rows, points])
    area = roc_area(rows, points)
    np.testing.assert_allclose(area.value, expected)
    np.testing.assert_allclose([area.row_shares.mean(), area.point_shares.mean()], expected)


def test_intervals_hold_the_truth_and_differences_too():
    truth = norm.cdf(1.0 / np.sqrt(2.0))
    inside, equal = 0, 0
    for seed in range(300):
        random = np.random.default_rng(seed)
        rows, points = random.normal(1.0, 1.0, 200), random.normal(0.0, 1.0, 150)
        first = roc_area(rows, points)
        low, high = first.estimate(0.95).interval
        inside += low < truth < high
        blurred = [
            roc_area(rows + random.normal(0, 0.5, 200), points + random.normal(0, 0.5, 150))
            for _ in range(2)
        ]
        low, high = blurred[0].difference(blurred[1], 0.95).interval
        equal += low < 0.0 < high
    # 95 % of 300, within three binomial standard deviations
    assert 273 <= inside <= 297
    assert 273 <= equal <= 297
