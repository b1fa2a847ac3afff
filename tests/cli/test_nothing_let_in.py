"""Model files, detector modules, names and pipes that come from anywhere."""

import csv
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io

from oddrank import rank_detectors
from oddrank.cli.model_rows import save_with_rows
from oddrank.cli.row_file import harmless
from oddrank.detectors import DETECTORS
from oddrank.io import TRUSTED, Reading, sources
from oddrank.rows import TableEncoder, as_table
from tests.faults.hostile_models import (
    BROKEN_TREES,
    density_with_far_rows,
    forest_with,
    forest_with_more_nodes_than_it_holds,
    reaching_globals,
)

FAST = ("--detectors", "gaussian", "--jobs", 1, "--quiet")


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "rows.csv"
    pd.DataFrame(random.normal(size=(200, 2)), columns=["a", "b"]).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("declared", sorted(TRUSTED))
def test_no_trusted_name_lets_a_file_reach_globals(run, table, declared):
    Path("crafted.skops").write_bytes(reaching_globals(declared))
    outcome = run("score", "crafted.skops", table)
    assert outcome.code == 2
    assert "cannot be read as a skops file" in outcome.err or "not known to be safe" in outcome.err


@pytest.mark.parametrize("change", BROKEN_TREES, ids=lambda change: change.__name__)
def test_trees_that_point_beyond_themselves_are_refused(run, table, change):
    Path("forest.skops").write_bytes(forest_with(change))
    outcome = run("score", "forest.skops", table)
    assert outcome.code == 2
    assert "damaged, or made to do harm: a " in outcome.err
    assert outcome.err.count("\n") == 1


def test_trees_that_say_they_are_larger_than_they_are_do_no_harm(run, table):
    Path("forest.skops").write_bytes(forest_with_more_nodes_than_it_holds())
    outcome = run("score", "forest.skops", table)
    # newer versions of scikit-learn count the nodes themselves
    assert outcome.code == 0 or "a tree has more nodes than it holds" in outcome.err


def test_neighbour_trees_that_point_beyond_themselves_are_refused(run, table):
    Path("density.skops").write_bytes(density_with_far_rows())
    outcome = run("score", "density.skops", table)
    assert outcome.code == 2
    assert "points at a row that it does not hold" in outcome.err


def test_sound_trees_are_read(run, table):
    Path("forest.skops").write_bytes(forest_with(lambda nodes, state: None))
    assert run("score", "forest.skops", table).code == 0


@pytest.mark.faults
def test_the_trusted_list_holds_what_winners_need_and_no_more(tmp_path):
    random = np.random.default_rng(0)
    plain = pd.DataFrame(random.normal(size=(120, 3)), columns=list("abc"))
    mixed = plain.assign(d=random.choice(["x", "y"], 120), e=pd.date_range("2024", periods=120))
    needed = set()
    for name in DETECTORS:
        for rows in (plain, mixed) if name == "gaussian" else (plain,):
            encoder = None if rows is plain else TableEncoder()
            ranking = rank_detectors(
                {name: DETECTORS[name]()}, rows, preprocess=encoder, judge="references",
                random_state=0,
            )  # fmt: skip
            for model in (ranking.best_detector, ranking.committee):
                path = tmp_path / "model.skops"
                save_with_rows(model, as_table(rows), Reading(), str(path))
                needed |= set(skops.io.get_untrusted_types(file=path))
    assert needed == TRUSTED


def test_types_of_known_packages_may_be_vouched_for(run, table):
    from sklearn.neighbors import BallTree

    skops.io.dump(BallTree(np.zeros((3, 2))), "tree.skops")
    outcome = run("score", "tree.skops", table)
    assert "If you know who made the file, add: --trust" in outcome.err


HOSTILE = "wid\x1b[2Jth\x9b31m\u202e"


def test_control_characters_never_reach_the_terminal(run, tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(200, 2)), columns=[HOSTILE, "b\x07"])
    frame["na\x1bme"] = "same"
    path = tmp_path / "ro\x1bws.csv"
    frame.to_csv(path, index=False)
    for words in (("rank", path, "--detectors", "gaussian,density"),
                  ("importance", path, "--detector", "gaussian", "--draws", 4)):  # fmt: skip
        outcome = run(*words, "--jobs", 1)
        for text in (outcome.out, outcome.err):
            assert not set("\x1b\x9b\x07\u202e") & set(text)
    assert "\\x1b" in outcome.out
    out = run("rank", path, *FAST, "--json").out
    assert not set("\x1b\x9b\x07\u202e") & set(out)
    assert "ro\\u001bws.csv" in out
    json.loads(out)
    missing = run("rank", "no\x1bfile.csv")
    assert missing.err == "oddrank: There is no file no\\x1bfile.csv. Check the path.\n"


def test_control_characters_never_reach_the_terminal_from_python():
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 2)), columns=[HOSTILE, "b"])
    detectors = {f"a{HOSTILE}": DETECTORS["gaussian"](), f"b{HOSTILE}": DETECTORS["density"]()}
    ranking = rank_detectors(detectors, rows, random_state=0)
    for text in (str(ranking), repr(ranking)):
        assert not set("\x1b\x9b\u202e") & set(text)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        (" =1+1", "' =1+1"),
        ("\t=1", "'\t=1"),
        ("＝1+1", "'＝1+1"),
        ("-2.5", "-2.5"),
        ("+1,234.5", "+1,234.5"),
        ("-1e-5", "-1e-5"),
        ("-12 %", "-12 %"),
        ("a=b", "a=b"),
        ("", ""),
        (3, 3),
    ],
)
def test_cells_that_a_spreadsheet_would_run(cell, written):
    assert harmless(cell) == written


def test_scores_hold_no_formulas(run, tmp_path):
    random = np.random.default_rng(0)
    lines = ["=cmd,b,note"]
    lines += [f"{a:.4f},{b:.4f},=HYPERLINK({i})" for i, (a, b) in
              enumerate(random.normal(size=(200, 2)))]  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines))
    outcome = run("rank", path, *FAST, "--scores", "odd.csv")
    assert outcome.code == 0
    with Path("odd.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert not [cell for cell in cells if harmless(cell) != cell]


MODULES = {
    "syntax error": ("def detectors(:", "x", "cannot be imported: SyntaxError"),
    "raises": ("raise OSError('no licence')", "x", "cannot be imported: OSError: no licence"),
    "exits": ("import sys; sys.exit(0)", "x", "cannot be imported: SystemExit: 0"),
    "failing": ("def x(): return 1 / 0", "x", "failed: ZeroDivisionError: division by zero"),
    "leaving": ("def x(): raise SystemExit", "x", "failed: SystemExit"),
    "argument": ("def x(n): return {}", "x", "failed: TypeError"),
    "number": ("x = 3", "x", "must be a mapping of names to detectors"),
}


@pytest.mark.parametrize("kind", MODULES)
def test_detector_modules_that_fail_are_one_sentence(run, table, monkeypatch, kind):
    text, attribute, sentence = MODULES[kind]
    name = "own_" + kind.replace(" ", "_")
    Path(f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    outcome = run("rank", table, "--detectors-from", f"{name}:{attribute}", "--quiet")
    sys.modules.pop(name, None)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1
    assert "parameter" not in outcome.err  # of Python


@pytest.mark.parametrize("place", ["..:x", ".:x", "a..b:x", "a b:x", "\x00:x", "é:x", "json:x y"])
def test_places_that_are_no_modules_are_one_sentence(run, table, monkeypatch, place):
    monkeypatch.setattr(sys, "path", list(sys.path))
    outcome = run("rank", table, "--detectors-from", place, "--quiet")
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1


def test_users_that_are_not_there_are_one_sentence(run):
    outcome = run("rank", "~nosuchuser/x.csv")
    assert outcome.code == 2
    assert outcome.err.endswith("oddrank: There is no file ~nosuchuser/x.csv. Check the path.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_that_are_not_utf8(run, table, tmp_path):
    strange = os.fsdecode(os.fsencode(str(tmp_path)) + b"/ta\xffble.csv")
    os.link(table, strange)
    outcome = run("rank", strange, *FAST[:-1], "--html", "r.html", "--json")
    assert outcome.code == 0
    json.loads(outcome.out)
    assert "ta\\udcffble.csv" in Path("r.html").read_text(encoding="utf-8")
    missing = run("rank", os.fsdecode(b"no\xfffile.csv"))
    assert missing.code == 2
    assert "There is no file no\\udcfffile.csv" in missing.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_without_a_writer_is_not_waited_for(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_WAIT", 0.2)
    os.mkfifo(tmp_path / "pipe.csv")
    outcome = run("rank", tmp_path / "pipe.csv")
    assert outcome.code == 2
    assert "is a pipe, and nobody wrote into it for 0.2 seconds." in outcome.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_with_a_writer_is_a_table(run, table, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(table.read_bytes()))
    writer.start()
    outcome = run("rank", pipe, *FAST)
    writer.join()
    assert outcome.code == 0
    assert "gaussian" in outcome.out


def test_what_detectors_print_in_this_process_does_not_spoil_json(run, table):
    outcome = run("rank", table, "--detectors-from", "tests.planted:printing", "--jobs", 1,
                  "--json")  # fmt: skip
    json.loads(outcome.out)
    assert "printed by Python" in outcome.err


@pytest.mark.faults
def test_what_detectors_print_does_not_spoil_json(table):
    """In this process and in workers, from Python and from below it."""
    command = [
        sys.executable,
        "-m",
        "oddrank.cli",
        "rank",
        str(table),
        "--json",
        "--detectors-from",
    ]
    for jobs in ("1", "2"):
        ran = subprocess.run(
            [*command, "tests.planted:printing", "--jobs", jobs, "--save", str(table) + ".skops"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode in (0, 1, 2), ran.stderr
        json.loads(ran.stdout)
        assert "printed by Python" in ran.stderr
        assert "printed below Python" in ran.stderr
