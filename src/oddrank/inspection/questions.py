"""Rows that are worth an answer, as people are asked about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._frames import data_frame
from oddrank._text import counted, listed
from oddrank._validation import check_integer
from oddrank.inspection.oddness import OddRows, in_words
from oddrank.ranking import Ranking

__all__ = ["Questions", "ask_rows"]

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

    def frame(self) -> Any:
        """Return a pandas frame: who finds each row odd, reasons, and the row's own values.

        Its column `answer` is empty: fill in True, False or nothing, and hand it to `tell` with
        `by="row"` or, if your table has labels of its own, with `by="index"`.
        """
        reasons = self.odd.reasons_at(self)
        frame = data_frame(
            [
                {
                    "answer": None,
                    "found_odd_by": ", ".join(finders),
                    "reasons": in_words(reasons[place]),
                    **self.odd.values_at(place),
                }
                for place, finders in zip(self, self.finders, strict=True)
            ]
        )
        frame.index = [self.odd.labels[place] for place in self]
        frame.index.name = "row"
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
