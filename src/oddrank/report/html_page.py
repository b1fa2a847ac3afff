"""A ranking, and a search, as one HTML page each that needs nothing but itself."""

from __future__ import annotations

import math

from oddrank.report.axis import axis_for
from oddrank.report.page_parts import (
    IntervalPlace,
    charts,
    draw_strips,
    importance_places,
    interval_places,
    matrix,
)
from oddrank.report.page_template import page_template
from oddrank.report.summary import ReportSummary
from oddrank.report.tuning_charts import calibration_chart, settings_charts, share_of_best
from oddrank.report.tuning_summary import TuningSummary

__all__ = ["html_page", "tuning_page"]


def html_page(summary: ReportSummary) -> str:
    """Return the page; everything from the data is escaped, wherever it stands.

    Notes
    -----
    Guide: :doc:`/report`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import rank_detectors
    >>> from oddrank.report import html_page, summarise
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detectors = {"one": GaussianMixture(1), "three": GaussianMixture(3)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> page = html_page(summarise(ranking, title="one < three?", n_oddest=0))
    >>> page[:15], "<title>one &lt; three?</title>" in page
    ('<!doctype html>', True)
    """
    strips, marks = draw_strips(summary)
    places, zero = importance_places(summary)
    page: str = page_template("page.html.jinja").render(
        summary=summary,
        settings={each.name: each.settings for each in summary.detectors},
        charts=charts(summary),
        intervals=interval_places(summary.table),
        matrices={each.name: matrix(summary, each.name) for each in summary.criteria},
        strips=strips,
        strip_marks=marks,
        importance_places=places,
        importance_zero=zero,
    )
    return page


def tuning_page(summary: TuningSummary) -> str:
    """Return the page; everything from the data is escaped, wherever it stands.

    Notes
    -----
    Guide: :doc:`/tuning`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import LabelFreeSearchCV
    >>> from oddrank.report import summarise_tuning, tuning_page
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> search = LabelFreeSearchCV(
    ...     KernelDensity(), {"bandwidth": [0.05, 0.5]}, n_splits=5, random_state=0
    ... ).fit(X)
    >>> page = tuning_page(summarise_tuning(search))
    >>> page[:15], "bandwidth=0.5 has the best excess mass" in page
    ('<!doctype html>', True)
    """
    page: str = page_template("tuning.html.jinja").render(
        summary=summary,
        charts=settings_charts(summary.candidates),
        calibration=calibration_chart(summary),
        places=_places(summary),
        differ=len({each.n_scored for each in summary.candidates}) > 1,
        shares={each.settings: share_of_best(each) for each in summary.candidates},
    )
    return page


def _places(summary: TuningSummary) -> dict[str, IntervalPlace]:
    """Return where the error bar of each compared candidate lies, on a scale that they share."""
    compared = [each for each in summary.candidates if math.isfinite(each.deficit)]
    bars = {
        each.settings: [share_of_best(each, errors) for errors in (0.0, -1.0, 1.0)]
        for each in compared
    }
    axis = axis_for([end for bar in bars.values() for end in bar])
    return {
        name: IntervalPlace(
            value=100 * axis.share(value), lower=100 * axis.share(low), upper=100 * axis.share(high)
        )
        for name, (value, low, high) in bars.items()
    }
