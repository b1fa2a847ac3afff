"""Dataset, the catalogue, and what scikit-learn ships."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from oddrank.datasets import Dataset, list_datasets, load_embedded
from oddrank.errors import InvalidDataError, InvalidParameterError


def dataset(**changes: object) -> Dataset:
    values = {"name": "toy", "X": np.arange(6.0).reshape(3, 2), "y": np.array([0, 0, 1]),
              "feature_names": ("a", "b"), "source": "made up", "citation": "none",
              "licence": "CC0"}  # fmt: skip
    return Dataset(**{**values, **changes})


def test_dataset_is_frozen_and_says_what_it_is() -> None:
    toy = dataset()
    assert str(toy) == (
        "toy: 3 rows x 2 features, 1 anomalies (33.33 %)\nsource: made up\nlicence: CC0"
    )
    assert repr(toy) == "Dataset('toy', 3 rows, 2 features)"
    assert toy.to_dict()["n_anomalies"] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        toy.name = "other"


def test_frame_has_the_features_and_the_labels_last() -> None:
    frame = dataset().frame()
    assert list(frame.columns) == ["a", "b", "anomaly"]
    assert frame["anomaly"].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"y": np.array([0, 1])}, "one label per row"),
        ({"X": np.arange(3.0)}, "Give a table"),
        ({"feature_names": ("a",)}, "one name per feature"),
        ({"y": np.array([0, 1, 2])}, "labels other than 0 and 1"),
    ],
)
def test_refusals(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidDataError, match=sentence):
        dataset(**changes)


@pytest.mark.parametrize(
    ("name", "rows", "features", "anomalies"),
    [("breast_cancer", 569, 30, 212), ("wine", 178, 13, 48), ("digits", 1797, None, 181)],
)
def test_embedded_datasets(name: str, rows: int, features: int | None, anomalies: int) -> None:
    embedded = load_embedded(name)
    assert embedded.X.shape[0] == rows
    assert features is None or embedded.n_features == features
    assert embedded.n_anomalies == anomalies
    assert embedded.name == name
    assert min(np.unique(column).size for column in embedded.X.T) >= 10
    assert len(set(embedded.feature_names)) == embedded.n_features


def test_unknown_embedded_name_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="'breast_cancer', 'digits', 'wine'"):
        load_embedded("iris")


def test_catalogue_prints_and_becomes_a_frame() -> None:
    catalogue = list_datasets()
    assert len(catalogue) == len(str(catalogue).splitlines()) - 1 == len(catalogue.frame()) == 12
    assert "shuttle        85,849        9    7.17 %" in str(catalogue)
