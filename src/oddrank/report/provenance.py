"""How a ranking was computed, and the call that computes it again."""

from __future__ import annotations

import importlib.metadata
import platform
from datetime import UTC, datetime

import numpy as np

from oddrank.ranking import Ranking
from oddrank.report.summary import ProvenanceSummary

__all__ = ["package_versions", "provenance", "reproducing_call"]

PACKAGES = ("oddrank", "numpy", "scipy", "scikit-learn", "joblib")
OPTIONAL_PACKAGES = ("pyod",)


def provenance(ranking: Ranking, call: str | None) -> ProvenanceSummary:
    """Return versions, seed, parameters and time; `call` replaces the Python call."""
    return ProvenanceSummary(
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seed=_seed(ranking.refit.root),
        versions=package_versions(),
        parameters={name: repr(value) for name, value in ranking.parameters.items()},
        seconds=float(sum(ranking.seconds.values())),
        call=call or reproducing_call(ranking),
    )


def package_versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    versions = {"python": platform.python_version()}
    for package in (*PACKAGES, *OPTIONAL_PACKAGES):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def reproducing_call(ranking: Ranking) -> str:
    """Return the call of `rank_detectors` that gives the same ranking for the same rows."""
    detectors_of = {name: each.detector for name, each in ranking.refit.candidates.items()}
    detectors = "".join(
        f"        {name!r}: {_one_line(detector)},\n" for name, detector in detectors_of.items()
    )
    given = {name: value for name, value in ranking.parameters.items() if value is not None}
    options = {name: repr(value) for name, value in given.items()}
    options["random_state"] = _seed(ranking.refit.root)
    rows = "X_train,\n    X_test" if ranking.has_test_rows else "X"
    lines = "".join(f"    {name}={text},\n" for name, text in options.items())
    return f"rank_detectors(\n    {{\n{detectors}    }},\n    {rows},\n{lines})"


def _one_line(detector: object) -> str:
    return " ".join(repr(detector).split())


def _seed(root: np.random.SeedSequence) -> str:
    if root.spawn_key:
        return f"numpy.random.SeedSequence({root.entropy}, spawn_key={root.spawn_key})"
    return str(root.entropy)
