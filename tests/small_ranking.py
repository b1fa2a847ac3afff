"""A ranking that takes a second: for displays, reports and the command line."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.covariance import EllipticEnvelope
from sklearn.mixture import GaussianMixture

from oddrank import FeatureSubsampling, Ranking, Volume, rank_detectors
from oddrank.reference import UniformBox
from oddrank.rows.table import Table
from tests.quick_density import QuickDensity

POINTS = UniformBox(n_points=2**10, n_replicates=4)
SMALL_VOLUMES = Volume(reference=POINTS, mass_range=(0.9, 0.99))

DETECTORS = {
    "gaussian": EllipticEnvelope(),
    "mixture": GaussianMixture(n_components=3),
    "density": QuickDensity(bandwidth=0.3),
}


class Fails(EllipticEnvelope):
    """A detector that cannot be fitted."""

    def fit(self, X: Any, y: Any = None) -> Any:
        raise ValueError("out of order")


def small_rows(n_rows: int = 1200, n_features: int = 2, names: Any = None) -> Table:
    random = np.random.default_rng(0)
    values = random.normal(size=(n_rows, n_features))
    values[: n_rows // 2, 0] += 5.0
    names = names or tuple(f"feature {j}" for j in range(n_features))
    return Table(values=values, feature_names=tuple(names))


def small_ranking(detectors: Any = None, rows: Table | None = None, **options: Any) -> Ranking:
    if detectors is None and rows is None and not options:
        return usual_ranking()
    return ranked(detectors, rows, **options)


@cache
def usual_ranking() -> Ranking:
    """One ranking for all tests of a process: nothing changes a ranking."""
    return ranked()


def ranked(detectors: Any = None, rows: Table | None = None, **options: Any) -> Ranking:
    return rank_detectors(
        detectors or DETECTORS,
        small_rows() if rows is None else rows,
        **{"judge": SMALL_VOLUMES, "random_state": 0, **options},
    )


@cache
def drawn_ranking(names: Any = None) -> Ranking:
    draws = FeatureSubsampling(2, 8, "geometric")
    return small_ranking(
        rows=small_rows(600, 4, names), judge=replace(SMALL_VOLUMES, subsampling=draws)
    )
