"""The folders show the architecture: small packages, that use of each other what they export."""

import ast
from pathlib import Path

import pytest

import oddrank

ROOT = Path(__file__).parents[1]
SOURCE = Path(oddrank.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in FILES} - {SOURCE})
PACKAGES = sorted(folder for folder in FOLDERS if folder.parent == SOURCE)


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
