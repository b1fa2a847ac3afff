"""`oddrank doctor`: what is installed, and what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.terminal import print_json, print_table
from oddrank.errors import install_command

__all__ = ["doctor"]

CORE = (
    "oddrank", "numpy", "scipy", "scikit-learn", "joblib", "cloudpickle", "lazy_loader", "narwhals",
    "threadpoolctl",
)  # fmt: skip

# One library stands for each extra, and is listed with what the extra gives.
EXTRAS = {
    "cli": (("click", "rich", "skops"), "this command, model files"),
    "report": (("jinja2", "matplotlib"), "the HTML report"),
    "plot": (("matplotlib",), "pictures"),
    "datasets": (("pandas", "pyarrow"), "tables"),
    "progress": (("tqdm",), "progress bars"),
    "pyod": (("pyod",), "PyOD's detectors"),
    "cluster": (("distributed",), "Dask clusters"),
}


@click.command(epilog=example("oddrank doctor --json"))
@common_options
def doctor(*, common: Common) -> None:
    """Show what is installed, and what is missing."""
    facts = _facts()
    if common.as_json:
        print_json(facts)
        return
    print_table(["core", "version"], [[k, v] for k, v in facts["versions"].items()], left=(0, 1))
    rows = [
        [name, "yes" if extra["installed"] else install_command(name), extra["gives"]]
        for name, extra in facts["extras"].items()
    ]
    print_table(["extra", "installed", "gives"], rows, left=(0, 1, 2))
    print_table(["machine", ""], [["cores", str(facts["cores"])]], left=(0, 1))


def _facts() -> dict[str, Any]:
    versions = {"python": platform.python_version()}
    versions |= {name: _version(name) or "missing" for name in CORE}
    extras = {
        name: {
            "installed": all(_version(library) for library in libraries),
            "versions": {library: _version(library) for library in libraries},
            "gives": gives,
        }
        for name, (libraries, gives) in EXTRAS.items()
    }
    return {
        "versions": versions,
        "extras": extras,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else
        os.cpu_count(),
    }  # fmt: skip


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
