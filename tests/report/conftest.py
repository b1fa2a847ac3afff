"""Pages with everything on them, and names that try to be anything but text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.mixture import GaussianMixture

from oddrank import (
    FeatureSubsampling,
    Ranking,
    References,
    check_against_labels,
    feature_importance,
)
from oddrank.report import html_page
from tests.small_ranking import (
    DETECTORS,
    Fails,
    drawn_ranking,
    small_ranking,
    small_rows,
)

HOSTILE = (
    "<script>window.hacked = true</script>",
    "</script></svg><img src=x onerror='window.hacked = true'>",
    'quotes " \' ` ${1} {{ 7 * 7 }} {% raw %} id="x" $1 &amp;',
    "emoji 🦊 and \N{RIGHT-TO-LEFT OVERRIDE}right to left",
    "l" + "o" * 298 + "ng",
)


class Reported(NamedTuple):
    """A ranking, what else the page was given, and the page."""

    ranking: Ranking
    options: dict[str, Any]
    page: str


def reported(ranking: Ranking, **options: Any) -> Reported:
    return Reported(ranking, options, html_page(ranking, **options))


@pytest.fixture(scope="session")
def full() -> Reported:
    """Labels, importances, a failure, curves: everything that a page can show."""
    judge = References()
    ranking = small_ranking({**DETECTORS, "broken": Fails()}, judge=judge)
    rows = ranking.tested_rows
    importance = feature_importance(
        DETECTORS["mixture"],
        rows,
        subsampling=FeatureSubsampling(1, 8, "geometric"),
        mass_range=(0.9, 0.99),
        random_state=0,
    )
    return reported(
        ranking,
        title="A full report",
        notes=["1 row with gaps left out (--drop-gaps).", "Skipped 'colour': text"],
        odd=ranking.odd_rows(n_explained=6),
        importance=importance,
        labels=check_against_labels(ranking, rows, np.abs(rows.values[:, 1]) > 2.3),
        call=f"oddrank rank rows.csv {'--drop-duplicates ' * 20}",
        place="command",
    )


@pytest.fixture(scope="session")
def wide() -> Reported:
    """More features than volumes are measured in, and more detectors than a page is wide."""
    detectors = {f"mixture of {k}": GaussianMixture(k) for k in range(1, 10)}
    return reported(small_ranking(detectors, small_rows(400, 12), judge=References()))


@pytest.fixture(scope="session")
def drawn() -> Reported:
    """Features were drawn: there are no curves, and no row was scored."""
    return reported(drawn_ranking())


@pytest.fixture(scope="session")
def hostile() -> Reported:
    """Every name is hostile: detectors, columns, title, notes, call."""
    detectors = {
        HOSTILE[0]: EllipticEnvelope(),
        HOSTILE[1]: GaussianMixture(),
        HOSTILE[2]: GaussianMixture(n_components=2),
        HOSTILE[3]: GaussianMixture(n_components=3),
        HOSTILE[4]: Fails(),
        "\x1b[2J \x00 \ud800 \uffff": GaussianMixture(n_components=4),
    }
    ranking = small_ranking(detectors, small_rows(400, 5, HOSTILE))
    importance = feature_importance(
        GaussianMixture(),
        ranking.tested_rows,
        subsampling=FeatureSubsampling(2, 12, "geometric"),
        mass_range=(0.9, 0.99),
        random_state=0,
    )
    return reported(
        ranking,
        title=HOSTILE[0],
        notes=HOSTILE,
        importance=importance,
        call=HOSTILE[1],
    )
