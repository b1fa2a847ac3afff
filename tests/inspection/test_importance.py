"""Which features help: planted ones come first, and what is refused."""

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from oddrank import FeatureSubsampling, feature_importance
from oddrank.errors import DetectorFailedError, InvalidDataError, InvalidParameterError
from oddrank.reference import UniformBox
from tests.planted import FailingFit
from tests.quick_density import QuickDensity

SMALL = UniformBox(n_points=2**9, n_replicates=2)
FEW = FeatureSubsampling(n_features=3, n_draws=6)


def rows(n_features, n_rows=200, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def planted(seed, n_rows=1500, n_features=12):
    """Twelve features, of which 2, 5 and 9 lie near two corners; the others are noise."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1.0, 1.0, size=(n_rows, n_features))
    corner = random.choice([-1.0, 1.0], size=(n_rows, 1))
    X[:, [2, 5, 9]] = corner + 0.15 * random.normal(size=(n_rows, 3))
    return X


@pytest.mark.parametrize("criterion", ["excess_mass", "mass_volume"])
def test_planted_structure_comes_first(criterion):
    importance = feature_importance(
        GaussianMixture(2),
        planted(0),
        criterion=criterion,
        subsampling=FeatureSubsampling(n_features=4, n_draws=60, aggregation="geometric"),
        mass_range=(0.9, 0.99),
        reference=UniformBox(n_points=2**11, n_replicates=2),
        random_state=0,
    )
    assert set(importance.feature_names[:3]) == {"x2", "x5", "x9"}
    frame = importance.frame()
    assert frame["importance"].is_monotonic_decreasing
    assert frame["lower"][0] > 0
    assert "x2" in str(importance)
    assert importance.to_dict()["features"][0]["feature"] == importance.feature_names[0]


@pytest.mark.parametrize(
    ("X", "options", "kind", "sentence"),
    [
        (rows(1), {}, InvalidDataError, "at least two features"),
        (rows(3), {"subsampling": FEW}, InvalidParameterError, "must draw fewer features"),
        (rows(9), {"subsampling": None}, InvalidParameterError, "must draw fewer features"),
        (rows(3), {"subsampling": 3}, InvalidParameterError, "'subsampling' parameter of feature_"),
        (rows(3), {"criterion": "x"}, InvalidParameterError, "'criterion' parameter of feature_"),
        (
            rows(3),
            {"criterion": "neg_mass_volume"},
            InvalidParameterError,
            "must be one of 'excess_mass', 'mass_volume'",
        ),
    ],
)
def test_importances_that_are_refused(X, options, kind, sentence):
    with pytest.raises(kind) as caught:
        feature_importance(QuickDensity(), X, **options)
    assert sentence in str(caught.value)


def test_importance_of_a_detector_that_fails():
    with pytest.raises(DetectorFailedError, match="no licence"):
        feature_importance(FailingFit(), rows(4), mass_range=(0.9, 0.95), reference=SMALL)


@pytest.mark.parametrize(("n_features", "drawn"), [(4, 2), (12, 5)])
def test_auto_draws_five_features_or_half_of_them(n_features, drawn, monkeypatch):
    monkeypatch.setattr("oddrank.inspection.importance.score_detectors", _stop)
    with pytest.raises(_StoppedError) as stopped:
        feature_importance(QuickDensity(), rows(n_features), mass_range=(0.9, 0.95))
    plan = next(each for each in stopped.value.args if hasattr(each, "subsampling"))
    assert plan.subsampling == FeatureSubsampling(drawn, 200, "geometric")
    assert len(plan.draws) == 200


class _StoppedError(Exception):
    pass


def _stop(*arguments, **options):
    raise _StoppedError(*arguments)
