"""`oddrank rank`: from any table to a verdict and files."""

import csv
import json
import re
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

FAST = ("--detectors", "gaussian,mixture", "--jobs", 1)
SCHEMA = Path(__file__).parents[2] / "docs" / "ranking_schema.json"


def test_a_messy_table_is_ranked_with_every_output(run, messy_csv):
    outcome = run(
        "rank", messy_csv, *FAST, "--label", "fraud",
        "--html", "report.html", "--scores", "rows.csv",
        "--save", "best.skops",
    )  # fmt: skip
    assert outcome.code == 0
    assert outcome.out.startswith("Look at these rows first:")
    assert "\n\nUse the committee" in outcome.out
    assert "Labels " in outcome.out
    assert "by ROC (" in outcome.out
    assert "messy.csv  800 rows · 2 features" in outcome.err
    assert "Read as: separated by commas, first line holds names, decimal point." in outcome.err
    assert "! 8 gaps filled with the median" in outcome.err
    assert "skipped" not in outcome.out
    page = Path("report.html").read_text(encoding="utf-8")
    assert "messy.csv" in page
    assert "--seed 0" in page
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 800
    assert [int(row["line"]) for row in rows] == list(range(2, 802))
    assert all(row["oddness"] for row in rows)  # also where the height is missing
    assert rows[1]["customer_id"] == "1001"  # as it stands in the file
    reasons = [row["reasons"] for row in rows if row["reasons"]]
    assert all(re.match(r"(width|height) .*: ", each) for each in reasons)
    assert Path("best.skops").stat().st_size > 0


def test_json_follows_the_schema_and_is_alone_on_stdout(run, messy_csv):
    outcome = run("rank", messy_csv, *FAST, "--json", "--quiet")
    assert outcome.err == ""
    found = json.loads(outcome.out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    assert found["best"] == found["order"][0] == found["detectors"][0]["name"]
    assert [each["rank"] for each in found["detectors"]] == [1, 2]
    assert all(each["score"] is not None for each in found["detectors"])
    assert set(found["columns_skipped"]) == {"customer_id", "name", "colour", "fraud"}
    assert found["odd_rows"][0]["row"].startswith("line ")
    assert set(schema["properties"]) - set(found) == {"changes"}


def test_what_was_skipped_is_named_with_the_flag_that_takes_it_back(run, messy_csv):
    told = " ".join(run("rank", messy_csv, *FAST).err.split())
    assert "Skipped: 'customer_id' (row numbers)" in told
    assert "To change that: --use customer_id,name,colour or --label fraud." in told
    found = run("rank", messy_csv, *FAST, "--use", "customer_id", "--ignore", "width", "--json")
    assert json.loads(found.out)["features"] == ["customer_id", "height"]
    assert "'width' (as asked: --ignore)" in found.err


def test_the_screen_is_short_and_ends_in_what_to_do(run, messy_csv, monkeypatch):
    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        outcome = run("rank", messy_csv, *FAST)
        lines = outcome.out.splitlines()
        assert max(map(len, lines)) <= columns
        assert len(lines) <= 30
        assert max(map(len, outcome.err.splitlines())) <= max(columns, len(str(messy_csv)) + 12)
        assert "'fraud' (looks like a label)" in " ".join(outcome.err.split())
        assert (
            "Next: --scores rows.csv | --html report.html | oddrank ask TABLE | --details"
            in " ".join(outcome.out.split())
        )
        assert re.search(r"^  line \d+ +\d+\.\d  [0-3] of 3  \w", outcome.out, re.MULTILINE)


def test_details_come_on_request(run, messy_csv):
    words = ("rank", messy_csv, *FAST, "--drop-gaps")
    short, full = (run(*words, *more).out for more in ((), ("--details",)))
    assert "excess mass" not in short
    assert "excess mass" in full
    assert "Checked and fine" in full
    assert "--details" not in full
    assert full.startswith(short.partition("Next:")[0])


def test_the_same_seed_gives_the_same_result(run, messy_csv):
    arguments = ("rank", messy_csv, *FAST, "--quiet", "--seed", 3)
    assert run(*arguments).out == run(*arguments).out


def test_a_separate_test_table_and_chosen_columns(run, messy_csv):
    Path("test.csv").write_text(messy_csv.read_text(encoding="utf-8"), encoding="utf-8")
    outcome = run(
        "rank", messy_csv, *FAST, "--test", "test.csv", "--columns", "width, height",
        "--scores", "rows.csv",
    )  # fmt: skip
    assert outcome.code == 0
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 801


def test_more_than_eight_features_are_drawn(run):
    np.save("wide.npy", np.random.default_rng(0).normal(size=(300, 9)))
    outcome = run("rank", "wide.npy", *FAST, "--draws", 4, "--html", "r.html", "--json")
    found = json.loads(outcome.out)
    assert found["judge"] == "volume"
    assert found["odd_rows"]
    page = Path("r.html").read_text(encoding="utf-8")
    assert "4 draws of 5" in page


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
    assert "Use mine. It alone was ranked" in outcome.out


def test_nothing_ranked_is_exit_code_two(run, messy_csv, monkeypatch):
    Path("useless_detectors.py").write_text(
        "from tests.small_ranking import Fails\ndetectors = {'broken': Fails()}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    outcome = run(
        "rank", messy_csv, "--detectors-from", "useless_detectors:detectors", "--jobs", 1,
        "--label", "fraud", "--html", "r.html", "--scores", "s.csv",
    )  # fmt: skip
    assert outcome.code == 2
    assert "Nothing could be ranked" in outcome.out
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
        (("rank", "TABLE", "--detectors", ","), "--detectors names no detector"),
        (("rank", "TABLE", "--detectors-from", "nope"), "needs module:name"),
        (("rank", "TABLE", "--detectors-from", "nope_nope:x"), "cannot be imported"),
        (("rank", "TABLE", "--detectors-from", "json:nope"), "has no 'nope'"),
        (("rank", "TABLE", "--columns", "color"), "Did you mean 'colour'?"),
        (("rank", "TABLE", "--save", "best.pkl"), "ends in .skops"),
        (("rank", "TABLE", "--seed", "-1"), "--seed"),
        (("rank", "TABLE", "--jobs", "0"), "--jobs"),
        (("rank", "TABLE", *FAST, "--label", "name"), "which rows are anomalies"),
        (("rank", "TABLE", *FAST, "--label", "fraud", "--anomaly", "maybe"), "labelled 'maybe'"),
        (("rank", "TABLE", *FAST, "--anomaly", "yes"), "--anomaly goes with --label"),
        (
            ("rank", "TABLE", *FAST, "--html", "no/such/r.html"),
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


@pytest.mark.parametrize("words", [("--label", "name"), ("--label", "fraud", "--anomaly", "maybe")])
def test_bad_labels_are_told_before_detectors_are_fitted(run, messy_csv, monkeypatch, words):
    monkeypatch.setattr("oddrank.ranking.rank_detectors", None)  # would end in a TypeError
    outcome = run("rank", messy_csv, *words, "--quiet")
    assert outcome.code == 2
    if len(words) == 2:
        assert "Name the value that marks them: --anomaly." in outcome.err


def test_draws_of_features_have_a_list_too(run, tmp_path):
    rows = np.random.default_rng(0).normal(size=(200, 9))
    rows[7] = 9.0
    np.savetxt(tmp_path / "wide.csv", rows, delimiter=",", header=",".join("abcdefghi"),
               comments="")  # fmt: skip
    words = ("--detectors", "gaussian", "--jobs", 1, "--draws", 4, "--scores", "odd.csv")
    outcome = run("rank", tmp_path / "wide.csv", *words)
    assert outcome.code == 0
    written = list(csv.DictReader(Path("odd.csv").read_text(encoding="utf-8").splitlines()))
    assert max(written, key=lambda row: float(row["oddness"]))["line"] == "9"


def test_one_detector_can_make_the_list(run, messy_csv):
    found = [
        json.loads(run("rank", messy_csv, *FAST, "--json", *words).out)["odd_rows"]
        for words in ((), ("--detector", "gaussian"))
    ]
    assert found[0][0]["oddness"] != found[1][0]["oddness"]
    refused = run("rank", messy_csv, *FAST, "--detector", "forest")
    assert refused.code == 2
    assert "--detector forest is not ranked. Choose one of gaussian, mixture." in refused.err
