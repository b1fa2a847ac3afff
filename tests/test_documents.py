"""Documents are true: every public name is in the reference, every module in the architecture."""

import importlib
import re
from importlib.metadata import version
from pathlib import Path

import pytest

import oddrank
from tests.reference_page import listed_names

ROOT = Path(__file__).parents[1]
MODULES = [
    oddrank,
    oddrank.reference,
    oddrank.io,
    oddrank.plots,
    oddrank.errors,
    oddrank.report,
]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference_and_has_a_docstring(module):
    # displays are listed once, among the names of `oddrank`
    owners = {module.__name__, "oddrank"}
    listed = {name for owner, name in listed_names() if owner in owners}
    for name in module.__all__:
        assert name in listed, name
        assert getattr(module, name).__doc__, name


def test_the_reference_lists_public_names_once():
    names = listed_names()
    assert len(names) == len(set(names))
    assert [each for each in names if each[1] not in importlib.import_module(each[0]).__all__] == []


def test_architecture_names_every_module():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "oddrank"
    for path in source.iterdir():
        if path.name.startswith("__") or path.suffix not in {".py", ""} or path.name == "demo.py":
            continue
        assert re.search(rf"\b{path.stem}\b", text), path.name


def test_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert version("oddrank") == oddrank.__version__
    assert f"version: {oddrank.__version__}" in citation
