"""Label-free scorers in scikit-learn's own tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from pyod.models.knn import KNN
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from oddrank import BoundingBox, make_label_free_scorer
from oddrank.errors import InvalidParameterError, UnresolvedWarning
from oddrank.reference import UniformBox
from tests.quick_density import QuickDensity

# two clusters far apart: what smooths too much fills the gap
X = np.random.default_rng(0).normal(size=(900, 2)) * [1.0, 3.0]
X[::2] += [14.0, 0.0]
BOX = BoundingBox.from_arrays(X)
SMALL = UniformBox(n_points=2**9, n_replicates=2)
GRID = {"bandwidth": [0.4, 3.0, 9.0]}


def scorer(criterion="excess_mass", **options):
    options = {
        "box": BOX,
        "mass_range": (0.9, 0.99),
        "reference": SMALL,
        "random_state": 0,
        **options,
    }
    return make_label_free_scorer(criterion, **options)


@pytest.mark.parametrize("criterion", ["excess_mass", "neg_mass_volume"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(criterion, n_jobs):
    search = GridSearchCV(QuickDensity(), GRID, scoring=scorer(criterion), cv=3, n_jobs=n_jobs)
    assert search.fit(X).best_params_ == {"bandwidth": 0.4}


def test_other_searches_and_scores():
    randomised = RandomizedSearchCV(
        QuickDensity(), GRID, n_iter=3, scoring=scorer(), cv=3, random_state=0
    ).fit(X)
    halving = HalvingGridSearchCV(
        QuickDensity(), GRID, scoring=scorer(), cv=3, min_resources=450, random_state=0
    ).fit(X)
    assert randomised.best_params_ == halving.best_params_ == {"bandwidth": 0.4}
    scores = cross_val_score(LocalOutlierFactor(novelty=True), X, scoring=scorer(), cv=3)
    assert (scores > 0).all()


@pytest.mark.parametrize(
    ("detector", "grid"),
    [
        (
            make_pipeline(StandardScaler(), OneClassSVM(nu=0.05)),
            {"oneclasssvm__gamma": [2.0, 0.001]},
        ),
        (make_pipeline(StandardScaler(), KNN()), {"knn__n_neighbors": [5, 400]}),
        (KNN(), {"n_neighbors": [5, 400]}),
    ],
    ids=["pipeline", "PyOD in a pipeline", "PyOD"],
)
def test_pipelines_and_pyod(detector, grid):
    search = GridSearchCV(detector, grid, scoring=scorer(), cv=3, error_score="raise").fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    first = next(iter(grid))
    assert search.best_params_[first] == grid[first][0]


def test_frames():
    frame = pd.DataFrame(X, columns=["a", "b"])
    fitted = QuickDensity().fit(frame)
    assert scorer()(fitted, frame) == scorer()(QuickDensity().fit(X), X)


def test_pickle_and_clone():
    fitted = QuickDensity().fit(X)
    copies = [pickle.loads(pickle.dumps(scorer())), clone(scorer(), safe=False)]
    assert {copy(fitted, X) for copy in copies} == {scorer()(fitted, X)}
    assert "excess_mass" in repr(scorer())


def test_all_candidates_see_the_same_points():
    seen = []

    def remembering(rows):
        seen.append(np.array(rows))
        return -(rows**2).sum(axis=1)

    score = scorer()
    assert score(remembering, X) == score(remembering, X)
    half = len(seen) // 2
    for first, second in zip(seen[:half], seen[half:], strict=True):
        np.testing.assert_array_equal(first, second)


def test_without_a_seed_the_points_are_those_of_the_scorer():
    fitted = QuickDensity().fit(X)
    score, other = scorer(random_state=None), scorer(random_state=None)
    assert score(fitted, X) == score(fitted, X)
    assert score(fitted, X) != other(fitted, X)
    assert pickle.loads(pickle.dumps(score))(fitted, X) == score(fitted, X)


def test_points_belong_to_the_whole_seed_sequence():
    fitted = QuickDensity().fit(X)
    assert scorer(random_state=np.random.SeedSequence([1, 2]))(fitted, X) > 0.0
    children = np.random.SeedSequence(7).spawn(2)
    first, second = (scorer(random_state=each)(fitted, X) for each in children)
    assert first != second
    assert first == scorer(random_state=children[0])(fitted, X)


def test_the_trap_of_a_box_per_fold_and_that_it_is_closed():
    def round_sets(rows):
        return -(rows**2).sum(axis=1)

    def half_planes(rows):  # without end: only the box limits their volume
        return rows[:, 0]

    rows = np.random.default_rng(1).normal(size=(900, 2))
    inner = rows[np.abs(rows).max(axis=1) < 0.5]
    box = BoundingBox.from_arrays(rows, margin=0.5)
    for criterion in ("excess_mass", "neg_mass_volume"):
        trapped, fixed = scorer(criterion, box=None), scorer(criterion, box=box)
        # In a box of its own a fold of rows that lie close together makes the worse detector look
        # better than the right one on the other fold; in one box it cannot.
        assert trapped(half_planes, inner) > trapped(round_sets, rows)
        assert fixed(half_planes, inner) < fixed(round_sets, rows)


def test_labels_are_not_looked_at():
    fitted = QuickDensity().fit(X)
    assert scorer()(fitted, X) == scorer()(fitted, X, np.zeros(len(X)))


def test_unresolved_is_nan_and_said():
    far = np.concatenate([X[:200] * 1e-6, [[1.0, 1.0]]])
    with pytest.warns(UnresolvedWarning, match="excess_mass of QuickDensity is unresolved"):
        value = scorer(box=BoundingBox.from_arrays(far))(QuickDensity(bandwidth=1e-6).fit(far), far)
    assert np.isnan(value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": "roc"}, "must be one of 'excess_mass', 'neg_mass_volume'"),
        ({"criterion": "mass_volume"}, "must be one of 'excess_mass', 'neg_mass_volume'"),
        ({"orientation": "up"}, "'orientation' parameter of make_label_free_scorer"),
        ({"box": 3}, "'box' parameter of make_label_free_scorer must be a BoundingBox"),
        ({"reference": 3}, "'reference' parameter of make_label_free_scorer"),
        ({"random_state": "x"}, "'random_state' parameter of make_label_free_scorer"),
    ],
)
def test_bad_options(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        make_label_free_scorer(**options)
    assert sentence in str(caught.value)
