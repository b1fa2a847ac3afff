"""A search without labels: the choice, scikit-learn's manner, halving, and what is refused."""

import pickle
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from pyod.models.knn import KNN
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from oddrank import BoundingBox, FeatureSubsampling, LabelFreeSearchCV, normality_function
from oddrank.errors import (
    DetectorError,
    DetectorFailedError,
    InvalidDataError,
    InvalidParameterError,
    OddrankWarning,
    ResolutionWarning,
    UnresolvedWarning,
)
from oddrank.reference import UniformBox

# two clusters far apart: what smooths too much fills the gap
X = np.random.default_rng(0).normal(size=(400, 2)) * [1.0, 3.0]
X[::2] += [14.0, 0.0]
SMALL = UniformBox(n_points=2**8, n_replicates=2)
GRID = {"bandwidth": [0.05, 0.6, 9.0]}


def search(estimator=None, grid=GRID, **options):
    options = {"n_splits": 4, "reference": SMALL, "random_state": 0, **options}
    return LabelFreeSearchCV(KernelDensity() if estimator is None else estimator, grid, **options)


class Recording(OutlierMixin, BaseEstimator):
    """Remembers every table that it is asked to fit or to score."""

    seen: list = []  # noqa: RUF012

    def __init__(self, power=2):
        self.power = power

    def fit(self, rows, y=None):
        self.seen.append(("fit", self.power, joblib.hash(rows)))
        return self

    def score_samples(self, rows):
        self.seen.append(("score", self.power, joblib.hash(rows)))
        return -(np.abs(rows) ** self.power).sum(axis=1)


class Failing(KernelDensity):
    def fit(self, rows, y=None):
        if self.bandwidth == 9.0:
            raise ValueError("too wide")
        return super().fit(rows)


@parametrize_with_checks([search(grid={"bandwidth": [0.5, 1.0]}, n_splits=2)])
@pytest.mark.filterwarnings("ignore::oddrank.errors.OddrankWarning")  # tables of a few rows
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.parametrize("criterion", ["excess_mass", "mass_volume"])
def test_the_right_bandwidth_is_chosen(criterion):
    found = search(criterion=criterion).fit(X)
    assert found.best_params_ == {"bandwidth": 0.6}
    assert found.best_index_ == found.top_index_ == 1
    assert 1 in found.inseparable_
    assert 2 not in found.inseparable_
    assert found.best_estimator_.bandwidth == 0.6
    assert found.best_score_ == found.cv_results_["mean_test_score"][1]


def test_results_have_the_form_of_scikit_learn():
    results = search().fit(X).cv_results_
    splits = np.array([results[f"split{split}_test_score"] for split in range(4)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
    assert results["params"] == [{"bandwidth": value} for value in GRID["bandwidth"]]
    assert list(results["param_bandwidth"]) == GRID["bandwidth"]
    order = np.argsort(-results["mean_test_score"])
    assert list(results["rank_test_score"][order]) == [1, 2, 3]
    assert results["mean_deficit"][1] == 0.0
    for name in ("fit", "score"):
        assert (results[f"mean_{name}_time"] > 0.0).all()
        assert (results[f"std_{name}_time"] >= 0.0).all()


class Slow(KernelDensity):
    """Takes its time where leaves are small."""

    def fit(self, rows, y=None):
        time.sleep(0.05 if self.leaf_size == 10 else 0.0)
        return super().fit(rows)


def test_the_cheapest_within_one_error():
    same = {"bandwidth": [0.6], "leaf_size": [10, 20]}
    found = search(Slow(), same, refit="cheapest").fit(X)
    assert found.inseparable_ == (0, 1)
    assert (found.simplest_index_, found.cheapest_index_) == (0, 1)
    assert found.best_params_ == {"bandwidth": 0.6, "leaf_size": 20}
    assert found.cv_results_["mean_fit_time"][0] >= 0.05


class FailingOnce(KernelDensity):
    """Fails on one split, and is otherwise the fastest and as good."""

    def fit(self, rows, y=None):
        if self.leaf_size == 20 and rows[0, 0] == X[1, 0]:
            raise ValueError("not these rows")
        time.sleep(0.0 if self.leaf_size == 20 else 0.02)
        return super().fit(rows)


@pytest.mark.parametrize("refit", ["best", "simplest", "cheapest"])
def test_who_fails_on_one_split_is_not_chosen(refit):
    # the first row is tested on in exactly one of the splits, whose training rows start elsewhere
    grid = {"bandwidth": [0.6], "leaf_size": [20, 10]}
    with pytest.warns(OddrankWarning, match="1 of 2 candidates failed and cannot be chosen"):
        found = search(FailingOnce(), grid, refit=refit, n_splits=5).fit(X)
    assert found.best_params_ == {"bandwidth": 0.6, "leaf_size": 10}
    assert found.cheapest_index_ == found.simplest_index_ == 1
    assert list(found.failures_) == [0]
    assert np.isnan(found.cv_results_["mean_test_score"][0])


def test_several_detectors_each_with_its_own_grid():
    several = {
        "density": (KernelDensity(), GRID),
        "lof": (LocalOutlierFactor(novelty=True), {"n_neighbors": [15]}),
        "knn": (KNN(), [{"n_neighbors": [10]}, {"n_neighbors": [5], "method": ["mean"]}]),
    }
    found = search(several, None).fit(X)
    results = found.cv_results_
    assert len(results["params"]) == 6
    assert results["params"][3] == {"detector": "lof", "n_neighbors": 15}
    assert results["param_bandwidth"].mask.tolist() == [False] * 3 + [True] * 3
    assert found.best_params_["detector"] in several


def test_a_search_around_pyod_scores_normality():
    found = search(KNN(), {"n_neighbors": [5, 10]}).fit(X)
    middle, far = normality_function(found)(np.array([[0.0, 0.0], [7.0, 9.0]]))
    assert middle > far
    assert found.predict([[0.0, 0.0], [7.0, 9.0]]).tolist() == [1, -1]


class Oddness(Recording):
    """Says how odd rows are, in a method's name that says nothing of it."""

    def score_samples(self, rows):
        return -super().score_samples(rows)


def test_each_detector_may_have_its_orientation():
    several = {"normal": (Recording(), {"power": [2]}), "odd": (Oddness(), {"power": [2]})}
    found = search(several, None, orientation={"odd": "abnormality"}).fit(X)
    first, second = found.cv_results_["mean_test_score"]
    assert first == second
    wrong = search(several, None).fit(X)
    assert wrong.cv_results_["mean_test_score"][1] < first
    alone = search(Oddness(), {"power": [2]}, orientation="abnormality").fit(X)
    middle, far = alone.score_samples([X.mean(axis=0), [60.0, 60.0]])
    assert middle > far


def test_distributions_and_random_grids():
    found = search(grid={"bandwidth": loguniform(0.1, 2.0)}, n_iter=3).fit(X)
    again = search(grid={"bandwidth": loguniform(0.1, 2.0)}, n_iter=3).fit(X)
    assert len(found.cv_results_["params"]) == 3
    assert found.cv_results_["params"] == again.cv_results_["params"]
    assert len(search(n_iter=2).fit(X).cv_results_["params"]) == 2
    assert len(search(n_iter=7).fit(X).cv_results_["params"]) == 3


def test_results_do_not_depend_on_jobs():
    options = {"estimator": IsolationForest(), "grid": {"n_estimators": [5, 10]}, "n_splits": 2}
    alone, together = (search(n_jobs=n_jobs, **options).fit(X) for n_jobs in (1, 2))
    for split in range(2):
        name = f"split{split}_test_score"
        np.testing.assert_array_equal(alone.cv_results_[name], together.cv_results_[name])
    np.testing.assert_array_equal(alone.score_samples(X), together.score_samples(X))


def test_candidates_of_a_split_see_the_same_rows_and_points():
    Recording.seen.clear()
    found = search(Recording(), {"power": [1, 2, 4]}, n_splits=2).fit(X)
    of_power = {
        power: [entry[::2] for entry in Recording.seen if entry[1] == power] for power in (1, 2, 4)
    }
    losers = [of_power[power] for power in (1, 2, 4) if power != found.best_params_["power"]]
    assert losers[0] == losers[1]
    assert losers[0] == of_power[found.best_params_["power"]][: len(losers[0])]
    fits = [key for kind, key in losers[0] if kind == "fit"]
    assert len(set(fits)) == 2
    np.testing.assert_array_equal(found.box_.lower, X.min(axis=0))
    np.testing.assert_array_equal(found.box_.upper, X.max(axis=0))


def test_the_simplest_within_one_error():
    # more replicates of the same density: no difference at all
    same = {"leaf_size": [40, 20], "bandwidth": [0.6]}
    found = search(grid=same).fit(X)
    assert found.inseparable_ == (0, 1)
    assert found.simplest_index_ == 0
    key = search(grid=same, refit="simplest", simplicity=lambda params: params["leaf_size"]).fit(X)
    assert key.best_params_ == {"bandwidth": 0.6, "leaf_size": 20}
    assert key.best_estimator_.leaf_size == 20
    assert key.top_index_ == 0


HALVING_GRID = {"bandwidth": [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0]}


def test_halving_scores_fewer_points_and_chooses_as_well():
    points = UniformBox(n_points=2**9, n_replicates=4)
    full, halved = (
        search(grid=HALVING_GRID, halving=each, reference=points).fit(X) for each in (False, True)
    )
    assert full.n_scored_ >= 3 * halved.n_scored_
    assert halved.best_index_ in full.inseparable_
    rounds = halved.cv_results_["round"]
    in_round = [int((rounds >= each).sum()) for each in range(3)]
    assert in_round[0] == 12
    assert 2 == in_round[2] <= in_round[1] <= 3
    assert halved.cv_results_["rank_test_score"][halved.best_index_] == 1
    assert halved.n_scored_ == halved.cv_results_["n_scored"].sum()
    assert full.n_scored_ == 12 * 4 * (80 + 4 * 2**9)


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(X, columns=["a", "b"]), pl.DataFrame(X, schema=["a", "b"])],
    ids=["pandas", "polars"],
)
def test_frames_and_pipelines(frame):
    pipeline = make_pipeline(StandardScaler(), KernelDensity())
    grid = {"kerneldensity__bandwidth": [0.2, 2.0]}
    found = search(pipeline, grid).fit(frame)
    assert found.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_allclose(
        found.score_samples(frame), search(pipeline, grid).fit(X).score_samples(X)
    )


def test_a_fitted_search_can_be_read_from_a_file_of_skops():
    found = search(GaussianMixture(), {"n_components": [1, 2]}).fit(X)
    stored = skops.io.dumps(found)
    read = skops.io.loads(stored, trusted=skops.io.get_untrusted_types(data=stored))
    np.testing.assert_array_equal(read.decision_function(X), found.decision_function(X))


def test_copies():
    found = search().fit(X)
    copied = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(copied.decision_function(X), found.decision_function(X))
    unfitted = clone(found)
    assert not hasattr(unfitted, "best_params_")
    assert clone(search({"density": (KernelDensity(), GRID)}, None)).fit(X).best_params_ == {
        "detector": "density",
        "bandwidth": 0.6,
    }


def test_many_features_are_scored_in_draws():
    wide = np.random.default_rng(1).normal(size=(200, 12))
    options = {"grid": {"bandwidth": [0.5, 1.0]}}
    found = search(**options).fit(wide)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    three = search(subsampling=FeatureSubsampling(n_features=3), progress=True, **options).fit(wide)
    assert three.best_score_ != found.best_score_


def test_a_search_that_was_stopped_continues(tmp_path):
    options = {"estimator": Recording(), "grid": {"power": [1, 2]}, "random_state": None}
    Recording.seen.clear()
    first = search(checkpoint=tmp_path, **options).fit(X)
    n_first = len(Recording.seen)
    Recording.seen.clear()  # as in a new process: a detector is known by what its code looks up
    second = search(checkpoint=tmp_path, **options).fit(X)
    assert len(Recording.seen) < n_first
    np.testing.assert_array_equal(
        first.cv_results_["mean_test_score"], second.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(first.score_samples(X), second.score_samples(X))


def test_candidates_that_fail_are_told_and_left():
    with pytest.warns(OddrankWarning, match="1 of 3 candidates failed and cannot be chosen"):
        found = search(Failing()).fit(X)
    assert list(found.failures_) == [2]
    assert np.isnan(found.cv_results_["mean_test_score"][2])
    assert found.cv_results_["rank_test_score"][2] == 3
    with pytest.raises(DetectorFailedError, match="All 1 candidates failed"):
        search(Failing(), {"bandwidth": [9.0]}).fit(X)


def test_halving_drops_what_fails():
    with pytest.warns(OddrankWarning, match="1 of 3 candidates failed"):
        found = search(Failing(), halving=True).fit(X)
    assert found.best_params_ == {"bandwidth": 0.6}


def test_unresolved_candidates_are_told():
    far = np.concatenate([X[:200] * 1e-6, [[1.0, 1.0]]])
    with pytest.raises(InvalidDataError, match="No candidate has a resolved excess mass"):
        search(grid={"bandwidth": [1e-6]}).fit(far)
    everywhere = [{"bandwidth": [1e-6]}, {"bandwidth": [10.0], "kernel": ["tophat"]}]
    with pytest.warns(UnresolvedWarning, match="1 of 2 candidates are unresolved"):
        found = search(grid=everywhere, box=BoundingBox.from_arrays(far)).fit(far)
    assert found.best_params_["kernel"] == "tophat"


def test_few_rows_are_told():
    with pytest.warns(ResolutionWarning, match="6 calibration rows cannot resolve a mass of 0.95"):
        search(calibration_size=0.015).fit(X)
    with pytest.warns(ResolutionWarning, match="80 rows are too few for volumes at a mass of 0.99"):
        search(criterion="mass_volume", mass_range=(0.9, 0.99)).fit(X)
    with pytest.raises(InvalidDataError, match="3 rows cannot be split into training and test"):
        search().fit(X[:3])
    with pytest.raises(InvalidDataError, match="at least 2 each and a calibration row"):
        search(calibration_size=0.2).fit(X[:4])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"criterion": "roc"},
            "'criterion' parameter of LabelFreeSearchCV must be one of 'excess_mass', 'mass_volume",
        ),
        (
            {"criterion": "neg_mass_volume"},
            "'criterion' parameter of LabelFreeSearchCV is now 'mass_volume', as in rank_detectors",
        ),
        (
            {"n_splits": 1},
            "'n_splits' parameter of LabelFreeSearchCV must be an int in the range [2",
        ),
        ({"test_size": 1.0}, "'test_size' parameter of LabelFreeSearchCV must be a float"),
        ({"mass": 95}, "'mass' parameter of LabelFreeSearchCV must be a float"),
        ({"calibration_size": 0}, "'calibration_size' parameter of LabelFreeSearchCV"),
        ({"confidence_level": 2}, "'confidence_level' parameter of LabelFreeSearchCV"),
        ({"refit": "last"}, "'refit' parameter of LabelFreeSearchCV must be one of 'best'"),
        ({"orientation": "up"}, "'orientation' parameter of LabelFreeSearchCV"),
        (
            {
                "orientation": {"someone": "abnormality"},
                "estimator": {"a": (KernelDensity(), GRID)},
                "grid": None,
            },
            "'orientation' parameter of LabelFreeSearchCV must name detectors of 'estimator'",
        ),
        ({"halving": "yes"}, "'halving' parameter of LabelFreeSearchCV must be one of True"),
        ({"progress": 2}, "'progress' parameter of LabelFreeSearchCV must be one of True"),
        ({"mass_range": (1, 0)}, "'mass_range' parameter of LabelFreeSearchCV must be two"),
        ({"excess_mass_floor": 1}, "'excess_mass_floor' parameter of LabelFreeSearchCV"),
        ({"reference": 3}, "'reference' parameter of LabelFreeSearchCV must be a sampler"),
        ({"simplicity": 3}, "'simplicity' parameter of LabelFreeSearchCV must be None or a func"),
        ({"box": 3}, "'box' parameter of LabelFreeSearchCV must be a BoundingBox"),
        ({"subsampling": 3}, "'subsampling' parameter of LabelFreeSearchCV must be 'auto'"),
        ({"random_state": "x"}, "'random_state' parameter of LabelFreeSearchCV"),
        ({"n_iter": 0}, "'n_iter' parameter of LabelFreeSearchCV must be an int in the range [1"),
        (
            {"grid": {"bandwidth": loguniform(1, 2)}},
            "'n_iter' parameter of LabelFreeSearchCV must be an int in the range [1, inf) if",
        ),
        ({"grid": None}, "'param_grid' parameter of LabelFreeSearchCV must be a mapping"),
        ({"grid": []}, "'param_grid' parameter of LabelFreeSearchCV must be a mapping"),
        ({"grid": {"bandwidth": 3}}, "'param_grid' parameter of LabelFreeSearchCV must be a"),
        ({"estimator": {"a": 3}, "grid": None}, "'estimator' parameter of LabelFreeSearchCV must"),
        ({"estimator": {"a": 3}}, "'param_grid' parameter of LabelFreeSearchCV must be None"),
        ({"estimator": 3}, "must be a detector with a fit method"),
    ],
    ids=lambda value: value if isinstance(value, str) else ", ".join(value),
)
def test_bad_parameters_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        search(**options).fit(X)
    assert sentence in str(caught.value)


def test_bad_detectors_are_refused():
    with pytest.raises(DetectorError, match="cannot be given the parameters"):
        search(grid={"width": [1]}).fit(X)
    with pytest.raises(DetectorError, match=r"LocalOutlierFactor\(novelty=False\) cannot score"):
        search(LocalOutlierFactor(), {"n_neighbors": [5]}).fit(X)
