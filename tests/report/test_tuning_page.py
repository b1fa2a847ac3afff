"""The page about a search: what it says, that it is self-contained, and what names can do to it."""

import math
import re

import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor

from oddrank import LabelFreeSearchCV
from oddrank.reference import UniformBox
from oddrank.report import DataSummary, summarise_tuning, tuning_page
from oddrank.report.tuning_charts import calibration_chart, settings_charts, share_of_best
from tests.quick_density import QuickDensity
from tests.report.conftest import HOSTILE

X = np.random.default_rng(0).normal(size=(400, 2)) * [1.0, 3.0]
X[::2] += [14.0, 0.0]


GRID = {"bandwidth": [0.05, 0.6, 9.0]}


def searched(estimator=None, grid=GRID, **options):
    options = {
        "n_splits": 4,
        "reference": UniformBox(n_points=2**8, n_replicates=2),
        "random_state": 0,
        **options,
    }
    return LabelFreeSearchCV(estimator or QuickDensity(), grid, **options).fit(X)


@pytest.fixture(scope="module")
def search():
    return searched()


def test_the_summary_says_what_the_search_found(search):
    summary = summarise_tuning(search)
    assert summary.verdict == "bandwidth=0.6 has the best excess mass of 3 candidates."
    assert [each.rank for each in summary.candidates] == [1, 2, 3]
    assert [each.settings for each in summary.candidates if each.chosen] == ["bandwidth=0.6"]
    results = search.cv_results_
    for each in summary.candidates:
        index = results["params"].index({"bandwidth": each.params["bandwidth"]})
        assert each.deficit == results["mean_deficit"][index]
        assert each.error == results["error_of_deficit"][index]
        assert each.inseparable == (index in search.inseparable_)
    assert summary.threshold == search.offset_
    n_rows = len(search.calibration_scores_)
    assert summary.mass_error == pytest.approx(math.sqrt(0.05 * 0.95 / n_rows))


def test_the_simplest_is_told_with_its_reason():
    same = {"leaf_size": [40, 20], "bandwidth": [0.6]}
    chosen = searched(grid=same, refit="simplest", simplicity=lambda params: params["leaf_size"])
    summary = summarise_tuning(chosen)
    assert summary.verdict.startswith("bandwidth=0.6, leaf_size=20 is the simplest candidate")
    assert {each.state for each in summary.candidates} == {
        "chosen: the simplest within one standard error",
        "the highest mean",
    }


def test_dropped_candidates_are_told():
    grid = {"bandwidth": [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0]}
    summary = summarise_tuning(searched(grid=grid, halving=True))
    states = [each.state for each in summary.candidates]
    assert any(state.startswith("dropped after round 1") for state in states)
    compared = [each for each in summary.candidates if math.isfinite(each.deficit)]
    dots = [dot for line in settings_charts(compared)[0].lines for dot in line.dots]
    assert len(dots) == len(compared)
    assert "Scored points" in tuning_page(summary)


def test_places_follow_values(search):
    summary = summarise_tuning(search)
    (chart,) = settings_charts(summary.candidates)
    (line,) = chart.lines
    assert [dot.chosen for dot in line.dots] == [False, True, False]  # in the order of bandwidths
    assert [dot.x for dot in line.dots] == sorted(dot.x for dot in line.dots)
    shares = {each.params["bandwidth"]: share_of_best(each) for each in summary.candidates}
    best, wide = line.dots[1], line.dots[2]
    hundred = next(tick.place for tick in chart.y_ticks if tick.text == "100 %")
    assert best.y == pytest.approx(hundred)
    assert shares[0.6] == 100.0
    assert wide.y > best.y  # further down
    assert all(dot.low >= dot.y >= dot.high for dot in line.dots)


def test_every_calibration_row_is_in_the_histogram(search):
    summary = summarise_tuning(search)
    chart = calibration_chart(summary)
    tallest = max(height for _, _, _, height, _ in chart.bars)
    unit = min(height for _, _, _, height, _ in chart.bars)
    assert chart.n_rows == len(search.calibration_scores_) > 200
    flagged = sum(height for _, _, _, height, below in chart.bars if below)
    total = sum(height for _, _, _, height, _ in chart.bars)
    assert flagged / total == pytest.approx(chart.n_below / chart.n_rows)
    assert tallest >= unit > 0
    assert chart.n_below == np.sum(search.calibration_scores_ < search.offset_)


def test_several_detectors_have_a_chart_per_parameter():
    several = {
        "density": (QuickDensity(), {"bandwidth": [0.3, 0.6], "kernel": ["gaussian", "tophat"]}),
        "lof": (LocalOutlierFactor(novelty=True), {"n_neighbors": [10, 20]}),
    }
    summary = summarise_tuning(searched(several, None))
    charts = {chart.parameter: chart for chart in settings_charts(summary.candidates)}
    assert set(charts) == {"bandwidth", "kernel", "n_neighbors"}  # detectors differ in more
    assert len(charts["bandwidth"].lines) == 2
    assert [tick.text for tick in charts["kernel"].x_ticks] == ["gaussian", "tophat"]


@pytest.fixture(scope="module")
def hostile_page(hostile_search):
    data = DataSummary(
        source=HOSTILE[1],
        feature_names=HOSTILE,
        left_out={name: name for name in HOSTILE},
        notes=HOSTILE,
    )
    return tuning_page(
        summarise_tuning(hostile_search, title=HOSTILE[0], data=data, call=HOSTILE[1])
    )


def test_page_is_self_contained_and_names_are_text(hostile_page):
    assert "http:" not in hostile_page
    assert "https:" not in hostile_page
    assert "@import" not in hostile_page
    assert "url(" not in hostile_page
    sources = re.findall(r"<(?:link|img|script)\b[^>]*(?:src|href)=([^\s>]+)", hostile_page)
    assert set(sources) == {'"data:,"'}
    assert "<img" not in hostile_page
    assert "<script>window" not in hostile_page
    assert "failed: " in hostile_page
