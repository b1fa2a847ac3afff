"""`importance`, `demo`, `doctor`, and the group itself."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from oddrank.cli.application import application

COMMANDS = [
    ("ask", "payments.csv"),
    ("rank",), ("tune",), ("score",), ("evaluate",), ("importance",), ("demo",), ("doctor",),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_the_common_options_and_an_example(run, command):
    outcome = run(*command, "--help")
    assert outcome.code == 0
    for option in ("--json", "--seed", "--jobs", "--quiet"):
        assert option in outcome.out
    assert f"Example:\n    oddrank {' '.join(command)}" in outcome.out


def test_every_command_is_in_this_list():
    listed = {command[0] for command in COMMANDS}
    assert listed == set(application.commands)


def test_help_starts_quickly():
    def seconds() -> float:
        start = os.times()
        subprocess.run(
            [sys.executable, "-m", "oddrank.cli", "--help"], check=True, capture_output=True
        )
        now = os.times()  # of the processor: other work on the machine does not count
        return now.children_user + now.children_system - start.children_user - start.children_system

    assert min(seconds() for _ in range(5)) < 0.5


def test_importance(run, messy_csv):
    arguments = ("importance", messy_csv, "--detector", "gaussian", "--draws", 12, "--jobs", 1)
    outcome = run(*arguments, "--plot", "picture.png")
    assert outcome.code == 0
    assert "Features that help" in outcome.out
    assert Path("picture.png").read_bytes().startswith(b"\x89PNG")
    result = json.loads(run(*arguments, "--json", "--quiet").out)
    assert {each["feature"] for each in result["features"]} == {"width", "height"}


def test_importance_refuses_several_detectors_and_single_features(run, messy_csv):
    several = run("importance", messy_csv, "--detector", "forest,lof", "--quiet")
    assert several.code == 2
    assert "takes one detector" in several.err
    twice = run("importance", messy_csv, "--detector", "gaussian,gaussian,", "--draws", 4)
    assert twice.code in (0, 2)
    assert "help gaussian:" in twice.out
    single = run("importance", messy_csv, "--columns", "width", "--quiet")
    assert single.code == 2
    assert "at least two features" in single.err


def test_demo(run):
    outcome = run("demo", "--jobs", 1, "--html", "demo.html")
    assert outcome.code == 0
    assert outcome.out.startswith("Look at these rows first:")
    assert len(re.findall(r"^\d  \w", outcome.out, re.MULTILINE)) == 6
    found = re.search(r"places ([\d, and]+) of the list", " ".join(outcome.out.split()))
    places = [int(each) for each in re.findall(r"\d+", found[1])]
    # rows with errors come first: none of them among the 95 % that look ordinary
    assert len(places) == 6
    assert places[:4] == [1, 2, 3, 4]
    assert max(places) <= 28
    assert "tumours" in Path("demo.html").read_text(encoding="utf-8")


def test_make_demo_needs_nothing_but_the_core():
    code = (
        "import sys\n"
        "extras = {'pandas', 'rich', 'click', 'jinja2', 'matplotlib', 'tqdm', 'pyod', 'skops'}\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in extras:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from oddrank.demo import main\n"
        "main()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert "Use " in result.stdout
    assert "Checked: the 6 rows with an error" in result.stdout


def test_doctor(run):
    assert "scikit-learn" in run("doctor").out
    facts = json.loads(run("doctor", "--json").out)
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    assert {re.split("[<>=~ ]", each)[0] for each in needed} <= set(facts["versions"])
    assert facts["extras"]["cli"]["installed"]
    assert facts["cores"] >= 1


def test_unknown_commands_and_options(run):
    outcome = run("rnak")
    assert outcome.code == 2
    assert "No such command 'rnak'" in outcome.err
    assert "--help" in run("demo", "--nope").err


def test_without_click_the_extra_is_named(capsys, monkeypatch):
    from oddrank.cli import main

    monkeypatch.setitem(sys.modules, "click", None)
    for name in [name for name in sys.modules if name.startswith("oddrank.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["--help"]) == 2
    assert "pip install '.[cli]'" in capsys.readouterr().err


def test_a_page_that_cannot_be_drawn_is_refused_before_work_starts(run, messy_csv, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "oddrank.cli.output_files.find_spec", lambda name: None if name == "jinja2" else found(name)
    )
    outcome = run("rank", messy_csv, "--html", "page.html")
    assert outcome.code == 2
    assert "pip install '.[report]'" in outcome.err
    assert "Reading" not in outcome.err


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m oddrank.cli doctor --json | head -1"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == ""
    assert result.stdout == "{\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("doctor", 0),
        ("rank rows.csv --detectors gaussian,mixture --details", 0),
        ("tune mixture rows.csv --grid n_components=1,2", 0),
        ("importance rows.csv --draws 4", 2),
    ],
)
def test_a_pipe_that_closes_early_keeps_the_exit_code(tmp_path, command, code):
    rows = np.random.default_rng(0).normal(size=(120, 2))
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b", comments="")
    words = [sys.executable, "-m", "oddrank.cli", *command.split(), "--quiet"]
    reader, writer = os.pipe()
    os.close(reader)  # nobody reads, from the start
    with os.fdopen(writer, "wb") as out:
        result = subprocess.run(
            words, check=False, stdout=out, stderr=subprocess.PIPE, cwd=tmp_path, timeout=120
        )
    assert result.returncode == code, result.stderr
    assert b"Traceback" not in result.stderr
    assert b"Exception ignored" not in result.stderr


def test_presets_and_pyod(monkeypatch):
    from oddrank.cli.own_detectors import named_detectors
    from oddrank.detectors import named_detectors as pool
    from oddrank.errors import MissingExtraError

    with_pyod = set(named_detectors("all"))
    assert set(named_detectors("fast,default")) < with_pyod
    monkeypatch.setattr(pool.importlib.util, "find_spec", lambda name: None)
    assert "knn" not in named_detectors("default")
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[pyod\]'"):
        named_detectors("knn")


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", "nosuch.csv"),
        ("rank", "--jobs", "0", "nosuch.csv"),
        ("tune", "lof", "nosuch.csv"),
        ("importance", "nosuch.csv"),
        ("rank", "--nosuch"),
    ],
)
def test_bad_arguments_are_answered_before_anything_heavy_is_imported(arguments):
    code = (
        "import sys\n"
        "from oddrank.cli import main\n"
        f"code = main({list(arguments)!r})\n"
        "heavy = {'sklearn', 'scipy', 'pandas', 'joblib', 'rich', 'oddrank.io'}\n"
        "print(code, sorted(heavy & set(sys.modules)))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "2 []\n", result.stderr


def test_the_command_alone_shows_its_help(run):
    outcome = run()
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out == run("--help").out
    assert "Commands:\n" in outcome.out


def test_wrong_values_are_those_of_flags(run, messy_csv):
    outcome = run("rank", messy_csv, "--encoding", "nosuch")
    assert outcome.code == 2
    assert "oddrank: --encoding must be the name of a text encoding." in outcome.err
    outcome = run("rank", messy_csv, "--separator", "ab")
    assert outcome.code == 2
    assert "oddrank: --separator must be one ASCII character" in outcome.err
