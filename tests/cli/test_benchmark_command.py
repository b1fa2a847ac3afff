"""`oddrank benchmark`: run, table, agreement, verdict."""

import json

import numpy as np

from oddrank.benchmark import printed_table
from oddrank.benchmark.store import append_rows
from tests.benchmark.made_rows import VERDICT_ROWS, finished_rows

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
    assert "always forest" in agreement.out
    values = json.loads(run("benchmark", "agreement", "--json").out)
    assert {line["verdict"] for line in values["lost"]} == {
        "EM", "MV", "random", "always narrow", "always forest",
    }  # fmt: skip


def test_table_has_36_lines_beside_the_papers(run, tmp_path):
    datasets = list(dict.fromkeys(dataset for dataset, _ in printed_table("novelty")))
    append_rows(tmp_path / "rows.jsonl", finished_rows(datasets))
    table = run("benchmark", "table", "--setting", "novelty")
    head, _, *lines = table.out.strip().splitlines()
    assert len(lines) == 36
    assert head.count("paper") == head.count("ratio") == 4
    assert lines[0].startswith("| adult | iforest | 2 |")


def test_agreement_prints_claimed_recounted_and_ours(run, tmp_path):
    append_rows(tmp_path / "rows.jsonl", finished_rows())
    outcome = run("benchmark", "agreement", "--setting", "novelty", "--preset", "paper")
    assert outcome.code == 0
    for text in ("28/36", "26-27/36", "6/6 = 100 %", "best in", "random order"):
        assert text in outcome.out
    assert "preset oddrank" not in outcome.out


def test_verdict_prints_every_setting(run, tmp_path):
    append_rows(tmp_path / "rows.jsonl", VERDICT_ROWS)
    outcome = run("benchmark", "verdict")
    assert outcome.code == 0
    for text in ("judge, novelty", "judge, unsupervised", "always iforest"):
        assert text in outcome.out
    values = json.loads(run("benchmark", "verdict", "--json").out)
    # wrong on one of four datasets
    assert values["novelty"]["default call, nothing said"]["pairs right"] == 0.75


def test_no_rows_is_nothing_concluded(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in ("table", "agreement", "verdict"):
        outcome = run("benchmark", command)
        assert outcome.code == 2
        assert "oddrank benchmark run" in outcome.err


def test_rows_without_labels_have_nothing_to_agree_with(run, tmp_path):
    rows = [{**row, "roc": None, "pr": None} for row in finished_rows(("mine",))]
    append_rows(tmp_path / "rows.jsonl", rows)
    outcome = run("benchmark", "agreement")
    assert outcome.code == 2
    assert "No dataset in rows.jsonl has labels" in outcome.err
    assert "no labels" in run("benchmark", "table").out


def test_bad_specification_is_one_line(run, tmp_path):
    outcome = run("benchmark", "run", "--spec", str(tmp_path / "no.toml"))
    assert outcome.code == 2
    assert "cannot be read" in outcome.err


def test_failed_cells_are_no_success(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_own(tmp_path)
    text = (tmp_path / "own.toml").read_text()
    (tmp_path / "own.toml").write_text(text.replace("bandwidth = 0.4", "bandwidth = -1.0"))
    words = ("benchmark", "run", "--spec", "own.toml", "--jobs", 1)
    for _ in range(2):  # tried again, and failed again
        outcome = run(*words)
        assert outcome.code == 2
        assert "2 rows in rows.jsonl, 1 of them failures." in outcome.err
        assert "Failed: narrow failed to fit" in outcome.err
    (tmp_path / "own.toml").write_text(text)
    assert run(*words).code == 0


def test_a_bad_line_is_one_sentence(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("[1]\n{}\n")
    for words in (("run", "--spec", "goix2016"), ("table",), ("agreement",), ("verdict",)):
        outcome = run("benchmark", *words)
        assert outcome.code == 2
        assert outcome.err == (
            "oddrank: Line 1 of 'rows.jsonl' is not a row of a benchmark. "
            "Remove the line, or name another file of rows.\n"
        )
