"""Documents are true: every public name is in the reference, every module in the architecture."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

import oddrank
import oddrank.benchmark

ROOT = Path(__file__).parents[1]
MODULES = [
    oddrank,
    oddrank.benchmark,
    oddrank.reference,
    oddrank.datasets,
    oddrank.display,
    oddrank.errors,
    oddrank.report,
]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference_and_has_a_docstring(module):
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in module.__all__:
        listed = re.search(rf"^   {name}$", reference, re.M) or f"`{name}`" in reference
        assert listed, name
        assert getattr(module, name).__doc__, name


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
