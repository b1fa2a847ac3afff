"""Every piece of advice works where it is shown: flags exist and run, parameters are accepted."""

import ast
import inspect
import re
import shlex
from pathlib import Path

import click
import numpy as np
import pytest

import oddrank
from oddrank import References, Volume, evaluate_detector, rank_detectors
from oddrank.cli.application import application
from oddrank.io import read_table
from oddrank.reference import AutoReference

SOURCE = Path(oddrank.__file__).parent
COMMANDS = sorted(application.commands)


def wordings():
    """The texts of every `Wording(python=…, command=…)` of the package."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Wording":
                texts = {each.arg: ast.unparse(each.value) for each in node.keywords}
                yield path.name, texts["python"], texts["command"]


WORDINGS = list(wordings())
FLAG = re.compile(r"--[a-z][a-z-]*")


def flags_of(command):
    return {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}


def test_there_is_advice_to_check():
    assert len(WORDINGS) > 10


@pytest.mark.parametrize(("place", "python", "command"), WORDINGS)
def test_each_place_has_its_own_words(place, python, command):
    assert not FLAG.search(python), "flags mean nothing in Python"
    assert not re.search(r"\b[a-z_]+=[^=]", command), "parameters mean nothing on the command line"
    for flag in FLAG.findall(command):
        assert flag in flags_of(application.commands["rank"]), flag


def messages():
    """Every text of the package that names a flag, docstrings and help apart."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            text = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and id(node) not in docstrings and FLAG.search(text):
                yield path.relative_to(SOURCE).as_posix(), text


@pytest.mark.parametrize(("place", "text"), sorted(set(messages())))
def test_every_flag_in_a_message_exists_where_it_is_shown(place, text):
    commands = application.commands
    named = re.search(r"cli/commands/(\w+)\.py", place)
    # a command speaks of its own flags, or says whose they are: "oddrank rank --save"
    own = [commands[named[1]]] if named else list(commands.values())
    for flag in FLAG.findall(text):
        of = re.search(rf"oddrank (\w+) (?:\w+ )*{flag}", text)
        owners = [commands[of[1]]] if of else own
        assert any(flag in {*flags_of(each), "--help"} for each in owners), flag


def test_the_advice_of_an_evaluation_can_be_followed_where_it_is_shown():
    source = (SOURCE / "evaluation" / "diagnostics.py").read_text(encoding="utf-8")
    # draws of features are made by rank alone
    of_fits = source[: source.index("def _resolved_draws")].replace("--draws 200", "")
    shown = {flag for each in ("rank", "evaluate") for flag in flags_of(application.commands[each])}
    both = shown & flags_of(application.commands["evaluate"])
    assert set(FLAG.findall(of_fits)) <= both


@pytest.fixture(scope="module")
def wide_csv(tmp_path_factory):
    rows = np.random.default_rng(0).normal(size=(300, 9))
    names = ",".join(f"c{j}" for j in range(9))
    path = tmp_path_factory.mktemp("advice") / "wide.csv"
    np.savetxt(path, rows, delimiter=",", header=names, comments="", fmt="%.6f")
    return path


def advised_calls():
    """Every flag with its value, as advice has it."""
    found = set()
    for _, _, command in WORDINGS:
        for flag, value in re.findall(r"(--[a-z-]+)(?: ([a-z0-9]+|FILE))?", command):
            found.add((flag, value))
    return sorted(found)


VALUES = {"FILE": "model.skops", "": ""}


@pytest.mark.parametrize(("flag", "value"), advised_calls())
def test_every_flag_that_is_advised_runs(run, wide_csv, flag, value):
    option = next(
        each
        for each in application.commands["rank"].params
        if flag in (*each.opts, *each.secondary_opts)
    )
    words = [flag]
    if not option.is_flag:
        needed = {"--columns": "c0,c1"}.get(flag) or VALUES.get(value, value)
        # advice may go on in words: "--draws 200, or …"
        words.append(needed if needed else pytest.fail(f"{flag} is advised without a value"))
        if isinstance(option.type, click.Choice):
            assert needed in option.type.choices
    fast = ("--detectors", "gaussian", "--jobs", 1)
    if flag == "--draws":
        words[1] = "4"  # as many would take long
    outcome = run("rank", wide_csv, *fast, *words)
    assert outcome.code == 0, outcome.err


def test_what_python_is_advised_is_accepted():
    owners = (rank_detectors, Volume, References, evaluate_detector, AutoReference,
              oddrank.FeatureSubsampling, read_table)  # fmt: skip
    known = {name for owner in owners for name in inspect.signature(owner).parameters}
    texts = " ".join(python for _, python, _ in WORDINGS)
    assert set(re.findall(r"\b([a-z_]+)=", texts)) <= known
    code = re.findall(r"\b(?:reference|subsampling)=([A-Z]\w+\([^()]*\))", texts)
    names = {"AutoReference": AutoReference, "FeatureSubsampling": oddrank.FeatureSubsampling}
    assert len(code) >= 2
    for each in code:
        eval(each, names)


def test_the_demo_advises_nothing_that_it_refuses(run):
    shown = run("demo", "--quiet", "--jobs", 1, "--html", "demo.html").out
    page = Path("demo.html").read_text(encoding="utf-8")
    content = re.sub(r"<[^>]*>", "", page[page.index("<main") : page.index("</main>")])
    for text in (shown, content):
        assert "committee of" in text
        here = re.sub(r"oddrank rank (--[a-z-]+)", "", " ".join(text.split()))
        assert set(FLAG.findall(here)) <= flags_of(application.commands["demo"])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_that_it_accepts(run, name):
    outcome = run(name, "--help")
    assert outcome.code == 0
    assert max(map(len, outcome.out.splitlines())) <= 100
    command = application.commands[name]
    if isinstance(command, click.Group):
        for part in command.commands:
            assert run(name, part, "--help").code == 0
        return
    shown = [
        line.strip() for line in outcome.out.splitlines() if line.strip().startswith("oddrank ")
    ]
    assert shown, "no example"
    for line in shown:
        _, called, *words = shlex.split(line)
        assert called == name
        for word in words:
            flag = word.partition("=")[0]
            assert not flag.startswith("--") or flag in flags_of(command), word
