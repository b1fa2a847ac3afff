"""A grid is a pool: the choice is that of the ranking, in scikit-learn's manner."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.utils.estimator_checks import parametrize_with_checks

from oddrank import LabelFreeSearchCV, Volume, Workers, rank_detectors
from oddrank.errors import (
    DetectorError,
    DetectorFailedError,
    InvalidDataError,
    InvalidParameterError,
    OddrankWarning,
)
from oddrank.reference import UniformBox

# two clusters far apart: what smooths too much fills the gap
X = np.random.default_rng(0).normal(size=(400, 2)) * [1.0, 3.0]
X[::2] += [14.0, 0.0]
GRID = {"bandwidth": [0.02, 0.2, 9.0]}


def search(estimator=None, grid=GRID, **options):
    options = {"cv": 3, "random_state": 0, **options}
    return LabelFreeSearchCV(KernelDensity() if estimator is None else estimator, grid, **options)


class Failing(KernelDensity):
    def fit(self, rows, y=None):
        if self.bandwidth == 9.0:
            raise ValueError("too wide")
        return super().fit(rows)


# flags come from p-values, which are no score less a constant
NO_OFFSET = {"check_outliers_train": "decision_function is a p-value less 1 - mass"}


@parametrize_with_checks(
    [search(grid={"bandwidth": [0.5, 1.0]}, cv=2)],
    expected_failed_checks=lambda estimator: NO_OFFSET,
)
@pytest.mark.filterwarnings("ignore::oddrank.errors.OddrankWarning")  # tables of a few rows
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.parametrize("judge", ["auto", Volume(reference=UniformBox(n_points=2**10))])
def test_the_right_bandwidth_is_chosen(judge):
    found = search(judge=judge).fit(X)
    assert found.best_params_ == {"bandwidth": 0.2}
    assert found.best_index_ == 1
    assert 1 in found.inseparable_
    assert 2 not in found.inseparable_
    assert found.best_estimator_.detector.bandwidth == 0.2
    assert found.best_score_ == found.cv_results_["mean_test_score"][1]


def test_mass_volume_has_scores_whose_higher_values_are_better():
    found = search(judge=Volume(criterion="mass_volume")).fit(X)
    assert found.best_score_ == found.cv_results_["mean_test_score"].max() < 0.0


def test_settings_that_look_alike_are_told_apart():
    found = search(grid={"bandwidth": [0.2, 0.2]}).fit(X)
    assert len(found.ranking_.order) == 2


def test_the_choice_is_that_of_the_ranking():
    found = search().fit(X)
    pool = [(f"bandwidth={value}", KernelDensity(bandwidth=value)) for value in GRID["bandwidth"]]
    ranking = rank_detectors(pool, X, cv=3, random_state=0)
    assert found.ranking_.to_dict() == ranking.to_dict()
    new = X[:20] + 1.0
    np.testing.assert_array_equal(found.score_samples(new), ranking.score_samples(new))
    np.testing.assert_array_equal(found.p_values(new), ranking.p_values(new))


def test_results_have_the_form_of_scikit_learn():
    results = search().fit(X).cv_results_
    assert results["params"] == [{"bandwidth": value} for value in GRID["bandwidth"]]
    assert list(results["param_bandwidth"]) == GRID["bandwidth"]
    order = np.argsort(-results["mean_test_score"])
    assert list(results["rank_test_score"][order]) == [1, 2, 3]
    assert (results["error_of_score"] > 0.0).all()
    assert (results["mean_fit_time"] > 0.0).all()


def test_several_detectors_with_grids_of_their_own():
    found = LabelFreeSearchCV(
        {
            "density": (KernelDensity(), {"bandwidth": [9.0]}),
            "mixture": (GaussianMixture(), [{"n_components": [2]}, {"reg_covar": [1e-3]}]),
            "lof": (LocalOutlierFactor(novelty=True), {}),
        },
        cv=2,
        random_state=0,
    ).fit(X)
    assert found.best_params_["detector"] == "mixture"
    assert len(found.cv_results_["params"]) == 4
    assert found.cv_results_["param_bandwidth"].mask.tolist() == [False, True, True, True]


def test_flags_have_the_rate_that_was_asked_for():
    rows = np.random.default_rng(1).normal(size=(4000, 2))
    found = search(grid={"bandwidth": [0.3]}, mass=0.9).fit(rows[:2000])
    assert (found.predict(rows[2000:]) == -1).mean() == pytest.approx(0.1, abs=0.03)
    flagged = found.decision_function(rows[2000:]) < 0.0
    np.testing.assert_array_equal(found.predict(rows[2000:]) == -1, flagged)


def test_frames_keep_their_names_and_groups_stay_together():
    frame = pd.DataFrame(X, columns=["a", "b"])
    found = search().fit(frame, groups=np.arange(len(X)) // 4)
    assert found.feature_names_in_.tolist() == ["a", "b"]
    folds = found.ranking_.scored.folds.of_test_rows.reshape(-1, 4)
    assert (folds == folds[:, :1]).all()


def test_distributions_are_drawn_by_the_seed():
    grid = {"bandwidth": loguniform(0.1, 1.0)}
    first, again, other = (
        search(grid=grid, n_iter=3, random_state=seed).fit(X).cv_results_["params"]
        for seed in (0, 0, 1)
    )
    assert first == again != other
    assert len(first) == 3


def test_jobs_do_not_change_the_choice(tmp_path):
    here, there = search().fit(X), search(n_jobs=2).fit(X)
    assert here.ranking_.to_dict() == there.ranking_.to_dict()
    stored = search(workers=Workers(checkpoint=tmp_path)).fit(X)
    again = search(workers=Workers(checkpoint=tmp_path)).fit(X)
    assert stored.ranking_.to_dict() == again.ranking_.to_dict() == here.ranking_.to_dict()


def test_a_fitted_search_can_be_pickled_and_cloned():
    found = search().fit(X)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert clone(found).get_params()["cv"] == 3


def test_candidates_that_fail_cannot_be_chosen():
    with pytest.warns(OddrankWarning, match=r"1 of 3 candidates failed.*bandwidth=9.0.*too wide"):
        found = search(Failing()).fit(X)
    assert list(found.failures_) == [2]
    assert np.isnan(found.cv_results_["mean_test_score"][2])
    with pytest.raises(DetectorFailedError, match=r"None of 1 candidates.*too wide"):
        search(Failing(), {"bandwidth": [9.0]}).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"grid": None}, InvalidParameterError, "'param_grid' parameter of LabelFreeSearchCV must"),
        ({"grid": {"bandwidth": 3}}, InvalidParameterError, "'param_grid' parameter"),
        ({"grid": {"bandwidth": loguniform(1, 2)}}, InvalidParameterError, "'n_iter' parameter"),
        ({"grid": {"width": [1]}}, DetectorError, "cannot be given the parameters {'width': 1}"),
        ({"mass": 2.0}, InvalidParameterError, "'mass' parameter of LabelFreeSearchCV must"),
        ({"n_iter": 0}, InvalidParameterError, "'n_iter' parameter of LabelFreeSearchCV must"),
        ({"estimator": {"a": KernelDensity()}, "grid": None}, InvalidParameterError, "pairs"),
        ({"estimator": {"a": (KernelDensity(), GRID)}}, InvalidParameterError, "must be None if"),
        ({"orientation": {"b": "normality"}}, InvalidParameterError, "must name detectors"),
        ({"judge": "nobody"}, InvalidParameterError, "'judge' parameter"),
    ],
)
def test_what_cannot_be_searched_is_refused(options, error, sentence):
    with pytest.raises(error, match=sentence):
        search(**options).fit(X)


def test_a_detector_that_cannot_score_new_rows_is_refused():
    with pytest.raises(DetectorError, match="novelty=True"):
        search(LocalOutlierFactor(), {"n_neighbors": [5]}).fit(X)
    with pytest.raises(InvalidDataError, match="cannot be split"):
        search(IsolationForest(), {"n_estimators": [5]}, cv=300).fit(X)
