"""What detectors say about each other."""

import numpy as np
import pytest

from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.ranking.agreement import CONSENSUS_KINDS, consensus, peer_review, standard_ranks

RANDOM = np.random.default_rng(0)
TRUTH = RANDOM.normal(size=800)
BLUR = np.array([0.2, 0.6, 1.2, 3.0, 20.0])
SCORES = TRUTH + BLUR[:, None] * RANDOM.normal(size=(5, 800))


@pytest.mark.parametrize("kind", CONSENSUS_KINDS)
def test_the_clearest_view_of_what_all_see_comes_first(kind):
    assert np.argsort(-consensus(SCORES, kind=kind)).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("kind", CONSENSUS_KINDS)
def test_only_the_order_of_the_rows_counts(kind):
    transformed = np.array([np.exp(SCORES[0]), *SCORES[1:]])
    np.testing.assert_allclose(consensus(transformed, kind=kind), consensus(SCORES, kind=kind))


def test_peers_do_not_hear_the_detector_itself():
    # five times the same stubborn detector does not make it right in the eyes of the others
    others = standard_ranks(SCORES)[1:].sum(axis=0)
    area, of_rows = peer_review(SCORES[0], others)
    np.testing.assert_allclose(of_rows.mean(), area.value)
    np.testing.assert_allclose(consensus(SCORES)[0], area.value)


def test_a_constant_score_agrees_with_nobody():
    flat = np.vstack([SCORES, np.zeros(800)])
    assert consensus(flat, kind="centrality")[-1] == 0.0
    assert consensus(flat, kind="peers")[-1] == 0.5


def test_bad_scores_are_refused():
    with pytest.raises(InvalidDataError, match="at least two detectors"):
        consensus(SCORES[:1])
    with pytest.raises(InvalidDataError, match="none NaN"):
        consensus(np.full((2, 5), np.nan))
    with pytest.raises(InvalidParameterError, match="kind"):
        consensus(SCORES, kind="votes")
