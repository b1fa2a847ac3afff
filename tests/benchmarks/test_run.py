"""A quick run of the paper's benchmark: stopped, resumed, failed, made into tables."""

import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from benchmarks.goix2016.study import DETECTORS, Goix2016
from benchmarks.goix2016.tables import markdown_table, results_table
from benchmarks.rows import read_rows
from benchmarks.run import run

# Two small datasets, one of them in draws; the forest has a quarter of its trees.
QUICK = Goix2016(
    datasets=("pima", "ionosphere"),
    seeds=(0,),
    n_draws=2,
    max_rows=600,
    detectors=DETECTORS | {"iforest": IsolationForest(n_estimators=25)},
)
PIMA = replace(QUICK, datasets=("pima",))


def without_times(rows):
    def lasting(row):
        names = ("seconds", "fit_cpu", "rows_cpu", "points_cpu")
        return {
            name: lasting(each) if isinstance(each, dict) else each
            for name, each in row.items()
            if name not in names
        }

    return [lasting(row) for row in rows]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, data_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ODDRANK_DATA", str(data_folder))
        return run(QUICK, tmp_path_factory.mktemp("benchmark") / "rows.jsonl", n_jobs=2)


def test_one_row_per_cell(undisturbed):
    assert len(undisturbed) == 2 * 2 * 3
    assert {row["status"] for row in undisturbed} == {"done"}
    for row in undisturbed:
        assert {"versions", "seconds", "options"} <= set(row)
        assert 0.0 <= row["roc"] <= 1.0
        n_values = 2 if row["dataset"] == "ionosphere" else 1
        assert len(row["paper"]["em"]) == len(row["oddrank"]["mv"]) == n_values


def test_killed_and_resumed_gives_identical_rows(undisturbed, tmp_path, paper_data):
    path = tmp_path / "rows.jsonl"
    script = (
        "from tests.benchmarks.test_run import PIMA\n"
        "from benchmarks.run import run\n"
        f"run(PIMA, {str(path)!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 60
    while len(read_rows(path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    expected = [row for row in undisturbed if row["dataset"] == "pima"]
    kept = read_rows(path)
    assert 2 <= len(kept) < len(expected)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"dataset": "pi')  # a line that was being written
    resumed = run(PIMA, path)
    assert without_times(resumed) == without_times(expected)
    assert [row for row in resumed if row in kept] == kept  # not run again


def test_other_options_are_other_rows(tmp_path, paper_data):
    path = tmp_path / "rows.jsonl"
    forest = replace(PIMA, detectors={"iforest": DETECTORS["iforest"]}, settings=("novelty",))
    (few,) = run(replace(forest, max_rows=200), path)
    (all_rows,) = run(forest, path)
    assert few["oddrank"]["em"] != all_rows["oddrank"]["em"]
    assert read_rows(path) == [all_rows]


def test_failures_are_rows_with_a_reason_and_are_tried_again(tmp_path, paper_data):
    path = tmp_path / "rows.jsonl"
    broken = {"lof": LocalOutlierFactor(n_neighbors=-1, novelty=True)}
    study = replace(PIMA, detectors=broken, settings=("novelty",))
    (row,) = run(study, path)
    assert row["status"] == "failed"
    assert "n_neighbors" in row["reason"]
    (row,) = run(replace(study, detectors={"lof": DETECTORS["lof"]}), path)
    assert row["status"] == "done"


def test_tables_are_made_from_rows(undisturbed):
    text = markdown_table(results_table(undisturbed, "novelty", "oddrank"), "novelty")
    assert len(text.splitlines()) == 2 + 6
    # one best of two datasets and four measures, in ours and in the paper's
    assert text.count("**") == 2 * 2 * 4 * 2
    assert text.count("<u>") == 2 * 4 * 2


def test_both_presets_measure_the_same_model(undisturbed):
    tables = [results_table(undisturbed, "novelty", preset) for preset in ("paper", "oddrank")]
    for key, cells in tables[0].items():
        assert cells["mv"].value == pytest.approx(tables[1][key]["mv"].value, rel=0.15)
    mv = np.array([[each["mv"].value for each in table.values()] for table in tables])
    assert (np.argsort(mv[0]) == np.argsort(mv[1])).all()
