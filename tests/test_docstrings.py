"""Every public name has an example that runs and a link to the page that explains it."""

import inspect
import re
from pathlib import Path

import pytest

import oddrank
import oddrank.datasets
import oddrank.reference

DOCS = Path(__file__).parents[1] / "docs"
MODULES = (oddrank, oddrank.reference, oddrank.datasets)
NAMES = [
    pytest.param(getattr(module, name), id=f"{module.__name__}.{name}")
    for module in MODULES
    for name in module.__all__
    # a constant has no docstring of its own
    if not isinstance(getattr(module, name), str)
]


@pytest.mark.parametrize("member", NAMES)
def test_it_has_an_example(member):
    # `make test` runs the examples of all docstrings
    assert ">>> " in (inspect.getdoc(member) or "")


@pytest.mark.parametrize("member", NAMES)
def test_it_links_to_a_page_that_exists(member):
    links = re.findall(r"Guide: :doc:`/([\w/]+)`\.", inspect.getdoc(member) or "")
    assert len(links) == 1
    assert (DOCS / f"{links[0]}.md").exists()
