"""`oddrank tune`."""

import json
from pathlib import Path

import pytest


def test_tune_prints_candidates_and_saves_the_choice(run, messy_csv, tmp_path):
    model = tmp_path / "best.skops"
    arguments = ("tune", "mixture", messy_csv, "--grid", "n_components=1,8", "--jobs", 1)
    outcome = run(*arguments, "--save", str(model), "--quiet")
    assert outcome.code == 0
    assert "Use mixture with n_components=" in outcome.out
    assert Path(model).exists()
    scored = run("evaluate", str(model), messy_csv, "--json", "--quiet")
    assert scored.code == 0


def test_tune_writes_a_page(run, messy_csv, tmp_path):
    path = tmp_path / "tuning.html"
    arguments = ("tune", "mixture", messy_csv, "--grid", "n_components=1,8", "--jobs", 1)
    outcome = run(*arguments, "--html", path)
    assert outcome.code == 0
    assert f"Wrote {path}" in outcome.err
    page = path.read_text(encoding="utf-8")
    assert "has the best excess mass of 2 candidates" in page
    assert "oddrank tune mixture" in page
    assert "--seed 0" in page
    assert "Skipped" in page


def test_tune_as_json(run, messy_csv):
    arguments = ("tune", "lof", messy_csv, "--grid", "n_neighbors=5,20", "--jobs", 1)
    options = ("--json", "--quiet", "--take", "simplest", "--mass", 0.9, "--checkpoint", "work")
    found = json.loads(run(*arguments, *options).out)
    assert found["mass"] == 0.9
    assert json.loads(run(*arguments, *options).out) == found  # from the checkpoint
    assert found["detector"] == "lof"
    assert {each["settings"] for each in found["candidates"]} == {"n_neighbors=5", "n_neighbors=20"}
    tied = [each["settings"] for each in found["candidates"] if each["tie"]]
    assert found["best"] in tied
    assert all(isinstance(each["score"], float) for each in found["candidates"])


def test_tune_takes_the_cheapest(run, messy_csv, tmp_path):
    path = tmp_path / "tuning.html"
    # two are the same, and whichever is faster is taken
    arguments = ("tune", "mixture", messy_csv, "--grid", "n_components=1,1,8", "--jobs", 1)
    outcome = run(*arguments, "--take", "cheapest", "--html", path)
    assert outcome.code == 0
    page = path.read_text(encoding="utf-8")
    taken = ("the cheapest within one standard error", "the highest mean")
    assert any(f"chosen: {reason}" in page for reason in taken)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gaussian",), "There is no grid for 'gaussian'"),
        (("fast",), "tune takes one detector"),
        (("nobody",), "There is no detector or preset 'nobody'"),
        (("lof", "--grid", "n_neighbors"), "--grid needs name=value,value"),
        (("lof", "--save", "model.pkl"), "ends in .skops"),
        (("lof", "--grid", "nothing=1"), "nothing"),
    ],
)
def test_bad_input_is_one_line(run, messy_csv, arguments, sentence):
    outcome = run("tune", arguments[0], messy_csv, *arguments[1:], "--quiet")
    assert outcome.code == 2
    assert sentence in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
