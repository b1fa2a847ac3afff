"""Answers in a file beside the table: rows are recognised by their cells, then by their line."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oddrank._files import write_text
from oddrank._text import counted
from oddrank.errors import InvalidDataError
from oddrank.ranking import ANSWER_WORDS, parsed_answer

if TYPE_CHECKING:
    from oddrank.io import UserTable

__all__ = ["HEAD", "KeptAnswers", "answers_cells", "answers_path", "read_answers", "write_answers"]

HEAD = ("line", "answer", "row")
# Sentences about answers that were set aside, before the others are counted.
MOST_SENTENCES = 3


def answers_path(tables: tuple[str, ...]) -> str:
    """Return where the answers about a table are kept: beside it."""
    path = Path(tables[0])
    return str(path.with_name(f"{path.name.partition('.')[0]}.answers.csv"))


def marks(table: UserTable) -> list[str]:
    """Return a mark of the cells of every row that is used."""
    wanted = set(table.row_numbers.tolist())
    found = {}
    for number, cells in enumerate(table.cells()):
        if number in wanted:
            text = "\x1f".join(map(str, cells))
            found[number] = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[
                :16
            ]
    return [found[number] for number in table.row_numbers.tolist()]


def answers_cells(table: UserTable) -> list[tuple[str, str]]:
    """Return line and mark of every row, the cells beside its answer."""
    return [
        (str(where[-1]), mark) for where, mark in zip(table.places(), marks(table), strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class KeptAnswers:
    """What a file of answers holds.

    Attributes
    ----------
    answers : mapping of place to True, False or None
        About rows that are used.
    set_aside : tuple of (line, answer, mark)
        About rows that have other cells now, or are not among those used. They stay in the file.
    """

    answers: Mapping[int, bool | None] = field(default_factory=dict)
    set_aside: tuple[tuple[str, str, str], ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What was set aside, in words."""
        told = [
            f"The answer about line {line} is set aside: no row has these cells now."
            for line, _, _ in self.set_aside
        ]
        n_more = len(told) - MOST_SENTENCES
        more = [f"{counted(n_more, 'more answer')} set aside."] if n_more > 0 else []
        return told[:MOST_SENTENCES] + more


def write_answers(
    path: str, table: UserTable, answers: Mapping[int, bool | None], kept: KeptAnswers
) -> None:
    """Write all answers, and those that were set aside before; the whole file or nothing."""
    cells = answers_cells(table)
    lines = [
        (cells[place][0], ANSWER_WORDS[each], cells[place][1]) for place, each in answers.items()
    ]
    text = [",".join(each) for each in (HEAD, *lines, *kept.set_aside)]
    write_text(path, "\n".join(text) + "\n")


def read_answers(path: str, table: UserTable) -> KeptAnswers:
    """Return the answers in a file.

    A row that was moved keeps its answer. Of rows with the same cells it is the one on the same
    line, else the nearest. Without a column `row` lines alone count, as in a file by hand.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            read = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidDataError(f"{path} cannot be read as a file of answers: {error}.") from error
    if read and not {"line", "answer"} <= set(read[0]):
        raise InvalidDataError(
            f"{path} must have the columns 'line' and 'answer'. Got {', '.join(read[0])}."
        )
    marked = marks(table)
    by_line = {int(where[-1]): place for place, where in enumerate(table.places())}
    lines = {place: line for line, place in by_line.items()}
    by_mark: dict[str, list[int]] = {}
    for place, mark in enumerate(marked):
        by_mark.setdefault(mark, []).append(place)
    found: dict[int, bool | None] = {}
    aside: list[tuple[str, str, str]] = []
    for each in read:
        line = _line(each["line"], path)
        answer = parsed_answer(each["answer"] or "", f"line {line} in {path}")
        mark = (each.get("row") or "").strip()
        free = [place for place in by_mark.get(mark, ()) if place not in found]
        nearest = sorted(free, key=lambda p: abs(lines[p] - line))
        chosen = nearest[0] if nearest else by_line.get(line) if not mark else None
        if chosen is None:
            aside.append((str(line), ANSWER_WORDS[answer], mark))
        else:
            found[chosen] = answer
    return KeptAnswers(answers=found, set_aside=tuple(aside))


def _line(text: str | None, path: str) -> int:
    try:
        return int(str(text).strip())
    except ValueError:
        raise InvalidDataError(f"{path} has the line {text!r}, which is no whole number.") from None
