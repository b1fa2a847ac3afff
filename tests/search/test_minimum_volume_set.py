"""Calibrated level sets: what is flagged on fresh rows, and how near the truth the set is."""

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import LabelFreeSearchCV, datasets
from oddrank.reference import UniformBox
from oddrank.search.minimum_volume_set import calibrated_threshold
from tests.quick_density import QuickDensity

SMALL = UniformBox(n_points=2**8, n_replicates=2)
SEEDS = range(5)
N_ROWS, N_FRESH = 500, 2000


def share_flagged(detector, grid, mass, calibration_size, seed):
    sample = datasets.make_known_density("mixture", N_ROWS, 2, random_state=seed)
    search = LabelFreeSearchCV(
        detector,
        grid,
        n_splits=4,
        mass=mass,
        calibration_size=calibration_size,
        reference=SMALL,
        random_state=seed,
    ).fit(sample.X)
    fresh = sample.density.sample(N_FRESH, np.random.default_rng(seed + 1000))
    return np.mean(search.predict(fresh) == -1), len(search.calibration_scores_)


@pytest.mark.parametrize(
    ("mass", "calibration_size"), [(0.95, None), (0.95, 0.2), (0.8, None), (0.8, 0.2)]
)
@pytest.mark.parametrize(
    ("detector", "grid"),
    [
        (QuickDensity(), {"bandwidth": [0.05]}),  # learns its rows by heart
        (QuickDensity(), {"bandwidth": [0.3, 3.0]}),
        (LocalOutlierFactor(novelty=True), {"n_neighbors": [3, 20]}),
        (OneClassSVM(nu=0.5), {"gamma": [0.3]}),
        (IsolationForest(n_estimators=10), {"max_samples": [64]}),
    ],
    ids=["by heart", "density", "lof", "svm", "forest"],
)
def test_share_flagged_on_fresh_rows_is_within_its_binomial_error(
    detector, grid, mass, calibration_size, request
):
    # Both the calibration rows and the fresh rows are samples: the share has the errors of both,
    # and the mean over seeds is an average of independent shares.
    found = [share_flagged(detector, grid, mass, calibration_size, seed) for seed in SEEDS]
    shares, (n_calibration, *_) = (np.array(each) for each in zip(*found, strict=True))
    error = np.sqrt(mass * (1 - mass) * (1 / n_calibration + 1 / N_FRESH))
    bound = norm.ppf(1 - 0.001 / 2)
    assert abs(shares.mean() - (1 - mass)) < bound * error / np.sqrt(len(SEEDS))
    assert (np.abs(shares - (1 - mass)) < 4.0 * error).all()


def test_threshold_is_exact_whatever_the_scores():
    # below the k-th of n rows falls a new row with probability k / (n + 1)
    random = np.random.default_rng(0)
    n_trials, n_rows, mass = 4000, 39, 0.95
    rows = random.exponential(size=(n_trials, n_rows + 1))
    flagged = [row[-1] < calibrated_threshold(row[:-1], mass) for row in rows]
    low, high = binom.interval(0.999, n_trials, 2 / 40)
    assert low <= np.sum(flagged) <= high


def test_scores_that_are_minus_infinity_have_a_place():
    X = np.random.default_rng(0).normal(size=(200, 2))
    tophat = QuickDensity(kernel="tophat")
    search = LabelFreeSearchCV(
        tophat, {"bandwidth": [0.5, 1.0]}, n_splits=2, reference=SMALL, random_state=0
    ).fit(X)
    scores = search.score_samples([[0.0, 0.0], [50.0, 50.0]])
    assert np.isfinite(scores).all()
    assert search.predict([[0.0, 0.0], [50.0, 50.0]]).tolist() == [1, -1]
