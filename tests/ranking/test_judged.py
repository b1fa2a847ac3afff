"""Rankings that reference measures or peers decide, in full dimension."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import FeatureSubsampling, References, Volume, Workers, rank_detectors
from oddrank.errors import DetectorError, InvalidParameterError
from oddrank.reference import NoisyData, ReferenceMixture

RANDOM = np.random.default_rng(0)
MIXING = RANDOM.normal(size=(3, 12))
ROWS = RANDOM.normal(size=(900, 3)) @ MIXING + 0.1 * RANDOM.normal(size=(900, 12))


class Blurred(OutlierMixin, BaseEstimator):
    """The log density of the training rows' Gaussian, blurred by noise that belongs to a row."""

    def __init__(self, blur=0.0, seed=0):
        self.blur = blur
        self.seed = seed

    def fit(self, X, y=None):
        self.model_ = GaussianMixture(1, reg_covar=1e-6).fit(X)
        return self

    def score_samples(self, X):
        direction = np.random.default_rng(self.seed).normal(size=X.shape[1])
        noise = np.sin(1e4 * (X @ direction))
        return self.model_.score_samples(X) + self.blur * noise


POOL = {
    "forest": IsolationForest(n_estimators=30),
    "lof": LocalOutlierFactor(novelty=True),
    "gaussian": GaussianMixture(1, reg_covar=1e-6),
    "coin": Blurred(blur=1e6),
}


@pytest.fixture(scope="module")
def ranking():
    return rank_detectors(POOL, ROWS, polluted=False, random_state=0)


def test_measures_decide(ranking):
    assert ranking.parameters["judge"] == References()
    assert ranking.judgement.judge == "references"
    assert ranking.criterion == ranking.judgement.criterion.name == "mean_area"
    assert ranking.best == "gaussian"
    assert ranking.order == ranking.order_by("mean_area") == ranking.names
    assert ranking.order[-1] == "coin"
    assert len(ranking.judgement.measures) == 6
    assert ranking.judgement.n_fits == 2
    assert ranking.compare("gaussian", "coin").separated


def test_up_to_eight_features_volumes_are_shown_beside_the_judgement():
    pair = {"gaussian": POOL["gaussian"], "coin": POOL["coin"]}
    volume = Volume()
    judged, by_volume = (
        rank_detectors(pair, ROWS[:, :3], judge=judge, random_state=0)
        for judge in (References(), volume)
    )
    assert judged.criterion == "mean_area"
    assert "excess mass" in judged.details
    assert "The ranking does not rest on them" in " ".join(judged.details.split())
    for name, evaluation in judged.evaluations.items():
        assert evaluation.measure == "Lebesgue"
        decided = by_volume.evaluations[name].excess_mass
        assert evaluation.excess_mass == decided


def test_above_eight_features_there_are_no_volumes_beside_the_judgement(ranking):
    assert not ranking.evaluations
    with pytest.raises(DetectorError, match=r"up to 8 features.*judge='volume'"):
        ranking.evaluations["gaussian"]
    assert "excess mass" not in ranking.details


def test_volumes_are_measured_only_when_somebody_asks(monkeypatch):
    ranking = rank_detectors({"gaussian": POOL["gaussian"]}, ROWS[:, :3], random_state=0)
    asked = []
    monkeypatch.setattr(type(ranking), "_volumes", lambda self: asked.append(1) or (None, "no"))
    assert all((str(ranking), ranking.to_dict(), ranking.verdict, len(ranking.frame())))
    assert not asked
    assert ranking.details
    assert asked


def test_where_volumes_are_asked_for_volumes_decide():
    drawn = rank_detectors(
        {"gaussian": POOL["gaussian"], "coin": POOL["coin"]},
        ROWS,
        judge=Volume(subsampling=FeatureSubsampling(2, 4), mass_range=(0.9, 0.99)),
        random_state=0,
    )
    assert drawn.judgement.judge == "volume"
    assert drawn.criterion in {"excess_mass", "mass_volume"}
    assert "4 draws of 2" in drawn.setting


def test_the_figures_are_areas_of_rows_against_points(ranking):
    judgement = ranking.judgement
    for name, areas in judgement.areas.items():
        assert all(0.0 <= area.value <= 1.0 for area in areas), name
    coin = [area.value for area in judgement.areas["coin"]]
    np.testing.assert_allclose(coin, 0.5, atol=0.12)
    for name, score in judgement.scores.items():
        areas = [area.value for area in judgement.areas[name]]
        assert score.value == pytest.approx(np.mean(areas))
        assert score.interval[0] < score.value < score.interval[1]


def test_the_same_seed_gives_the_same_judgement_whatever_the_order_and_jobs(ranking):
    turned = dict(reversed(POOL.items()))
    again = rank_detectors(turned, ROWS, polluted=False, n_jobs=2, random_state=0)
    assert again.judgement.to_dict() == ranking.judgement.to_dict()


def test_a_stopped_judgement_goes_on(ranking, tmp_path):
    part = dict(list(POOL.items())[:2])
    rank_detectors(part, ROWS, polluted=False, workers=Workers(checkpoint=tmp_path), random_state=0)
    resumed = rank_detectors(
        POOL, ROWS, polluted=False, workers=Workers(checkpoint=tmp_path), random_state=0
    )
    assert resumed.judgement.to_dict() == ranking.judgement.to_dict()


def test_work_of_another_judge_is_not_taken_for_one_s_own(tmp_path):
    part, volume = {"gaussian": POOL["gaussian"]}, Volume(mass_range=(0.9, 0.99))
    options = {"workers": Workers(checkpoint=tmp_path), "random_state": 0}
    rank_detectors(part, ROWS[:, :3], judge=volume, **options)
    with pytest.raises(InvalidParameterError, match="checkpoint"):
        rank_detectors(part, ROWS[:, :3], judge=References(), **options)


@pytest.mark.parametrize("judge", ["references", "consensus"])
def test_every_judge_sees_that_the_coin_is_worst(judge):
    found = rank_detectors(POOL, ROWS, judge=judge, polluted=True, random_state=0)
    assert found.judgement.judge == judge
    assert found.order[-1] == "coin"


def test_equal_detectors_are_hardly_ever_separated():
    # same density, other noise of the same size: no one is better
    separated = 0
    for seed in range(40):
        rows = np.random.default_rng(seed).normal(size=(300, 9))
        pair = {"a": Blurred(blur=3.0, seed=2 * seed), "b": Blurred(blur=3.0, seed=2 * seed + 1)}
        found = rank_detectors(pair, rows, random_state=seed)
        separated += found.compare("a", "b").separated
    # 5 % of 40, and three binomial standard deviations
    assert separated <= 6


def test_text_says_who_how_sure_and_who_sees_it_otherwise(ranking):
    text = str(ranking)
    words = " ".join(text.split())
    assert "\n\nUse the committee of gaussian, " in text
    assert "gaussian describes these rows best: it beats the other three" in words
    assert "averaged over 6 kinds of them and 2 fits" in " ".join(ranking.details.split())
    assert max(map(len, text.splitlines())) <= 79
    assert "volumes are coarse" not in words


def test_frame_and_dict_hold_the_judgement(ranking):
    frame, judgement = ranking.frame(), ranking.judgement
    assert {"detector", "rank", "score", "score_error", "group", "beats"} <= set(frame.columns)
    assert list(frame["detector"]) == list(judgement.order)
    assert list(frame["rank"]) == [1, 2, 3, 4]
    assert list(frame["score"]) == [score.value for score in judgement.scores.values()]
    errors = [score.standard_error for score in judgement.scores.values()]
    assert list(frame["score_error"]) == errors
    plain = ranking.to_dict()
    assert plain["order"] == list(judgement.order)
    assert plain["best"] == "gaussian"
    judged = judgement.to_dict()
    assert judged["comparisons"][0]["probability_right"] >= 0.5
    assert len(judged["measures"]) == 6
    assert {len(areas) for areas in judged["areas"].values()} == {6}
    assert judged["areas"]["coin"][0]["value"] == judgement.areas["coin"][0].value
    assert judged["consensus"] == dict(judgement.consensus)


def test_kinds_of_anomaly_are_told_in_words(ranking):
    kinds = ranking.judgement.kinds
    assert [kind.measure for kind in kinds] == list(ranking.judgement.measures)
    assert "ordinary values in unusual combinations" in [kind.expected for kind in kinds]
    for place, kind in enumerate(kinds):
        areas = {name: each[place].value for name, each in ranking.judgement.areas.items()}
        assert areas[kind.favourite] == max(areas.values())
        assert not (kind.is_clear and kind.favourite == ranking.best)


def test_comparisons_are_by_what_decides(ranking):
    assert ranking.comparisons == ranking.judgement.comparisons
    assert {each.criterion.name for each in ranking.comparisons} == {"mean_area"}
    scores = ranking.judgement.scores
    for each in ranking.comparisons:
        ahead = scores[each.better].value - scores[each.worse].value
        assert each.lead.value == pytest.approx(ahead)
        assert each.lead.value >= 0.0
    beaten = [each.better for each in ranking.comparisons if each.separated]
    assert list(ranking.frame()["beats"]) == [beaten.count(name) for name in ranking.order]


def test_a_constant_feature_does_no_harm(ranking):
    rows = np.column_stack([ROWS, np.full(len(ROWS), 7.0)])
    found = rank_detectors(POOL, rows, polluted=False, random_state=0)
    assert found.best == ranking.best


def test_one_detector_alone_has_nothing_to_beat():
    alone = rank_detectors({"gaussian": POOL["gaussian"]}, ROWS, random_state=0)
    assert alone.best == "gaussian"
    assert alone.judgement.comparisons == ()
    assert alone.frame()["rank"][0] == 1
    assert "alone" in str(alone)


def test_failures_are_told_and_the_others_judged():
    class Broken(Blurred):
        def fit(self, X, y=None):
            raise ValueError("no")

    found = rank_detectors({**POOL, "broken": Broken()}, ROWS, random_state=0)
    assert "broken" in found.failures
    assert len(found.judgement.scores) == 4


def test_judges_and_pollution_that_cannot_be():
    with pytest.raises(InvalidParameterError, match="'judge' parameter of rank_detectors"):
        rank_detectors(POOL, ROWS, judge="jury")
    with pytest.raises(InvalidParameterError, match="'judge' parameter of rank_detectors"):
        rank_detectors(POOL, ROWS, judge=Volume)
    with pytest.raises(InvalidParameterError, match="'polluted' parameter of rank_detectors"):
        rank_detectors(POOL, ROWS, polluted="maybe")


def test_measures_of_ones_own_judge():
    mixture = ReferenceMixture(measures=(NoisyData(scale=1.0),), n_points=256)
    judge = References(measures=mixture)
    found = rank_detectors(POOL, ROWS, judge=judge, random_state=0)
    assert found.judgement.measures == ("data with noise of 1 standard deviation",)
    assert found.parameters["judge"] == judge
    # one measure's comparisons are paired comparisons of its areas
    areas = {name: each[0].value for name, each in found.judgement.areas.items()}
    assert list(found.judgement.order) == sorted(areas, key=lambda name: -areas[name])
    assert found.compare("gaussian", "coin").separated


@pytest.mark.parametrize("n_features", [3, 12])
def test_the_order_of_test_rows_does_not_matter(n_features):
    train, test = ROWS[:450, :n_features], ROWS[450:, :n_features]
    shuffled = np.random.default_rng(1).permutation(test)
    judge = References()
    first, again = (
        rank_detectors(POOL, train, rows, judge=judge, polluted=False, random_state=0)
        for rows in (test, shuffled)
    )
    assert again.judgement.to_dict() == first.judgement.to_dict()


class Tied(Blurred):
    """Gives every row the same score."""

    def score_samples(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize("n_features", [3, 12])
@pytest.mark.parametrize("polluted", [None, True, False])
def test_detectors_that_tell_no_two_rows_apart_can_be_printed(n_features, polluted):
    found = rank_detectors(
        {"a": Tied(), "b": Tied()},
        ROWS[:, :n_features],
        judge=References(),
        polluted=polluted,
        random_state=0,
    )
    assert not found.compare("a", "b").separated
    assert found.groups() == (("a", "b"),)
    assert found.how_sure("a", "b").probability == 0.5
    assert "Use the committee of a and b" in str(found)
    assert "a comes first, but nothing tells it from the other." in " ".join(str(found).split())
    assert "nan" not in str(found.to_dict()).lower()
