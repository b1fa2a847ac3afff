"""Every public name has an example that runs and a link to the page that explains it."""

import inspect
import re

import pytest

from tests.reference_page import DOCS, listed_names, member

NAMES = [
    pytest.param(member(module, name), id=f"{module}.{name}")
    for module, name in listed_names()
    # a constant has no docstring of its own
    if callable(member(module, name)) or inspect.ismodule(member(module, name))
]


@pytest.mark.parametrize("documented", NAMES)
def test_it_has_an_example(documented):
    # `make test` runs the examples of all docstrings
    assert ">>> " in (documented.__doc__ or "")


@pytest.mark.parametrize("documented", NAMES)
def test_it_links_to_a_page_that_exists(documented):
    links = re.findall(r"Guide: :doc:`/([\w/]+)`\.", documented.__doc__ or "")
    assert len(links) == 1
    assert (DOCS / f"{links[0]}.md").exists()
