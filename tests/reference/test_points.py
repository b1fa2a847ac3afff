"""Every sampler is looked at in one way, and what it says of itself is true."""

import numpy as np
import pytest

from oddrank import BoundingBox
from oddrank.reference import (
    LEBESGUE,
    AdaptingSampler,
    AutoReference,
    FollowingSampler,
    ImportanceMixture,
    InflatedGaussian,
    MultilevelSplitting,
    NoisyData,
    PartialRedraw,
    PointSampler,
    PrincipalBox,
    ProductOfMarginals,
    ReferenceMixture,
    ReferenceSampler,
    ScoredRows,
    UniformBox,
)

ROWS = np.random.default_rng(0).normal(size=(200, 3))
BOX = BoundingBox.from_arrays(ROWS)
GROWING = AutoReference(relative_error=0.5, max_points=2**11, n_points=2**6)
SAMPLERS = [
    UniformBox(n_points=64, n_replicates=3),
    ImportanceMixture(n_points=64, n_kernels=16, n_replicates=3),
    GROWING,
    MultilevelSplitting(n_points=2**10, n_replicates=4),
    ProductOfMarginals(n_points=64),
    NoisyData(n_points=64),
    PartialRedraw(n_points=64),
    PrincipalBox(n_points=64),
    InflatedGaussian(n_points=64),
    ReferenceMixture(n_points=16),
]


class Watched:
    """Rows and a score that counts what it is asked."""

    def __init__(self, seed=0):
        self.scored = 0
        self.at = ScoredRows(
            score=self.score,
            box=BOX,
            rows=ROWS,
            row_scores=-(ROWS**2).sum(axis=1),
            target=-2.0,
            root=np.random.SeedSequence(seed),
        )

    def score(self, points):
        self.scored += len(points)
        return -(points**2).sum(axis=1)


def scores_of(replicates):
    return [each.scores for each in replicates]


def test_there_is_no_sampler_without_a_way_to_look():
    with pytest.raises(TypeError, match="abstract"):
        ReferenceSampler()
    for kind in (PointSampler, AdaptingSampler, FollowingSampler):
        assert issubclass(kind, ReferenceSampler)
        with pytest.raises(TypeError, match="abstract"):
            kind()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_looks_end_at_the_stages_and_can_be_repeated(sampler):
    looks = [len(seen.replicates) for seen in sampler.look(Watched().at)]
    assert looks == list(sampler.stages)
    first, again, other = (
        scores_of(list(sampler.look(Watched(seed).at))[-1].replicates) for seed in (0, 0, 1)
    )
    np.testing.assert_equal(first, again)
    assert not np.array_equal(np.concatenate(first), np.concatenate(other))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_what_a_sampler_says_of_itself_is_true(sampler):
    watched = Watched()
    *_, last = sampler.look(watched.at)
    said = int(sampler.points_in_words.split()[-1].replace(",", ""))
    if isinstance(sampler, FollowingSampler):
        assert sampler.has_chains
        assert last.points is None
        assert watched.scored <= said
    else:
        assert not sampler.has_chains
        assert watched.scored == said
        sizes = {len(scores) for scores in scores_of(last.replicates)}
        assert sizes == {sampler.points_per_replicate}
    assert sampler.of_volume == (sampler.measure == LEBESGUE)
    assert sampler.log_total(BOX) == (BOX.log_volume if sampler.of_volume else 0.0)
    assert (sampler.target_error is not None) == (sampler is GROWING)
    assert sampler.title


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_a_first_look_is_the_beginning_of_all(sampler):
    (first,) = sampler.first_look.look(Watched().at)
    whole = next(iter(sampler.look(Watched().at)))
    np.testing.assert_equal(scores_of(first.replicates), scores_of(whole.replicates))


def test_what_was_seen_is_not_scored_again():
    (first,) = GROWING.first_look.look(Watched().at)
    watched, at_once = Watched(), Watched()
    *_, gone_on = GROWING.look(watched.at, first)
    *_, whole = GROWING.look(at_once.at)
    np.testing.assert_equal(scores_of(gone_on.replicates), scores_of(whole.replicates))
    already = len(first.replicates) * GROWING.n_points + GROWING.pilot_points
    assert watched.scored == at_once.scored - already


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_a_share_of_the_points(sampler):
    fewer = sampler.thinned(0.25)
    assert type(fewer) is type(sampler)
    if isinstance(sampler, FollowingSampler):
        assert fewer is sampler  # with fewer it would not get to the inner level sets
    else:
        assert 4 * fewer.points_per_replicate == sampler.points_per_replicate
    assert sampler.thinned(1.0).points_per_replicate == sampler.points_per_replicate
