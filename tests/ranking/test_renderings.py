"""One table, seven renderings: the same columns, and the figure that decides in all of them."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from oddrank import FeatureSubsampling, References
from oddrank.cli.rank_outputs import print_ranking
from oddrank.report import html_page, markdown, summarise
from tests.small_ranking import DETECTORS, SMALL_VOLUMES, Fails, small_ranking, small_rows

POOL = {**DETECTORS, "broken": Fails()}
VOLUMES = ["excess mass", "mass volume"]
BY_DRAWS = replace(SMALL_VOLUMES, subsampling=FeatureSubsampling(2, 4, "geometric"))
# the judge, the number of features, and the labels of the columns of volumes
JUDGES = {
    "judged": (References(volume=SMALL_VOLUMES), 2, VOLUMES),
    "judged in many features": (References(), 12, []),
    "by excess mass": (replace(SMALL_VOLUMES, criterion="excess_mass"), 2, VOLUMES),
    "by mass volume": (replace(SMALL_VOLUMES, criterion="mass_volume"), 2, VOLUMES),
    "in draws": (BY_DRAWS, 4, VOLUMES),
}


@pytest.fixture(scope="module", params=JUDGES)
def case(request):
    judge, n_features, volumes = JUDGES[request.param]
    ranking = small_ranking(POOL, small_rows(600, n_features), judge=judge)
    assert ranking.table.head[1:] == ["detector", "score", "group", "beats", *volumes, "trust"]
    return ranking, ranking.table.head


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


def _of_lines(text):
    """Head and rows of a table of aligned columns: labels and cells hold no two spaces."""
    lines = text.splitlines()
    rule = next(i for i, line in enumerate(lines) if re.fullmatch(r"\s*[-─]{20,}\s*", line))
    rows = []
    for line in lines[rule + 1 :]:
        if not re.search(r"\S\s{2,}\S|\s(yes|failed|with care)\s*$", line):
            break
        rows.append(line.strip())
    return lines[rule - 1].strip(), rows


def _checked_lines(text, labels, cells):
    head, rows = _of_lines(text)
    assert re.fullmatch(r"\s+".join(label for label in labels if label), head), head
    found = {}
    for line, expected in zip(rows, cells, strict=True):
        # every cell in its order, with nothing but spaces between
        pattern = r"\s+".join(map(re.escape, expected))
        assert re.fullmatch(pattern, line), (line, expected)
        found[expected[1]] = expected[2]
    return found


def in_text(ranking, labels, capsys):
    return _checked_lines(str(ranking), labels, ranking.table.cells)


def in_the_terminal(ranking, labels, capsys):
    print_ranking(summarise(ranking, n_oddest=0))
    return _checked_lines(capsys.readouterr().out, labels, ranking.table.cells)


def in_a_notebook(ranking, labels, capsys):
    ((head, *rows),) = _Tables(ranking._repr_html_()).tables
    assert head == labels
    assert rows == ranking.table.cells
    return {row[1]: row[2] for row in rows}


def in_the_page(ranking, labels, capsys):
    head, *rows = _Tables(html_page(summarise(ranking, n_oddest=0))).tables[0]
    # beside an estimate stands the picture of its interval, without a label of its own
    places = [place for place, label in enumerate(head) if label]
    assert [head[place].lower() for place in places] == ["rank", *labels[1:]], "no label of ranks"
    shown = [[row[place] for place in places] for row in rows]
    assert shown == ranking.table.cells
    return {row[1]: row[2] for row in shown}


def in_markdown(ranking, labels, capsys):
    lines = markdown(summarise(ranking, n_oddest=0)).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("|"))
    table = [line for line in lines[start:] if line.startswith("|")][: 2 + len(ranking.table.rows)]
    head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in table)
    assert head == labels
    assert rows == ranking.table.cells
    return {row[1]: row[2] for row in rows}


def _of_the_table(names):
    """Names of plain values without the errors and intervals of estimates."""
    return [name for name in names if not name.endswith(("_error", "_lower", "_upper"))]


def _plain_columns(records, labels, name):
    """The columns of plain values are those of the table, the same in every row."""
    expected = {label.replace(" ", "_") for label in ["rank", name, *labels[2:]]}
    assert len({tuple(record) for record in records}) == 1
    for record in records:
        assert set(_of_the_table(record)) == expected
    return {record[name]: record["score"] for record in records}


def in_json(ranking, labels, capsys):
    plain = json.loads(json.dumps(ranking.to_dict()))
    assert plain["order"] == list(ranking.order)
    assert plain["best"] == ranking.best
    return _plain_columns(plain["detectors"], labels, "name")


def in_the_report_as_json(ranking, labels, capsys):
    report = json.loads(summarise(ranking, n_oddest=0).to_json())
    assert report["order"] == list(ranking.order)
    assert report["best"] == ranking.best
    # a report says more of a detector than its row of the table
    more = {"seconds", "failure", "settings"}
    assert all(more <= set(each) for each in report["detectors"])
    figures = [
        {name: value for name, value in each.items() if name not in more}
        for each in report["detectors"]
    ]
    return _plain_columns(figures, labels, "name")


def in_a_frame(ranking, labels, capsys):
    frame = ranking.frame()
    columns = _of_the_table(frame.columns)
    assert columns == [column.name for column in ranking.table.columns]
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return _plain_columns(records, labels, "detector")


AS_PEOPLE_READ_IT = [in_text, in_the_terminal, in_a_notebook, in_the_page, in_markdown]
AS_NUMBERS = [in_json, in_the_report_as_json, in_a_frame]


@pytest.mark.parametrize("rendering", AS_PEOPLE_READ_IT)
def test_people_read_the_same_columns_and_the_score(case, rendering, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    ranking, labels = case
    found = rendering(ranking, labels, capsys)
    digits = ".3f" if ranking.criterion == "mean_area" else ".3g"
    scores = ranking.judgement.scores.items()
    assert found == {name: format(score.value, digits) for name, score in scores} | {"broken": "–"}


@pytest.mark.parametrize("rendering", AS_NUMBERS)
def test_programs_read_the_same_columns_and_the_score(case, rendering, capsys):
    ranking, labels = case
    found = rendering(ranking, labels, capsys)
    scores = ranking.judgement.scores.items()
    assert found == {name: score.value for name, score in scores} | {"broken": None}
    assert list(found) == [*ranking.order, "broken"]


def test_who_beats_whom_is_by_what_decides(case):
    ranking, _ = case
    summary = summarise(ranking, n_oddest=0)
    decides = ranking.judgement.criterion
    assert summary.criteria[0] == decides
    shown = {
        (each.better, each.worse): (each.separated, each.p_value)
        for each in summary.comparisons
        if each.criterion == decides.name
    }
    assert shown == {
        (each.better, each.worse): (each.separated, each.adjusted_p_value)
        for each in ranking.comparisons
    }
    beaten = [each.better for each in ranking.comparisons if each.separated]
    for row in ranking.table.rows:
        assert row["beats"] == (
            None if row["detector"] == "broken" else beaten.count(row["detector"])
        )
    first_matrix = html_page(summary).split('id="pairs-title"')[1]
    assert decides.label in first_matrix[: first_matrix.index("</table>")].lower()


def test_groups_are_the_same_everywhere(case):
    ranking, _ = case
    summary = summarise(ranking, n_oddest=0)
    groups = [list(group) for group in ranking.groups()]
    assert ranking.to_dict()["groups"] == summary.to_dict()["groups"] == groups
    letters = {row["detector"]: row["group"] for row in ranking.table.rows}
    for name in ranking.order:
        together = {name} | {
            other
            for other in ranking.order
            if other != name and not ranking.compare(name, other).separated
        }
        shared = {other for other in ranking.order if set(letters[other]) & set(letters[name])}
        assert shared == together
