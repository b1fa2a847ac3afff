"""`rank_detectors` where volumes decide: order, names, failures, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import BoundingBox, FeatureSubsampling, Volume, rank_detectors
from oddrank.errors import (
    DetectorError,
    InvalidDataError,
    InvalidParameterError,
)
from oddrank.ranking.verdict import volumes_agree
from oddrank.reference import UniformBox
from tests.planted import (
    BY_VOLUME,
    DEVIATIONS,
    TRUE,
    WRONG,
    FailingFit,
    FailingScore,
    KnownDensity,
    gaussian,
    planted_ranking,
)
from tests.quick_density import QuickDensity


@pytest.fixture(scope="module")
def ranking():
    return planted_ranking(0)


def test_the_true_density_wins_and_its_copy_cannot_be_separated(ranking):
    assert ranking.order == ranking.order_by("excess_mass") == ("copy", "true", "wrong", "random")
    assert ranking.best == "copy"
    assert ranking.groups() == (("copy", "true"), ("wrong",), ("random",))
    assert ranking.compare("true", "wrong").separated
    copies = ranking.compare("true", "copy")
    assert copies.p_value == copies.adjusted_p_value == 1.0
    assert copies.holds == 0.5


def test_comparisons_are_paired(ranking):
    comparison = ranking.compare("true", "wrong", "mass_volume")
    true, wrong = (ranking.evaluations[name].mass_volume for name in ("true", "wrong"))
    assert comparison.better == "true"
    assert comparison.lead.value == pytest.approx(np.log(wrong.value / true.value))
    independent = np.hypot(true.relative_error, wrong.relative_error)
    assert comparison.lead.standard_error < 0.8 * independent


def test_a_detector_that_fails_is_a_row_with_its_reason():
    ranking = rank_detectors(
        {"good": TRUE, "fit": FailingFit(), "score": FailingScore()},
        gaussian(0),
        judge=BY_VOLUME,
        random_state=0,
    )
    assert ranking.best == "good"
    assert "RuntimeError: no licence" in ranking.failures["fit"]
    assert "returned NaN" in ranking.failures["score"]
    assert "Failed: fit." in str(ranking)
    assert list(ranking.frame()["score"].isna()) == [False, True, True]
    assert list(ranking.frame()["detector"]) == ["good", "fit", "score"]


def test_all_failing():
    ranking = rank_detectors({"a": FailingFit()}, gaussian(0), judge=BY_VOLUME)
    assert "Nothing could be ranked" in str(ranking)
    with pytest.raises(DetectorError, match=r"no best detector.*no licence"):
        _ = ranking.best


def test_a_single_detector_has_nothing_to_be_compared_with():
    ranking = rank_detectors([TRUE], gaussian(0), judge=BY_VOLUME)
    assert ranking.best == "KnownDensity"
    assert "nothing to compare it with" in str(ranking)
    with pytest.raises(DetectorError, match="no comparison of 'a' and 'b'"):
        ranking.compare("a", "b")


def test_names_come_from_mappings_pairs_or_classes():
    X = gaussian(0)
    listed = rank_detectors([TRUE, WRONG, GaussianMixture()], X, judge=BY_VOLUME)
    assert set(listed.evaluations) == {"KnownDensity", "KnownDensity-2", "GaussianMixture"}
    pairs = rank_detectors([("a", TRUE), ("b", WRONG)], X, judge=BY_VOLUME)
    assert set(pairs.evaluations) == {"a", "b"}


@pytest.mark.parametrize(
    ("detectors", "sentence"),
    [
        ([], "There are no detectors to rank"),
        ({}, "There are no detectors to rank"),
        ({"": TRUE}, "name must be a text that is not empty"),
        ({3: TRUE}, "Got 3 instead"),
        ([("a", TRUE), ("a", WRONG)], "2 detectors are called 'a'"),
        (TRUE, "put a single detector into a list"),
    ],
)
def test_names_that_are_refused(detectors, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        rank_detectors(detectors, gaussian(0), judge="volume")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("detectors", "sentence"),
    [
        ({"lof": LocalOutlierFactor()}, "lof: LocalOutlierFactor(novelty=False) cannot score"),
        ({"f": len}, "f: len has no fit method"),
        ({"x": object()}, "x: object cannot score rows"),
    ],
)
def test_detectors_that_are_refused_before_work_starts(detectors, sentence):
    with pytest.raises(DetectorError) as caught:
        rank_detectors(detectors, gaussian(0), judge="volume")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"judge": Volume(subsampling=FeatureSubsampling(n_features=3))},
            "cannot draw from 2 features",
        ),
        ({"judge": Volume(subsampling=5)}, "must be 'auto', None or a FeatureSubsampling"),
        ({"judge": Volume(reference=5)}, "must be a sampler such as oddrank.reference.UniformBox"),
        ({"judge": Volume(box=5)}, "'box' parameter of rank_detectors must be a BoundingBox"),
        ({"judge": "jury"}, "'judge' parameter of rank_detectors must be one of 'auto', 'volume'"),
        ({"scale": "yes"}, "'scale' parameter of rank_detectors"),
        ({"orientation": {"nobody": "normality"}}, "'orientation' parameter of rank_detectors"),
        ({"orientation": {"a": "up"}}, "must be one of None, 'normality', 'abnormality'"),
    ],
)
def test_options_that_are_refused(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        rank_detectors({"a": TRUE}, gaussian(0), **{"judge": "volume", **options})
    assert sentence in str(caught.value)


def test_train_and_test_of_different_columns():
    frame = pd.DataFrame(gaussian(0), columns=["a", "b"])
    with pytest.raises(InvalidDataError, match="Column 0 is 'a' in X_train but 'b' in X_test"):
        rank_detectors({"a": TRUE}, frame, frame[["b", "a"]], judge="volume")


def test_orientation_of_single_detectors():
    class Distance(KnownDensity):
        def score_samples(self, X):
            return -super().score_samples(X)

    ranking = rank_detectors(
        {"right": TRUE, "upside down": Distance(DEVIATIONS)},
        gaussian(0),
        orientation={"upside down": "abnormality"},
        scale=False,
        judge=BY_VOLUME,
    )
    assert ranking.compare("right", "upside down").p_value == 1.0


def test_scaling_is_learnt_on_the_training_rows():
    X = gaussian(3, 1000)
    judge = replace(BY_VOLUME, mass_range=(0.9, 0.99))
    train, test = X[:300], X[300:]
    scaled = (X - train.mean(axis=0)) / train.std(axis=0)
    by_hand, ranking, boxed = (
        rank_detectors([QuickDensity()], *rows, cv=1, random_state=0, **options)
        for rows, options in (
            ((scaled[:300], scaled[300:]), {"scale": False, "judge": judge}),
            ((train, test), {"judge": judge}),
            ((train, test), {"judge": replace(judge, box=BoundingBox.from_arrays(X))}),
        )
    )
    for other in (by_hand, boxed):
        assert other.frame()["em"][0] == pytest.approx(ranking.frame()["em"][0])


def test_unresolved_excess_mass_hands_over_to_mass_volume():
    X = np.concatenate([np.random.default_rng(0).normal(size=(2400, 4)) * 1e-3, np.eye(4) * 9])
    ranking = rank_detectors(
        {"a": QuickDensity(bandwidth=0.01), "b": QuickDensity(bandwidth=1.0)},
        X,
        scale=False,
        judge=Volume(reference=UniformBox(n_points=2**6, n_replicates=4)),
        random_state=0,
    )
    assert ranking.criterion == "mass_volume"
    text = str(ranking)
    assert "unresolved" in text


class MiddleOnly(KnownDensity):
    """Right up to a radius, without any order beyond it."""

    def score_samples(self, X):
        radius = np.linalg.norm(X, axis=1)
        return np.where(radius < 2.8, -radius, -3.8 - np.sin(1e4 * radius))


def test_disagreement_of_the_criteria_is_said():
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    detectors = {"middle": MiddleOnly(), "everywhere": KnownDensity((1.0, 1.3))}
    # one fit: with more the error counts what others would change, and the criteria agree
    ranking = rank_detectors(detectors, X, judge="volume", scale=False, cv=1, random_state=0)
    assert ranking.order_by("excess_mass")[0] == "middle"
    assert ranking.order_by("mass_volume")[0] == "everywhere"
    assert not volumes_agree(ranking)
    assert "mass volume contradict each other" in " ".join(str(ranking).split())


def test_algorithm_1_above_eight_features():
    X = np.random.default_rng(0).normal(size=(300, 10))
    judge = replace(BY_VOLUME, mass_range=(0.9, 0.99))
    pool = {"mixture": GaussianMixture(), "ball": KnownDensity()}
    ranking = rank_detectors(pool, X, judge=judge, random_state=0)
    assert "10 features in 50 draws of 5 (Algorithm 1)" in ranking.setting
    assert ranking.evaluations["mixture"].level_sets is None
    direct = rank_detectors({"ball": KnownDensity()}, X[:, :8], judge=judge, random_state=0)
    assert "draws" not in direct.setting


FORMER = {
    "subsampling": FeatureSubsampling(2, 3),
    "criterion": "mass_volume",
    "reference": UniformBox(n_points=64, n_replicates=2),
    "box": BoundingBox(lower=np.zeros(2), upper=np.ones(2)),
    "mass_range": (0.9, 0.99),
    "excess_mass_floor": 0.8,
}


def test_options_that_never_were_are_refused_as_python_does():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        rank_detectors({"a": TRUE}, gaussian(0), colour="red")


@pytest.mark.long
def test_planted_order_in_a_hundred_seeds():
    rankings = Parallel(n_jobs=2)(delayed(planted_ranking)(seed) for seed in range(100))
    ordered = [[name for name in ranking.order if name != "copy"] for ranking in rankings]
    right = sum(order == ["true", "wrong", "random"] for order in ordered)
    together = sum(not ranking.compare("true", "copy").separated for ranking in rankings)
    assert right >= 95
    assert together >= 90


@pytest.mark.parametrize("constants", [{"k": 1}, {"k": 0.1, "j": 7.0}])
def test_constant_features_cost_volumes_and_not_the_ranking(constants):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 2)), columns=["a", "b"])
    rows = rows.assign(**constants)
    detectors = {"density": QuickDensity(), "gaussian": GaussianMixture()}
    ranking = rank_detectors(detectors, rows, preprocess="auto", random_state=0)
    assert set(ranking.order) == set(detectors)
    assert not ranking.failures
    assert np.isfinite(ranking.score_samples(rows.head(3))).all()
    with pytest.raises(DetectorError, match="Feature 'k' is constant, so the bounding box"):
        ranking.evaluations["density"]
    with pytest.raises(InvalidDataError, match="Feature 'k' is constant, so the bounding box"):
        rank_detectors(detectors, rows, judge="volume", random_state=0)


def test_a_table_of_many_repeated_rows_is_ranked_and_printed():
    random = np.random.default_rng(0)
    rows = np.where(random.random((1000, 3)) < 0.03, random.exponential(size=(1000, 3)), 0.0)
    assert "Look at these rows" in str(rank_detectors(["forest", "gaussian"], rows, random_state=0))


def test_samples_of_both_tables_keep_their_own_row_numbers():
    random = np.random.default_rng(0)
    X, X_test = random.normal(size=(2000, 2)), random.normal(size=(900, 2))
    options = {"sample": 500, "random_state": 0}
    rows = rank_detectors(["gaussian"], X, X_test, **options).odd_rows(n_explained=0)
    assert len(rows.rows) == len(rows.oddness) == 500
    np.testing.assert_array_equal(rows.table.values, X_test[rows.rows])
    small = rank_detectors(["gaussian"], X, X_test[:300], **options)
    assert small.odd_rows(n_explained=0).rows.tolist() == list(range(300))
    assert "a sample" not in small.setting


def test_names_and_pools_go_together_and_count_once():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    pool = ["fast", "forest", ("mine", GaussianMixture(3))]
    ranking = rank_detectors(pool, rows, random_state=0)
    assert {"forest", "residual", "mine"} <= set(ranking.order)


@pytest.mark.parametrize("groups", [np.arange(10), np.zeros(10)])
def test_groups_of_a_sample_need_one_entry_per_row(groups):
    rows = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.raises(InvalidParameterError, match="one entry for each of the 200 rows"):
        rank_detectors(["gaussian"], rows, sample=50, groups=groups, random_state=0)


def test_a_splitter_that_is_none_is_refused():
    with pytest.raises(InvalidParameterError, match="'cv' parameter of rank_detectors must be"):
        rank_detectors(["gaussian"], np.zeros((20, 2)), cv="2")
