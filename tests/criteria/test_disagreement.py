"""Fits that place the same points differently: a slow second computation, and closed forms."""

import numpy as np
import pytest

from oddrank.criteria import Disagreement
from oddrank.criteria.disagreement import BETWEEN_MEASURES, BEYOND_CHANCE, REGIONS


def test_a_double_loop_finds_the_same():
    random = np.random.default_rng(0)
    rows = [random.normal(size=20).round(1) for _ in range(3)]
    points = [random.normal(size=(2, 5)).round(1) for _ in range(3)]

    def place(of_rows, point):
        return np.mean([1.0 if row < point else 0.5 if row == point else 0.0 for row in of_rows])

    found = Disagreement.of_fits(rows, points)
    for measure in range(2):
        places = np.array(
            [[place(rows[fit], point) for point in points[fit][measure]] for fit in range(3)]
        )
        chance = np.mean([np.mean(p * (1.0 - p)) / 20 for p in places])
        assert found.scattered[measure] == pytest.approx(places.var(axis=0, ddof=1).mean() - chance)
        shares = [
            [place(points[fit][measure], row) for row in rows[fit]] for fit in range(3)
        ]  # the same mean, from the side of the rows
        of_mean = np.mean([np.var(each, ddof=1) / 20 for each in shares])
        shift = places.mean(axis=1).var(ddof=1)
        assert found.shifted[measure] == pytest.approx(shift - BEYOND_CHANCE * of_mean)


def test_fits_that_agree_are_not_blamed_for_other_rows():
    scattered, shifted = [], []
    for seed in range(200):
        random = np.random.default_rng(seed)
        points = random.normal(size=(3, 32))
        fits = [random.normal(size=50) for _ in range(2)]  # the score is the value itself
        found = Disagreement.of_fits(fits, [points, points])
        scattered.append(found.scattered.mean())
        shifted.append(found.variance())
    error = np.std(scattered) / np.sqrt(len(scattered))
    assert abs(np.mean(scattered)) < 4.0 * error
    # what is left of chance is small against the variance of an area, about 1 / (6 n)
    assert np.mean(shifted) < 0.1 / (6 * 50)


def test_increasing_functions_of_the_scores_change_nothing():
    random = np.random.default_rng(0)
    rows, points = random.normal(size=(2, 60)), random.normal(size=(2, 4, 32))
    plain = Disagreement.of_fits(rows, points)
    other = Disagreement.of_fits([rows[0], np.exp(rows[1])], [points[0], np.exp(points[1])])
    np.testing.assert_array_equal(plain.scattered, other.scattered)
    np.testing.assert_array_equal(plain.shifted, other.shifted)


def test_regions_average_out_and_shifts_do_not():
    scattered = Disagreement(scattered=np.array([0.1, 0.3]), shifted=np.array([-0.1, -0.1]))
    assert scattered.variance() == pytest.approx(0.2 * (1.0 + BETWEEN_MEASURES) / 2.0 / REGIONS)
    assert scattered.variance(1) == pytest.approx(0.3 / REGIONS)
    shifted = Disagreement(scattered=np.zeros(2), shifted=np.array([0.02, 0.04]))
    assert shifted.variance() == pytest.approx(0.03)
    assert shifted.variance(0) == pytest.approx(0.02)
