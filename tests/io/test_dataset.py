"""Dataset, and what scikit-learn ships."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io import Dataset, load_embedded


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


def test_the_package_imports_and_reads_without_the_optional_libraries(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('pandas', 'pyarrow', 'polars'):\n"
        "    sys.modules[name] = None\n"
        "from oddrank import io\n"
        "from oddrank.errors import MissingExtraError\n"
        "assert io.load_embedded('wine').n_rows == 178\n"
        "assert io.make_known_density('shell', 10, 3).X.shape == (10, 3)\n"
        "open(sys.argv[1] + '/t.csv', 'w').write('a,b\\n1,2\\n')\n"
        "try:\n"
        "    io.read_table(sys.argv[1] + '/t.csv')\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Reading text tables needs pyarrow, which is not installed" in done.stdout
    assert "pip install '.[datasets]'" in done.stdout
