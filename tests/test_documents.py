"""Documents are true: every public name is in the reference, every module in the architecture."""

import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import oddrank
from tests.reference_page import listed_names

ROOT = Path(__file__).parents[1]
# What samplers are made of, and hand to each other: nobody needs it to use them.
INNER_NAMES = {
    "LEBESGUE",
    "AdaptedMixture",
    "AdaptingSampler",
    "FollowingSampler",
    "Place",
    "ReferencePoints",
    "ScoredPoints",
    "ScoredRows",
    "TruncatedKernels",
}


def public_names():
    """Return (module, name) of every function and class that users may rely on."""
    modules = (oddrank, oddrank.reference, oddrank.errors)
    return sorted(
        (module.__name__, name)
        for module in modules
        for name in set(module.__all__) - INNER_NAMES
        if not isinstance(getattr(module, name), ModuleType)
    )


def test_the_reference_lists_every_public_name_once():
    assert sorted(listed_names()) == public_names()


@pytest.mark.parametrize(("module", "name"), public_names())
def test_every_public_name_has_a_docstring(module, name):
    assert getattr(import_module(module), name).__doc__


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
