"""Reference measures around the data: what their points are, and which score is best."""

import numpy as np
import pytest
from scipy.stats import kstest, multivariate_normal

from oddrank import BoundingBox, Volume, evaluate_scores, rank_detectors
from oddrank.criteria import roc_area
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.reference import (
    DataMeasure,
    InflatedGaussian,
    NoisyData,
    PartialRedraw,
    PrincipalBox,
    ProductOfMarginals,
    ReferenceMixture,
    ReferenceSampler,
    UniformBox,
)

COVARIANCE = np.array([[1.0, 0.9], [0.9, 1.0]])
ROWS = np.random.default_rng(0).multivariate_normal([0.0, 0.0], COVARIANCE, 4000)
BOX = BoundingBox.from_arrays(ROWS)
MEASURES = [
    ProductOfMarginals(),
    NoisyData(),
    NoisyData(scale=1.0),
    PartialRedraw(),
    PrincipalBox(),
    InflatedGaussian(),
]


def points_of(sampler, rows=ROWS, box=BOX, seed=1):
    chunks = sampler.replicate(box, rows, np.random.default_rng(seed))
    return np.concatenate([chunk.points for chunk in chunks])


@pytest.mark.parametrize("sampler", [*MEASURES, ReferenceMixture()], ids=lambda each: each.measure)
def test_every_measure_is_a_sampler_that_can_be_repeated(sampler):
    assert isinstance(sampler, ReferenceSampler)
    points = points_of(sampler)
    assert points.shape == (sampler.points_per_replicate, 2)
    np.testing.assert_array_equal(points, points_of(sampler))
    assert not np.array_equal(points, points_of(sampler, seed=2))


@pytest.mark.parametrize("sampler", [UniformBox(), *MEASURES], ids=lambda each: each.measure)
def test_every_measure_says_what_it_stands_for(sampler):
    assert len(sampler.stands_for) > 20
    assert "f(x)" in sampler.optimal_score


def test_product_of_marginals_keeps_the_margins_and_breaks_the_dependence():
    points = points_of(ProductOfMarginals(n_points=4000))
    for j in range(2):
        np.testing.assert_array_equal(np.sort(points[:, j]), np.sort(ROWS[:, j]))
    assert abs(np.corrcoef(points.T)[0, 1]) < 4 / np.sqrt(4000)


def test_noise_adds_its_variance():
    points = points_of(NoisyData(scale=0.5, n_points=4000))
    np.testing.assert_allclose(points.var(axis=0), 1.25 * ROWS.var(axis=0), rtol=0.08)


def test_redrawn_values_are_uniform_and_the_others_untouched():
    rows = np.random.default_rng(3).normal(size=(500, 10))
    box = BoundingBox.from_arrays(rows)
    points = points_of(PartialRedraw(share=0.3, n_points=500), rows, box)
    kept = np.isin(points, rows)
    np.testing.assert_array_equal(kept.sum(axis=1), 7)
    unit = ((points - box.lower) / box.widths)[~kept]
    assert kstest(unit, "uniform").pvalue > 0.001


def test_points_in_principal_axes_stay_in_the_range_of_the_rows_there():
    center = ROWS.mean(axis=0)
    axes = np.linalg.svd(ROWS - center, full_matrices=False)[2]
    along, range_of = (points_of(PrincipalBox()) - center) @ axes.T, (ROWS - center) @ axes.T
    assert (along >= range_of.min(axis=0) - 1e-9).all()
    assert (along <= range_of.max(axis=0) + 1e-9).all()


def test_the_inflated_gaussian_has_the_inflated_covariance():
    points = points_of(InflatedGaussian(inflation=2.0, n_points=2**15))
    np.testing.assert_allclose(np.cov(points.T), 4.0 * np.cov(ROWS.T), rtol=0.05)


def _log_density(covariance):
    return multivariate_normal([0.0, 0.0], covariance).logpdf


OPTIMA = [
    (ProductOfMarginals(), np.eye(2)),
    (NoisyData(scale=1.0), COVARIANCE + np.eye(2)),
    (InflatedGaussian(inflation=1.5), 2.25 * COVARIANCE),
]


@pytest.mark.parametrize(("sampler", "reference"), OPTIMA, ids=lambda each: str(each)[:20])
def test_no_score_beats_the_density_ratio(sampler, reference):
    # Neyman and Pearson: against each measure the ratio of the densities is best
    density, other = _log_density(COVARIANCE), _log_density(reference)
    points = points_of(sampler)
    best = roc_area(density(ROWS) - other(ROWS), density(points) - other(points))
    rivals = [
        lambda X: -(X**2).sum(axis=1),
        lambda X: -np.abs(X[:, 0] - X[:, 1]),
        lambda X: -np.abs(X[:, 0] + X[:, 1]),
        lambda X: X[:, 0],
    ]
    for rival in rivals:
        lead = best.difference(roc_area(rival(ROWS), rival(points)))
        assert lead.value > -3 * lead.standard_error
    assert best.difference(roc_area(ROWS[:, 0], points[:, 0])).interval[0] > 0.0


def test_evaluations_name_their_measure_and_are_shares_of_it():
    evaluation = evaluate_scores(
        _log_density(COVARIANCE), ROWS, reference=ProductOfMarginals(), random_state=0
    )
    assert evaluation.measure == "product of marginals"
    assert evaluation.level_sets.volume[-1] <= 1.0
    # against the product of its margins, a Gaussian's own density is right oftener than not
    assert evaluation.roc_area.interval[0] > 0.5
    assert "ROC area" in str(evaluation)
    assert evaluation.to_dict()["roc_area"]["value"] == evaluation.roc_area.value
    in_volume = evaluate_scores(_log_density(COVARIANCE), ROWS, random_state=0)
    assert in_volume.roc_area is None
    names = [check.name for check in evaluation.diagnostics.checks]
    assert "box" not in names
    assert "dimension" not in names


def test_rankings_against_a_measure_use_all_features_at_once():
    rows = np.random.default_rng(0).normal(size=(600, 12))
    rows[:, 1] = rows[:, 0] + 0.1 * rows[:, 1]
    ranking = rank_detectors(
        {"knows": Knows(), "ignores": Ignores()},
        rows,
        judge=Volume(
            reference=ProductOfMarginals(n_points=1024),
            mass_range=(0.9, 0.99),
            criterion="mass_volume",
        ),
        scale=False,
        random_state=0,
    )
    assert "12 features;" in ranking.setting  # at once, not in draws
    assert ranking.evaluations["knows"].level_sets is not None
    assert ranking.best == "knows"
    assert "product of marginals" in ranking.setting


class Knows:
    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def fit(self, X, y=None):
        return self

    def score_samples(self, X):
        return -np.abs(X[:, 0] - X[:, 1])


class Ignores(Knows):
    def score_samples(self, X):
        return -(X**2).sum(axis=1)


def test_a_mixture_takes_as_many_points_of_each_measure():
    mixture = ReferenceMixture(measures=(UniformBox(), NoisyData()), n_points=32)
    points = points_of(mixture)
    assert points.shape == (64, 2)
    assert BOX.contains(points[:32]).all()
    assert mixture.names == ("uniform in the box", "data with noise of 0.5 standard deviations")


@pytest.mark.parametrize(
    "make",
    [
        lambda: NoisyData(scale=0.0),
        lambda: PartialRedraw(share=1.5),
        lambda: InflatedGaussian(inflation=-1.0),
        lambda: ProductOfMarginals(n_replicates=1),
        lambda: ReferenceMixture(measures=()),
        lambda: ReferenceMixture(measures=(NoisyData(), NoisyData())),
        lambda: ReferenceMixture(n_points=100),
    ],
)
def test_impossible_measures_are_refused(make):
    with pytest.raises(InvalidParameterError):
        make()


def test_measures_need_rows():
    with pytest.raises(InvalidDataError, match="got none"):
        points_of(NoisyData(), np.empty((0, 2)))
    assert issubclass(NoisyData, DataMeasure)
