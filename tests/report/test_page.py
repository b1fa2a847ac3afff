"""What the page says is what the ranking says, and nothing in it is more than text."""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.mixture import GaussianMixture

import oddrank
import oddrank.ranking
import oddrank.reference
from oddrank import References, rank_detectors
from oddrank.errors import MissingExtraError
from oddrank.report import html_page
from oddrank.report.page import _template, _value
from oddrank.report.provenance import reproducing_call
from tests.report.conftest import HOSTILE
from tests.small_ranking import DETECTORS, Fails, small_ranking

PAGES = ["full", "wide", "drawn", "hostile"]


class Parsed(HTMLParser):
    """Tags, attributes and text of a page, the text of every part, the cells of every table."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.text, self.parts, self.tables = "", {}, {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)
        if tag == "section":
            self.part = attributes["aria-labelledby"].removesuffix("-title")
            self.parts[self.part] = ""
        elif tag == "table":
            self.rows = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.text += data
        if self.parts:
            self.parts[self.part] += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def pictures(page):
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_of_the_ranking(name, request):
    ranking, _, page = request.getfixturevalue(name)
    parsed, table = Parsed(page), ranking.table
    n_short = len(table.short.columns)
    # labels put two columns beside the ranking's own
    assert [row[:n_short] for row in parsed.tables["ranking"][1:]] == table.short.cells
    shown = [row[: len(table.details.columns)] for row in parsed.tables["leads"][1:]]
    assert shown == table.details.cells
    letters = {row[1]: row[3] for row in parsed.tables["ranking"][1:]}
    for detector in ranking.order:
        assert letters[detector] == ranking.letters[detector]
    pairs = {tuple(row[:2]): row[4] == "told apart" for row in parsed.tables["pairs"][1:]}
    assert pairs == {(each.better, each.worse): each.separated for each in ranking.comparisons}


@pytest.mark.parametrize("name", PAGES)
def test_verdict_failures_and_checks_are_said(name, request):
    ranking, options, page = request.getfixturevalue(name)
    parsed = Parsed(page)
    place = options.get("place", "python")
    for sentence in (ranking.conclusion.headline(place), *ranking.conclusion.remarks(place)):
        assert sentence in parsed.parts["verdict"]
    for detector, reason in ranking.failures.items():
        assert ["failed", reason, detector] in parsed.tables["checks"]
    wrong = [check for check in ranking.checks if not check.diagnostic.ok]
    for check in wrong:
        assert check.says(place, with_names=False) in parsed.parts["checks"]
    fine = {each.diagnostic.name for each in ranking.checks}
    for check_name in fine - {each.diagnostic.name for each in wrong}:
        assert check_name in parsed.parts["checks"]
    assert ranking.setting in parsed.parts["how"]
    assert reproducing_call(ranking) in parsed.parts["how"]
    for note in (*options.get("notes", ()), options.get("call", "")):
        assert note in parsed.parts["how"]


def test_odd_rows_are_shown_with_reasons_and_values(full):
    parsed, odd = Parsed(full.page), full.options["odd"]
    assert odd.verdict in parsed.parts["rows"]
    _, *rows = parsed.tables["rows"]
    shown = odd.order[:20]
    assert [row[0] for row in rows] == [f"row {place}" for place in shown]
    assert [row[1] for row in rows] == [f"{odd.oddness[place]:.1f}" for place in shown]
    assert [row[2] for row in rows] == [f"{odd.steady[place]} of 3" for place in shown]
    told = [odd.why(place) or "no single value or pair of values" for place in shown]
    buttons = "odd? yesnocannot say"
    assert [row[3].replace(buttons, "").strip() for row in rows] == told
    head, *values = parsed.tables["values"]
    assert head[1:] == list(full.ranking.tested_rows.feature_names)
    for place, row in zip(shown, values, strict=True):
        assert row[1:] == [_value(float(value)) for value in odd.table.values[place]]


def test_rows_have_the_names_and_values_of_the_users_table():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"amount": random.normal(size=300), "colour": random.choice(["red", "blue"], 300)}
    )
    frame.loc[7, "amount"] = 40.0
    frame.loc[7, "colour"] = None
    detectors = [GaussianMixture(), GaussianMixture(2)]
    ranking = rank_detectors(detectors, frame, preprocess="auto", random_state=0)
    page = html_page(ranking, row_names=[f"line {k + 2}" for k in range(300)])
    parsed = Parsed(page)
    rows = {row[0]: row[1:] for row in parsed.tables["values"][1:]}
    assert len(rows) == 20
    assert rows["line 9"] == ["40", "missing"]
    assert parsed.tables["rows"][1][0] == "line 9"
    assert "curves" not in parsed.parts  # colours have no volume


def test_the_rows_come_first(full):
    assert full.page.index("Look at these rows first") < full.page.index("Verdict</h2>")


def test_kinds_of_anomaly_are_those_of_the_judgement(full):
    judgement = full.ranking.judgement
    head, *rows = Parsed(full.page).tables["kinds"]
    assert head[1:-1] == [kind.expected for kind in judgement.kinds]
    for row, name in zip(rows, judgement.order, strict=True):
        areas = [area.value for area in judgement.areas[name]]
        assert row == [name, *(f"{area:.3f}" for area in (*areas, judgement.consensus[name]))]


def test_labels_are_held_against_the_verdict(full):
    labels, parsed = full.options["labels"], Parsed(full.page)
    assert labels.sentence in parsed.parts["verdict"]
    shown = {row[1]: row[-2:] for row in parsed.tables["ranking"][1:]}
    for name in full.ranking.names:
        area = labels.roc_areas[name]
        assert shown[name] == [f"{area:.3f}", f"{labels.precision_recall_areas[name]:.3f}"]


def test_importances_are_drawn_and_listed(full):
    importance = full.options["importance"]
    rows = Parsed(full.page).tables["importances"][1:]
    assert [row[0] for row in rows] == list(importance.feature_names)
    assert rows[0][1] == f"{100 * np.expm1(importance.importances[0].value):+.1f} %"


def test_pictures_are_the_displays(full, wide, drawn):
    volume = small_ranking()
    pages = (full.page, wide.page, drawn.page, html_page(volume))
    captions = [re.findall(r"<figcaption>(.*?)</figcaption>", page) for page in pages]
    scores, gains = "Scores with their intervals", "Feature importances with their intervals"
    curves = ["Mass-volume curves: lower is better", "Excess-mass curves: higher is better"]
    assert captions == [[scores, gains], [scores], [scores], [scores, *curves]]
    for picture in pictures(full.page)[:1]:
        assert 'role="img" aria-label="' in picture
        text = re.sub(r"<[^>]*>", " ", picture)  # text is text, no shapes of letters
        for name in full.ranking.order:
            assert name in text


def test_pictures_are_the_same_each_time_whatever_style_the_user_has(full):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black"}):
        again = html_page(full.ranking, **full.options)
    assert pictures(again) == pictures(full.page)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_self_contained(name, request):
    page = request.getfixturevalue(name).page
    assert len(page.encode(errors="replace")) < 1_000_000
    parsed = Parsed(page)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script is None or not re.search(r"fetch|XMLHttp|import|https?:", script.group(1))
    addresses = [value for name, value in parsed.attributes if name in {"src", "href", "srcset"}]
    assert all(value == "data:," or value.startswith("#") for value in addresses)
    assert all("url(" not in v.replace("url(#", "") for _, v in parsed.attributes if v)
    style = page[page.index("<style>") : page.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    ids = [value for name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hostile_names_are_text(hostile):
    parsed = Parsed(hostile.page)
    assert "img" not in parsed.tags
    assert parsed.tags.count("script") == 2  # the answers so far, and what saves them
    assert not any(name.startswith("on") for name, _ in parsed.attributes)
    for name in HOSTILE:
        assert name in parsed.text
    assert "quotes 49" not in parsed.text
    assert len(pictures(hostile.page)) == 4


def test_hostile_names_in_notebooks():
    short = small_ranking({HOSTILE[0]: Fails(), HOSTILE[1]: Fails()})._repr_html_()
    assert "<script>" not in short
    assert "<img" not in short


def test_a_ranking_of_nothing_still_has_a_page(tmp_path):
    ranking = small_ranking({"one": Fails(), "two": Fails()})
    path = tmp_path / "report.html"
    ranking.to_html(path, title="Nothing")
    parsed = Parsed(path.read_text(encoding="utf-8"))
    assert ranking.conclusion.headline() in parsed.parts["verdict"]
    assert {row[2] for row in parsed.tables["checks"][1:]} == {"one", "two"}


def test_a_page_that_cannot_be_written_is_named(tmp_path):
    for path in (tmp_path / "nowhere" / "report.html", tmp_path):
        with pytest.raises(OSError, match=re.escape(f"'{path}'") + "$"):
            small_ranking().to_html(path)


def test_numbers_are_written_as_people_write_them():
    values = [700213.0, 12345.678, 2014.0, 3.14159, 0.00001234, -5.0, 1e20]
    shown = ["700,213", "12,346", "2014", "3.142", "1.234e-05", "-5", "1e+20"]
    assert [_value(value) for value in values] == shown


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_without_a_library_the_extra_is_named(monkeypatch, library):
    _template.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"{library}.*\s.*pip install '\.\[report\]'"):
        html_page(small_ranking())


@pytest.mark.parametrize("judge", [None, References()], ids=["volumes", "measures"])
def test_the_call_reproduces_the_ranking(judge):
    import sklearn.covariance
    import sklearn.mixture

    import tests.quick_density

    ranking = small_ranking(**({} if judge is None else {"judge": judge}))
    names = vars(oddrank.reference) | vars(oddrank.ranking) | vars(sklearn.covariance)
    names |= vars(sklearn.mixture) | vars(tests.quick_density)
    names |= {"rank_detectors": rank_detectors, "X": ranking.tested_rows}
    again = eval(reproducing_call(ranking), names)
    assert again.table.records() == ranking.table.records()
    assert again.judgement.to_dict() == ranking.judgement.to_dict()
    assert list(again.refit.candidates) == list(DETECTORS)


def test_the_call_names_a_spawned_seed():
    root = np.random.SeedSequence(5).spawn(3)[2]
    ranking = rank_detectors([GaussianMixture()], np.eye(40)[:, :2], random_state=root)
    assert "numpy.random.SeedSequence(5, spawn_key=(2,))" in reproducing_call(ranking)
