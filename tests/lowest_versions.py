"""Print the lowest versions that `pyproject.toml` allows, as constraints for pip.

`make test-lowest` installs these, and runs the tests with them: the bounds that are stated are
bounds that pass. Tools of the tests themselves are not bound.
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_BOUND = re.compile(r"(?P<name>[\w-]+)(\[[\w,]+\])?>=(?P<version>[\d.]+)")


def lowest_versions() -> dict[str, str]:
    """Return the lowest version of every library that oddrank or one of its extras needs."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    needed = list(project["dependencies"])
    for extra, libraries in project["optional-dependencies"].items():
        needed += libraries if extra not in ("test", "dev", "docs", "release") else []
    found = (_BOUND.fullmatch(each) for each in needed if not each.startswith("oddrank["))
    return {each["name"]: each["version"] for each in found if each is not None}


if __name__ == "__main__":
    for name, version in lowest_versions().items():
        print(f"{name}=={version}.*" if version.count(".") == 1 else f"{name}=={version}")  # noqa: T201
