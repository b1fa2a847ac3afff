"""The folders show the architecture: small packages, that use of each other what they export."""

import ast
import inspect
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

import oddrank
from oddrank import rank_detectors
from tests.quick_density import QuickDensity

ROOT = Path(__file__).parents[1]
SOURCE = Path(oddrank.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in FILES} - {SOURCE})
PACKAGES = sorted(folder for folder in FOLDERS if folder.parent == SOURCE)

MOST_FILES_IN_THE_ROOT = 10
MOST_MODULES = 14
MOST_LINES = 320
MOST_LAYERS = 10
MOST_PARAMETERS = 17
MOST_FILES_OF_A_CALL = 35


def name_of(path):
    return str(path.relative_to(SOURCE))


def exported(package):
    """The names in `__all__` of a package, read without importing it."""
    for node in ast.parse((SOURCE / package / "__init__.py").read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            return set(ast.literal_eval(node.value))
    return set()


def imports_of(path):
    """Every import of this project: the module, and the names that are taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively"
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def test_few_files_lie_in_the_root():
    here = sorted(path.name for path in SOURCE.glob("*.py"))
    assert len(here) <= MOST_FILES_IN_THE_ROOT, here


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_package_has_a_handful_of_modules(folder):
    modules = sorted(path.name for path in folder.glob("*.py") if path.name != "__init__.py")
    assert len(modules) <= MOST_MODULES, f"{len(modules)}: {modules}"


def test_a_file_holds_one_idea():
    lines = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_package_says_in_one_line_what_it_knows(folder):
    path = folder / "__init__.py"
    assert path.exists()
    charter = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False)
    assert charter, "no docstring"
    first, _, rest = charter.partition("\n")
    assert first.strip() == first, "the first line is blank or indented"
    assert first.endswith("."), "the first line is not a sentence"
    assert not rest or rest.startswith("\n"), "the first sentence is longer than a line"


@pytest.mark.parametrize("package", [SOURCE, *PACKAGES], ids=name_of)
def test_other_packages_give_only_what_they_export(package):
    names_of = {each.name: exported(each.name) for each in PACKAGES}
    files = SOURCE.glob("*.py") if package == SOURCE else package.rglob("*.py")
    wrong = []
    for path in sorted(files):
        for module, names in imports_of(path):
            root, *parts = module.split(".")
            # the root itself, and the modules of the ground, may be used by everybody
            if root != "oddrank" or not parts or parts[0] not in names_of:
                continue
            other, *inside = parts
            if other == package.name:
                continue
            hidden = [name for name in names if inside or name not in names_of[other]]
            wrong += [f"{name_of(path)}: {module}.{name}" for name in hidden]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_what_a_package_exports_exists_and_is_listed_once(package):
    text = (package / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            assert len(names) == len(set(names))
            assert not [name for name in names if name.startswith("_")]
    module = __import__(f"oddrank.{package.name}", fromlist=["*"])
    assert [name for name in exported(package.name) if not hasattr(module, name)] == []


def test_the_contract_of_imports_has_few_layers():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["type"] == "layers")
    assert len(layers) <= MOST_LAYERS
    named = {part.strip() for layer in layers for part in layer.replace(":", "|").split("|")}
    modules = {f"oddrank.{path.stem}" for path in SOURCE.glob("*.py") if path.stem != "__init__"}
    assert named == modules | {f"oddrank.{package.name}" for package in PACKAGES}


def test_rank_detectors_has_few_parameters():
    parameters = inspect.signature(rank_detectors).parameters.values()
    named = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    assert len(named) <= MOST_PARAMETERS, named


@pytest.mark.parametrize("n_features", [3, 12])
def test_one_ranking_passes_through_few_files(n_features):
    rows = np.random.default_rng(0).normal(size=(600, n_features))
    detectors = {"density": QuickDensity(), "gaussian": GaussianMixture()}

    def rank():
        return rank_detectors(detectors, rows, n_jobs=1, random_state=0)

    rank()  # what is imported at first use does not count
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            seen.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        rank()
    finally:
        sys.setprofile(before)
    touched = sorted(name_of(Path(file)) for file in seen if Path(file) in FILES)
    assert "ranking/rank.py" in touched
    assert len(touched) <= MOST_FILES_OF_A_CALL, f"{len(touched)}: {touched}"
