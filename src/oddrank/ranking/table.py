"""The table of a ranking, made once: every output renders the same columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from oddrank._text import WIDTH, bar, figure, shortened
from oddrank.criteria import CRITERIA, Criterion, Estimate
from oddrank.ranking.comparison import Comparison
from oddrank.ranking.sureness import Sureness

if TYPE_CHECKING:
    from oddrank.ranking.result import Ranking

__all__ = ["RankingTable", "TableColumn", "ranking_table"]

NOTHING = "–"
SHORTEST_NAME, LONGEST_BEST = 8, 14
# Where a mean area starts to be better than chance.
CHANCE = 0.5
# What frames and JSON call the criteria of volumes.
SHORT_NAMES = {"excess_mass": "em", "mass_volume": "mv"}


@dataclass(frozen=True, kw_only=True)
class TableColumn:
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
        How numbers are written, as Python formats them; three digits that count by default.
    error : "none", "hidden", "relative" or "absolute"
        Whether values are estimates, and which error stands beside them.
    is_detail : bool
        Whether it is shown on request, and in the page, only.
    """

    name: str
    label: str
    is_text: bool = False
    digits: str = ""
    error: str = "none"
    is_detail: bool = False

    def text(self, value: Any) -> str:
        """Return a value as people read it.

        Examples
        --------
        >>> column = TableColumn(name="roc_area", label="ROC", digits=".3f")
        >>> column.text(None), column.text(3), column.text(0.98765), column.text(float("nan"))
        ('–', '3', '0.988', 'unresolved')
        """
        if value is None:
            return NOTHING
        if isinstance(value, Sureness):
            return NOTHING if value.withheld else f"{100 * value.probability:.0f} %"
        if not isinstance(value, Estimate | float):
            return str(value)
        number = value.value if isinstance(value, Estimate) else value
        if not math.isfinite(number):
            return "unresolved"
        text = format(number, self.digits) if self.digits else figure(number, 3)
        if isinstance(value, Estimate) and self.error == "relative":
            text += f" ± {100 * value.relative_error:.0f} %"
        if isinstance(value, Estimate) and self.error == "absolute":
            text += f" ± {format(value.standard_error, self.digits)}"
        return text


@dataclass(frozen=True, kw_only=True)
class RankingTable:
    """Detectors from best to worst, failures last.

    Attributes
    ----------
    columns : tuple of TableColumn
    rows : tuple of mappings of column name to value
        Values are text, numbers, estimates, or None where there is none.
    notes : tuple of str
        What a reader of the columns should know.
    bars : mapping of name to float
        How good each score is, from 0 to 1: the length of the bar beside it.
    """

    columns: tuple[TableColumn, ...]
    rows: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    bars: Mapping[str, float]

    def __repr__(self) -> str:
        return f"<RankingTable: {len(self.rows)} rows, {len(self.columns)} columns>"

    @property
    def head(self) -> list[str]:
        """Labels of the columns."""
        return [column.label for column in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The text of every cell, row by row."""
        return [[column.text(row[column.name]) for column in self.columns] for row in self.rows]

    @property
    def short(self) -> RankingTable:
        """The table without its details."""
        return replace(self, columns=tuple(each for each in self.columns if not each.is_detail))

    @property
    def details(self) -> RankingTable:
        """The details alone."""
        kept = tuple(each for each in self.columns if each.is_detail or each.name == "detector")
        return replace(self, columns=kept, bars={})

    def with_columns(
        self, columns: Sequence[TableColumn], values: Sequence[Mapping[str, Any]]
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
        records = []
        for row in self.rows:
            record: dict[str, object] = {}
            for column in self.columns:
                name, value = column.name, row[column.name]
                if column.error == "none":
                    record[name] = value.probability if isinstance(value, Sureness) else value
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

    def to_text(self, width: int = WIDTH) -> str:
        """Return the table as plain text of at most this width: long names are cut."""
        cells, head = self.cells, self.head
        names = [column.name for column in self.columns]
        if self.bars:
            place = names.index("score")
            for line, row in zip(cells, self.rows, strict=True):
                line[place] += f" {bar(self.bars.get(row['detector'], 0.0)):<10}"
            head[place] = f"{head[place]:<{max(len(line[place]) for line in cells)}}"
        # spaces keep the words of a label together
        lines = [label.split("\n") for label in head]
        depth = max(map(len, lines))
        heads = [[""] * (depth - len(each)) + each for each in lines]
        widths = [
            max(map(len, [*words, *(line[place] for line in cells)]))
            for place, words in enumerate(heads)
        ]
        place = names.index("detector")
        room = width - sum(widths) - 2 * (len(widths) - 1) + widths[place]
        widths[place] = min(widths[place], max(room, SHORTEST_NAME))
        for line in cells:
            line[place] = shortened(line[place], widths[place])
        shown = [self._line([words[k] for words in heads], widths) for k in range(depth)]
        shown += [self._line(line, widths) for line in cells]
        return "\n".join(line.rstrip() for line in shown)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        return "  ".join(
            f"{cell:<{width}}" if column.is_text else f"{cell:>{width}}"
            for column, cell, width in zip(self.columns, cells, widths, strict=True)
        )

    def to_html(self) -> str:
        """Return the table as HTML; names from the data are escaped."""
        head = _html_row("th", [_one_line(label) for label in self.head])
        rows = "".join(_html_row("td", line) for line in self.cells)
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def ranking_table(ranking: Ranking, *, with_volumes: bool = False) -> RankingTable:
    """Make the table of a ranking: what decides, who cannot be told apart, what was measured.

    With `with_volumes` excess mass and mass volume are among the details, measured if need be.
    """
    judgement = ranking.judgement
    measured: list[Criterion] = []
    if with_volumes or judgement.criterion.unit:
        measured = list(CRITERIA) if ranking.evaluations else []
    columns = (*_columns(ranking), *(_measured(each) for each in measured))
    beaten = [each.better for each in judgement.comparisons if each.separated]
    letters = ranking.letters
    rows: list[dict[str, Any]] = []
    for name in ranking.names:
        placed = name in judgement.scores
        lead = _lead_over(ranking, name)
        rows.append(
            {
                "rank": judgement.order.index(name) + 1 if placed else None,
                "detector": name,
                "score": judgement.scores.get(name, "unresolved"),
                "group": letters.get(name),
                "sure": None if lead is None else lead.sureness,
                "beats": beaten.count(name),
                "behind": None if lead is None else lead.lead,
                **{SHORT_NAMES[each.name]: ranking.evaluations[name][each] for each in measured},
            }
        )
    nothing = {column.name: None for column in columns}
    rows += [{**nothing, "detector": name, "score": "failed"} for name in ranking.failures]
    tied = any(len(group) > 1 for group in ranking.groups())
    return RankingTable(
        columns=columns,
        rows=tuple(rows),
        notes=("Same letter: cannot be told apart.",) if tied else (),
        bars=_bars(ranking),
    )


def _columns(ranking: Ranking) -> tuple[TableColumn, ...]:
    criterion = ranking.judgement.criterion
    digits = "" if criterion.unit else ".3f"
    best = ranking.order[0] if ranking.order else "best"
    best = "the best" if len(best) > LONGEST_BEST else best
    return (
        TableColumn(name="rank", label=""),
        TableColumn(name="detector", label="detector", is_text=True),
        TableColumn(name="score", label="score", digits=digits, error="hidden"),
        TableColumn(name="group", label="group", is_text=True),
        TableColumn(name="sure", label=f"{best} better,\nin labelled data",
               is_detail=all(each.sureness.withheld for each in ranking.comparisons)),
        TableColumn(name="beats", label="beats", is_detail=True),
        TableColumn(name="behind", label=f"behind {best}", digits=".3f", error="absolute",
               is_detail=True),
    )  # fmt: skip


def _measured(criterion: Criterion) -> TableColumn:
    return TableColumn(
        name=SHORT_NAMES[criterion.name], label=criterion.label, error="relative", is_detail=True
    )


def _lead_over(ranking: Ranking, name: str) -> Comparison | None:
    if name not in ranking.order[1:]:
        return None
    return ranking.compare(ranking.order[0], name)


def _bars(ranking: Ranking) -> dict[str, float]:
    """Return how long bars are: above chance for areas, the share of the best for volumes."""
    judgement = ranking.judgement
    values = {name: score.value for name, score in judgement.scores.items()}
    if not judgement.criterion.unit:
        return {name: (value - CHANCE) / (1.0 - CHANCE) for name, value in values.items()}
    sign = judgement.criterion.sign
    best = values[judgement.order[0]] if values else 1.0
    return {name: (value / best) ** sign for name, value in values.items()}


def _one_line(label: str) -> str:
    return label.replace("\n", " ")


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
