"""A summary with everything in it, and names that try to be anything but text."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from oddrank import (
    FeatureSubsampling,
    LabelFreeSearchCV,
    check_against_labels,
    feature_importance,
)
from oddrank.inspection import importance_from_draws
from oddrank.reference import UniformBox
from oddrank.report import DataSummary, ReportSummary, summarise
from tests.small_ranking import DETECTORS, Fails, drawn_ranking, small_ranking, small_rows

HOSTILE = (
    "<script>window.hacked = true</script>",
    "</script><img src=x onerror='window.hacked = true'>",
    "quotes \" ' ` ${1} {{ 7 * 7 }} {% raw %}",
    "emoji 🦊 and \N{RIGHT-TO-LEFT OVERRIDE}right to left",
    "l" + "o" * 298 + "ng",
)


@pytest.fixture(scope="session")
def full_summary() -> ReportSummary:
    """Labels, importances, a failure, left-out columns: everything that a page can show."""
    ranking = small_ranking({**DETECTORS, "broken": Fails()})
    rows = ranking.refit.rows
    odd = np.abs(rows.values[:, 1]) > 2.3
    importance = feature_importance(
        DETECTORS["mixture"],
        rows,
        subsampling=FeatureSubsampling(1, 8, "geometric"),
        mass_range=(0.9, 0.99),
        random_state=0,
    )
    return summarise(
        ranking,
        title="A full report",
        importance=importance,
        labels=check_against_labels(ranking, rows, odd),
        data=DataSummary(
            source="rows.csv",
            feature_names=rows.feature_names,
            left_out={"colour": "text"},
            notes=("Dropped 1 row.",),
        ),
    )


@pytest.fixture(scope="session")
def drawn_summary() -> ReportSummary:
    ranking = drawn_ranking()
    return summarise(ranking, importance=importance_from_draws(ranking))


@pytest.fixture(scope="session")
def hostile_summary() -> ReportSummary:
    """Every name is hostile: detectors, columns, title, source, notes, reasons."""
    detectors = {
        HOSTILE[0]: EllipticEnvelope(),
        HOSTILE[1]: GaussianMixture(),
        HOSTILE[2]: GaussianMixture(n_components=2),
        HOSTILE[4]: Fails(),
    }
    ranking = small_ranking(detectors, small_rows(400, 5, HOSTILE))
    return summarise(
        ranking,
        title=HOSTILE[0],
        data=DataSummary(
            source=HOSTILE[1],
            feature_names=HOSTILE,
            left_out={name: name for name in HOSTILE},
            notes=HOSTILE,
        ),
        call=HOSTILE[1],
    )


class Named(KernelDensity):
    """A detector with a parameter that takes any text."""

    def __init__(self, *, bandwidth=0.6, note=""):
        super().__init__(bandwidth=bandwidth)
        self.note = note

    def fit(self, rows, y=None):
        if self.note == HOSTILE[1]:
            raise ValueError(HOSTILE[0])
        return super().fit(rows)


@pytest.fixture(scope="session")
def hostile_search() -> LabelFreeSearchCV:
    """A search whose settings are hostile, with one candidate that fails."""
    search = LabelFreeSearchCV(
        Named(),
        {"note": [*HOSTILE], "bandwidth": [0.3, 0.6]},
        n_splits=3,
        reference=UniformBox(n_points=2**8, n_replicates=2),
        random_state=0,
    )
    with pytest.warns(match="2 of 10 candidates failed"):
        return search.fit(np.random.default_rng(0).normal(size=(300, 2)))
