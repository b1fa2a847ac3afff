"""`oddrank tune`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


def test_tune_prints_candidates_and_saves_the_choice(run, messy_csv, tmp_path):
    model = tmp_path / "best.skops"
    arguments = ("tune", "mixture", messy_csv, "--grid", "n_components=1,8", "--jobs", 1)
    outcome = run(*arguments, "--save", str(model), "--quiet")
    assert outcome.code == 0
    assert "n_components=8" in outcome.out
    assert Path(model).exists()
    scored = run("evaluate", str(model), messy_csv, "--json", "--quiet")
    assert scored.code == 0


def test_tune_as_json(run, messy_csv):
    arguments = ("tune", "lof", messy_csv, "--grid", "n_neighbors=5,20", "--jobs", 1)
    options = ("--json", "--quiet", "--mass", 0.9, "--checkpoint", "work")
    found = json.loads(run(*arguments, *options).out)
    assert json.loads(run(*arguments, *options).out) == found  # from the checkpoint
    assert found["detector"] == "lof"
    assert set(found["order"]) == {"n_neighbors=5", "n_neighbors=20"}
    assert found["best"] in found["together_with_best"]


def test_the_page_and_the_committee_of_a_search(run, messy_csv):
    words = ("tune", "mixture", messy_csv, "--grid", "n_components=1,2,8", "--jobs", 1)
    outcome = run(*words, "--html", "page.html", "--save", "all.skops", "--quiet")
    assert outcome.code == 0, outcome.err
    assert "n_components=8" in Path("page.html").read_text(encoding="utf-8")
    assert run("score", "all.skops", messy_csv, "--quiet").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gaussian",), "There is no grid for 'gaussian'"),
        (("fast",), "tune takes one detector"),
        (("nobody",), "There is no detector or preset 'nobody'"),
        (("lof", "--grid", "n_neighbors"), "--grid needs name=value,value"),
        (("lof", "--save", "model.pkl"), "ends in .skops"),
        (("lof", "--grid", "n_neighbors=5", "--grid", "n_neighbors=9"), "given more than once"),
        (("lof", "--grid", "nothing=1"), "nothing"),
    ],
)
def test_bad_input_is_one_line(run, messy_csv, arguments, sentence):
    outcome = run("tune", arguments[0], messy_csv, *arguments[1:], "--quiet")
    assert outcome.code == 2
    assert sentence in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_values_of_a_grid_are_those_of_python(run, messy_csv):
    grid = ("--grid", "bootstrap=True,False", "--grid", "max_samples=auto,64")
    outcome = run("tune", "forest,", messy_csv, *grid, "--json", "--quiet")
    assert outcome.code == 0, outcome.err
    result = json.loads(outcome.out)
    assert result["detector"] == "forest"
    assert len(result["order"]) == 4


def test_a_few_rows_are_a_guess(run, tmp_path):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 2)), columns=["a", "b"])
    for n_rows in (60, 600):
        rows.head(n_rows).to_csv(tmp_path / "rows.csv", index=False)
        words = ("tune", "mixture", tmp_path / "rows.csv", "--grid", "n_components=1,2")
        told = " ".join(run(*words, "--quiet").out.split())
        assert ("This is a guess" in told) == (n_rows == 60)


def test_settings_that_fail_are_not_beaten(run, messy_csv):
    words = ("tune", "density", messy_csv, "--grid", "bandwidth=0.5,-1", "--jobs", 1, "--quiet")
    outcome = run(*words)
    assert outcome.code == 0
    assert "beats" not in outcome.out
    assert "Failed: bandwidth=-1." in outcome.out
