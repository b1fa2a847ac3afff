"""P-values and flags of new rows: right whatever the detector."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import CalibratedDetector, Committee, LabelFreeSearchCV, rank_detectors
from oddrank.criteria import conformal_p_values
from oddrank.errors import InvalidParameterError
from oddrank.rows import as_table
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


def shares_at(make, n_rows, seeds, levels=(0.05, 0.1, 0.2), n_fresh=200):
    """Return the share of fresh rows with a p-value of at most each level, and its error."""
    shares = np.array([
        [(p_values <= level).mean() for level in levels]
        for p_values in (
            make(seed).fit(rows(seed, n_rows)).p_values(rows(seed + 10**6, n_fresh))
            for seed in seeds
        )
    ])  # fmt: skip
    return shares.mean(axis=0), shares.std(axis=0, ddof=1) / np.sqrt(len(shares))


MAKERS = {
    "detector": lambda seed: CalibratedDetector(IsolationForest(n_estimators=5), random_state=seed),
    "density": lambda seed: CalibratedDetector(DETECTORS["density"], random_state=seed),
    "committee": lambda seed: Committee(
        {name: DETECTORS[name] for name in ("few trees", "few neighbours", "density")},
        random_state=seed,
    ),
    "search": lambda seed: LabelFreeSearchCV(
        IsolationForest(n_estimators=5), {"max_samples": [16]}, random_state=seed
    ),
}


@pytest.mark.parametrize("kind", ["density", "committee"])
def test_p_values_of_fresh_rows_are_uniform_or_slightly_too_large(kind):
    share, error = shares_at(MAKERS[kind], 200, range(25))
    levels = np.array([0.05, 0.1, 0.2])
    assert (share <= levels + 3.0 * error).all()
    assert (share >= 0.6 * levels).all()


@pytest.mark.long
@pytest.mark.parametrize("n_rows", [60, 200, 1000])
@pytest.mark.parametrize("kind", MAKERS)
def test_p_values_of_fresh_rows_hold_for_every_kind_and_size(kind, n_rows):
    share, error = shares_at(MAKERS[kind], n_rows, range(100))
    assert (share <= np.array([0.05, 0.1, 0.2]) + 3.0 * error).all()


@pytest.mark.parametrize("kind", ["detector", "committee"])
def test_p_values_never_rise_with_oddness(kind):
    fitted = MAKERS[kind](0).fit(X)
    fresh = np.vstack([rows(1, 300), 2.0 * rows(2, 300)])
    oddness, p_values = fitted.compare(fresh)
    order = np.argsort(oddness)
    assert (np.diff(p_values[order]) <= 0.0).all()
    assert np.array_equal(fitted.score_samples(fresh), -oddness)


def test_odd_rows_have_the_smallest_p_value_there_is():
    fitted = CalibratedDetector(GaussianMixture(2), random_state=0).fit(X)
    assert fitted.p_values(ODD) == pytest.approx(np.full(3, 1.0 / 401.0))
    assert (fitted.predict(ODD) == -1).all()
    assert (fitted.decision_function(ODD) < 0.0).all()


def test_own_rows_and_new_rows_are_on_one_scale():
    fitted = CalibratedDetector(GaussianMixture(2, random_state=0), random_state=0).fit(X)
    own, new = fitted.row_oddness_.mean(axis=0), fitted.oddness(rows(9, 4000))
    for share in (0.5, 0.9, 0.95):
        assert np.quantile(own, share) == pytest.approx(np.quantile(new, share), abs=0.35)


def test_every_row_is_scored_by_fits_that_have_not_seen_it():
    fitted = CalibratedDetector(DETECTORS["density"], n_repeats=2, random_state=0).fit(X)
    assert len(fitted.fits_) == 4
    for repeat in range(2):
        assert set(fitted.row_fits_[repeat]) == {2 * repeat, 2 * repeat + 1}
    for positions, detector in fitted.unseen(np.arange(20)):
        fit = fitted.row_fits_[0, positions[0]]
        assert (fitted.row_fits_[0, positions] == fit).all()
        assert detector.score(as_table(X[:2])).shape == (2,)


def test_large_tables_are_split_once():
    many = rows(0, 20_001, 1)
    assert len(CalibratedDetector(GaussianMixture(1), random_state=0).fit(many).fits_) == 2


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
    assert np.array_equal(ranking.committee.score_samples(X), ranking.score_samples(X))


def test_conformal_p_values_count():
    held_out = np.array([1.0, 2.0, 2.0, 3.0])
    assert conformal_p_values(held_out, np.array([0.0, 2.0, 9.0])).tolist() == [0.2, 0.8, 1.0]
