"""Bands of the curves, against the truth and against a plain formula."""

import numpy as np
import pytest

from oddrank import evaluate_scores, excess_mass_curve, mass_volume_curve
from oddrank.errors import InvalidDataError
from oddrank.evaluation import excess_mass_band, levels_to_show, mass_volume_band
from oddrank.reference import UniformBox
from tests.small_ranking import drawn_ranking


def gaussian_evaluation(seed, n_points=2**12):
    X = np.random.default_rng(seed).normal(size=(1500, 2))
    return evaluate_scores(
        lambda X: -(X**2).sum(axis=1),
        X,
        reference=UniformBox(n_points=n_points, n_replicates=4),
        random_state=seed,
    )


def test_bands_hold_the_truth_about_as_often_as_they_say():
    # MV(α) = -2π log(1 - α), and EM(t) = 1 - 2πt (1 - log(2πt)) for a standard Gaussian in 2-D.
    masses, levels = np.array([0.9, 0.95, 0.98]), np.array([0.001, 0.005, 0.01])
    volume_truth = -2 * np.pi * np.log(1 - masses)
    scaled = 2 * np.pi * levels
    excess_truth = 1 - scaled * (1 - np.log(scaled))
    held = []
    for seed in range(40):
        evaluation = gaussian_evaluation(seed)
        volume = mass_volume_band(evaluation, masses)
        excess = excess_mass_band(evaluation, levels)
        held.append((volume.lower <= volume_truth) & (volume_truth <= volume.upper))
        held.append((excess.lower <= excess_truth) & (excess_truth <= excess.upper))
    assert 0.9 <= np.mean(held) <= 0.99


def test_bands_surround_the_curves():
    evaluation = gaussian_evaluation(0)
    masses = np.linspace(0.9, 0.999, 30)
    volume = mass_volume_band(evaluation, masses)
    np.testing.assert_allclose(volume.y, mass_volume_curve(evaluation.level_sets)(masses))
    levels = levels_to_show({"it": evaluation}, 0.9, 30)
    excess = excess_mass_band(evaluation, levels)
    np.testing.assert_allclose(excess.y, excess_mass_curve(evaluation.level_sets)(levels))
    assert excess.y[-1] == pytest.approx(0.9)
    for band in (volume, excess):
        assert (band.lower <= band.y).all()
        assert (band.y <= band.upper).all()


def test_error_of_volumes_is_the_spread_over_replicates():
    wide = gaussian_evaluation(0, n_points=2**8).criteria.folds[0].log_volume_error
    narrow = gaussian_evaluation(0, n_points=2**13).criteria.folds[0].log_volume_error
    assert np.nanmedian(narrow) < np.nanmedian(wide) / 3


def test_a_level_set_without_volume_has_an_upper_bound_only():
    X = np.random.default_rng(0).normal(size=(1500, 2))
    X[:1450] *= 1e-6  # all of it in a box too small for any reference point
    reference = UniformBox(n_points=2**8, n_replicates=2)
    with pytest.warns(match="has no value"):
        evaluation = evaluate_scores(
            lambda X: -(X**2).sum(axis=1), X, reference=reference, random_state=0
        )
    band = mass_volume_band(evaluation, [0.9, 0.999])
    assert band.y[0] == band.lower[0] == 0.0
    with pytest.raises(InvalidDataError, match="nothing to draw"):
        levels_to_show({"it": evaluation}, 0.9, 10)


def test_draws_of_features_have_no_single_curve():
    ranking = drawn_ranking()
    with pytest.raises(InvalidDataError, match="draws of features"):
        mass_volume_band(ranking.evaluations[ranking.best], [0.9])
