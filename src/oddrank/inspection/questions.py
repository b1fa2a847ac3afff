"""Rows that are worth an answer, as people are asked about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._frames import data_frame
from oddrank._text import counted, listed
from oddrank._validation import check_integer
from oddrank.inspection.oddness import OddRows, in_words
from oddrank.ranking import Ranking

__all__ = ["OWN_COLUMNS", "Questions", "ask_rows", "beside"]

# Columns of questions that are ours; the table's own with such a name get a line behind it.
OWN_COLUMNS = ("answer", "found_odd_by", "reasons")
# A detector finds a row odd if fewer than this share of the rows look so odd to it.
ODD_TO_A_DETECTOR = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class Questions:
    """Rows to ask about: "is this row odd, in your sense?" The best question comes first.

    Iterating gives row numbers, which `Ranking.tell` takes.

    Attributes
    ----------
    places : array of int
        Row numbers.
    odd : OddRows
        The list that they come from.
    finders : tuple of tuples of str
        The detectors that find each of these rows odd.

    Examples
    --------
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> X[:4] += 5.0
    >>> ranking = rank_detectors("fast", X, random_state=0)
    >>> questions = ranking.ask(3)
    >>> answers = {row: bool(row < 4) for row in questions}
    >>> taught = ranking.tell(answers)
    >>> len(taught.answers)
    3
    """

    places: npt.NDArray[np.intp]
    odd: OddRows = field(repr=False)
    finders: tuple[tuple[str, ...], ...] = field(repr=False)

    def __iter__(self) -> Iterator[int]:
        return iter(self.places.tolist())

    def __len__(self) -> int:
        return len(self.places)

    def called(self, names: Sequence[str]) -> Questions:
        """Return the same with other names of the rows in texts, such as "line 17"."""
        return replace(self, odd=replace(self.odd, names=names))

    def frame(self) -> Any:
        """Return a pandas frame: who finds each row odd, reasons, and the row's own values.

        Its column `answer` is empty: fill in True, False or nothing, and hand it to `tell` with
        `by="row"` or, if your table has labels of its own, with `by="index"`.
        """
        reasons = self.odd.reasons_at(self)
        names = beside(OWN_COLUMNS, self.odd.table.feature_names)
        rows = [
            (
                None,
                ", ".join(finders),
                in_words(reasons[place]),
                *self.odd.values_at(place).values(),
            )
            for place, finders in zip(self, self.finders, strict=True)
        ]
        columns = list(zip(*rows, strict=True)) or [()] * (len(OWN_COLUMNS) + len(names))
        frame = data_frame([])
        frame.index = [self.odd.labels[place] for place in self]
        for name, column in zip((*OWN_COLUMNS, *names), columns, strict=True):
            frame[name] = list(column)
        # "row" are row numbers, which by="row" takes; labels are those of the index
        frame.index.name = "row" if self.odd.has_row_numbers else "index"
        return frame

    def __str__(self) -> str:
        reasons = self.odd.reasons_at(self)
        lines = []
        for place, finders in zip(self, self.finders, strict=True):
            values = ", ".join(f"{name} {v}" for name, v in self.odd.values_at(place).items())
            who = f"odd to {listed(finders)}" if finders else "odd to no detector alone"
            why = in_words(reasons[place])
            lines.append(
                f"{self.odd.labels[place]}: {values}\n    {who}{f'; {why}' if why else ''}"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Questions about {counted(len(self), 'row')}>"

    def _repr_html_(self) -> str:
        """Return a table; everything from the user is escaped."""
        frame = self.frame().drop(columns="answer")
        head = "".join(f"<th>{escape(str(name))}</th>" for name in ("row", *frame.columns))
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in (label, *cells)) + "</tr>"
            for label, cells in zip(frame.index, frame.to_numpy().tolist(), strict=True)
        )
        return (
            "<div><p>Is this row odd, in your sense?</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            "<p>ranking.tell({row number: True, False or None})</p></div>"
        )


def beside(own: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return names of the table's columns that differ from columns of ours.

    Examples
    --------
    >>> beside(("answer", "reasons"), ("amount", "answer"))
    ['amount', 'answer_']
    """
    taken, found = set(own), []
    for name in names:
        free = name
        while free in taken:
            free += "_"
        taken.add(free)
        found.append(free)
    return found


def ask_rows(ranking: Ranking, n_questions: int = 10) -> Questions:
    """Choose rows that are worth an answer; several at once are chosen to differ."""
    check_integer(n_questions, "n", "ask")
    teaching = ranking.teaching
    places = teaching.questions(n_questions, ranking.refit.root)
    names, votes = teaching.committee.names_, teaching.committee.row_votes_
    borders = np.quantile(votes, 1.0 - ODD_TO_A_DETECTOR, axis=1)
    finders = tuple(
        tuple(name for name, vote, border in zip(names, votes[:, place], borders, strict=True)
              if vote >= border)
        for place in places
    )  # fmt: skip
    return Questions(places=places, odd=ranking.odd_rows(), finders=finders)
