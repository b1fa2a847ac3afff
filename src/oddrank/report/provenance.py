"""How a ranking was computed, and the call that computes it again."""

from __future__ import annotations

import importlib.metadata
import platform

import numpy as np

from oddrank.ranking import Ranking

__all__ = ["package_versions", "reproducing_call"]

PACKAGES = ("oddrank", "numpy", "scipy", "scikit-learn", "joblib", "pyod")


def package_versions() -> dict[str, str]:
    """Return the versions that results may depend on, of packages that are installed."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def reproducing_call(ranking: Ranking) -> str:
    """Return the call of `rank_detectors` that gives the same ranking for the same rows."""
    detectors = "".join(
        f"        {name!r}: {' '.join(repr(each.detector).split())},\n"
        for name, each in ranking.refit.candidates.items()
    )
    given = {name: repr(value) for name, value in ranking.parameters.items() if value is not None}
    given["random_state"] = _seed(ranking.refit.root)
    rows = "X,\n    X_test" if ranking.has_test_rows else "X"
    options = "".join(f"    {name}={text},\n" for name, text in given.items())
    return f"rank_detectors(\n    {{\n{detectors}    }},\n    {rows},\n{options})"


def _seed(root: np.random.SeedSequence) -> str:
    if root.spawn_key:
        return f"numpy.random.SeedSequence({root.entropy}, spawn_key={root.spawn_key})"
    return str(root.entropy)
