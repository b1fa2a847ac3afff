"""The commands that README and *Start here* show do what they say."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from oddrank.cli import main

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", ROOT / "docs" / "start.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def commands():
    """Every command of the two texts, once, without its comment."""
    blocks = [
        block
        for path in TEXTS
        for block in re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.S)
    ]
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return list(dict.fromkeys(line.split(" #")[0].strip() for line in lines))


def test_commands_of_the_first_pages_work_one_after_the_other(tmp_path, monkeypatch, capsys):
    for path in (ROOT / "docs").glob("*.csv"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("click.getchar", lambda: "q")  # whoever is asked has had enough
    run = [shlex.split(each)[1:] for each in commands() if each.startswith("oddrank ")]
    assert len(run) >= 2
    for arguments in run:
        assert main([*arguments, "--quiet"]) == 0, arguments
    assert "Use " in capsys.readouterr().out
    assert {"report.html", "rows.csv", "model.skops"} <= {p.name for p in tmp_path.iterdir()}


@pytest.mark.parametrize("command", [each for each in commands() if each.startswith("pip")])
def test_extras_that_are_advised_exist(command):
    extras = re.findall(r"\[(.*?)\]", command)
    named = [extra for group in extras for extra in group.split(",")]
    assert set(named) <= set(PROJECT["optional-dependencies"])
    assert "oddrank" not in command, "there is no release that pip would find"


def test_every_command_is_tested():
    known = ("oddrank ", "pip install ")
    assert [each for each in commands() if not each.startswith(known)] == []
