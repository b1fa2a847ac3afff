"""`oddrank evaluate`: fitted models from files, and which files are refused."""

import json
import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.covariance import EllipticEnvelope
from sklearn.preprocessing import FunctionTransformer


@pytest.fixture
def model() -> EllipticEnvelope:
    return EllipticEnvelope(random_state=0).fit(np.random.default_rng(0).normal(size=(300, 2)))


@pytest.mark.parametrize("detector", ["forest", "lof", "svm", "knn"])
def test_a_saved_winner_is_scored(run, messy_csv, detector):
    saved = run("rank", messy_csv, "--detectors", detector, "--jobs", 1, "--save", "best.skops")
    assert saved.code == 0
    outcome = run("evaluate", "best.skops", messy_csv)
    assert outcome.code == 0
    assert "excess mass" in outcome.out
    assert "2 features" in outcome.err  # the columns that it was fitted on


def test_json(run, messy_csv, model):
    skops.io.dump(model, "model.skops")
    outcome = run("evaluate", "model.skops", messy_csv, "--drop-gaps", "--json", "--quiet")
    result = json.loads(outcome.out)
    assert result["table"] == "messy.csv"
    assert result["excess_mass"]["value"] > 0
    assert outcome.err == ""


@pytest.mark.parametrize("name", ["model.pkl", "model.joblib", "model.skops"])
def test_pickles_are_refused_by_content_and_by_name(run, messy_csv, model, name):
    writer = (
        joblib.dump
        if name.endswith("joblib")
        else lambda m, p: Path(p).write_bytes(pickle.dumps(m))
    )
    writer(model, name)
    outcome = run("evaluate", name, messy_csv)
    assert outcome.code == 2
    assert "runs whatever code is in it" in outcome.err
    assert run("evaluate", name, messy_csv, "--allow-pickle", "--drop-gaps").code == 0


def test_a_broken_pickle_is_one_line(run, messy_csv):
    Path("model.pkl").write_bytes(b"\x80\x04nonsense")
    outcome = run("evaluate", "model.pkl", messy_csv, "--allow-pickle")
    assert outcome.code == 2
    assert "cannot be read" in outcome.err


def test_unknown_types_must_be_vouched_for(run, messy_csv):
    from sklearn.pipeline import make_pipeline

    from tests.small_ranking import small_rows

    transformer = FunctionTransformer(np.tanh, inverse_func=small_rows, check_inverse=False)
    detector = make_pipeline(transformer, EllipticEnvelope(random_state=0))
    skops.io.dump(detector.fit(np.random.default_rng(0).normal(size=(300, 2))), "m.skops")
    refused = run("evaluate", "m.skops", messy_csv)
    assert refused.code == 2
    assert "tests.small_ranking.small_rows" in refused.err
    assert "--trust" not in refused.err  # nothing suggests to trust what nobody knows
    trust = ("--trust", "tests.small_ranking.small_rows", "--drop-gaps")
    accepted = run("evaluate", "m.skops", messy_csv, *trust)
    assert accepted.code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("missing.skops", "TABLE"), "There is no file missing.skops"),
        (("TABLE", "TABLE"), "cannot be read as a skops file"),
    ],
)
def test_bad_models_are_one_line(run, messy_csv, words, sentence):
    outcome = run("evaluate", *(messy_csv if word == "TABLE" else word for word in words))
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


def test_rows_that_the_model_knows_are_not_trusted(run, messy_csv):
    run("rank", messy_csv, "--detectors", "gaussian", "--jobs", 1, "--save", "best.skops")
    outcome = run("evaluate", "best.skops", messy_csv)
    assert "Trust: with care." in outcome.out
    assert "fitted on 100 % of these rows" in " ".join(outcome.out.split())
    found = json.loads(run("evaluate", "best.skops", messy_csv, "--json", "--quiet").out)
    assert not found["trustworthy"]
    assert "fitted on 100 % of these rows" in found["concerns"][0]


def test_concerns_in_json_speak_of_flags(run, model):
    rows = np.random.default_rng(0).normal(size=(300, 2))
    rows[0] = 1e4  # sets the size of the box
    np.savetxt("far.csv", rows, delimiter=",", header="a,b", comments="")
    skops.io.dump(model, "model.skops")
    words = ("evaluate", "model.skops", "far.csv", "--columns", "a,b", "--quiet")
    found = json.loads(run(*words, "--json").out)
    assert found["concerns"]
    assert not any("=" in each for each in found["concerns"]), found["concerns"]
    for each in found["concerns"]:
        assert each in " ".join(run(*words).out.split())


def test_categories_have_no_volume_and_that_is_told(run):
    random = np.random.default_rng(0)
    lines = ["size,colour", *(f"{random.normal():.4f},{'red' if i % 3 else 'blue'}"
                              for i in range(300))]  # fmt: skip
    Path("mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run("rank", "mixed.csv", "--detectors", "gaussian", "--jobs", 1, "--save", "best.skops")
    outcome = run("evaluate", "best.skops", "mixed.csv")
    assert outcome.code == 0
    assert "ROC area" in outcome.out
    assert "There is no volume among categories" in outcome.out
