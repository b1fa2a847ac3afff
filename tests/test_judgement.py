"""Rankings that reference measures and peers decide, in full dimension."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import FeatureSubsampling, rank_detectors
from oddrank.errors import InvalidParameterError
from oddrank.judging.choice import weighing_of
from oddrank.judging.sureness import sureness_of
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


def test_measures_and_peers_decide(ranking):
    assert ranking.parameters["judge"] == "combined"
    assert ranking.criterion == "judgement"
    assert ranking.best == "gaussian"
    assert ranking.order("judgement") == tuple(ranking.evaluations)
    assert ranking.order("judgement")[-1] == "coin"
    assert len(ranking.judgement.measures) == 8
    assert ranking.compare("gaussian", "coin").separated


def test_up_to_eight_features_volumes_are_shown_beside_the_judgement():
    pair = {"gaussian": POOL["gaussian"], "coin": POOL["coin"]}
    options = {"mass_range": (0.9, 0.99), "random_state": 0}
    judged = rank_detectors(pair, ROWS[:, :3], **options)
    by_volume = rank_detectors(pair, ROWS[:, :3], judge="volume", **options)
    assert judged.criterion == "judgement"
    assert "excess mass" in str(judged)
    for name, evaluation in judged.evaluations.items():
        assert evaluation.measure == "Lebesgue"
        assert evaluation.excess_mass == by_volume.evaluations[name].excess_mass


def test_where_volumes_are_asked_for_volumes_decide():
    drawn = rank_detectors(
        {"gaussian": POOL["gaussian"], "coin": POOL["coin"]},
        ROWS,
        subsampling=FeatureSubsampling(2, 3),
        mass_range=(0.9, 0.99),
        random_state=0,
    )
    assert drawn.parameters["judge"] == "volume"


def test_the_figures_are_areas_of_rows_against_points(ranking):
    judgement = ranking.judgement
    for name, areas in judgement.areas.items():
        assert all(0.0 <= area.value <= 1.0 for area in areas), name
    coin = [area.value for area in judgement.areas["coin"]]
    np.testing.assert_allclose(coin, 0.5, atol=0.12)
    assert all(0.0 <= score.value <= 1.0 for score in judgement.scores.values())
    np.testing.assert_allclose(np.mean([s.value for s in judgement.scores.values()]), 0.5)


def test_the_same_seed_gives_the_same_judgement_whatever_the_order_and_jobs(ranking):
    turned = dict(reversed(POOL.items()))
    again = rank_detectors(turned, ROWS, polluted=False, n_jobs=2, random_state=0)
    assert again.judgement.to_dict() == ranking.judgement.to_dict()


def test_a_stopped_judgement_goes_on(ranking, tmp_path):
    part = dict(list(POOL.items())[:2])
    rank_detectors(part, ROWS, polluted=False, checkpoint=tmp_path, random_state=0)
    resumed = rank_detectors(POOL, ROWS, polluted=False, checkpoint=tmp_path, random_state=0)
    assert resumed.judgement.to_dict() == ranking.judgement.to_dict()


def test_work_of_another_judge_is_not_taken_for_one_s_own(tmp_path):
    part, options = {"gaussian": POOL["gaussian"]}, {"mass_range": (0.9, 0.99), "random_state": 0}
    rank_detectors(part, ROWS[:, :3], judge="volume", checkpoint=tmp_path, **options)
    with pytest.raises(InvalidParameterError, match="checkpoint"):
        rank_detectors(part, ROWS[:, :3], checkpoint=tmp_path, **options)


def test_what_is_known_of_the_rows_changes_the_weighing():
    assert weighing_of("references", None).consensus_share == 0.0
    assert weighing_of("consensus", None).consensus_share == 1.0
    clean, polluted = (weighing_of("combined", said) for said in (False, True))
    assert clean.consensus_share < polluted.consensus_share
    assert clean.trimmed_share == 0.0 < polluted.trimmed_share


@pytest.mark.parametrize("judge", ["references", "consensus", "combined"])
def test_every_judge_sees_that_the_coin_is_worst(judge):
    found = rank_detectors(POOL, ROWS, judge=judge, polluted=True, random_state=0)
    assert found.order("judgement")[-1] == "coin"


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
    assert "score" in text.splitlines()[3]
    assert "Verdict: gaussian" in text
    assert "public datasets a lead this large was right" in words
    assert max(map(len, text.splitlines())) <= 79
    assert "volumes are coarse" not in words


def test_frame_and_dict_hold_the_judgement(ranking):
    frame = ranking.frame()
    assert {"score", "score_error", "consensus"} <= set(frame.columns)
    assert sum(column.startswith("roc_area: ") for column in frame.columns) == 8
    plain = ranking.to_dict()["judgement"]
    assert plain["comparisons"][0]["probability_right"] >= 0.5


def test_a_constant_feature_does_no_harm(ranking):
    rows = np.column_stack([ROWS, np.full(len(ROWS), 7.0)])
    found = rank_detectors(POOL, rows, polluted=False, random_state=0)
    assert found.best == ranking.best


def test_one_detector_alone_has_nothing_to_beat():
    alone = rank_detectors({"gaussian": POOL["gaussian"]}, ROWS, random_state=0)
    assert alone.best == "gaussian"
    assert alone.judgement.comparisons == ()
    assert "alone" in str(alone)


def test_failures_are_told_and_the_others_judged():
    class Broken(Blurred):
        def fit(self, X, y=None):
            raise ValueError("no")

    found = rank_detectors({**POOL, "broken": Broken()}, ROWS, random_state=0)
    assert "broken" in found.failures
    assert len(found.judgement.scores) == 4


def test_parameters_of_volumes_contradict_other_judges():
    with pytest.raises(InvalidParameterError, match="volumes do not decide"):
        rank_detectors(POOL, ROWS, judge="references", criterion="mass_volume")
    with pytest.raises(InvalidParameterError, match="judge"):
        rank_detectors(POOL, ROWS, judge="jury")
    with pytest.raises(InvalidParameterError, match="polluted"):
        rank_detectors(POOL, ROWS, polluted="maybe")


@pytest.mark.parametrize("judge", ["volume", "references", "combined", "consensus"])
@pytest.mark.parametrize("polluted", [None, True, False])
def test_sureness_grows_with_the_lead_from_a_coin_on(judge, polluted):
    chances = [sureness_of(judge, polluted, lead).probability for lead in (0.0, 0.2, 0.5, 1.0)]
    assert chances[0] == 0.5
    assert chances == sorted(chances)
    assert chances[-1] < 1.0


def test_measures_of_ones_own_judge():
    mixture = ReferenceMixture(measures=(NoisyData(scale=1.0),), n_points=256)
    found = rank_detectors(POOL, ROWS, judge="references", reference=mixture, random_state=0)
    assert found.judgement.measures == ("data with noise of 1 standard deviation",)
    assert found.parameters["reference"] == mixture
    # one measure's comparisons are paired comparisons of its areas
    areas = {name: each[0].value for name, each in found.judgement.areas.items()}
    assert list(found.judgement.order) == sorted(areas, key=lambda name: -areas[name])
    assert found.compare("gaussian", "coin").separated
