"""What is published is whole: one version, extras that exist, workflows that call what is there."""

import re
import tomllib
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
import yaml

import oddrank

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github").rglob("*.yml"))
TEXTS = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")]


def test_the_version_is_in_one_place():
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/oddrank/__init__.py"
    assert version("oddrank") == oddrank.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    assert newest[1] == oddrank.__version__


def test_every_python_that_is_tested_is_declared_and_the_other_way_round():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert tested == declared
    assert metadata("oddrank")["Requires-Python"] == f">={declared[0]}"
    page = (ROOT / "docs/maintainers/supported_versions.md").read_text(encoding="utf-8")
    assert f"| {', '.join(declared)} |" in page


def test_the_page_of_supported_versions_has_the_lowest_ones():
    page = (ROOT / "docs/maintainers/supported_versions.md").read_text(encoding="utf-8")
    for library in ("numpy", "scipy", "scikit-learn"):
        (bound,) = (d for d in PROJECT["project"]["dependencies"] if d.startswith(f"{library}>="))
        assert f"| {library} | {bound.split('>=')[1]} |" in page


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_yaml_and_call_targets_that_exist(path):
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for called in re.findall(r"run: make ([a-z -]+)$", text, re.M):
        assert set(called.split()) <= targets
    for action in re.findall(
        r"uses: (\S+)", text
    ):  # a tag can be moved to other code, a hash cannot
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)


def test_publishing_needs_no_stored_secret():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "id-token: write" in text
    assert "secrets." not in text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_no_text_claims_that_there_is_a_release(path):
    assert "pip install oddrank" not in path.read_text(encoding="utf-8")


def test_what_the_tests_read_is_in_the_sdist():
    sdist = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert "include" not in sdist, "everything that git tracks is included"
    assert sdist["exclude"] == [".ci"]
