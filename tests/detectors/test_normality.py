"""Whatever the detector, rows in the middle score higher than rows far away."""

import numpy as np
import pytest
from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.covariance import EllipticEnvelope
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, SGDOneClassSVM
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import OneClassSVM

from oddrank import normality_function
from oddrank.errors import DetectorError

DETECTORS = [
    IsolationForest(random_state=0),
    OneClassSVM(),
    SGDOneClassSVM(random_state=0),
    LocalOutlierFactor(novelty=True),
    EllipticEnvelope(random_state=0),
    KernelDensity(),
    GaussianMixture(),
    PCA(n_components=2),
    KNN(),
    LOF(),
    HBOS(),
    ECOD(),
    make_pipeline(StandardScaler(), OneClassSVM()),
    make_pipeline(StandardScaler(), KernelDensity()),
    make_pipeline(MinMaxScaler(), KNN()),
    make_pipeline(StandardScaler(), make_pipeline(MinMaxScaler(), KNN())),
    GridSearchCV(KernelDensity(), {"bandwidth": [0.5, 1.0]}),
]


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(300, 3))


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda d: type(d).__name__)
def test_higher_is_more_normal(detector, rows):
    score = normality_function(detector.fit(rows))
    middle, far = score(np.zeros((1, 3))), score(np.full((1, 3), 6.0))
    if isinstance(detector, SGDOneClassSVM):  # linear: it separates from the origin
        np.testing.assert_array_equal(middle, detector.score_samples(np.zeros((1, 3))))
    else:
        assert middle[0] > far[0]


class OutlierDetectorOfOneself:
    _estimator_type = "outlier_detector"

    def decision_function(self, X):
        return -np.abs(X).sum(axis=1)


class Distance:
    def decision_function(self, X):
        return np.abs(X).sum(axis=1)


def test_outlier_detectors_without_score_samples_use_decision_function(rows):
    score = normality_function(OutlierDetectorOfOneself())
    assert score(np.zeros((1, 3)))[0] > score(np.ones((1, 3)))[0]


def test_orientation_decides_for_objects_of_unknown_direction():
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_array_equal(
        normality_function(Distance(), orientation="abnormality")(rows), [0.0, -7.0]
    )
    np.testing.assert_array_equal(
        normality_function(Distance(), orientation="normality")(rows), [0.0, 7.0]
    )


def test_orientation_overrules_convention(rows):
    forest = IsolationForest(random_state=0).fit(rows)
    expected = -forest.score_samples(rows)
    score = normality_function(forest, orientation="abnormality")
    np.testing.assert_array_equal(score(rows), expected)
    knn = KNN().fit(rows)
    score = normality_function(knn, orientation="normality")
    np.testing.assert_array_equal(score(rows), knn.decision_function(rows))


def test_functions_are_taken_as_they_are():
    function = lambda X: X[:, 0]  # noqa: E731
    assert normality_function(function) is function


def test_pyod_is_recognised_by_its_base_class_alone():
    namespace = {"__module__": "pyod.models.base", "decision_function": lambda self, X: X[:, 0]}
    base = type("BaseDetector", (), namespace)
    own = type("OwnDetector", (base,), {"__module__": "my_package"})()
    np.testing.assert_array_equal(normality_function(own)(np.array([[2.0]])), [-2.0])


@pytest.mark.parametrize(
    ("detector", "sentence"),
    [
        (LocalOutlierFactor(), "cannot score new points. Use novelty=True"),
        (make_pipeline(StandardScaler(), LocalOutlierFactor()), "Use novelty=True"),
        (object(), "object cannot score rows"),
        (StandardScaler(), "StandardScaler cannot score rows"),
        (LogisticRegression(), "whose direction is not known"),
        (Distance(), "orientation='normality' or orientation='abnormality'"),
        (IsolationForest, "Pass an instance: IsolationForest()"),
    ],
)
def test_what_cannot_be_understood_is_refused(detector, sentence):
    with pytest.raises(DetectorError) as caught:
        normality_function(detector)
    assert sentence in str(caught.value)
