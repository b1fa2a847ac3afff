"""The example of the documents: own tables, with labels and without, own detectors."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.pages.writing import write_pages

from oddrank.benchmark import load_spec, read_rows, run_benchmark, summarise_agreement
from oddrank.benchmark.labelled_rows import split_of
from oddrank.benchmark.specification import DatasetSpec
from oddrank.errors import InvalidDataError

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmark.md"


@pytest.fixture(scope="module")
def own_rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (toml,) = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (folder / "mine.toml").write_text(toml)
    random = np.random.default_rng(0)
    odd = np.arange(300) % 10 == 0
    X = random.normal(size=(300, 3)) * np.where(odd, 4.0, 1.0)[:, np.newaxis]
    write_csv(folder / "transactions.csv", X, ["yes" if label else "no" for label in odd])
    write_csv(folder / "sensors.csv", random.normal(size=(300, 10)))
    spec = replace(load_spec(folder / "mine.toml"), seeds=(0,), n_draws=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_benchmark(spec, folder / "mine.jsonl")
    return read_rows(folder / "mine.jsonl")


def write_csv(path, X, labels=None):
    head = [f"x{j}" for j in range(X.shape[1])] + (["fraud"] if labels else [])
    lines = [",".join(f"{value:.6f}" for value in row) for row in X]
    if labels:
        lines = [f"{line},{label}" for line, label in zip(lines, labels, strict=True)]
    path.write_text("\n".join([",".join(head), *lines]))


def test_every_cell_is_done(own_rows):
    # transactions in all features, sensors in all and in two draws: 4 x 2 detectors x 2 settings
    assert len(own_rows) == 4 * 2 * 2
    assert {row["status"] for row in own_rows} == {"done"}


def test_labels_are_used_where_there_are_any(own_rows):
    full = {(row["dataset"], row["setting"], row["detector"]): row
            for row in own_rows if row["draw"] == -1}  # fmt: skip
    assert all(row["roc"] > 0.7 for key, row in full.items() if key[0] == "transactions")
    assert all(row["roc"] is None for key, row in full.items() if key[0] == "sensors")


def test_pages_tell_what_is_known(own_rows, tmp_path):
    write_pages("goix2016", own_rows, tmp_path, figures=False)
    table = (tmp_path / "tables" / "novelty.md").read_text()
    assert "| sensors | forest | 1 | no labels | no labels |" in table
    summary = summarise_agreement(own_rows, "novelty")
    assert set(summary.n_seeds) <= {"paper", "oddrank"}
    assert all(numbers == {"transactions": 1} for numbers in summary.n_seeds.values())


def test_labels_are_read_as_everywhere(tmp_path):
    """The named value is odd, else 1, else true, else the rarer of two; others are refused."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    kinds = ["fine", "broken", "worn"]
    write_csv(tmp_path / "own.csv", X, [kinds[0 if i % 6 else 1 + i % 4 // 2] for i in range(60)])
    own = DatasetSpec(name="own", path=str(tmp_path / "own.csv"), label="fraud")
    split = split_of(replace(own, anomaly="broken"), "unsupervised", 0, 0, None)[0]
    assert 0 < split.y_test.sum() <= 5
    with pytest.raises(InvalidDataError, match="3 distinct values"):
        split_of(own, "unsupervised", 0, 0, None)


HEAVY = """
name = "heavy"
presets = ["oddrank"]
settings = ["novelty"]
seeds = [0]
n_draws = 2
[[datasets]]
name = "heavy"
path = "heavy.csv"
draws = true
[[detectors]]
name = "density"
path = "sklearn.neighbors.KernelDensity"
parameters = { bandwidth = 0.01, kernel = "exponential" }
"""


def test_heavy_tails_are_measured_with_points_around_the_rows(tmp_path, monkeypatch):
    """Sobol points leave the 0.9 set of heavy tails empty: without a value, or with a poor one."""
    monkeypatch.chdir(tmp_path)
    tails = np.random.default_rng(0).standard_cauchy(size=(300, 6)) ** 3
    write_csv(tmp_path / "heavy.csv", tails)
    (tmp_path / "heavy.toml").write_text(HEAVY)
    spec = load_spec("heavy.toml")
    drawn = [row for row in run_benchmark(spec, "rows.jsonl") if row["draw"] >= 0]
    assert {row["points"] for row in drawn} == {"importance"}
    assert all(row["em"] > 0.0 and row["mv"] > 0.0 for row in drawn)
    monkeypatch.setattr("oddrank.benchmark.cell_measurement.FEWEST_INSIDE", 0)
    sobol = [row for row in run_benchmark(spec, "sobol.jsonl") if row["draw"] >= 0]
    assert {row["points"] for row in sobol} == {"sobol"}
    assert {row["em"] for row in sobol} == {None}
