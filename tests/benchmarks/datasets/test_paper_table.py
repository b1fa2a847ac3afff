"""Each dataset against the paper's table, from the shared files."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import PAPER, SOURCES, files, kddcup, load
from oddrank.errors import InvalidDataError, InvalidParameterError

NAMES = ("adult", "http", "pima", "smtp", "wilt", "annthyroid", "arrhythmia", "forestcover",
         "ionosphere", "pendigits", "shuttle", "spambase")  # fmt: skip

# Counts of anomalies in the data folder's own record, to more digits than the paper prints.
ANOMALIES = {"adult": 11687, "http": 2211, "pima": 268, "smtp": 30, "wilt": 261, "annthyroid": 534,
             "arrhythmia": 207, "forestcover": 2747, "ionosphere": 126, "pendigits": 1144,
             "shuttle": 6155, "spambase": 1813}  # fmt: skip


@pytest.fixture(scope="session")
def paper_table(data_folder: Path) -> dict[str, dict[str, str]]:
    path = data_folder.parent / "paper" / "table_datasets.csv"
    if not path.is_file():
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"the paper's table is not at {path}")
    with path.open(encoding="utf-8") as file:
        return {row["dataset"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", NAMES)
def test_dataset_has_the_paper_s_rows_features_and_anomalies(
    name: str, data_folder: Path, paper_table: dict[str, dict[str, str]]
) -> None:
    dataset = load(name, data_home=data_folder)
    row = paper_table[name]
    assert dataset.X.shape == (int(row["n_samples"]), int(row["n_features"]))
    assert dataset.y.shape == (int(row["n_samples"]),)
    assert int(dataset.y.sum()) == ANOMALIES[name]
    decimals = len(row["anomaly_percent"].partition(".")[2])
    assert round(100 * dataset.y.mean(), decimals) == float(row["anomaly_percent"])
    assert len(set(dataset.feature_names)) == dataset.n_features
    assert np.isfinite(dataset.X).all()
    assert min(np.unique(column).size for column in dataset.X.T) >= 10


def test_sources_hold_the_paper_s_table(paper_table: dict[str, dict[str, str]]) -> None:
    assert tuple(PAPER) == tuple(paper_table) == NAMES
    for source in PAPER.values():
        row = paper_table[source.name]
        assert source.counts[:2] == (int(row["n_samples"]), int(row["n_features"]))
        assert source.anomaly_percent == float(row["anomaly_percent"])
        assert source.anomaly_class == row["anomaly_class"]
        assert source.title
        assert source.citation
        assert source.licence


def test_sources_have_the_hashes_of_the_data_folder(data_folder: Path) -> None:
    listed = {}
    for folder in ("", "verdict/"):
        for line in (data_folder / f"{folder}SHA256SUMS").read_text().splitlines():
            sha256, name = line.split()
            listed[folder + name] = sha256
    for source in SOURCES.values():
        for raw in (source.substitute or source.original).files:
            if raw.name == "covtype.data":
                # The shared copy is packed again: only its content has the published hash.
                packed = (data_folder / "forestcover/covtype.data.gz").read_bytes()
                assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == raw.sha256
            else:
                assert listed[f"{raw.folder}/{raw.name}"] == raw.sha256


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in PAPER])
def test_datasets_of_the_collection_have_the_counts_of_their_facts(
    name: str, data_folder: Path
) -> None:
    dataset = load(name, data_home=data_folder, download=False)
    assert (*dataset.X.shape, dataset.n_anomalies) == SOURCES[name].counts
    assert "ADBench" in dataset.citation


def test_families_stay_together() -> None:
    families: dict[str, set[str]] = {}
    for source in SOURCES.values():
        families.setdefault(source.family, set()).add(source.name)
    assert families["satellite"] == {"landsat", "satellite", "satimage_2"}
    assert families["breast"] == {"breastw", "wdbc", "wpbc"}
    assert families["thyroid"] == {"thyroid", "annthyroid"}
    assert families["kddcup"] == {"http", "smtp"}
    assert (len(SOURCES), len(families)) == (27, 21)


def test_shuttle_has_its_training_rows_twice(data_folder: Path) -> None:
    X = load("shuttle", data_home=data_folder).X
    training = 43500 - 6748
    np.testing.assert_array_equal(X[:training], X[training : 2 * training])


@pytest.mark.parametrize(("name", "rows", "attacks"), [("http", 58725, 2209), ("smtp", 9571, 3)])
def test_the_original_kdd_file_and_the_substitute_agree(
    name: str, rows: int, attacks: int, data_folder: Path
) -> None:
    # The full file cannot be had here; its official tenth can, and is parsed by the same code.
    with gzip.open(data_folder / "http/kddcup.data_10_percent.gz") as file:
        tenth = kddcup.parse(file, service=name)
    assert (len(tenth.X), int(tenth.y.sum())) == (rows, attacks)
    whole = load(name, data_home=data_folder)
    whole_rows = iter(np.column_stack([whole.X, whole.y]).tolist())
    # Bit for bit an ordered subsequence: `in` consumes the iterator up to the match.
    assert all(row in whole_rows for row in np.column_stack([tenth.X, tenth.y]).tolist())


def test_another_file_of_the_same_name_is_refused_with_both_hashes(
    data_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "pima").mkdir()
    path = tmp_path / "pima" / "pima-indians-diabetes.data"
    content = (data_folder / "pima" / path.name).read_bytes()
    path.write_bytes(content.replace(b"148", b"149", 1))
    with pytest.raises(InvalidDataError) as refused:
        load("pima", data_home=tmp_path)
    message = str(refused.value)
    assert str(path) in message
    assert hashlib.sha256(path.read_bytes()).hexdigest() in message
    assert SOURCES["pima"].original.files[0].sha256 in message


def test_environment_variable_names_the_folder(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODDRANK_DATA", str(data_folder))
    assert load("ionosphere").n_rows == 351
    monkeypatch.setenv("ODDRANK_DATA", str(data_folder / "nowhere"))
    with pytest.raises(InvalidDataError, match="ODDRANK_DATA, does not exist"):
        load("ionosphere")


def test_the_folder_beside_the_checkout_is_used_by_default(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SHARED", data_folder)
    assert load("ionosphere", download=False).n_rows == 351


def test_downloads_go_where_the_argument_or_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODDRANK_CACHE", str(tmp_path / "named"))
    assert files.cache_folder(tmp_path / "argument") == tmp_path / "argument"
    assert files.cache_folder() == tmp_path / "named"
    monkeypatch.delenv("ODDRANK_CACHE")
    assert files.cache_folder().name == "oddrank"


def test_unknown_names_are_refused_with_a_list() -> None:
    with pytest.raises(InvalidParameterError, match=r"'name' parameter of load.*'adult'.*'mnist'"):
        load("mnist")
