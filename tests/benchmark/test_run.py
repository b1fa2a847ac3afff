"""A quick benchmark: run, stopped, resumed, made into tables."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.svm import OneClassSVM

from oddrank.benchmark import load_spec, markdown_table, read_rows, results_table, run_benchmark
from oddrank.benchmark.cell_measurement import _offset
from oddrank.benchmark.specification import DatasetSpec
from oddrank.benchmark.store import append_rows
from oddrank.datasets.prepare import paper_split
from oddrank.detectors import FittedDetector
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows import Table

TIMES = ("seconds", "fit_cpu", "rows_cpu", "points_cpu")


def quick_spec(*names):
    """Two small datasets, or the named ones; the forest has a quarter of its trees."""
    spec = load_spec()
    small = tuple(d for d in spec.datasets if d.name in (names or ("pima", "ionosphere")))
    few_trees = {"n_estimators": 25}
    detectors = tuple(
        replace(d, parameters={**d.parameters, **few_trees}) if d.name == "iforest" else d
        for d in spec.detectors
    )
    return replace(spec, datasets=small, detectors=detectors, seeds=(0,), n_draws=2, max_rows=600)


def without_times(rows):
    lasting = [{k: v for k, v in row.items() if k not in TIMES} for row in rows]
    return sorted(lasting, key=str)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, data_folder):
    path = tmp_path_factory.mktemp("benchmark") / "rows.jsonl"
    os.environ.setdefault("ODDRANK_CACHE", str(path.parent))
    return run_benchmark(quick_spec(), path, data_home=data_folder, n_jobs=2)


def test_one_row_per_cell_and_preset(undisturbed):
    # pima in all features; ionosphere in all and in two draws: 4 x 3 detectors
    assert len(undisturbed) == 4 * 3 * 2 * 2
    assert {row["status"] for row in undisturbed} == {"done"}
    for row in undisturbed:
        assert {"versions", "data_hash", "seconds", "parameters"} <= set(row)
    full = [row for row in undisturbed if row["draw"] == -1]
    assert all(0.0 <= row["roc"] <= 1.0 for row in full)


def test_killed_and_resumed_gives_identical_rows(undisturbed, tmp_path, data_folder):
    path = tmp_path / "rows.jsonl"
    script = (
        "from tests.benchmark.test_run import quick_spec\n"
        "from oddrank.benchmark import run_benchmark\n"
        f"run_benchmark(quick_spec('pima'), {str(path)!r}, data_home={str(data_folder)!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 60
    expected = [row for row in undisturbed if row["dataset"] == "pima"]
    while len(read_rows(path)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = read_rows(path)
    assert 4 <= len(kept) < len(expected)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"dataset": "pi')  # a line that was being written
    resumed = run_benchmark(quick_spec("pima"), path, data_home=data_folder, n_jobs=2)
    assert without_times(resumed) == without_times(expected)


def test_tables_are_made_from_rows(undisturbed):
    results = results_table(undisturbed, "novelty", "oddrank")
    assert len(results) == 6
    text = markdown_table(results, "novelty")
    assert len(text.splitlines()) == 2 + 6
    # one best of two datasets and four measures, in ours and in the paper's
    assert text.count("**") == 2 * 2 * 4 * 2
    assert text.count("<u>") == 2 * 4 * 2
    assert "| pima | iforest | 1 |" in text


def test_both_presets_measure_the_same_model(undisturbed):
    tables = [results_table(undisturbed, "novelty", preset) for preset in ("paper", "oddrank")]
    for key, cells in tables[0].items():
        assert cells["roc"].value == tables[1][key]["roc"].value
        assert cells["mv"].value == pytest.approx(tables[1][key]["mv"].value, rel=0.15)


def test_boxes_are_those_of_the_rows_that_count(tmp_path, monkeypatch):
    """In the novelty setting anomalies of the test half do not widen the box of a draw."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X, odd = random.uniform(size=(200, 6)), np.arange(200) % 10 == 0
    X[odd] *= 100.0
    lines = ["a,b,c,d,e,f,odd"]
    for row, label in zip(X, odd, strict=True):
        lines.append(",".join(f"{value:.6f}" for value in row) + (",yes" if label else ",no"))
    (tmp_path / "own.csv").write_text("\n".join(lines))
    spec = replace(
        quick_spec(),
        datasets=(DatasetSpec(name="own", path="own.csv", label="odd", draws=True),),
        detectors=quick_spec().detectors[:1],
        presets=("paper",),
        n_draws=1,
    )
    rows = [row for row in run_benchmark(spec, "rows.jsonl") if row["draw"] == 0]
    volume = {row["setting"]: row["log_volume"] for row in rows}
    for setting, log_volume in volume.items():
        split = paper_split((X, odd.astype(int)), setting, random_state=0)
        widths = np.sort(np.ptp(split.X_criteria, axis=0))
        assert np.log(widths[:5]).sum() <= log_volume + 1e-3
        assert log_volume - 1e-3 <= np.log(widths[-5:]).sum()
    assert volume["novelty"] < volume["unsupervised"] - 10.0


def _row(detector, seed, draw, em, status="done"):
    return {
        "dataset": "a", "setting": "novelty", "preset": "oddrank", "status": status, "seed": seed,
        "detector": detector, "draw": draw, "em": em, "mv": 1.0, "roc": 0.5, "pr": 0.5,
    }  # fmt: skip


def test_draws_without_a_value_are_left_out_for_all_detectors():
    rows = [_row("x", 0, 0, 1.0), _row("x", 0, 1, 9.0), _row("y", 0, 0, 2.0), _row("y", 0, 1, None)]
    results = results_table(rows, "novelty", "oddrank")
    assert results["a", "x"]["em"].value == 1.0
    assert results["a", "y"]["em"].value == 2.0


def test_errors_are_those_over_seeds():
    rows = [_row("x", seed, 0, value) for seed, value in enumerate([1.0, 2.0, 3.0])]
    cell = results_table(rows, "novelty", "oddrank")["a", "x"]["em"]
    assert (cell.value, cell.error, cell.n_seeds) == (2.0, 1.0, 3)


def test_failures_are_rows_with_a_reason(tmp_path, data_folder):
    spec = replace(
        quick_spec(),
        datasets=quick_spec().datasets[:1],
        detectors=(
            replace(quick_spec().detectors[2], parameters={"n_neighbors": -1, "novelty": True}),
        ),
        settings=("novelty",),
    )
    rows = run_benchmark(spec, tmp_path / "rows.jsonl", data_home=data_folder)
    assert {row["status"] for row in rows} == {"failed"}
    assert "failed to fit" in rows[0]["reason"]
    assert results_table(rows, "novelty", "paper") == {}


def test_users_own_table_and_detectors(tmp_path):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 3)), np.arange(400) % 10 == 0
    X[y] *= 4.0
    lines = ["a,b,c,odd"] + [
        ",".join(f"{value:.6f}" for value in row) + (",yes" if label else ",no")
        for row, label in zip(X, y, strict=True)
    ]
    (tmp_path / "own.csv").write_text("\n".join(lines))
    (tmp_path / "own.toml").write_text(
        f"""
        name = "own"
        presets = ["oddrank"]
        seeds = [0]
        [[datasets]]
        name = "own"
        path = "{tmp_path / "own.csv"}"
        label = "odd"
        [[detectors]]
        name = "density"
        path = "sklearn.neighbors.KernelDensity"
        parameters = {{ bandwidth = 0.5 }}
        """
    )
    rows = run_benchmark(load_spec(tmp_path / "own.toml"), tmp_path / "rows.jsonl")
    assert len(rows) == 2
    assert all(row["roc"] > 0.7 for row in rows)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "cannot be understood"),
        ('name = "x"', "cannot be understood"),
        ('name="x"\ndatasets=[]\ndetectors=[]', "needs one or more datasets"),
        (
            'name="x"\nsettings=["odd"]\n[[datasets]]\nname="a"\n[[detectors]]\nname="b"\npath="c"',
            "'settings' of a benchmark must be among 'novelty', 'unsupervised'",
        ),
        (
            'name="x"\nwhat=1\n[[datasets]]\nname="a"\n[[detectors]]\nname="b"\npath="c"',
            "unexpected keyword argument 'what'",
        ),
    ],
)
def test_specifications_that_are_refused(tmp_path, text, sentence):
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(InvalidParameterError) as caught:
        load_spec(path)
    assert sentence in str(caught.value)


def test_specification_that_is_not_there():
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        load_spec("nowhere.toml")


def test_detector_that_cannot_be_imported():
    spec = replace(quick_spec().detectors[0], path="sklearn.nothing.Nobody")
    with pytest.raises(
        InvalidParameterError, match=r"cannot be made from 'sklearn\.nothing\.Nobody'"
    ):
        spec.make()


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path):
    path = tmp_path / "rows.jsonl"
    first, second = _row("x", 0, 0, 1.0), _row("x", 1, 0, 1.0)
    path.write_text(json.dumps(first) + '\n{"dataset": ')
    assert read_rows(path) == [first]
    append_rows(path, [second])
    assert read_rows(path) == [first, second]
    # whole, but for its end
    path.write_text(json.dumps(first))
    append_rows(path, [second])
    assert read_rows(path) == [first, second]


def own_spec(tmp_path, **parameters):
    """Write a specification, and a table if there is none."""
    table = tmp_path / "own.csv"
    if not table.exists():
        random = np.random.default_rng(0)
        lines = [f"{a:.5f},{b:.5f}" for a, b in random.normal(size=(200, 2))]
        table.write_text("\n".join(["a,b", *lines]))
    listed = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\npresets = ["oddrank"]\nseeds = [0]\nsettings = ["novelty"]\n'
        f'[[datasets]]\nname = "own"\npath = "{table}"\n'
        '[[detectors]]\nname = "density"\npath = "sklearn.neighbors.KernelDensity"\n'
        f"parameters = {{ {listed} }}\n"
    )
    return load_spec(path)


def test_other_parameters_rows_or_data_are_another_cell(tmp_path):
    path = tmp_path / "rows.jsonl"

    def mv(spec):
        (row,) = run_benchmark(spec, path)
        assert read_rows(path) == [row]  # tables show what was asked for last
        return row["mv"]

    spec = own_spec(tmp_path, bandwidth=0.5)
    first = mv(spec)
    wide = mv(own_spec(tmp_path, bandwidth=3.0))
    assert wide != first
    fewer = mv(replace(spec, max_rows=100))
    assert fewer not in (first, wide)
    n_lines = len(path.read_text().splitlines())
    assert mv(spec) == first
    assert mv(spec) == first
    assert len(path.read_text().splitlines()) == n_lines + 1  # its row was made the latest again
    table = tmp_path / "own.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], *(f"9{line}" for line in lines[1:] if line[0] != "-")]))
    assert mv(spec) not in (first, wide, fewer)


def test_failed_cells_are_tried_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    (row,) = run_benchmark(own_spec(tmp_path, bandwidth=-1.0), path)
    assert row["status"] == "failed"
    table = (tmp_path / "own.csv").read_text()
    spec = own_spec(tmp_path, bandwidth=0.5)
    (tmp_path / "own.csv").write_text("a,b\n")
    (row,) = run_benchmark(spec, path)
    assert row["status"] == "failed"
    (tmp_path / "own.csv").write_text(table)
    (row,) = run_benchmark(spec, path)
    assert row["status"] == "done"
    assert read_rows(path) == [row]


@pytest.mark.parametrize(
    "line", ["[]", "3", '{"a": 0}', "not JSON", '{"dataset": "a', "[" * 5000, '{"dataset": 3}']
)
def test_bad_lines_are_one_sentence(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    good = json.dumps(_row("x", 0, 0, 1.0))
    path.write_text(f"{good}\n{line}\n{good}\n")
    with pytest.raises(InvalidDataError, match=r"^Line 2 of '.*' is not a row of a benchmark"):
        read_rows(path)


def test_rows_that_are_not_text_are_one_sentence(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidDataError, match="are not UTF-8"):
        read_rows(path)


def test_far_points_tie_for_the_authors_one_class_svm():
    """Preset `paper` takes `decision_function`, which loses a small kernel sum in rounding."""
    svm = OneClassSVM(gamma=1.0).fit(np.random.default_rng(0).normal(size=(300, 2)))
    far = np.array([[8.0, 8.0], [9.0, 9.0]])
    table = Table(values=far, feature_names=("a", "b"))
    sums = FittedDetector(name="svm", detector=svm).score(table)
    assert sums[0] > sums[1] > 0.0
    tied = sums - _offset(svm)
    assert tied[0] == tied[1]
    np.testing.assert_allclose(tied, svm.decision_function(far), rtol=1e-12)
    assert _offset(IsolationForest()) == 0.0


@pytest.mark.faults
def test_a_detector_that_ends_its_worker_fails_alone(tmp_path):
    spec = own_spec(tmp_path, bandwidth=0.5)
    (well,) = spec.detectors
    dying = replace(well, name="dying", path="tests.planted.Dying", parameters={"how": "exit"})
    rows = run_benchmark(replace(spec, detectors=(dying, well)), tmp_path / "rows.jsonl", n_jobs=2)
    status = {row["detector"]: row["status"] for row in rows}
    assert status == {"dying": "failed", "density": "done"}
    (reason,) = (row["reason"] for row in rows if row["status"] == "failed")
    assert reason == (
        "dying on own (novelty, seed 0, draw -1) ended its process with exit code 3, "
        "as os._exit does."
    )
