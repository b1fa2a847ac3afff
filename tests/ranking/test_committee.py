"""The committee: an ordinary outlier detector that is rarely worse than its members."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import Committee, rank_detectors
from oddrank.errors import InvalidParameterError
from oddrank.ranking import committee_size

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


def test_scores_are_the_mean_of_log_tail_probabilities(committee):
    scores = committee.score_samples(ODD)
    assert scores.shape == (60,)
    assert (scores <= 0.0).all()
    assert (scores >= -np.log(601) - 1.0).all()


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


def test_rows_that_are_not_trusted_train_nobody_and_are_calibrated_on():
    rows = np.vstack([X, ODD])
    trusted = np.r_[np.ones(600, dtype=bool), np.zeros(60, dtype=bool)]
    cleaned = Committee(MEMBERS, random_state=0).fit(rows, trusted=trusted)
    assert len(cleaned.row_scores_) == 660
    odd = cleaned.row_scores_[600:]
    assert odd.mean() < cleaned.row_scores_[:600].mean() - 1.0


def test_a_single_fold_is_refused():
    with pytest.raises(InvalidParameterError, match="'cv' parameter of Committee"):
        Committee(MEMBERS, cv=1).fit(X)


def test_sizes():
    assert [committee_size(n, polluted) for n, polluted in ((13, False), (13, True))] == [3, 3]
    assert [committee_size(n, None) for n in (2, 5, 6, 13)] == [3, 3, 3, 7]


def test_the_committee_of_a_ranking_has_the_best_members():
    ranking = rank_detectors(MEMBERS, X, polluted=False, random_state=0)
    assert [name for name, _ in ranking.committee.detectors] == list(ranking.order)
    assert ranking.committee is ranking.committee
    assert ranking.committee.predict(ODD).mean() < 0.0
