"""`oddrank benchmark`: run, table, agreement."""

import json

import numpy as np

SPEC = """
name = "own"
presets = ["oddrank"]
seeds = [0]
settings = ["novelty"]
[[datasets]]
name = "own"
path = "own.csv"
label = "odd"
[[detectors]]
name = "narrow"
path = "sklearn.neighbors.KernelDensity"
parameters = { bandwidth = 0.4 }
[[detectors]]
name = "forest"
path = "sklearn.ensemble.IsolationForest"
"""


def write_own(folder):
    random = np.random.default_rng(0)
    rows = [
        f"{a:.6f},{b:.6f},{'yes' if odd else 'no'}"
        for a, b, odd in zip(*random.normal(size=(2, 300)), np.arange(300) % 9 == 0, strict=True)
    ]
    (folder / "own.csv").write_text("\n".join(["a,b,odd", *rows]))
    (folder / "own.toml").write_text(SPEC)


def test_run_table_and_agreement(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_own(tmp_path)
    ran = run("benchmark", "run", "--spec", "own.toml", "--jobs", 1, "--json", "--quiet")
    assert ran.code == 0
    assert json.loads(ran.out) == {"rows": 2, "failed": 0, "path": "rows.jsonl"}
    table = run("benchmark", "table")
    assert table.code == 0
    assert "| own | narrow |" in table.out
    rows = json.loads(run("benchmark", "table", "--json").out)
    assert {row["detector"] for row in rows} == {"narrow", "forest"}
    agreement = run("benchmark", "agreement")
    assert agreement.code == 0
    assert "26-27/36" in agreement.out
    lost = json.loads(run("benchmark", "agreement", "--json").out)["roc_lost"]
    assert set(lost) == {"em", "mv", "random", "always:narrow", "always:forest"}


def test_no_rows_is_nothing_concluded(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("table", "agreement"):
        outcome = run("benchmark", command)
        assert outcome.code == 1
        assert "oddrank benchmark run" in outcome.err


def test_bad_specification_is_one_line(run, tmp_path):
    outcome = run("benchmark", "run", "--spec", str(tmp_path / "no.toml"))
    assert outcome.code == 2
    assert "cannot be read" in outcome.err
