"""Volumes in ten features beside those of nested sampling, an independent method and program.

Skilling, "Nested sampling for general Bayesian computation" (2006): with the uniform law in the box
as prior and the scores as log likelihood, the prior volume that is left when the lowest score has
been passed is the volume of that level set.
"""

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from oddrank import BoundingBox, evaluate_scores
from oddrank.reference import MultilevelSplitting

N_LIVE = 200


@pytest.fixture(scope="module")
def two_clusters():
    random = np.random.default_rng(0)
    rows = np.concatenate(
        [random.normal(-2.0, 1.0, (1500, 10)), random.normal(2.0, 0.5, (1500, 10))]
    )
    return rows, GaussianMixture(2, random_state=0).fit(rows)


def score_of_one_point(mixture):
    """Return the mixture's log density of a single point: dynesty asks for one after another."""
    roots = mixture.precisions_cholesky_
    peaks = np.log(mixture.weights_) - 0.5 * mixture.n_features_in_ * np.log(2.0 * np.pi)
    peaks += np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)

    def score(x):
        steps = ((x - mixture.means_)[:, np.newaxis] @ roots)[:, 0]
        return float(np.logaddexp(*(peaks - 0.5 * (steps * steps).sum(axis=1))))

    return score


def log_volumes_by_nested_sampling(dynesty, score, box, thresholds):
    """Logarithms of volumes, and of the error of each: `sqrt(steps) / n_live`."""
    sampler = dynesty.NestedSampler(
        score,
        lambda u: box.scale_up(u[np.newaxis])[0],
        box.n_features,
        nlive=N_LIVE,
        sample="rslice",
        rstate=np.random.default_rng(1),
    )
    sampler.run_nested(logl_max=max(thresholds), dlogz=1e-9, add_live=False, print_progress=False)
    found = sampler.results
    steps = np.searchsorted(found.logl, thresholds)
    return found.logvol[np.minimum(steps, len(found.logvol) - 1)] + box.log_volume, np.sqrt(
        steps
    ) / N_LIVE


def test_level_sets_of_two_clusters_have_the_volumes_that_nested_sampling_finds(two_clusters):
    dynesty = pytest.importorskip("dynesty")
    rows, mixture = two_clusters
    box = BoundingBox.from_arrays(rows)
    sets = evaluate_scores(
        mixture.score_samples,
        rows,
        reference=MultilevelSplitting(n_points=2**16),
        box=box,
        random_state=0,
    )
    places = [int(np.searchsorted(sets.level_sets.mass, mass)) for mass in (0.9, 0.95, 0.99)]
    thresholds = sets.level_sets.thresholds[places]
    score = score_of_one_point(mixture)
    np.testing.assert_allclose([score(row) for row in rows], mixture.score_samples(rows))
    theirs, their_error = log_volumes_by_nested_sampling(dynesty, score, box, thresholds[::-1])
    ours = sets.level_sets.log_volume[places][::-1]
    our_error = sets.criteria.folds[0].log_volume_error[places][::-1]
    error = np.hypot(our_error, their_error)
    assert (error < 0.5).all()
    assert (np.abs(ours - theirs) < 4.0 * error).all(), (ours, theirs, error)
