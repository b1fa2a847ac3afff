"""Every refusal is one sentence, before work starts."""

import ast
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.preprocessing import StandardScaler

import oddrank
from oddrank import (
    BoundingBox,
    check_detector,
    count_level_sets,
    errors,
    evaluate_detector,
    evaluate_scores,
    excess_mass_curve,
    feature_importance,
    level_sets,
    mass_volume_curve,
    normality_function,
    rank_detectors,
)
from oddrank.errors import (
    DetectorError,
    DetectorFailedError,
    InvalidDataError,
    InvalidParameterError,
    MissingExtraError,
)
from oddrank.reference import UniformBox

ROWS = np.random.default_rng(0).normal(size=(1000, 2))
SMALL = UniformBox(n_points=64, n_replicates=2)


def score(X):
    return -np.asarray(X)[:, 0]


def with_value(value, row=3, column=1):
    X = ROWS.copy()
    X[row, column] = value
    return X


def frame(**columns):
    return pd.DataFrame({"a": ROWS[:, 0], **columns})


DATA = {
    "NaN": (with_value(np.nan), "X has values that are not finite, in 'x1' (1 NaN)."),
    "infinity": (with_value(-np.inf), "in 'x1' (1 infinite). Drop those rows or impute them"),
    "NaN in a frame": (frame(b=[np.nan] * 1000), "in 'b' (1000 NaN)"),
    "text column": (frame(b=["x"] * 1000), "columns that are not numbers: 'b'. Volumes"),
    "text in polars": (pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), "not numbers: 'b'"),
    "null in polars": (pl.DataFrame({"a": [1.0, None, 2.0]}), "in 'a' (1 NaN)"),
    "numbers as text": (ROWS.astype(str), "X holds values that are not numbers"),
    "ragged lists": ([[1.0], [1.0, 2.0]], "X holds values that are not numbers"),
    "constant feature": (frame(b=[5.0] * 1000), "Feature 'b' is constant, so the bounding box"),
    "empty": (np.empty((0, 2)), "X has 0 rows, and masses need at least 2"),
    "one row": (ROWS[:1], "X has 1 row, and masses need at least 2"),
    "no features": (np.empty((10, 0)), "X has no features"),
    "one dimension": (ROWS[:, 0], "Got 1 dimension; reshape a single feature"),
    "three dimensions": (ROWS.reshape(10, 100, 2), "Got 3 dimensions"),
    "repeated names": (
        pd.DataFrame(ROWS, columns=["a", "a"]),
        "X has more than one column called 'a'",
    ),
    "missing boolean": (
        pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean")}),
        "in 'a' (1 NaN)",
    ),
    "sparse": (csr_array(ROWS), "X is a sparse matrix"),
}


@pytest.mark.parametrize("case", DATA)
def test_data(case):
    X, sentence = DATA[case]
    with pytest.raises(InvalidDataError) as caught:
        evaluate_scores(score, X, reference=SMALL)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


PARAMETERS = {
    "mass_range reversed": (
        {"mass_range": (0.99, 0.9)},
        "0 <= lower < upper <= 1. Got (0.99, 0.9)",
    ),
    "mass_range text": ({"mass_range": "0.9"}, "must be two masses (lower, upper)"),
    "floor": ({"excess_mass_floor": 1.0}, "must be a float in the range (0, 1). Got 1.0"),
    "confidence": ({"confidence_level": 95}, "'confidence_level' parameter of evaluate_scores"),
    "seed": ({"random_state": "zero"}, "'random_state' parameter of evaluate_scores must be None"),
    "reference": ({"reference": 1000}, "must be a sampler such as oddrank.reference.UniformBox()"),
    "class as reference": ({"reference": UniformBox}, "must be a sampler"),
    "box": ({"box": [0, 1]}, "'box' parameter of evaluate_scores must be a BoundingBox"),
    "orientation": ({"orientation": "up"}, "must be one of None, 'normality', 'abnormality'"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(case):
    options, sentence = PARAMETERS[case]
    with pytest.raises(InvalidParameterError) as caught:
        evaluate_scores(score, ROWS, **{"reference": SMALL, **options})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"n_points": 0},
            "'n_points' parameter of UniformBox must be an int in the range [1, inf)",
        ),
        (
            {"n_points": 1000},
            "must be a power of 2 for Sobol points. Got 1000 instead; 512 and 1024",
        ),
        ({"n_points": 64.0}, "Got 64.0 instead"),
        ({"n_points": True}, "Got True instead"),
        ({"method": "halton"}, "must be one of 'sobol', 'random'. Got 'halton' instead"),
        ({"n_replicates": 1}, "must be an int in the range [2, inf). Got 1 instead"),
    ],
)
def test_uniform_box(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        UniformBox(**options)
    assert sentence in str(caught.value)


BOXES = {
    "shapes": (lambda: BoundingBox(lower=np.zeros(2), upper=np.ones(3)), "one lower and one upper"),
    "swapped": (lambda: BoundingBox(lower=np.ones(1), upper=np.zeros(1)), "Swap them"),
    "infinite": (lambda: BoundingBox(lower=np.zeros(1), upper=np.array([np.inf])), "be finite"),
    "names": (
        lambda: BoundingBox(lower=np.zeros(2), upper=np.ones(2), feature_names=("a",)),
        "cannot have 1 feature names",
    ),
    "text": (lambda: BoundingBox(lower=["a"], upper=["b"]), "must be numbers"),
    "other names": (
        lambda: evaluate_scores(
            score,
            pd.DataFrame(ROWS, columns=["a", "b"]),
            box=BoundingBox.from_arrays(pd.DataFrame(ROWS, columns=["b", "a"])),
        ),
        "The box has the features b, a but the rows have a, b",
    ),
    "nothing": (BoundingBox.from_arrays, "needs at least one array of rows"),
    "features": (
        lambda: evaluate_scores(score, ROWS, box=BoundingBox(lower=np.zeros(3), upper=np.ones(3))),
        "The box has 3 features but the rows have 2",
    ),
}


@pytest.mark.parametrize("case", BOXES)
def test_boxes(case):
    make, sentence = BOXES[case]
    with pytest.raises(InvalidDataError) as caught:
        make()
    assert sentence in str(caught.value)


def test_margin():
    with pytest.raises(InvalidParameterError, match="'margin' parameter of Bound"):
        BoundingBox.from_arrays(ROWS, margin=-0.1)


def test_train_and_test_must_have_the_same_columns():
    named = pd.DataFrame(ROWS, columns=["a", "b"])
    with pytest.raises(InvalidDataError, match="X_train has 2 features but X_test has 1"):
        evaluate_detector(KernelDensity(), ROWS, ROWS[:, :1])
    with pytest.raises(InvalidDataError, match="Column 1 is 'b' in X_train but 'c' in X_test"):
        evaluate_detector(KernelDensity(), named, named.rename(columns={"b": "c"}))


def test_too_few_rows_to_split():
    with pytest.raises(InvalidDataError, match="3 rows cannot be split"):
        evaluate_detector(KernelDensity(), ROWS[:3])


@pytest.mark.parametrize("verb", [evaluate_detector, feature_importance, rank_detectors])
def test_folds(verb):
    detectors = [KernelDensity()] if verb is rank_detectors else KernelDensity()
    owner = verb.__name__
    with pytest.raises(InvalidParameterError, match=f"'cv' parameter of {owner} must be an"):
        verb(detectors, ROWS, cv=0)
    with pytest.raises(
        TypeError, match=f"{owner}\\(\\) got an unexpected keyword argument 'colour'"
    ):
        verb(detectors, ROWS, colour="red")


class Raising:
    def fit(self, X):
        raise MemoryError("too much")

    def score_samples(self, X):
        raise AssertionError


DETECTORS = {
    "unfitted": (IsolationForest(), DetectorError, "IsolationForest is not fitted, so it cannot"),
    "NaN": (lambda X: X[:, 0] * np.nan, DetectorFailedError, "returned NaN for 1000 of 1000 rows"),
    "shape": (lambda X: X, DetectorFailedError, "returned scores of shape (1000, 2) for 1000 rows"),
    "one number": (lambda X: 1.0, DetectorFailedError, "returned scores of shape ()"),
    "text": (lambda X: ["a"] * len(X), DetectorFailedError, "returned scores that are not numbers"),
    "raises": (
        lambda X: 1 / 0,
        DetectorFailedError,
        "failed to score 1000 rows of 2 features: Zero",
    ),
    "novelty": (LocalOutlierFactor(), DetectorError, "Use novelty=True"),
    "unknown": (StandardScaler(), DetectorError, "cannot score rows"),
    "wrong features": (
        IsolationForest(random_state=0).fit(np.ones((9, 5))),
        DetectorFailedError,
        "2 features",
    ),
}


@pytest.mark.parametrize("case", DETECTORS)
def test_detectors(case):
    detector, kind, sentence = DETECTORS[case]
    with pytest.raises(kind) as caught:
        evaluate_scores(detector, ROWS, reference=SMALL)
    assert sentence in str(caught.value)


def test_detectors_that_cannot_be_fitted():
    with pytest.raises(DetectorError, match=r"score has no fit method.*Use evaluate_scores"):
        evaluate_detector(score, ROWS)
    with pytest.raises(
        DetectorFailedError, match="Raising failed to fit 500 rows of 2 features: M"
    ):
        evaluate_detector(Raising(), ROWS, mass_range=(0.9, 0.99))


SCORES = {
    "NaN": (lambda: level_sets([np.nan, 1.0], [0.0]), "data_scores holds 1 NaN"),
    "shape": (lambda: level_sets([[1.0]], [0.0]), "one-dimensional array with at least one score"),
    "empty": (lambda: level_sets([1.0], []), "reference_scores must be a one-dimensional array"),
    "text": (lambda: level_sets(["a"], [0.0]), "data_scores must be numbers"),
    "weights": (lambda: level_sets([1.0], [0.0], log_weights=[0.0, 0.0]), "must hold 1 numbers"),
    "parts": (
        lambda: count_level_sets([1.0], [0.0]) + count_level_sets([1.0], [0.5]),
        "counted against different reference points",
    ),
    "area": (
        lambda: mass_volume_curve(level_sets([1.0], [0.0])).area(0.9, 0.5),
        "'(lower, upper)' parameter of MassVolumeCurve.area",
    ),
    "floor": (
        lambda: excess_mass_curve(level_sets([1.0], [0.0])).area(2),
        "'floor' parameter of ExcessMassCurve must be a float",
    ),
}


@pytest.mark.parametrize("case", SCORES)
def test_scores(case):
    make, sentence = SCORES[case]
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the sentence is matched below)
        make()
    assert isinstance(caught.value, errors.OddrankError)
    assert sentence in str(caught.value)


def test_missing_pandas_is_said(monkeypatch):
    evaluation = evaluate_scores(score, ROWS, reference=SMALL, random_state=0)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        evaluation.frame()


def test_bad_input_is_told_before_any_scoring():
    def never(X):
        raise AssertionError("scored before the input was checked")

    with pytest.raises(InvalidParameterError):
        evaluate_scores(never, ROWS, random_state="zero")
    with pytest.raises(InvalidDataError):
        evaluate_scores(never, with_value(np.nan))


def test_every_class_is_in_the_tree_of_the_docstring():
    for name in errors.__all__:
        assert name in errors.__doc__


def test_public_functions_raise_only_their_own_errors():
    assert not check_detector(object()).ok
    with pytest.raises(errors.OddrankError):
        normality_function(None)
    assert issubclass(InvalidDataError, ValueError)
    assert issubclass(DetectorError, TypeError)


def test_no_exception_of_another_library_is_raised_on_purpose():
    source = Path(oddrank.__file__).parent
    # TypeError: within one function, caught there. AttributeError: what a module must raise.
    allowed = {*errors.__all__, "TypeError", "AttributeError"}
    # Caught within `execution`; and an interrupt is the user's.
    allowed |= {"TaskStoppedError", "KeyboardInterrupt"}
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                name = re.match(r"\w+", ast.unparse(node.exc)).group()
                # a small letter or "_": made by a function, or raised and caught in one module
                assert not name[0].isupper() or name in allowed, (path.name, name)
