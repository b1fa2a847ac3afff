"""Leads of detectors whose fits differ too much: twins tie, and stable detectors keep their leads.

`RandomAxes` looks at the rows along axes that every fit draws. Its twins differ far more than the
package expects of a detector that it knows nothing about. `Lottery` draws how good a fit is: two
fits hardly show that, and five do.
"""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection

from oddrank import rank_detectors
from oddrank.ranking.mean_areas import judge_by_areas


class Blurred(OutlierMixin, BaseEstimator):
    """The score of a Gaussian, with noise that belongs to a row."""

    def __init__(self, blur=0.0):
        self.blur = blur

    def fit(self, X, y=None):
        self.blur_ = self.blur
        return self

    def score_samples(self, X):
        rows = np.asarray(X)
        noise = np.sin(1e4 * (rows @ np.arange(1.0, rows.shape[1] + 1.0)))
        return -(rows**2).sum(axis=1) + self.blur_ * noise


class Lottery(Blurred):
    """The same, with noise of random size in every fit."""

    def __init__(self, blur=5.0, random_state=None):
        self.blur = blur
        self.random_state = random_state

    def fit(self, X, y=None):
        self.blur_ = self.blur * abs(np.random.default_rng(self.random_state).normal())
        return self


class RandomAxes(OutlierMixin, BaseEstimator):
    """The distance from the middle along a few random axes."""

    def __init__(self, n_axes=2, random_state=None):
        self.n_axes = n_axes
        self.random_state = random_state

    def fit(self, X, y=None):
        random = np.random.default_rng(self.random_state)
        self.axes_ = random.normal(size=(np.shape(X)[1], self.n_axes))
        return self

    def score_samples(self, X):
        return -((np.asarray(X) @ self.axes_) ** 2).sum(axis=1)


def rows_of(seed, n_rows=600):
    return np.random.default_rng([seed, 5]).normal(size=(n_rows, 6))


def dependent_rows(seed, n_rows=3000):
    random = np.random.default_rng([seed, 5])
    mixing = np.random.default_rng(1).normal(size=(3, 8))
    return random.normal(size=(n_rows, 3)) @ mixing + 0.1 * random.normal(size=(n_rows, 8))


def twin_axes(seed, n_axes=2):
    pair = twins(lambda state: RandomAxes(n_axes, random_state=state), seed)
    return rank_detectors(pair, dependent_rows(seed), random_state=seed)


def ranked(detectors, seed, **options):
    # the noise of a row is that of its exact values: scaling would draw it again in every fold
    return rank_detectors(detectors, rows_of(seed), scale=False, random_state=seed, **options)


def twins(make, seed):
    return {"a": make(2 * seed), "b": make(2 * seed + 1)}


def without_asking(ranking):
    """Judge the same fits as if they had not been asked about the same points."""
    areas = {
        name: [replace(fold, common_places=np.empty((0, 0))) for fold in folds]
        for name, folds in ranking.scored.areas.items()
    }
    return judge_by_areas(
        areas,
        ranking.judgement.measures,
        judge="references",
        polluted=None,
        confidence_level=0.95,
    )


def test_twins_whose_fits_differ_too_much_are_not_told_apart():
    asked = guessed = 0
    for seed in range(40):
        ranking = twin_axes(seed)
        asked += ranking.compare("a", "b").separated
        guessed += without_asking(ranking).comparisons[0].separated
    assert asked <= 0.05 * 40
    assert guessed > 0.05 * 40 + 2.0 * np.sqrt(0.05 * 0.95 * 40)


def test_stable_detectors_keep_their_leads():
    for seed in range(6):
        ranking = ranked({"good": Blurred(), "blurred": Blurred(blur=5.0)}, seed)
        pair = ranking.compare("good", "blurred")
        assert (pair.better, pair.separated) == ("good", True)
        # fits that do not differ need no guess at how much they might
        (unasked,) = without_asking(ranking).comparisons
        assert pair.lead.standard_error < unasked.lead.standard_error


POOL = {
    "gaussian": GaussianMixture(reg_covar=1e-3),
    "axes": RandomAxes(1, random_state=3),
    "other axes": RandomAxes(1, random_state=8),
}


def ranked_pool(*names, **options):
    pool = {name: POOL[name] for name in names}
    return rank_detectors(pool, dependent_rows(0, 800)[:, :6], random_state=0, **options)


def test_the_spread_of_fits_is_told():
    spreads = ranked_pool("gaussian", "axes").judgement.fit_spreads
    assert spreads["axes"] > 5.0 * spreads["gaussian"]
    assert not ranked_pool("gaussian", cv=1).judgement.fit_spreads
    assert not ranked_pool("gaussian", judge="volume").judgement.fit_spreads


def test_a_lead_depends_on_the_fits_of_its_two_detectors_and_of_no_other():
    two, three = ranked_pool("gaussian", "axes"), ranked_pool(*POOL)
    first, second = (each.compare("gaussian", "axes") for each in (two, three))
    assert (first.lead, first.p_value) == (second.lead, second.p_value)
    spread = three.judgement.fit_spreads["axes"]
    assert first.lead.standard_error > 0.5 * spread


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"cv": 3}, {"scale": False}])
def test_common_points_are_common_in_all_folds(options):
    """A score that no fit changes has fits that agree, up to chance, whatever the units."""
    X = rows_of(0) * np.array([1.0, 1e3, 1e-3, 1.0, 1.0, 1.0]) + 7.0

    class Fixed(OutlierMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def score_samples(self, X):
            return np.asarray(X)[:, 0]

    found = rank_detectors({"fixed": Fixed()}, X, random_state=0, **options)
    assert found.judgement.fit_spreads["fixed"] < 0.01


@pytest.mark.long
@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_random_axes_are_told_apart_in_at_most_5_percent(n_axes):
    apart = sum(twin_axes(seed, n_axes).compare("a", "b").separated for seed in range(200))
    print(f"{n_axes} axes: {apart} of 200")  # noqa: T201
    assert apart <= 0.05 * 200


@pytest.mark.long
def test_lotteries_are_told_apart_in_at_most_5_percent_of_the_runs_with_five_fits():
    apart = 0
    for seed in range(200):
        pair = twins(lambda state: Lottery(random_state=state), seed)
        apart += ranked(pair, seed, cv=5).compare("a", "b").separated
    print(f"lottery: {apart} of 200")  # noqa: T201
    assert apart <= 0.05 * 200 + 2.0 * np.sqrt(0.05 * 0.95 * 200)


@pytest.mark.long
@pytest.mark.parametrize("n_components", [1, 3])
@pytest.mark.parametrize("name", ["shuttle", "annthyroid", "mammography"])
def test_mixtures_on_random_projections_are_told_apart_in_at_most_5_percent(name, n_components):
    from benchmarks.measurements.twins import rows_of as rows_of_dataset

    def make(seed):
        return make_pipeline(
            GaussianRandomProjection(n_components, random_state=seed),
            GaussianMixture(3, reg_covar=1e-3, random_state=seed),
        )

    apart = 0
    for run in range(60):
        ranking = rank_detectors(
            twins(make, 500 + run), rows_of_dataset(name, 500 + run), random_state=run
        )
        apart += ranking.compare("a", "b").separated
    print(f"{name}, {n_components}: {apart} of 60")  # noqa: T201
    assert apart <= 0.05 * 60 + 2.0 * np.sqrt(0.05 * 0.95 * 60)


def test_a_detector_whose_fits_differ_too_much_is_named():
    X = load_breast_cancer().data

    def unsteady(seed):
        projected = GaussianRandomProjection(1, random_state=seed)
        return make_pipeline(projected, GaussianMixture(2))

    told = [
        rank_detectors({"one": unsteady(1), "other": unsteady(2)}, X, random_state=seed).verdict
        for seed in range(4)
    ]
    assert any("differ too much to order it" in each for each in told)
    steady = {"one": GaussianMixture(1), "other": GaussianMixture(1, reg_covar=1e-4)}
    assert "differ too much" not in rank_detectors(steady, X, random_state=0).verdict
