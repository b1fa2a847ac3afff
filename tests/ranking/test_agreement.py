"""What detectors say about each other."""

import numpy as np

from oddrank.ranking.agreement import near_duplicates, peer_areas, peer_review, standard_ranks

RANDOM = np.random.default_rng(0)
TRUTH = RANDOM.normal(size=800)
BLUR = np.array([0.2, 0.6, 1.2, 3.0, 20.0])
SCORES = TRUTH + BLUR[:, None] * RANDOM.normal(size=(5, 800))
NAMES = tuple("abcde")


def areas(scores):
    return peer_areas({name: [own] for name, own in zip(NAMES, scores, strict=False)})


def test_the_clearest_view_of_what_all_see_comes_first():
    found = areas(SCORES)
    assert sorted(found, key=found.__getitem__, reverse=True) == list(NAMES)


def test_only_the_order_of_the_rows_counts():
    assert areas(np.array([np.exp(SCORES[0]), *SCORES[1:]])) == areas(SCORES)


def test_peers_do_not_hear_the_detector_itself():
    others = standard_ranks(SCORES)[1:].sum(axis=0)
    area, row_shares = peer_review(SCORES[0], others)
    np.testing.assert_allclose(row_shares.mean(), area.value)
    np.testing.assert_allclose(areas(SCORES)["a"], area.value)


def test_a_constant_score_agrees_with_nobody_and_one_alone_has_no_peers():
    assert areas(np.vstack([SCORES[:4], np.zeros(800)]))["e"] == 0.5
    assert np.isnan(areas(SCORES[:1])["a"])


def test_near_duplicates_order_rows_alike_whatever_their_scale():
    scores = np.array([SCORES[0], np.exp(SCORES[0]), SCORES[0] + 0.1 * SCORES[1], SCORES[3]])
    alike = near_duplicates(scores)
    assert alike.sum(axis=1).tolist() == [3, 3, 3, 1]
    assert near_duplicates(np.zeros((2, 50))).sum() == 2  # a constant is like nobody
