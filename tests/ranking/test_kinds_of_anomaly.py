"""Who sees which kind of anomaly best: equal detectors are not told apart, unequal ones are."""

import numpy as np

from oddrank.criteria import MeasuredAreas
from oddrank.ranking.mean_areas import judge_by_areas, kinds_of_anomaly

MEASURES = ("first", "second", "third", "fourth")
N_ROWS, N_POINTS, N_FOLDS = 300, 256, 2


def areas_of(random, shared, strength):
    """Areas of one detector: how far its scores put rows above the points of every measure."""
    folds = []
    for rows, points in shared:
        own = random.normal(0.0, 1.0, rows.shape), random.normal(0.0, 1.0, points.shape)
        scores = rows + own[0], points + own[1] - np.asarray(strength)[:, np.newaxis]
        folds.append(MeasuredAreas.of(*scores, np.arange(N_ROWS)))
    return folds


def kinds(seed, **strengths):
    random = np.random.default_rng(seed)
    shared = [
        (random.normal(size=N_ROWS), random.normal(size=(len(MEASURES), N_POINTS)))
        for _ in range(N_FOLDS)
    ]
    areas = {name: areas_of(random, shared, each) for name, each in strengths.items()}
    judgement = judge_by_areas(
        areas, MEASURES, judge="references", polluted=None, confidence_level=0.95
    )
    return judgement, kinds_of_anomaly(judgement, areas, MEASURES, 0.95)


def test_equal_detectors_are_hardly_ever_told_apart_on_a_kind():
    runs = 100
    said = sum(
        any(kind.is_clear for kind in kinds(seed, one=[1.0] * 4, two=[1.0] * 4)[1])
        for seed in range(runs)
    )
    # 5 % of the runs, and three binomial standard deviations
    assert said <= 0.05 * runs + 3.0 * np.sqrt(runs * 0.05 * 0.95), said


def test_a_detector_that_sees_one_kind_far_better_is_named_for_it():
    for seed in range(10):
        judgement, (first, *others) = kinds(
            seed, broad=[1.0, 1.5, 1.5, 1.5], narrow=[3.0, 0.3, 0.3, 0.3]
        )
        assert judgement.order[0] == "broad"
        assert (first.favourite, first.is_clear) == ("narrow", True)
        assert [kind.favourite for kind in others] == ["broad"] * 3
        assert not any(kind.is_clear for kind in others)
