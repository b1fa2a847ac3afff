"""`oddrank rank`: from any table to a verdict and files."""

import csv
import json
import sys
from pathlib import Path

import jsonschema
import pytest

FAST = ("--detectors", "gaussian,mixture", "--jobs", 1)
SCHEMA = Path(__file__).parents[2] / "docs" / "report_schema.json"


def test_a_messy_table_is_ranked_with_every_output(run, messy_csv):
    outcome = run(
        "rank", messy_csv, *FAST, "--label", "fraud",
        "--html", "report.html", "--markdown", "report.md", "--scores", "rows.csv",
        "--save", "best.skops",
    )  # fmt: skip
    assert outcome.code in (0, 1)
    assert "Verdict:" in outcome.out
    assert "The labels" in outcome.out
    assert "ROC" in outcome.out
    assert "left out 'customer_id'" in outcome.err
    assert "left out 'colour'" in outcome.err
    assert "Dropped 8 of 800 rows" in outcome.err
    assert "left out" not in outcome.out
    page = Path("report.html").read_text(encoding="utf-8")
    assert "messy.csv" in page
    assert "Feature importances" in page
    assert "--seed 0" in page
    assert Path("report.md").read_text(encoding="utf-8").startswith("# Which detector")
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 800
    assert [int(row["line"]) for row in rows] == list(range(2, 802))
    assert rows[0]["reasons"].startswith("not scored")  # its height is missing
    assert rows[1]["customer_id"] == "1001"  # as it stands in the file
    oddest = max(rows[1:], key=lambda row: float(row["oddness"] or 0.0))
    assert "spreads above the median" in oddest["reasons"]
    assert Path("best.skops").stat().st_size > 0


def test_json_follows_the_schema_and_is_alone_on_stdout(run, messy_csv):
    outcome = run("rank", messy_csv, *FAST, "--json", "--quiet", "--no-importance")
    assert outcome.err == ""
    summary = json.loads(outcome.out)
    jsonschema.validate(summary, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert summary["provenance"]["seed"] == "0"
    assert summary["best"] == summary["order"][0] == summary["detectors"][0]["name"]
    assert [each["rank"] for each in summary["detectors"]] == [1, 2]
    assert all(each["score"] is not None for each in summary["detectors"])
    assert summary["importances"] == []


def test_the_same_seed_gives_the_same_result(run, messy_csv):
    arguments = ("rank", messy_csv, *FAST, "--quiet", "--seed", 3)
    assert run(*arguments).out == run(*arguments).out


def test_a_separate_test_table_and_chosen_columns(run, messy_csv):
    Path("test.csv").write_text(messy_csv.read_text(encoding="utf-8"), encoding="utf-8")
    outcome = run(
        "rank", messy_csv, *FAST, "--test", "test.csv", "--columns", "width, height",
        "--gaps", "impute", "--scores", "rows.csv",
    )  # fmt: skip
    assert outcome.code in (0, 1)
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 801


def test_more_than_eight_features_are_drawn(run):
    import numpy as np

    np.save("wide.npy", np.random.default_rng(0).normal(size=(300, 9)))
    outcome = run("rank", "wide.npy", *FAST, "--draws", 4, "--html", "r.html", "--json")
    summary = json.loads(outcome.out)
    assert len(summary["draws"]) == 4
    assert summary["importance_of"] == summary["detectors"][0]["name"]


def test_detectors_of_ones_own_module(run, messy_csv, monkeypatch):
    Path("my_own_detectors.py").write_text(
        "from sklearn.covariance import EllipticEnvelope\n"
        "def detectors():\n    return {'mine': EllipticEnvelope()}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    place = "my_own_detectors:detectors"
    outcome = run("rank", messy_csv, "--detectors-from", place, "--jobs", 1)
    assert outcome.code == 0
    assert "mine alone was ranked" in outcome.out


def test_nothing_concluded_is_exit_code_one(run, messy_csv, monkeypatch):
    Path("useless_detectors.py").write_text(
        "from tests.small_ranking import Fails\ndetectors = {'broken': Fails()}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    outcome = run(
        "rank", messy_csv, "--detectors-from", "useless_detectors:detectors", "--jobs", 1,
        "--label", "fraud", "--html", "r.html", "--scores", "s.csv",
    )  # fmt: skip
    assert outcome.code == 1
    assert "nothing could be ranked" in outcome.out
    assert Path("r.html").exists()
    assert not Path("s.csv").exists()


def test_a_checkpoint_is_filled_and_used(run, messy_csv):
    arguments = ("rank", messy_csv, *FAST, "--checkpoint", "kept", "--quiet")
    first = run(*arguments)
    assert list(Path("kept").glob("*.npz"))
    assert run(*arguments).out == first.out


def test_a_dask_cluster(run, messy_csv):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        outcome = run("rank", messy_csv, *FAST, "--cluster", address, "--quiet")
    assert outcome.out == run("rank", messy_csv, *FAST, "--quiet").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rank", "missing.csv"), "There is no file missing.csv"),
        (("rank",), "Missing argument 'TABLE...'"),
        (("rank", "TABLE", "--detectors", "nope"), "no detector or preset 'nope'"),
        (("rank", "TABLE", "--detectors", ","), "No detector was named"),
        (("rank", "TABLE", "--detectors-from", "nope"), "needs module:name"),
        (("rank", "TABLE", "--detectors-from", "nope_nope:x"), "cannot be imported"),
        (("rank", "TABLE", "--detectors-from", "json:nope"), "has no 'nope'"),
        (("rank", "TABLE", "--columns", "colour", "--encode", "none"), "does not hold numbers"),
        (("rank", "TABLE", "--save", "best.pkl"), "ends in .skops"),
        (("rank", "TABLE", "--seed", "-1"), "--seed"),
        (("rank", "TABLE", "--jobs", "0"), "--jobs"),
        (("rank", "TABLE", *FAST, "--label", "name"), "which rows are anomalies"),
        (("rank", "TABLE", *FAST, "--label", "fraud", "--anomaly", "maybe"), "labelled 'maybe'"),
        (
            ("rank", "TABLE", *FAST, "--no-importance", "--html", "no/such/r.html"),
            "there is no folder",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(run, messy_csv, words, sentence):
    outcome = run(*(messy_csv if word == "TABLE" else word for word in words), "--quiet")
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.startswith("oddrank: ")
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""
