"""`import oddrank` is quick, and its names are what they say."""

import subprocess
import sys

import pytest

import oddrank


@pytest.mark.parametrize("name", oddrank.__all__)
def test_every_public_name_exists(name):
    assert getattr(oddrank, name) is not None
    assert name in dir(oddrank)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'rank_detector'"):
        oddrank.rank_detector  # noqa: B018


@pytest.mark.parametrize("first", ["oddrank.level_sets", "oddrank.feature_importance"])
def test_functions_are_not_hidden_by_modules_of_the_same_name(first):
    code = (
        f"import {first}, oddrank\n"
        "from oddrank import feature_importance, level_sets\n"
        "assert callable(level_sets) and callable(feature_importance)\n"
        "assert callable(oddrank.level_sets)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_importing_oddrank_imports_nothing_heavy():
    code = (
        "import oddrank, oddrank.cli.application, sys\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'matplotlib', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
