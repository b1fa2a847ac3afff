"""The summary and its three forms."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

import oddrank
import oddrank.judging
from oddrank import References
from oddrank.errors import MissingExtraError
from oddrank.reference import UniformBox
from oddrank.report import html_page, importance_from_draws, markdown, summarise
from oddrank.report.provenance import reproducing_call
from tests.report.conftest import HOSTILE
from tests.small_ranking import (
    SMALL_VOLUMES,
    Fails,
    drawn_ranking,
    small_ranking,
    small_rows,
)

SCHEMA = Path(__file__).parents[2] / "docs" / "report_schema.json"
SUMMARIES = ["full_summary", "drawn_summary", "hostile_summary"]


@pytest.mark.parametrize("name", SUMMARIES)
def test_json_follows_the_schema(name, request):
    summary = request.getfixturevalue(name)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(summary.to_json()), schema)


def test_the_schema_describes_every_field(full_summary):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert set(schema["properties"]) == set(full_summary.to_dict())
    for part in schema["$defs"].values():
        assert part["additionalProperties"] is False
        assert all("description" in each or "$ref" in each for each in part["properties"].values())


def _found(value, schema, definitions, seen):
    """Note every definition's properties that occur somewhere in the value."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        seen.setdefault(name, set()).update(value)
        schema = definitions[name]
    if isinstance(value, dict):
        for key, each in value.items():
            _found(each, schema.get("properties", {}).get(key, {}), definitions, seen)
    elif isinstance(value, list):
        for each in value:
            _found(each, schema.get("items", {}), definitions, seen)


def test_the_schema_describes_nothing_that_never_is(full_summary, drawn_summary):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    judged = summarise(small_ranking(judge=References(volume=SMALL_VOLUMES)), n_oddest=1)
    seen = {}
    for summary in (full_summary, drawn_summary, judged):
        _found(json.loads(summary.to_json()), schema, schema["$defs"], seen)
    assert seen == {name: set(part["properties"]) for name, part in schema["$defs"].items()}


def test_summary_says_what_the_ranking_says():
    ranking = small_ranking()
    summary = summarise(ranking, n_oddest=3)
    assert summary.order == ranking.order
    assert [detector.name for detector in summary.detectors] == list(ranking.order)
    assert summary.verdict in ranking.verdict
    assert len(summary.odd_rows) == 3
    scores = ranking.score_samples(ranking.refit.rows)
    assert summary.odd_rows[0].row == int(np.argmin(scores))
    assert summary.odd_rows[0].values == tuple(ranking.refit.rows.values[np.argmin(scores)])
    best = ranking.evaluations[ranking.best]
    assert summary.table.rows[0]["excess_mass"] == best.excess_mass
    plain = summary.to_dict()
    assert plain["best"] == ranking.best
    assert plain["order"] == list(ranking.order)
    assert plain["detectors"][0]["name"] == ranking.best
    assert plain["detectors"][0]["excess_mass"] == best.excess_mass.value
    assert plain["detectors"][0]["excess_mass_error"] == best.excess_mass.standard_error


def test_the_call_reproduces_the_ranking():
    rows = small_rows()
    ranking = small_ranking()
    names = vars(oddrank.reference) | vars(oddrank.judging) | {"X": rows}
    names["rank_detectors"] = oddrank.rank_detectors
    import sklearn.covariance
    import sklearn.mixture
    import sklearn.neighbors

    for module in (sklearn.covariance, sklearn.mixture, sklearn.neighbors):
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
    assert "nothing could be ranked" in short


def test_markdown_has_every_part(full_summary):
    text = markdown(full_summary)
    for heading in ("Ranking", "When to trust it", "Feature importances", "The oddest rows"):
        assert f"## {heading}" in text
    assert "ROC area" in text
    assert "| failed |" in text


def test_markdown_without_concerns_or_extras(drawn_summary):
    assert "draws of" in markdown(drawn_summary)


def test_page_has_every_part(full_summary, drawn_summary):
    page = html_page(full_summary)
    for part in ("ranking", "curves", "pairs", "trust", "importance", "rows", "how"):
        assert f'id="{part}-title"' in page
    assert "The labels" in page
    assert "failed" in page
    assert 'id="draws-title"' not in page
    assert 'id="draws-title"' in html_page(drawn_summary)
    assert 'id="curves-title"' not in html_page(drawn_summary)


def test_a_ranking_of_nothing_still_has_a_page(tmp_path):
    ranking = small_ranking({"one": Fails(), "two": Fails()})
    path = tmp_path / "report.html"
    ranking.to_html(path, title="Nothing")
    assert "nothing could be ranked" in path.read_text(encoding="utf-8")
    assert "nothing could be ranked" in markdown(summarise(ranking))


def test_short_form_in_notebooks():
    short = small_ranking()._repr_html_()
    assert short.count("<tr>") == 4
    assert "Verdict" in short


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
    with pytest.raises(MissingExtraError, match=r"oddrank\[report\]"):
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
        {"sharp": KernelDensity(bandwidth=0.01), "blunt": KernelDensity(bandwidth=1.0)},
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
