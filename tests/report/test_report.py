"""The summary and its three forms."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import oddrank
import oddrank.ranking
from oddrank.errors import MissingExtraError
from oddrank.inspection import importance_from_draws
from oddrank.reference import UniformBox
from oddrank.report import html_page, markdown, summarise
from oddrank.report.page_template import cell
from oddrank.report.provenance import reproducing_call
from oddrank.report.summary import ImportanceSummary
from tests.quick_density import QuickDensity
from tests.report.conftest import HOSTILE
from tests.small_ranking import (
    SMALL_VOLUMES,
    Fails,
    drawn_ranking,
    small_ranking,
    small_rows,
)

SUMMARIES = ["full_summary", "drawn_summary", "hostile_summary"]


def test_summary_says_what_the_ranking_says():
    ranking = small_ranking()
    summary = summarise(ranking, n_oddest=3)
    assert summary.order == ranking.order
    assert [detector.name for detector in summary.detectors] == list(ranking.order)
    assert summary.verdict in ranking.verdict
    assert len(summary.odd_rows) == 3
    scores = ranking.score_samples(ranking.refit.rows)
    assert summary.odd_rows[0].row == f"row {np.argmin(scores)}"
    assert summary.odd_rows[0].values == tuple(ranking.refit.rows.values[np.argmin(scores)])
    best = ranking.evaluations[ranking.best]
    assert summary.table.rows[0]["em"] == best.excess_mass
    assert summary.table is ranking.table


def test_the_call_reproduces_the_ranking():
    rows = small_rows()
    ranking = small_ranking()
    names = vars(oddrank.reference) | vars(oddrank.ranking) | {"X": rows}
    names["rank_detectors"] = oddrank.rank_detectors
    import sklearn.covariance
    import sklearn.mixture

    import tests.quick_density

    for module in (sklearn.covariance, sklearn.mixture, tests.quick_density):
        names |= vars(module)
    again = eval(reproducing_call(ranking), names)
    assert again.table.records() == ranking.table.records()
    assert again.judgement.to_dict() == ranking.judgement.to_dict()


@pytest.mark.parametrize("name", SUMMARIES)
def test_page_is_self_contained(name, request):
    page = html_page(request.getfixturevalue(name))
    assert len(page.encode()) < 6_000_000
    assert "http:" not in page
    assert "https:" not in page
    sources = re.findall(r"<(?:link|img|script|iframe|source)\b[^>]*(?:src|href)=([^\s>]+)", page)
    assert set(sources) <= {'"data:,"'}
    assert "@import" not in page
    assert "url(" not in page


class _Tags(HTMLParser):
    """Tags and attributes of a page, and all of its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def test_hostile_names_are_text(hostile_summary):
    page = html_page(hostile_summary)
    parsed = _Tags()
    parsed.feed(page)
    assert "img" not in parsed.tags
    # The page's own: data of two charts, and the script at the end.
    assert parsed.tags.count("script") == 3
    assert not any(name.startswith("on") for name in parsed.attributes)
    for name in HOSTILE:
        assert name in parsed.text
    assert "49" not in re.findall(r"quotes[^<]*", page)[0]


def test_hostile_names_in_markdown_and_notebooks(hostile_summary):
    text = markdown(hostile_summary).split("````")
    assert "<script>" not in text[0] + text[2]
    ranking = small_ranking({HOSTILE[0]: Fails(), HOSTILE[1]: Fails()})
    short = ranking._repr_html_()
    assert "<script>" not in short
    assert "<img" not in short
    assert "Nothing could be ranked" in short


def test_markdown_has_every_part(full_summary):
    text = markdown(full_summary)
    for heading in ("Ranking", "Checks", "Feature importances", "The oddest rows"):
        assert f"## {heading}" in text
    assert "by ROC (" in text
    assert "| failed |" in text


def test_markdown_without_concerns_or_extras(drawn_summary):
    assert "draws of" in markdown(drawn_summary)


def test_page_has_every_part(full_summary, drawn_summary):
    page = html_page(full_summary)
    for part in ("ranking", "curves", "pairs", "trust", "importance", "rows", "how"):
        assert f'id="{part}-title"' in page
    assert "Labels " in page
    assert "failed" in page
    assert 'id="draws-title"' not in page
    assert 'id="draws-title"' in html_page(drawn_summary)
    assert 'id="curves-title"' not in html_page(drawn_summary)


def test_a_ranking_of_nothing_still_has_a_page(tmp_path):
    ranking = small_ranking({"one": Fails(), "two": Fails()})
    path = tmp_path / "report.html"
    ranking.to_html(path, title="Nothing")
    assert "Nothing could be ranked" in path.read_text(encoding="utf-8")
    assert "Nothing could be ranked" in markdown(summarise(ranking))


def test_a_page_that_cannot_be_written_is_named(tmp_path):
    for path in (tmp_path / "nowhere" / "report.html", tmp_path):
        with pytest.raises(OSError, match=re.escape(f"'{path}'") + "$"):
            small_ranking().to_html(path)


def test_short_form_in_notebooks():
    short = small_ranking()._repr_html_()
    assert short.count("<tr>") == 4
    assert short.startswith("<div><p><strong>Use ")
    assert "Next: ranking.odd_rows()" in short


def test_parts_stand_in_the_order_people_read(full_summary):
    page = html_page(full_summary)
    parts = ("verdict", "ranking", "rows", "curves", "pairs", "importance", "trust", "how")
    places = [page.index(f'id="{part}-title"') for part in parts]
    assert places == sorted(places)


def test_long_lists_are_folded():
    """15 importances and 10 rows are shown; the rest is there, folded."""
    ranking = small_ranking()
    importances = tuple(
        ImportanceSummary(feature=f"column {j}", gain=0.1, lower=0.0, upper=0.2) for j in range(40)
    )
    summary = replace(summarise(ranking), importances=importances, importance_of=ranking.best)
    page = html_page(summary)
    shown, folded = page.split("25 more features")
    assert "column 14<" in shown
    assert "column 15<" not in shown
    assert "column 39<" in folded
    rows = page[page.index('id="rows"') : page.index('id="values"')]
    assert rows.count('<th scope="row">') == 10


def test_numbers_are_written_as_people_write_them():
    values = [700213.0, 12345.678, 2014.0, 3.14159, 0.00001234, -5.0, 1e20]
    shown = ["700,213", "12,346", "2014", "3.142", "1.234e-05", "-5", "1e+20"]
    assert [cell(value) for value in values] == shown


def test_importances_for_nothing_come_from_the_draws():
    ranking = drawn_ranking()
    importance = importance_from_draws(ranking)
    assert importance.detector == ranking.best
    assert set(importance.feature_names) == set(ranking.refit.rows.feature_names)
    assert importance_from_draws(small_ranking()) is None


def test_without_jinja_the_extra_is_named(monkeypatch, full_summary):
    import sys

    from oddrank.report import html_page as page_function

    module = sys.modules["oddrank.report.page_template"]
    module.page_template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[report\]'"):
        page_function(full_summary)


class _SortKeys(HTMLParser):
    """What the script sorts the ranking by: the `data-value` of every cell, by column."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "table":
            self.inside = attributes.get("id") == "ranking"
        elif self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag in {"td", "th"}:
            self.rows[-1].append(attributes.get("data-value"))


def test_every_column_of_the_page_can_be_sorted(full_summary):
    tight = np.random.default_rng(0).normal(size=(1200, 4)) * 1e-3
    rows = np.concatenate([tight, np.eye(4) * 9])
    unresolved = small_ranking(
        {"sharp": QuickDensity(bandwidth=0.01), "blunt": QuickDensity(bandwidth=1.0)},
        rows,
        judge=replace(SMALL_VOLUMES, reference=UniformBox(n_points=2**6, n_replicates=4)),
        scale=False,
    )
    assert not unresolved.evaluations["sharp"].excess_mass.resolved
    for summary in (full_summary, summarise(unresolved, n_oddest=0)):
        _, *found = _SortKeys(html_page(summary)).rows
        assert len(found) == len(summary.table.rows)
        for key in [key for cells in found for key in cells if key]:
            float(key)  # the script makes a number of it, and of letters none


@pytest.mark.parametrize(("n_fine", "words"), [(1, "1 check that is fine"), (2, "2 checks that")])
def test_checks_are_counted_in_words(full_summary, n_fine, words):
    check = replace(full_summary.diagnostics[0], ok=True)
    assert words in html_page(replace(full_summary, diagnostics=(check,) * n_fine))
