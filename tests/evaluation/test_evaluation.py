"""Evaluations: containers, diagnostics, text, plain numbers."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from oddrank import (
    BoundingBox,
    Volume,
    evaluate_detector,
    evaluate_scores,
    excess_mass_curve,
    mass_volume_curve,
    rank_detectors,
)
from oddrank._random import child, root_of
from oddrank.criteria import EXCESS_MASS
from oddrank.errors import InvalidParameterError, ResolutionWarning, UnresolvedWarning
from oddrank.reference import ReferenceMixture, UniformBox
from tests.quick_density import QuickDensity

SMALL = UniformBox(n_points=2**10, n_replicates=4)


def density(X):
    return -(np.asarray(X) ** 2).sum(axis=1)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(1200, 3))


@pytest.fixture(scope="module")
def evaluation(rows):
    return evaluate_scores(density, rows, reference=SMALL, random_state=0)


def test_mass_volume_is_the_area_of_the_curve(evaluation):
    area = mass_volume_curve(evaluation.level_sets).area(0.9, 0.999)
    assert evaluation.mass_volume.value == pytest.approx(area)


def test_excess_mass_is_the_area_less_its_upward_bias(evaluation):
    area = excess_mass_curve(evaluation.level_sets).area(0.9)
    (sampled,) = evaluation.criteria[EXCESS_MASS].folds
    assert sampled.value * np.exp(sampled.log_unit) == pytest.approx(area)
    assert 0.8 * area < evaluation.excess_mass.value < area


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda X: pl.DataFrame(X, schema=["a", "b", "c"])])
def test_frames_give_what_arrays_give(rows, evaluation, frame):
    same = evaluate_scores(density, frame(rows), reference=SMALL, random_state=0)
    assert same.to_dict() == evaluation.to_dict()


def test_detectors_that_select_columns_by_name(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    select = ColumnTransformer([("scale", StandardScaler(), ["a", "c"])])
    evaluation = evaluate_detector(
        make_pipeline(select, QuickDensity()), frame, reference=SMALL, mass_range=(0.9, 0.99)
    )
    assert evaluation.mass_volume.resolved


def test_detectors_fitted_on_frames_are_not_warned_about_names(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    forest = IsolationForest(random_state=0).fit(frame)
    assert evaluate_scores(forest, frame, reference=SMALL, random_state=0).excess_mass.resolved


def test_text_names_the_verdict_and_the_reasons(evaluation):
    text = str(evaluation)
    assert "excess mass (bigger is better)" in text
    assert "trust: yes" in text
    assert "With 1,200 test rows the curves stop at 99.9 % of the data" in text


def test_plain_numbers_are_json_and_a_frame(evaluation):
    assert json.loads(json.dumps(evaluation.to_dict()))["measure"] == "Lebesgue"
    frame = evaluation.frame()
    assert list(frame["criterion"]) == ["excess_mass", "mass_volume"]
    assert frame["value"][1] == evaluation.mass_volume.value


def test_detector_is_cloned_and_given_a_seed(rows):
    forest = IsolationForest()
    first = evaluate_detector(forest, rows, reference=SMALL, mass_range=(0.9, 0.99), random_state=1)
    again = evaluate_detector(forest, rows, reference=SMALL, mass_range=(0.9, 0.99), random_state=1)
    assert first.to_dict() == again.to_dict()
    assert not hasattr(forest, "estimators_")
    assert forest.random_state is None


def test_pipelines_are_given_seeds_inside(rows):
    pipeline = make_pipeline(StandardScaler(), IsolationForest())
    options = {"reference": SMALL, "mass_range": (0.9, 0.99), "random_state": 1}
    first, again = (evaluate_detector(pipeline, rows, **options) for _ in range(2))
    assert first.to_dict() == again.to_dict()


@pytest.mark.parametrize("scale", [True, False])
def test_box_is_the_range_of_training_and_test_rows(rows, scale):
    train, test = rows[:600], rows[600:]
    options = {"reference": SMALL, "mass_range": (0.9, 0.99), "random_state": 0}
    box = BoundingBox.from_arrays(train, test)
    alone, boxed = (
        evaluate_detector(
            QuickDensity(), train, test, scale=scale, cv=1, box=each, **options
        ).to_dict()
        for each in (None, box)
    )
    assert alone == boxed
    if scale:
        scaler = StandardScaler().fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
        box = BoundingBox.from_arrays(train, test)
    # with the points of the only fold
    options["random_state"] = child(root_of(0, "test"), "fold", 0)
    by_hand = evaluate_scores(QuickDensity().fit(train), test, box=box, **options)
    assert alone["mass_volume"]["value"] == pytest.approx(by_hand.mass_volume.value, rel=1e-9)
    # the bias of the excess mass is that of other random halves of the rows
    off = abs(alone["excess_mass"]["value"] - by_hand.excess_mass.value)
    assert off < by_hand.excess_mass.standard_error / 2.0


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("n_features", [3, 9])
def test_single_evaluations_agree_with_rankings(scale, n_features):
    X = np.random.default_rng(2).normal(size=(400, n_features)) * 7.0
    options = {"scale": scale, "random_state": 4}
    own = {"reference": SMALL, "mass_range": (0.9, 0.95)}
    alone = evaluate_detector(QuickDensity(), X, **options, **own)
    ranking = rank_detectors([QuickDensity()], X, judge=Volume(**own), **options)
    assert ranking.evaluations["QuickDensity"].to_dict() == alone.to_dict()


def test_scaling_is_yes_or_no(rows):
    with pytest.raises(InvalidParameterError, match="'scale' parameter of evaluate_detector must"):
        evaluate_detector(QuickDensity(), rows, scale="yes")


def test_linear_algebra_has_one_thread_while_a_detector_scores(rows):
    seen = set()

    def watching(X):
        seen.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return density(X)

    evaluate_scores(watching, rows, reference=SMALL, random_state=0)
    assert seen == {1}


def test_few_rows_are_said_with_the_number_needed(rows):
    with pytest.warns(ResolutionWarning, match="120 rows are too few .* 0.999. 1,000 are needed"):
        evaluation = evaluate_scores(
            density, rows[:120], reference=SMALL, mass_range=(0.9, 0.999), random_state=0
        )
    assert not evaluation.diagnostics["rows"].ok


def test_unresolved_excess_mass_is_a_state_with_a_warning():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(1500, 6)) * 1e-3, np.array([[1.0] * 6, [-1.0] * 6])])
    with pytest.warns(UnresolvedWarning, match="holds no reference point"):
        evaluation = evaluate_scores(density, X, reference=SMALL, random_state=0)
    assert not evaluation.excess_mass.resolved
    assert "unresolved" in str(evaluation)
    assert not evaluation.diagnostics.trustworthy
    assert evaluation.to_dict()["excess_mass"]["value"] is None


def _concern(X, function=density, reference=SMALL, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluation = evaluate_scores(function, X, reference=reference, random_state=0, **options)
    return {check.name: check.says() for check in evaluation.diagnostics.concerns}


def test_diagnostics_name_what_is_wrong_and_what_to_do(rows):
    assert _concern(rows) == {}
    discrete = np.column_stack([rows, np.arange(1200) % 3])
    assert "Drop them" in _concern(discrete)["discrete features"]
    tied = _concern(rows, lambda X: np.round(density(X)))
    assert "share their score" in tied["tied scores"]
    heavy = rows.copy()
    heavy[0, 1] = 1e4
    assert "'x1': a few rows set the size of the box" in _concern(heavy)["box"]
    wide = np.random.default_rng(0).normal(size=(1200, 9))
    assert "subsampling='auto'" in _concern(wide)["dimension"]
    assert "Draw more points" in _concern(wide)["points inside"]
    assert "Only more rows would help" in _concern(rows[:100])["relative error"]
    coarse = UniformBox(n_points=2**5, n_replicates=2)
    assert "Draw more points" in _concern(rows, reference=coarse)["relative error"]


def test_a_box_that_does_not_hold_the_rows_is_not_to_be_trusted(rows):
    box = BoundingBox(lower=np.full(3, -0.5), upper=np.full(3, 0.5))
    assert "Pass a box that holds the rows" in _concern(rows, box=box)["outside"]


def test_volumes_that_no_float_holds_are_said(rows):
    huge = np.column_stack([rows, rows]) * 1e60
    concern = _concern(huge, lambda X: -np.abs(X / 1e60).sum(axis=1))
    assert "too large or too small" in concern["resolved"]


def test_a_mass_of_one_is_decided_by_one_row(rows):
    with pytest.warns(ResolutionWarning, match="No number of rows is enough"):
        evaluate_scores(density, rows, mass_range=(0.9, 1.0), reference=SMALL)


def test_unsigned_scores_are_turned_as_numbers(rows):
    def distance(X, kind):
        return np.floor(np.minimum((X**2).sum(axis=1) * 9, 255)).astype(kind)

    options = {"orientation": "abnormality", "reference": SMALL, "random_state": 0}
    values = [
        evaluate_scores(lambda X, kind=kind: distance(X, kind), rows, **options).mass_volume.value
        for kind in (np.uint8, np.float64)
    ]
    assert values[0] == values[1]


def test_feature_with_few_distinct_values_first_and_many_later_is_continuous(rows):
    late = rows.copy()
    late[:1000, 0] = 0.0
    assert "discrete features" not in _concern(late)


def test_measures_need_no_width_and_rest_on_all_folds():
    X = np.random.default_rng(0).normal(size=(400, 3))
    X[:, 2] = 7.0
    options = {"reference": ReferenceMixture(), "random_state": 0}
    evaluation = evaluate_detector(IsolationForest(n_estimators=20), X, **options)
    one_fit = evaluate_detector(IsolationForest(n_estimators=20), X, cv=1, **options)
    assert evaluation.roc_area.value != one_fit.roc_area.value
