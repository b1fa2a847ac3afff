"""The table of a ranking, made once: every output renders the same columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from oddrank._plain_text import WIDTH, markdown_escaped, markdown_table, shortened
from oddrank.criteria import CRITERIA, Criterion, Estimate
from oddrank.evaluation import Evaluation

if TYPE_CHECKING:
    from oddrank.ranking.result import Ranking

__all__ = ["Column", "RankingTable", "ranking_table"]

NOTHING = "–"
SHORTEST_NAME = 8


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column.

    Attributes
    ----------
    name : str
        In frames and JSON.
    label : str
        In tables that people read.
    is_text : bool
        Whether it is aligned to the left, and may be cut short.
    digits : str
        How numbers are written, as Python formats them.
    has_error : bool
        Whether the relative error of an estimate stands beside it.
    """

    name: str
    label: str
    is_text: bool = False
    digits: str = ".3g"
    has_error: bool = False

    def text(self, value: Any) -> str:
        """Return a value as people read it.

        Examples
        --------
        >>> column = Column(name="roc_area", label="ROC", digits=".3f")
        >>> column.text(None), column.text(3), column.text(0.98765), column.text(float("nan"))
        ('–', '3', '0.988', 'unresolved')
        """
        if value is None:
            return NOTHING
        if not isinstance(value, Estimate | float):
            return str(value)
        number = value.value if isinstance(value, Estimate) else value
        if not math.isfinite(number):
            return "unresolved"
        text = format(number, self.digits)
        if self.has_error and isinstance(value, Estimate):
            text += f" ± {100 * value.relative_error:.0f} %"
        return text


@dataclass(frozen=True, kw_only=True)
class RankingTable:
    """Detectors from best to worst, failures last.

    Attributes
    ----------
    columns : tuple of Column
    rows : tuple of mappings of column name to value
        Values are text, numbers, estimates, or None where there is none.
    notes : tuple of str
        What a reader of the columns should know.
    """

    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]

    @property
    def head(self) -> list[str]:
        """Labels of the columns."""
        return [column.label for column in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The text of every cell, row by row."""
        return [[column.text(row[column.name]) for column in self.columns] for row in self.rows]

    def with_columns(
        self, columns: Sequence[Column], values: Sequence[Mapping[str, Any]]
    ) -> RankingTable:
        """Return the table with more columns; each has values by the detector's name."""
        rows = tuple(
            {
                **row,
                **{c.name: of.get(row["detector"]) for c, of in zip(columns, values, strict=True)},
            }
            for row in self.rows
        )
        return replace(self, columns=(*self.columns, *columns), rows=rows)

    def records(self) -> list[dict[str, object]]:
        """Return plain values for frames and JSON; errors and intervals have their own columns."""
        estimated = {
            column.name
            for column in self.columns
            if any(isinstance(row[column.name], Estimate) for row in self.rows)
        }
        records = []
        for row in self.rows:
            record: dict[str, object] = {}
            for column in self.columns:
                name, value = column.name, row[column.name]
                if name not in estimated:
                    record[name] = value
                    continue
                known = isinstance(value, Estimate) and value.resolved
                parts = (value.value, value.standard_error, *value.interval) if known else ()
                for ending, part in zip(("", "_error", "_lower", "_upper"), parts or [None] * 4,
                                        strict=True):  # fmt: skip
                    record[name + ending] = part
            records.append(record)
        return records

    def detectors(self) -> list[dict[str, object]]:
        """Return `records` as JSON has them: under the detector's name."""
        return [{"name": record.pop("detector"), **record} for record in self.records()]

    def to_text(self) -> str:
        """Return the table as plain text, at most 79 columns wide: long names are cut."""
        cells = self.cells
        widths = [max(map(len, each)) for each in zip(self.head, *cells, strict=True)]
        place = [column.name for column in self.columns].index("detector")
        room = WIDTH - sum(widths) - 2 * (len(widths) - 1) + widths[place]
        widths[place] = min(widths[place], max(room, SHORTEST_NAME))
        for line in cells:
            line[place] = shortened(line[place], widths[place])
        lines = [self._line(self.head, widths), "-" * (sum(widths) + 2 * (len(widths) - 1))]
        lines += [self._line(line, widths) for line in cells]
        return "\n".join(line.rstrip() for line in lines)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        return "  ".join(
            f"{cell:<{width}}" if column.is_text else f"{cell:>{width}}"
            for column, cell, width in zip(self.columns, cells, widths, strict=True)
        )

    def to_markdown(self) -> str:
        """Return the table in Markdown; names from the data are escaped."""
        return markdown_table(
            self.head, [[markdown_escaped(cell) for cell in line] for line in self.cells]
        )

    def to_html(self) -> str:
        """Return the table as HTML; names from the data are escaped."""
        head = _html_row("th", self.head)
        rows = "".join(_html_row("td", line) for line in self.cells)
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def ranking_table(ranking: Ranking) -> RankingTable:
    """Make the table of a ranking: what decides, who cannot be told apart, what was measured."""
    judgement = ranking.judgement
    in_volume = any(each.in_volume for each in ranking.evaluations.values())
    measured: list[Criterion] = list(CRITERIA) if in_volume else []
    columns = [
        Column(name="rank", label="rank"),
        Column(name="detector", label="detector", is_text=True),
        Column(name="score", label="score", digits=".3g" if judgement.criterion.unit else ".3f"),
        Column(name="group", label="group"),
        Column(name="beats", label="beats"),
        *(Column(name=each.name, label=each.label, has_error=True) for each in measured),
        Column(name="trust", label="trust", is_text=True),
    ]
    beaten = [each.better for each in judgement.comparisons if each.separated]
    letters = ranking.letters
    rows: list[dict[str, Any]] = []
    for name, evaluation in ranking.evaluations.items():
        placed = name in judgement.scores
        rows.append(
            {
                "rank": judgement.order.index(name) + 1 if placed else None,
                "detector": name,
                "score": judgement.scores.get(name),
                "group": letters.get(name),
                "beats": beaten.count(name),
                **{each.name: evaluation[each] for each in measured},
                "trust": "with care" if ranking.is_a_guess or concerns_of(evaluation) else "yes",
            }
        )
    nothing = {column.name: None for column in columns}
    rows += [{**nothing, "detector": name, "trust": "failed"} for name in ranking.failures]
    tied = any(len(group) > 1 for group in ranking.groups())
    return RankingTable(
        columns=tuple(columns),
        rows=tuple(rows),
        notes=("Same letter: cannot be told apart.",) if tied else (),
    )


def concerns_of(evaluation: Evaluation) -> tuple[Any, ...]:
    """Return what to distrust; areas that were not measured as volumes decide nothing."""
    concerns = evaluation.diagnostics.concerns
    return tuple(c for c in concerns if evaluation.in_volume or c.name == "tied scores")


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
