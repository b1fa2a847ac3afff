"""Accuracy on request: grows until it is reached, says so, and compares what was seen by both."""

from dataclasses import replace

import numpy as np
import pytest
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
from oddrank.criteria import MASS_VOLUME, SampledCriterion
from oddrank.errors import InvalidParameterError
from oddrank.reference import (
    AdaptingSampler,
    AutoReference,
    Place,
    ReferenceSampler,
)
from tests.quick_density import QuickDensity
from tests.reference.shapes_in_a_cube import NAMES, cube_shapes

ROWS = np.random.default_rng(0).standard_t(3, size=(2400, 3))
SMALL = AutoReference(relative_error=0.05, max_points=2**14, n_points=2**8)


def log_density(X):
    return -np.log1p(np.asarray(X) ** 2).sum(axis=1)


def n_replicates(evaluation):
    return evaluation.criteria.folds[0].n_replicates


def test_stages_double_up_to_the_budget():
    assert AutoReference(max_points=40_000, n_points=1024).stages == (8, 16, 32, 35)
    assert AutoReference(max_points=12_288, n_points=1024).stages == (8,)
    assert isinstance(AutoReference(), ReferenceSampler)
    assert isinstance(AutoReference(), AdaptingSampler)


def test_stricter_targets_take_more_points_and_are_reached():
    errors, counts = [], []
    for relative_error in (0.2, 0.05, 0.02):
        sampler = AutoReference(relative_error=relative_error, max_points=2**15, n_points=2**8)
        evaluation = evaluate_scores(log_density, ROWS, reference=sampler, random_state=0)
        check = evaluation.diagnostics["accuracy"]
        assert check.ok
        assert check.value <= relative_error
        assert check.message.startswith(f"{n_replicates(evaluation) * 256:,} reference points")
        assert "reference points leave an error of" in check.message
        counts.append(n_replicates(evaluation))
        errors.append(check.value)
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_a_budget_that_is_too_small_is_said():
    sampler = AutoReference(relative_error=0.001, max_points=2**12, n_points=2**8)
    evaluation = evaluate_scores(log_density, ROWS, reference=sampler, random_state=0)
    check = evaluation.diagnostics["accuracy"]
    assert not check.ok
    assert n_replicates(evaluation) == 12
    assert "That is more than 0.1 %, and the points are used up. Draw more points" in check.says()


def test_growing_only_adds_replicates():
    few = evaluate_scores(log_density, ROWS, reference=SMALL, random_state=3)
    count = n_replicates(few)
    # A target that is never reached, and a budget that ends where the other one stopped.
    budget = count * SMALL.n_points + SMALL.pilot_points
    fixed = AutoReference(relative_error=1e-6, max_points=budget, n_points=SMALL.n_points)
    same = evaluate_scores(log_density, ROWS, reference=fixed, random_state=3)
    assert n_replicates(same) == count
    assert same.excess_mass == few.excess_mass
    assert same.mass_volume == few.mass_volume


@pytest.mark.parametrize("name", NAMES)
def test_volumes_are_unbiased(name):
    """Shapes of known volume, with points that were drawn where few points had found them."""
    d = 5
    shape, box = cube_shapes(d)[name], BoundingBox(lower=-np.ones(d), upper=np.ones(d))
    sampler = AutoReference(max_points=2**13, n_points=2**8)
    shares = []
    for seed in range(8):
        random = np.random.default_rng([seed, d])
        rows = random.uniform(-1.0, 1.0, size=(4000, d))
        rows = rows[np.argsort(-shape.score(rows))[:200]]  # those that are nearest to the shape
        place = Place(box=box, rows=rows, root=np.random.SeedSequence([seed, d]))
        prepared = sampler.prepare(place)
        adapted = sampler.adapt(shape.score, box, shape.score(rows), prepared, random)
        for _ in range(8):
            chunk = next(adapted.replicate(box, rows, random))
            shares.append(np.exp(chunk.log_weights[shape.score(chunk.points) >= 0.0]).sum())
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert error < 0.05 * np.exp(shape.log_share)
    assert abs(np.mean(shares) - np.exp(shape.log_share)) < 4 * error


def test_a_detector_without_inner_level_sets_still_has_volumes():
    """Only one point of the box is normal: the first points find nothing to draw around."""
    box = BoundingBox(lower=-np.ones(3), upper=np.ones(3))
    adapted = SMALL.adapt(
        lambda X: -(X != 0.0).any(axis=1).astype(float),
        box,
        np.zeros(100),
        SMALL.prepare(Place(box=box, rows=np.zeros((100, 3)), root=np.random.SeedSequence(0))),
        np.random.default_rng(0),
    )
    chunks = [
        next(adapted.replicate(box, np.empty((0, 3)), np.random.default_rng(s))) for s in range(40)
    ]
    total = np.array([np.exp(chunk.log_weights).sum() for chunk in chunks])
    assert abs(total.mean() - 1.0) < 4 * total.std(ddof=1) / np.sqrt(len(total))


def test_the_string_is_a_shorthand():
    by_name = evaluate_scores(log_density, ROWS, reference="auto", random_state=0)
    by_class = evaluate_scores(log_density, ROWS, reference=AutoReference(), random_state=0)
    assert by_name.excess_mass == by_class.excess_mass


def test_a_ranking_gives_each_detector_what_it_has_alone():
    detectors = {"kde": QuickDensity(bandwidth=0.3), "ellipse": EllipticEnvelope(random_state=0)}
    # coarse, so that the first look is enough for a detector alone too
    coarse = replace(SMALL, relative_error=0.3)
    judge = Volume(reference=coarse)
    ranking = rank_detectors(detectors, ROWS, judge=judge, scale=False, random_state=1)
    for name, detector in detectors.items():
        alone = evaluate_detector(detector, ROWS, reference=coarse, scale=False, random_state=1)
        assert alone.excess_mass == ranking.evaluations[name].excess_mass
    assert "at most 16,384 reference points" in ranking.setting
    assert ranking.compare("kde", "ellipse").lead.standard_error > 0


@pytest.mark.filterwarnings("ignore::oddrank.errors.ResolutionWarning")
def test_draws_of_features_have_a_budget_of_their_own():
    X = np.random.default_rng(1).normal(size=(300, 10))
    ranking = rank_detectors(
        [IsolationForest(n_estimators=10), QuickDensity()],
        X,
        judge=Volume(subsampling=FeatureSubsampling(n_features=2, n_draws=4), reference="auto"),
        random_state=0,
    )
    assert "at most 32,768 reference points per draw" in ranking.setting


def sampled(log_replicates):
    """A criterion whose logarithm is the average of what each replicate says."""
    n = len(log_replicates)
    without = (log_replicates.sum() - log_replicates) / (n - 1)
    value = float(np.exp(log_replicates.mean()))
    return SampledCriterion.of_replicates(MASS_VOLUME, value, np.exp(without), np.full(4, value))


def test_common_replicates_are_paired_when_one_detector_has_more():
    random = np.random.default_rng(0)
    ratios, errors = [], []
    for _ in range(400):
        common = random.normal(scale=0.1, size=32)
        first = sampled(common[:16] + random.normal(scale=0.01, size=16))
        second = sampled(common + random.normal(scale=0.01, size=32))
        ratio = first.log_ratio(second, 0.95)
        ratios.append(ratio.value)
        errors.append(ratio.standard_error)
        assert second.log_ratio(first, 0.95).standard_error == pytest.approx(ratio.standard_error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(ratios), rel=0.12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"relative_error": 0},
            "The 'relative_error' parameter of AutoReference must be a float in the range (0, 1). "
            "Got 0 instead.",
        ),
        ({"max_points": 100}, "must be at least 12 times n_points, 24576. Got 100 instead."),
        ({"n_points": 100}, "must be a power of 2 for Sobol points. Got 100 instead"),
    ],
)
def test_bad_parameters(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        AutoReference(**options)
    assert sentence in str(caught.value)
