"""P-values and flags of new rows: right whatever the detector."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import CalibratedDetector, Committee, LabelFreeSearchCV, rank_detectors
from oddrank.criteria import choice_of_rows, conformal_p_values
from oddrank.errors import InvalidParameterError
from tests.quick_density import QuickDensity

DETECTORS = {
    "forest": IsolationForest(n_estimators=20, random_state=None),
    "few trees": IsolationForest(n_estimators=5),
    "lof": LocalOutlierFactor(novelty=True),
    "few neighbours": LocalOutlierFactor(n_neighbors=3, novelty=True),
    "mixture": GaussianMixture(3),
    "density": QuickDensity(bandwidth=0.3),
}
X = np.random.default_rng(0).normal(size=(400, 3))
ODD = np.full((3, 3), 9.0)


def rows(seed, n_rows, n_features=3):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def p_values_of_one_row_each(make, n_rows, n_repetitions):
    """Return p-values of one fresh row in each repetition, ties and steps filled in by chance."""
    found = []
    for seed in range(n_repetitions):
        fitted = make(seed).fit(rows(seed, n_rows))
        p_value = fitted.p_values(rows(seed + 10**6, 1))[0]
        step = 1.0 / (n_rows // 2 + 1)
        found.append(p_value - step * np.random.default_rng(seed + 10**7).random())
    return np.array(found)


@pytest.mark.parametrize("name", ["few trees", "few neighbours", "density"])
def test_p_values_of_fresh_rows_are_uniform(name):
    found = p_values_of_one_row_each(
        lambda seed: CalibratedDetector(DETECTORS[name], random_state=seed), 200, 120
    )
    assert kstest(found, "uniform").pvalue > 0.005


@pytest.mark.long
def test_p_values_of_fresh_rows_are_uniform_for_six_detectors():
    found = {
        (name, n_rows): kstest(
            p_values_of_one_row_each(
                lambda seed, detector=detector: CalibratedDetector(detector, random_state=seed),
                n_rows,
                300,
            ),
            "uniform",
        ).pvalue
        for name, detector in DETECTORS.items()
        for n_rows in (200, 1000)
    }
    # Holm: the smallest of 12 cells against 0.05 / 12
    assert min(found.values()) > 0.05 / len(found), found


def share_flagged(make, n_rows, seeds, n_fresh=400):
    shares = np.array([
        (make(seed).fit(rows(seed, n_rows)).predict(rows(seed + 10**6, n_fresh)) == -1).mean()
        for seed in seeds
    ])  # fmt: skip
    return shares.mean(), shares.std(ddof=1) / np.sqrt(len(shares))


MAKERS = {
    "detector": lambda mass: (
        lambda seed: CalibratedDetector(
            IsolationForest(n_estimators=5), mass=mass, random_state=seed
        )
    ),
    "committee": lambda mass: (
        lambda seed: Committee(
            {name: DETECTORS[name] for name in ("few trees", "few neighbours", "density")},
            mass=mass,
            random_state=seed,
        )
    ),
    "search": lambda mass: (
        lambda seed: LabelFreeSearchCV(
            IsolationForest(n_estimators=5), {"max_samples": [64]}, mass=mass, random_state=seed
        )
    ),
}


@pytest.mark.parametrize("kind", ["detector", "committee"])
def test_flags_come_as_often_as_they_should(kind):
    share, error = share_flagged(MAKERS[kind](0.9), 300, range(30))
    assert abs(share - 0.1) < 3.0 * error


@pytest.mark.long
@pytest.mark.parametrize("mass", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("kind", MAKERS)
def test_flags_come_as_often_as_they_should_at_every_mass(kind, mass):
    share, error = share_flagged(MAKERS[kind](mass), 1000, range(100))
    assert abs(share - (1.0 - mass)) < 3.0 * error


def test_odd_rows_have_the_smallest_p_value_there_is():
    fitted = CalibratedDetector(GaussianMixture(2), random_state=0).fit(X)
    assert fitted.p_values(ODD) == pytest.approx(np.full(3, 1.0 / 201.0))
    assert (fitted.predict(ODD) == -1).all()
    assert (fitted.decision_function(ODD) < 0.0).all()


def test_scores_are_of_the_fit_on_all_rows():
    fitted = CalibratedDetector(GaussianMixture(2, random_state=0), scale=False).fit(X)
    alone = GaussianMixture(2, random_state=0).fit(X)
    assert np.corrcoef(fitted.score_samples(X), alone.score_samples(X))[0, 1] > 0.9
    assert fitted.fitted_.predict(X).max() == 1  # components, as the library has it


def test_a_p_value_does_not_depend_on_the_rows_beside_it():
    fitted = CalibratedDetector(DETECTORS["lof"], random_state=0).fit(X)
    fresh = rows(3, 50)
    together = fitted.p_values(fresh)
    assert np.array_equal(together, [fitted.p_values(row[None])[0] for row in fresh])
    assert np.array_equal(together[::-1], fitted.p_values(fresh[::-1]))


def test_categories_are_the_same_row_in_any_table():
    frame = pd.DataFrame({"c": list("abcd") * 50, "n": rows(0, 200, 1)[:, 0]})
    fitted = CalibratedDetector(DETECTORS["forest"], preprocess="auto", random_state=0).fit(frame)
    together = fitted.p_values(frame)
    assert np.array_equal(fitted.p_values(frame[3:4]), together[3:4])


def test_arrays_with_gaps_can_be_scored():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    rows[0, 0] = np.nan
    ranking = rank_detectors({"forest": IsolationForest(n_estimators=10)}, rows, random_state=0)
    assert ranking.odd_rows(n_explained=1).n_rows == 200
    assert ranking.predict(rows).shape == (200,)
    assert ranking.committee.predict(rows).shape == (200,)
    with pytest.raises(ValueError, match="X has 1 features, but CalibratedDetector is expecting 2"):
        ranking.best_detector.predict(rows[:, :1])


def test_it_can_be_cloned_and_pickled():
    fitted = CalibratedDetector(DETECTORS["lof"], random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(clone(fitted).fit(X)))
    assert np.array_equal(again.p_values(ODD), fitted.p_values(ODD))


def test_one_fold_is_refused():
    with pytest.raises(InvalidParameterError, match="'cv' parameter of CalibratedDetector"):
        CalibratedDetector(DETECTORS["lof"], cv=1).fit(X)


def test_a_ranking_predicts():
    detectors = {"mixture": GaussianMixture(2), "forest": DETECTORS["forest"]}
    ranking = rank_detectors(detectors, X, random_state=0)
    assert (ranking.predict(ODD) == -1).all()
    assert (ranking.p_values(ODD) < 0.01).all()
    assert (ranking.best_detector.predict(ODD) == -1).all()
    assert (ranking.committee.predict(ODD) == -1).all()
    assert (ranking.committee.p_values(ODD) < 0.01).all()
    assert np.array_equal(ranking.best_detector.score_samples(X), ranking.score_samples(X))


def test_conformal_p_values_count():
    held_out = np.array([1.0, 2.0, 2.0, 3.0])
    assert conformal_p_values(held_out, np.array([0.0, 2.0, 9.0])).tolist() == [0.2, 0.8, 1.0]


def test_choices_are_even_and_belong_to_rows():
    many = rows(0, 30_000)
    chosen = choice_of_rows(many, 3)
    assert np.abs(np.bincount(chosen) / 30_000 - 1 / 3).max() < 0.01
    assert np.array_equal(choice_of_rows(many[100:200], 3), chosen[100:200])
    # no feature says anything about the choice
    assert all(np.abs(np.corrcoef(chosen, column)[0, 1]) < 0.02 for column in many.T)
