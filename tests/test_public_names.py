"""`import oddrank` is quick, and its names are what they say."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import oddrank


@pytest.mark.parametrize("name", oddrank.__all__)
def test_every_public_name_exists(name):
    assert getattr(oddrank, name) is not None
    assert name in dir(oddrank)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="No oddrank attribute rank_detector"):
        oddrank.rank_detector  # noqa: B018


@pytest.mark.parametrize("name", oddrank.__all__)
def test_only_modules_have_the_names_of_modules(name):
    # importing the module would put it in the place of the function or class
    is_module = importlib.util.find_spec(f"oddrank.{name}") is not None
    assert isinstance(getattr(oddrank, name), ModuleType) == is_module


@pytest.mark.parametrize("first", ["oddrank.curves", "oddrank.inspection", "oddrank.ranking"])
def test_names_are_the_same_whatever_is_imported_first(first):
    code = (
        f"import {first}, oddrank\n"
        "from oddrank import feature_importance, level_sets\n"
        "assert callable(level_sets) and callable(feature_importance)\n"
        "assert callable(oddrank.level_sets)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_names_are_listed_once_in_the_stub():
    stub = Path(oddrank.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imported = [
        alias.name
        for node in ast.walk(ast.parse(stub))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert len(imported) == len(set(imported))
    assert set(imported) == set(oddrank.__all__)


def test_importing_oddrank_imports_nothing_heavy():
    code = (
        "import oddrank, oddrank.cli.application, sys\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'matplotlib', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
