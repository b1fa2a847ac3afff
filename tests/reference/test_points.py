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


def never(points):
    return False


def test_there_is_no_sampler_without_a_way_to_look():
    with pytest.raises(TypeError, match="abstract"):
        ReferenceSampler()
    for kind in (PointSampler, AdaptingSampler, FollowingSampler):
        assert issubclass(kind, ReferenceSampler)
        with pytest.raises(TypeError, match="abstract"):
            kind()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_points_can_be_repeated(sampler):
    first, again, other = (sampler.score(Watched(seed).at, never) for seed in (0, 0, 1))
    assert len(first) == sampler.stages[-1] == sampler.n_replicates
    np.testing.assert_equal(first.scores, again.scores)
    assert not np.array_equal(np.concatenate(first.scores), np.concatenate(other.scores))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda each: type(each).__name__)
def test_what_a_sampler_says_of_itself_is_true(sampler):
    watched = Watched()
    points = sampler.score(watched.at, never)
    said = int(sampler.points_in_words.split()[-1].replace(",", ""))
    if isinstance(sampler, FollowingSampler):
        assert sampler.has_chains
        assert watched.scored <= said
    else:
        assert not sampler.has_chains
        assert watched.scored == said
        assert {len(scores) for scores in points.scores} == {sampler.points_per_replicate}
    assert sampler.of_volume == (sampler.measure == LEBESGUE)
    assert sampler.log_total(BOX) == (BOX.log_volume if sampler.of_volume else 0.0)
    assert (sampler.target_error is not None) == (sampler is GROWING)
    assert sampler.title


def test_a_growing_sampler_asks_after_each_stage_and_stops_when_it_is_enough():
    asked = []

    def enough(points):
        asked.append(len(points))
        return len(points) >= GROWING.stages[1]

    points = GROWING.score(Watched().at, enough)
    assert asked == list(GROWING.stages[:2])
    whole = GROWING.score(Watched().at, never)
    np.testing.assert_equal(points.scores, whole.scores[: len(points)])


def test_a_mixture_gives_the_points_of_each_measure_under_its_name():
    mixture = ReferenceMixture(n_points=16)
    points = mixture.score(Watched().at, never)
    found = mixture.by_measure(points)
    assert tuple(found) == mixture.names
    for replicate in range(len(points)):
        joined = np.concatenate([each.scores[replicate] for each in found.values()])
        np.testing.assert_array_equal(joined, points.scores[replicate])
