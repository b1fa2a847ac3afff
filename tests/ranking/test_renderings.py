"""One table, six renderings: the same columns, and the figure that decides in all of them."""

import json
import re
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from oddrank import FeatureSubsampling, References
from oddrank._text import figure
from oddrank.cli.terminal import print_screen
from oddrank.ranking import ranking_table, screen
from oddrank.report import html_page
from tests.small_ranking import DETECTORS, SMALL_VOLUMES, Fails, small_ranking, small_rows

SCHEMA = Path(__file__).parents[2] / "docs" / "ranking_schema.json"
POOL = {**DETECTORS, "broken": Fails()}
VOLUMES = ["excess mass", "mass volume"]
SHORT = ["rank", "detector", "score", "group", "sure"]
BY_DRAWS = replace(SMALL_VOLUMES, subsampling=FeatureSubsampling(2, 4, "geometric"))
# the judge, the number of features, and the labels of the columns of volumes
JUDGES = {
    "judged": (References(), 2, []),
    "judged in many features": (References(), 12, []),
    "by excess mass": (replace(SMALL_VOLUMES, criterion="excess_mass"), 2, VOLUMES),
    "by mass volume": (replace(SMALL_VOLUMES, criterion="mass_volume"), 2, VOLUMES),
    "in draws": (BY_DRAWS, 4, VOLUMES),
}


@pytest.fixture(scope="module", params=JUDGES)
def case(request):
    judge, n_features, volumes = JUDGES[request.param]
    ranking = small_ranking(POOL, small_rows(600, n_features), judge=judge)
    table = ranking.table
    hidden = all(each.sureness.withheld for each in ranking.comparisons)
    assert [column.name for column in table.short.columns] == SHORT[: len(SHORT) - hidden]
    assert table.head == [*table.short.head, *table.details.head[1:]]
    assert table.details.head[3 + hidden :] == volumes
    return ranking, table.head


class _Tables(HTMLParser):
    """The cells of every table, row by row."""

    def __init__(self, page):
        super().__init__()
        self.tables = []
        self.cell = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in {"td", "th"}:
            self.tables[-1][-1].append(self.cell.strip())
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def _checked_lines(text, table):
    """Every cell of the table in its order, with nothing but spaces and bars between."""
    found = {}
    for expected in table.cells:
        pattern = r"[\s█▉▊▋▌▍▎▏]+".join(map(re.escape, expected))
        assert re.search(rf"^\s*{pattern}\s*$", text, re.MULTILINE), (text, expected)
        found[expected[1]] = expected[2]
    return found


def in_text(ranking, labels, capsys):
    return _checked_lines(str(ranking), ranking.table.short)


def in_the_terminal(ranking, labels, capsys):
    print_screen(screen(ranking, place="command", width=100))
    return _checked_lines(capsys.readouterr().out, ranking.table.short)


def in_the_details(ranking, labels, capsys):
    details = ranking_table(ranking, with_volumes=True).details
    for expected in details.cells:
        pattern = r"\s+".join(map(re.escape, expected))
        assert re.search(rf"^{pattern}\s*$", ranking.details, re.MULTILINE), ranking.details
    return {row[1]: row[2] for row in ranking.table.cells}


def in_a_notebook(ranking, labels, capsys):
    *_, (head, *rows) = _Tables(ranking._repr_html_()).tables
    short = ranking.table.short
    assert head == [label.replace("\n", " ") for label in short.head]
    assert rows == short.cells
    return {row[1]: row[2] for row in rows}


def in_the_page(ranking, labels, capsys):
    page = html_page(ranking)
    tables = _Tables(page).tables[2 if ranking.order else 0 :]  # the rows and their values
    for of_page, table in zip(tables, (ranking.table.short, ranking.table.details), strict=False):
        assert of_page[1:] == table.cells
    return {row[1]: row[2] for row in ranking.table.short.cells}


def _of_the_table(names):
    """Names of plain values without the errors and intervals of estimates."""
    return [name for name in names if not name.endswith(("_error", "_lower", "_upper"))]


def _plain_columns(records, ranking, name):
    """The columns of plain values are those of the table, the same in every row."""
    expected = {column.name for column in ranking.table.columns} - {"detector"} | {name}
    assert len({tuple(record) for record in records}) == 1
    for record in records:
        assert set(_of_the_table(record)) == expected
    return {record[name]: record["score"] for record in records}


def in_json(ranking, labels, capsys):
    plain = json.loads(json.dumps(ranking.to_dict()))
    assert plain["order"] == list(ranking.order)
    assert plain["best"] == ranking.best
    return _plain_columns(plain["detectors"], ranking, "name")


def in_a_frame(ranking, labels, capsys):
    frame = ranking.frame()
    columns = _of_the_table(frame.columns)
    assert columns == [column.name for column in ranking.table.columns]
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return _plain_columns(records, ranking, "detector")


AS_PEOPLE_READ_IT = [
    in_text,
    in_the_terminal,
    in_the_details,
    in_a_notebook,
    in_the_page,
]
AS_NUMBERS = [in_json, in_a_frame]


@pytest.mark.parametrize("rendering", AS_PEOPLE_READ_IT)
def test_people_read_the_same_columns_and_the_score(case, rendering, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    ranking, labels = case
    found = rendering(ranking, labels, capsys)
    in_words = "{:.3f}".format if ranking.criterion == "mean_area" else partial(figure, digits=3)
    scores = ranking.judgement.scores.items()
    assert found == {name: in_words(score.value) for name, score in scores} | {"broken": "failed"}


@pytest.mark.parametrize("rendering", AS_NUMBERS)
def test_programs_read_the_same_columns_and_the_score(case, rendering, capsys):
    ranking, labels = case
    found = rendering(ranking, labels, capsys)
    scores = ranking.judgement.scores.items()
    assert found == {name: score.value for name, score in scores} | {"broken": None}
    assert list(found) == [*ranking.order, "broken"]


def test_json_follows_the_schema(case):
    ranking, _ = case
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(ranking.to_dict())), schema)
    described = [schema, *schema["$defs"].values()]
    assert all("description" in each for part in described for each in part["properties"].values())
    assert set(ranking.to_dict()) == set(schema["required"])


def test_who_beats_whom_is_by_what_decides(case):
    ranking, _ = case
    beaten = [each.better for each in ranking.comparisons if each.separated]
    for row in ranking.table.rows:
        assert row["beats"] == (
            None if row["detector"] == "broken" else beaten.count(row["detector"])
        )


def test_groups_are_the_same_everywhere(case):
    ranking, _ = case
    letters = {row["detector"]: row["group"] for row in ranking.table.rows}
    for name in ranking.order:
        together = {name} | {
            other
            for other in ranking.order
            if other != name and not ranking.compare(name, other).separated
        }
        shared = {other for other in ranking.order if set(letters[other]) & set(letters[name])}
        assert shared == together
