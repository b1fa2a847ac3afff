"""A ranking as one HTML page that needs nothing but itself."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from oddrank._text import Audience, figure, p_value_in_words
from oddrank.errors import missing_extra
from oddrank.inspection import ColumnSpreads, FeatureImportance, LabelCheck, OddRows
from oddrank.ranking import ANSWER_WORDS, Ranking, TableColumn
from oddrank.report.pictures import curve_pictures, importance_picture, ranking_picture
from oddrank.report.provenance import package_versions, reproducing_call

__all__ = ["AnswersFile", "html_page"]

SHOWN_ROWS = 20
# A value further from the median of its column, in spreads, is bold.
FAR = 3.5
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@dataclass(frozen=True, kw_only=True)
class AnswersFile:
    """The file that the page saves when somebody has answered.

    Attributes
    ----------
    name : str
    columns : tuple of str
        The second one holds the answers: yes, no, or cannot say.
    rows : sequence of tuples of str
        Of every ranked row: its cells in the other columns.
    call : str
        What takes the file up.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    call: str

    @classmethod
    def by_row_number(cls, n_rows: int) -> AnswersFile:
        """Return the file of a page made in Python."""
        return cls(
            name="answers.csv",
            columns=("row", "answer"),
            rows=[(str(row),) for row in range(n_rows)],
            call='ranking.tell(pd.read_csv("answers.csv", index_col="row"), by="row")',
        )

    def form(self, shown: Sequence[int], answers: Mapping[int, bool | None]) -> dict[str, Any]:
        """Return what the page's script needs, with the answers so far."""
        return {
            "name": self.name,
            "columns": self.columns,
            "rows": {row: self.rows[row] for row in (*shown, *answers)},
            "answers": [(row, ANSWER_WORDS[answer]) for row, answer in answers.items()],
        }


def html_page(
    ranking: Ranking,
    *,
    title: str = "Which rows to look at",
    notes: Sequence[str] = (),
    odd: OddRows | None = None,
    row_names: Sequence[str] | None = None,
    labels: LabelCheck | None = None,
    importance: FeatureImportance | None = None,
    answers_file: AnswersFile | None = None,
    call: str = "",
    place: Audience = "python",
) -> str:
    """Return the page; everything from the data is escaped, wherever it stands.

    Parameters
    ----------
    ranking : Ranking
    title : str
    notes : sequence of str
        Where the rows came from and what was done to them: a sentence each.
    odd : OddRows, optional
        The rows to look at first; by default those of the committee.
    row_names : sequence of str, optional
        What the rows of the ranking are called; "row 0" and so on by default.
    labels : LabelCheck, optional
        See `oddrank.check_against_labels`.
    importance : FeatureImportance, optional
        See `oddrank.feature_importance`.
    answers_file : AnswersFile, optional
        What the page saves when somebody answers; by default a file that `Ranking.tell` takes.
    call : str
        What reproduces the ranking, if not the Python call.
    place : "python", "command" or "demo"
        Whether advice speaks of parameters or of flags.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import rank_detectors
    >>> from oddrank.report import html_page
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detectors = {"one": GaussianMixture(1), "three": GaussianMixture(3)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> page = html_page(ranking, title="one < three?")
    >>> page[:15], "<title>one &lt; three?</title>" in page
    ('<!doctype html>', True)
    """
    template = _template()
    if odd is None and ranking.order:
        odd = ranking.odd_rows()
    shown = [] if odd is None else odd.order[:SHOWN_ROWS].tolist()
    if odd is not None:
        odd.reasons_at(shown)  # all at once
    if odd is None or ranking.has_test_rows:
        answers_file = None  # answers are about the rows that were ranked on
    elif answers_file is None:
        answers_file = AnswersFile.by_row_number(ranking.n_rows)
    page: str = template.render(
        ranking=ranking,
        title=title,
        notes=notes,
        table=_table(ranking, labels),
        odd=odd,
        row_names=row_names,
        shown=shown,
        values={} if odd is None else _values(ranking, odd, shown),
        labels=labels,
        answers_file=answers_file,
        answers_form=answers_file and answers_file.form(shown, ranking.asked_answers),
        importance=importance,
        place=place,
        far=FAR,
        scores_picture=ranking_picture(ranking) if ranking.order else "",
        curves=list(curve_pictures(ranking)) if ranking.order else [],
        importance_picture=importance_picture(importance) if importance else "",
        call=call,
        python_call=reproducing_call(ranking),
        versions=package_versions(),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )
    return page


@cache
def _template() -> Any:
    try:
        import jinja2
        import matplotlib  # noqa: F401  the pictures need it
    except ImportError as error:
        raise missing_extra(f"The HTML report needs {error.name}", "report") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("oddrank.report", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"gain": _gain, "p_value": _p_value, "unbroken": _unbroken}
    return environment.get_template("page.html.jinja")


def _table(ranking: Ranking, labels: LabelCheck | None) -> Any:
    if labels is None:
        return ranking.table
    columns = [TableColumn(name=name, label=name.upper(), digits=".3f") for name in ("roc", "pr")]
    return ranking.table.with_columns(columns, [labels.roc_areas, labels.precision_recall_areas])


def _values(
    ranking: Ranking, odd: OddRows, shown: Sequence[int]
) -> dict[int, list[tuple[str, bool]]]:
    """Return the values of the rows that are shown, as text, and whether each is far off."""
    spreads, table = ColumnSpreads(ranking.tested_rows), odd.table
    found = {}
    for place in shown:
        row = table.values[place]
        shown = row.tolist()
        if table.columns:
            shown = [each.decode_list(row[[j]])[0] for j, each in enumerate(table.columns)]
        far = (abs(spreads.steps(row)) > FAR).tolist()
        found[place] = list(zip(map(_value, shown), far, strict=True))
    return found


def _value(value: Any) -> str:
    """Return a value of the user's table: a number with four digits, a text as it is.

    Examples
    --------
    >>> _value(3.14159), _value("red"), _value(None)
    ('3.142', 'red', 'missing')
    """
    if value is None:
        return "missing"
    return figure(value) if type(value) in (int, float) else str(value)


def _gain(log_ratio: float) -> str:
    """Return the gain of a feature in percent, with its sign."""
    return f"{100 * math.expm1(log_ratio):+.1f} %" if math.isfinite(log_ratio) else "unresolved"


def _p_value(value: float) -> str:
    return "none" if math.isnan(value) else p_value_in_words(value).removeprefix("= ")


def _unbroken(text: str) -> Any:
    """Return an escaped sentence whose flags are not broken at their hyphens on narrow screens."""
    from markupsafe import Markup, escape

    return Markup(_FLAG.sub(r'<span class="flag">\g<0></span>', str(escape(text))))
