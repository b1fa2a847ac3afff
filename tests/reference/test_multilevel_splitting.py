"""Volumes in many features: unbiased, with honest errors, also for plateaus and far clusters."""

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import kstest
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest

from oddrank import (
    BoundingBox,
    FeatureSubsampling,
    Volume,
    evaluate_detector,
    evaluate_scores,
    rank_detectors,
)
from oddrank.criteria import MASS_VOLUME
from oddrank.errors import InvalidParameterError, UnresolvedWarning
from oddrank.reference import (
    FollowingSampler,
    MultilevelSplitting,
    PointSampler,
    ReferenceSampler,
    UniformBox,
)
from oddrank.reference.differential_moves import Chains, DifferentialMoves
from oddrank.reference.splitting_levels import choose_levels
from tests.oracles import gaussian_truth
from tests.reference.shapes_in_a_cube import NAMES, cube_shapes

REPETITIONS = 40
ELLIPSE = EllipticEnvelope(support_fraction=1.0, random_state=0)
SMALL = MultilevelSplitting(n_points=2**14, n_replicates=8)


def cube(d, half_width=1.0):
    return BoundingBox(lower=np.full(d, -half_width), upper=np.full(d, half_width))


def shares_above(score, box, target, sampler, random):
    """The share of the box with a score of at least the target, once per replicate."""
    replicates = sampler.follow(score, box, target, random).replicates()
    return np.array([np.exp(weights[scores >= target]).sum() for scores, weights in replicates])


def log_mean_and_error(shares):
    return np.log(shares.mean()), shares.std(ddof=1) / np.sqrt(len(shares)) / shares.mean()


def measured(name, d, repetition, sampler):
    """How far the log volume is off, its standard error, and the number of scored points."""
    shape = cube_shapes(d)[name]
    scored = []

    def score(X):
        scored.append(len(X))
        return shape.score(X)

    random = np.random.default_rng([repetition, d])
    value, error = log_mean_and_error(shares_above(score, cube(d), 0.0, sampler, random))
    return value - shape.log_share, error, sum(scored)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_of_the_shapes(d, name):
    shape = cube_shapes(d)[name]
    X = np.random.default_rng(d).uniform(-1, 1, size=(200_000, d))
    found, truth = np.mean(shape.score(X) >= 0), np.exp(shape.log_share)
    assert abs(found - truth) < 4 * np.sqrt(truth / len(X))


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("name", NAMES)
def test_shapes_of_known_volume(d, name):
    off, error, n_scored = measured(name, d, 0, MultilevelSplitting(n_points=2**16))
    assert abs(off) < 4 * error
    assert error < 0.3
    assert n_scored <= 2**16


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 5, 10, 20, 30])
@pytest.mark.parametrize("name", NAMES)
def test_log_volumes_are_within_three_standard_errors(d, name):
    sampler = MultilevelSplitting()
    off, errors, n_scored = np.transpose(
        [measured(name, d, repetition, sampler) for repetition in range(REPETITIONS)]
    )
    within, error = np.mean(np.abs(off) < 3 * errors), np.median(errors)
    print(  # noqa: T201
        f"{name}, d = {d}: {within:.1%} within 3 standard errors of {error:.3f}, off by "
        f"{off.mean():+.3f} on average, {off.std(ddof=1):.3f} at random; "
        f"at most {n_scored.max():,.0f} points"
    )
    assert within >= 0.95
    assert error <= 0.15
    assert n_scored.max() <= 300_000


@pytest.mark.parametrize("name", ["box", "two far balls", "staircase"])
def test_volumes_are_unbiased_even_with_few_points(name):
    shape = cube_shapes(5)[name]
    sampler = MultilevelSplitting(n_points=2**11, n_replicates=4)
    shares = np.concatenate(
        [
            shares_above(shape.score, cube(5), 0.0, sampler, np.random.default_rng(seed))
            for seed in range(60)
        ]
    )
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    assert error < 0.1 * np.exp(shape.log_share)
    assert abs(shares.mean() - np.exp(shape.log_share)) < 4 * error


def test_all_level_sets_on_the_way_have_their_volume():
    d, radii = 10, np.array([2.0, 1.5, 1.2, 1.0])

    def score(X):
        return -np.linalg.norm(X, axis=1)

    sampler = MultilevelSplitting(n_points=2**18)
    replicates = sampler.follow(score, cube(d, 2.0), -1.0, np.random.default_rng(0)).replicates()
    log_ball = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1) + d * np.log(radii / 4.0)
    for radius, truth in zip(radii, log_ball, strict=True):
        shares = [np.exp(weights[scores >= -radius]).sum() for scores, weights in replicates]
        value, error = log_mean_and_error(np.array(shares))
        assert abs(value - truth) < 4 * error
        assert error < 0.15
    assert all(np.exp(weights).sum() == pytest.approx(1.0) for _, weights in replicates)


def test_moves_leave_the_uniform_law_as_it_is_at_walls_and_corners():
    """A set that is cut off by two walls and a plane, filled exactly, and then moved."""
    random = np.random.default_rng(0)
    d, box = 3, BoundingBox(lower=np.zeros(3), upper=np.ones(3))

    def score(X):
        return -X.sum(axis=1)

    points = np.diff(np.sort(random.random((20_000, d)), axis=1), axis=1, prepend=0.0)
    population = random.random((50, d)) * np.array([0.1, 0.5, 2.0])  # badly chosen on purpose
    chains = Chains(points=points, scores=score(points))
    moves = DifferentialMoves(population=population, box=box)
    moved = moves.run(chains, -1.0, 30, score, random)
    last = moved.states.points[-len(points) :]
    assert 0.05 < moved.n_accepted / (30 * len(points)) < 0.9
    assert (last != points).any(axis=1).mean() > 0.99
    # In the simplex each feature is beta(1, d), and so is what is left over.
    for values in (*last.T, 1.0 - last.sum(axis=1)):
        assert kstest(values, "beta", args=(1, d)).pvalue > 1e-4


def test_clusters_of_different_size_are_not_lost():
    d = 12
    centres = np.zeros((3, d))
    centres[:, 0] = [-0.7, 0.0, 0.7]
    radii = np.array([0.3, 0.28, 0.25])  # the smallest is a tenth of the largest

    def score(X):
        away = np.linalg.norm(X[:, np.newaxis] - centres, axis=2)
        return (1.0 - away / radii).max(axis=1)

    box = BoundingBox(lower=[-1.0] + [-0.35] * (d - 1), upper=[1.0] + [0.35] * (d - 1))
    unit = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    truth = unit + np.log((radii**d).sum()) - box.log_volume
    sampler = MultilevelSplitting(n_points=2**17)
    value, error = log_mean_and_error(
        shares_above(score, box, 0.0, sampler, np.random.default_rng(1))
    )
    assert abs(value - truth) < 3 * error
    assert error < 0.15  # without the smallest cluster it would be off by less, so look at it alone

    # The same three balls, the smallest lifted above the others: it is found, and measured.
    def lifted(X):
        return score(X) + 2.0 * (np.linalg.norm(X - centres[2], axis=1) <= radii[2])

    value, error = log_mean_and_error(
        shares_above(lifted, box, 2.0, sampler, np.random.default_rng(1))
    )
    assert abs(value - (unit + d * np.log(radii[2]) - box.log_volume)) < 4 * error


def test_isolation_forests_have_the_volumes_that_uniform_points_give():
    rows = np.random.default_rng(0).standard_t(3, size=(1000, 4))
    forest = IsolationForest(n_estimators=20, random_state=0).fit(rows)
    coarse = lambda X: np.round(forest.score_samples(X), 2)  # noqa: E731
    options = {"random_state": 0, "mass_range": (0.9, 0.99)}
    splitting = evaluate_scores(
        coarse, rows, reference=MultilevelSplitting(n_points=2**15), **options
    )
    uniform = evaluate_scores(coarse, rows, reference=UniformBox(n_points=2**13), **options)
    assert not splitting.diagnostics["tied scores"].ok
    at = np.flatnonzero(splitting.level_sets.mass >= 0.9)
    difference = (splitting.level_sets.log_volume - uniform.level_sets.log_volume)[at]
    error = np.hypot(
        splitting.criteria.folds[0].log_volume_error[at],
        uniform.criteria.folds[0].log_volume_error[at],
    )
    assert len(at) > 5
    assert (np.abs(difference) < 4 * error + 1e-9).all()


def test_gaussian_criteria_in_ten_features():
    X = np.random.default_rng(1).normal(size=(20_000, 10))
    evaluation = evaluate_scores(
        lambda X: -(X**2).sum(axis=1),
        X,
        reference=MultilevelSplitting(n_points=2**17),
        box=cube(10, 6.0),
        confidence_level=0.99,
        random_state=0,
    )
    for estimate, truth in zip(
        (evaluation.excess_mass, evaluation.mass_volume), gaussian_truth(10), strict=True
    ):
        assert estimate.interval[0] < truth < estimate.interval[1]
        assert estimate.relative_error < 0.15
    assert evaluation.diagnostics["dimension"].ok
    assert evaluation.diagnostics["chains"].ok


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(3).normal(size=(2400, 12))


def test_more_than_eight_features_at_once_use_it(rows):
    evaluation = evaluate_detector(ELLIPSE, rows, subsampling=None, random_state=0)
    same = evaluate_detector(
        ELLIPSE,
        rows,
        subsampling=None,
        reference=MultilevelSplitting(),
        random_state=0,
    )
    assert evaluation.excess_mass == same.excess_mass
    assert evaluation.excess_mass.resolved
    assert evaluation.mass_volume.relative_error < 0.25
    few = evaluate_scores(lambda X: -(X**2).sum(axis=1), rows[:, :2], random_state=0)
    with pytest.raises(InvalidParameterError, match="chains"):
        few.diagnostics["chains"]


def test_a_ranking_gives_each_detector_what_it_has_alone(rows):
    detectors = {"forest": IsolationForest(n_estimators=5), "ellipse": ELLIPSE}
    own = {"subsampling": None, "reference": SMALL}
    ranking = rank_detectors(detectors, rows, judge=Volume(**own), random_state=1)
    for name, detector in detectors.items():
        alone = evaluate_detector(detector, rows, random_state=1, **own)
        assert alone.mass_volume == ranking.evaluations[name].mass_volume
    assert "at most 16,384 reference points" in ranking.setting
    lead = ranking.compare("forest", "ellipse").lead
    assert np.isfinite(lead.value)
    assert lead.standard_error > 0


def test_units_that_no_volume_fits_into_are_still_compared(rows):
    """Volumes of 2^100 to the twelfth power: the figures overflow, the comparison does not."""
    scores = {"mean": lambda X: -(X**2).sum(axis=1), "worst": lambda X: -np.abs(X).max(axis=1)}

    def mass_volume(score, unit):
        return evaluate_scores(
            lambda X: score(X / unit), rows * unit, reference=SMALL, random_state=0
        ).criteria[MASS_VOLUME]

    plain = [mass_volume(score, 1.0) for score in scores.values()]
    with pytest.warns(UnresolvedWarning, match="too large or too small for a number"):
        huge = [mass_volume(score, 2.0**100) for score in scores.values()]
    expected = plain[0].log_ratio(plain[1], 0.95)
    assert huge[0].log_ratio(huge[1], 0.95).value == pytest.approx(expected.value, abs=1e-9)
    assert expected.standard_error > 0.0


def test_a_level_set_without_volume_is_said():
    """Nineteen of twenty rows are one point, and only that point is normal."""
    rows = np.random.default_rng(0).normal(size=(1000, 10))
    rows[50:] = 0.0
    with pytest.warns(UnresolvedWarning, match="holds no reference point"):
        evaluation = evaluate_scores(
            lambda X: -np.any(X != 0.0, axis=1).astype(float),
            rows,
            reference=SMALL,
            random_state=0,
        )
    assert not evaluation.excess_mass.resolved


def test_a_replicate_that_finds_nothing_counts_as_nothing():
    """A needle that some replicates miss: the mean over many is still its volume."""
    d, sampler = 4, MultilevelSplitting(n_points=2**10, n_replicates=2)

    def score(X):
        return (np.abs(X).max(axis=1) < 0.25).astype(float)  # a plateau of share 1/256

    shares = np.concatenate(
        [
            shares_above(score, cube(d), 1.0, sampler, np.random.default_rng(seed))
            for seed in range(300)
        ]
    )
    assert (shares == 0.0).any()
    error = shares.std(ddof=1) / np.sqrt(len(shares))
    # Where even the first run finds no needle, no chains start and the box alone is counted.
    assert abs(shares.mean() - 0.25**d) < 4 * error


def test_chains_that_do_not_move_are_said():
    """A dust of single points: whoever is in the level set finds no other place in it."""
    rows = np.random.default_rng(0).normal(size=(1000, 9))

    def dust(X):
        # One point in fifty, wherever one looks: there is nothing that moves could follow.
        bits = np.floor(np.abs(X).sum(axis=1) * 1e9) % 1000
        return -(bits >= 20).astype(float) - (np.abs(X).max(axis=1) > 4.5)

    weights = np.where(dust(rows) == 0.0)[0]
    rows = np.vstack([rows, np.repeat(rows[weights], 1000, axis=0)])
    evaluation = evaluate_scores(dust, rows, reference=SMALL, random_state=0)
    check = evaluation.diagnostics["chains"]
    assert not check.ok
    assert "hardly spread" in check.message


def test_levels_of_a_staircase_are_its_steps():
    """Scores of at least 0, 1, 2, 3 fill 1, 9/16, 4/16 and 1/16: a fifth survives best."""
    steps = choose_levels(
        lambda X: np.floor(4 * (1 - np.abs(X).max(axis=1))),
        cube(2),
        3.0,
        n_points=512,
        chain_length=8,
        budget=10**6,
        random=np.random.default_rng(0),
    )
    assert [level.score for level in steps.levels] == [2.0, 3.0]


def test_draws_of_features_may_be_split_as_well(rows):
    evaluation = evaluate_detector(
        ELLIPSE,
        rows,
        subsampling=FeatureSubsampling(n_features=9, n_draws=4),
        reference=SMALL,
        random_state=0,
    )
    assert evaluation.mass_volume.resolved


def test_it_follows_scores_and_has_no_points_of_its_own():
    assert isinstance(SMALL, FollowingSampler)
    assert isinstance(SMALL, ReferenceSampler)
    assert not isinstance(SMALL, PointSampler)
    assert not isinstance(UniformBox(), FollowingSampler)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"n_points": 100},
            "The 'n_points' parameter of MultilevelSplitting must be at least 2048 for 16 "
            "replicates. Got 100 instead.",
        ),
        ({"n_replicates": 1}, "must be an int in the range [2, inf). Got 1 instead"),
        ({"chain_length": 1}, "must be an int in the range [2, inf). Got 1 instead"),
    ],
)
def test_bad_parameters(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        MultilevelSplitting(**options)
    assert sentence in str(caught.value)
