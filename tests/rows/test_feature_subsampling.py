"""Draws of features: which, how often, and what cannot be drawn."""

import numpy as np
import pytest

from oddrank import FeatureSubsampling
from oddrank._random import root_of
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows import as_table, balanced_draws, choose_subsampling, random_draws

FEW = FeatureSubsampling(n_features=3, n_draws=6)


def rows(n_features, n_rows=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def test_auto_sub_samples_above_eight_features():
    assert choose_subsampling("auto", as_table(rows(8)), "test") is None
    assert choose_subsampling("auto", as_table(rows(9)), "test") == FeatureSubsampling()
    assert choose_subsampling(None, as_table(rows(9)), "test") is None


def test_draws_are_distinct_features_and_belong_to_the_seed():
    table = as_table(rows(12))
    draws = random_draws(FEW, table, root_of(0, "test"))
    assert all(len(set(draw)) == 3 for draw in draws)
    assert draws == random_draws(FEW, table, root_of(0, "test"))
    assert draws != random_draws(FEW, table, root_of(1, "test"))
    more = random_draws(FeatureSubsampling(3, 20), table, root_of(0, "test"))
    assert more[:6] == draws


def test_constant_features_are_never_drawn():
    X = rows(6)
    X[:, [1, 4]] = 7.0
    drawn = np.unique(random_draws(FeatureSubsampling(3, 40), as_table(X), root_of(0, "test")))
    np.testing.assert_array_equal(drawn, [0, 2, 3, 5])


@pytest.mark.parametrize("draw", [random_draws, balanced_draws])
def test_too_many_constant_features_are_named(draw):
    X = rows(6)
    X[:, 1:5] = 7.0
    with pytest.raises(InvalidDataError, match=r"4 of 6 features are const.*'x1', 'x2'.*most 2"):
        draw(FEW, as_table(X), root_of(0, "test"))


def test_balanced_draws_draw_every_feature_equally_often():
    draws = balanced_draws(FeatureSubsampling(5, 37), as_table(rows(12)), root_of(0, "test"))
    counts = np.bincount(np.concatenate(draws))
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_features": 0}, "'n_features' parameter of FeatureSubsampling"),
        ({"n_draws": 1}, "must be an int in the range [2, inf)"),
        ({"aggregation": "median"}, "must be one of 'mean', 'geometric'"),
    ],
)
def test_bad_options(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        FeatureSubsampling(**options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("subsampling", "sentence"),
    [
        (FeatureSubsampling(n_features=3), "cannot draw from 2 features"),
        (5, "'subsampling' parameter of test must be 'auto', None or a FeatureSubsampling"),
        ("all", "Got 'all' instead"),
    ],
)
def test_what_cannot_be_chosen(subsampling, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        choose_subsampling(subsampling, as_table(rows(2)), "test")
    assert sentence in str(caught.value)
