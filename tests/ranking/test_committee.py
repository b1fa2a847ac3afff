"""The committee: an ordinary outlier detector that is rarely worse than its members."""

import pickle

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import Committee, rank_detectors
from oddrank.errors import InvalidParameterError
from oddrank.ranking.committee import order_weights
from oddrank.ranking.votes import highest_votes

MEMBERS = {
    "forest": IsolationForest(n_estimators=20),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(2),
}
X = np.random.default_rng(0).normal(size=(600, 4))
ODD = np.random.default_rng(1).normal(size=(60, 4)) * 3.0


@pytest.fixture(scope="module")
def committee():
    return Committee(MEMBERS, random_state=0).fit(X)


def test_scores_are_log_tail_probabilities(committee):
    scores = committee.score_samples(ODD)
    assert scores.shape == (60,)
    assert (scores <= 0.0).all()
    assert (scores >= -np.log(301) - 3.0).all()


def test_it_tells_odd_rows_from_ordinary_ones(committee):
    fresh = np.random.default_rng(2).normal(size=(400, 4))
    labels = np.r_[np.zeros(400), np.ones(60)]
    area = roc_auc_score(labels, -committee.score_samples(np.vstack([fresh, ODD])))
    assert area > 0.9


def test_predict_flags_about_the_share_that_mass_leaves_out():
    fresh = np.random.default_rng(2).normal(size=(4000, 4))
    for mass in (0.9, 0.95):
        flagged = (Committee(MEMBERS, mass=mass, random_state=0).fit(X).predict(fresh) == -1).mean()
        # the threshold comes from 600 rows: its own error is that of a share of them
        error = np.sqrt(mass * (1 - mass) * (1 / 600 + 1 / 4000))
        assert flagged == pytest.approx(1 - mass, abs=3.5 * error)


def test_decision_function_and_predict_agree(committee):
    decision = committee.decision_function(ODD)
    assert np.array_equal(committee.predict(ODD), np.where(decision < 0.0, -1, 1))


def test_it_can_be_cloned_pickled_and_repeated(committee):
    again = clone(committee).fit(X)
    assert np.array_equal(again.score_samples(ODD), committee.score_samples(ODD))
    assert np.array_equal(
        pickle.loads(pickle.dumps(committee)).score_samples(ODD), committee.score_samples(ODD)
    )


def test_it_does_not_depend_on_the_order_of_rows_or_members(committee):
    shuffled = np.random.default_rng(5).permutation(len(X))
    other = Committee(dict(reversed(MEMBERS.items())), random_state=0).fit(X[shuffled])
    assert other.score_samples(ODD) == pytest.approx(committee.score_samples(ODD), abs=1e-12)


def test_a_single_fold_is_refused():
    with pytest.raises(InvalidParameterError, match="'cv' parameter of Committee"):
        Committee(MEMBERS, cv=1).fit(X)


def slow_highest(cast, weights, share):
    """Add up the highest votes of every row, one after the other, until the share is full."""
    weights = weights / weights.sum()
    found = []
    for row in cast.T:
        left, total = share, 0.0
        for member in sorted(range(len(row)), key=lambda m: -row[m]):
            taken = min(weights[member], left)
            total, left = total + taken * row[member], left - taken
        found.append(total / share)
    return np.array(found)


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 1.0])
def test_highest_votes_against_a_slow_sum(share):
    random = np.random.default_rng(3)
    cast, weights = random.exponential(size=(7, 50)), random.uniform(0.1, 1.0, 7)
    found = highest_votes(cast, weights, share)
    np.testing.assert_allclose(found, slow_highest(cast, weights, share))
    if share == 1.0:
        np.testing.assert_allclose(found, np.average(cast, axis=0, weights=weights))


def test_a_row_that_few_members_see_is_not_drowned_by_the_others():
    random = np.random.default_rng(0)
    cast = random.exponential(size=(9, 1000))
    cast[:3, 0] = 6.0  # three of nine see it, six call it ordinary
    cast[3:, 0] = 0.1
    ranks = [(highest_votes(cast, np.ones(9), share) > highest_votes(cast, np.ones(9), share)[0])
             .sum() for share in (1 / 3, 1.0)]  # fmt: skip
    assert ranks[0] < 5 < ranks[1]


def test_near_duplicates_share_one_vote():
    forests = {f"forest{k}": IsolationForest(random_state=k) for k in range(5)}
    lof = {"lof": LocalOutlierFactor(20, novelty=True)}
    rows = np.random.default_rng(0).normal(size=(800, 3)) ** 3
    many = Committee({**forests, **lof}, random_state=0).fit(rows)
    one = Committee({"forest": IsolationForest(random_state=0), **lof}, random_state=0).fit(rows)
    weight = dict(zip(many.names_, many.weights_, strict=True))["lof"]
    assert weight > 0.4  # of six equal votes it would have 0.17
    fresh = np.random.default_rng(1).normal(size=(500, 3)) ** 3
    assert spearmanr(many.score_samples(fresh), one.score_samples(fresh)).statistic > 0.97


def test_weights_fall_with_the_place_and_copies_move_nobody_down():
    scores = np.random.default_rng(0).normal(size=(4, 300))
    plain = order_weights(scores, 4, None)
    np.testing.assert_allclose(plain, np.arange(1, 5) ** -0.75)
    copied = np.vstack([scores[:1], scores[:1], scores[:1], scores[1:]])
    assert order_weights(copied, 6, None)[3] == pytest.approx(plain[1])
    assert order_weights(scores, 4, False)[3] < order_weights(scores, 4, None)[3]


@pytest.mark.parametrize("weights", [{"forest": 1.0}, {"forest": 1, "lof": 0, "mixture": 1}])
def test_weights_are_those_of_the_members(weights):
    with pytest.raises(InvalidParameterError, match="'weights' parameter of Committee"):
        Committee(MEMBERS, weights=weights).fit(X)


def test_the_committee_of_a_ranking_has_all_members():
    for polluted in (None, True, False):
        ranking = rank_detectors(MEMBERS, X, polluted=polluted, random_state=0)
        assert [name for name, _ in ranking.committee.detectors] == list(ranking.order)
        assert ranking.committee is ranking.committee
        assert ranking.committee.predict(ODD).mean() < 0.0
        assert list(ranking.committee_weights) == list(ranking.order)


def test_saying_that_rows_hold_anomalies_changes_nothing_but_a_remark():
    plain, told = (rank_detectors(MEMBERS, X, polluted=p, random_state=0) for p in (None, True))
    assert plain.judgement.scores == told.judgement.scores
    assert plain.committee_weights == told.committee_weights
    assert "polluted=True changes nothing" in told.verdict


class OneDirection(OutlierMixin, BaseEstimator):
    """Looks at rows along a random direction: fits differ as much as they can."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        random = np.random.default_rng(self.random_state)
        self.direction_ = random.normal(size=np.asarray(X).shape[1])
        self.middle_ = np.median(np.asarray(X) @ self.direction_)
        return self

    def score_samples(self, X):
        return -np.abs(np.asarray(X) @ self.direction_ - self.middle_)


@pytest.mark.long
@pytest.mark.parametrize("of", ["best_detector", "committee"])
def test_p_values_of_new_rows_are_right_after_twenty_unstable_candidates(of):
    shares = []
    for seed in range(400):
        random = np.random.default_rng([seed, 5])
        rows, fresh = random.normal(size=(60, 4)), random.normal(size=(200, 4))
        pool = {f"d{k}": OneDirection() for k in range(20)}
        ranking = rank_detectors(pool, rows, random_state=seed)
        shares.append((getattr(ranking, of).p_values(fresh) <= 0.2).mean())
    # of 60 rows 12 of 61 ranks are at most 0.2
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) <= 12 / 61 + 2.5 * error
