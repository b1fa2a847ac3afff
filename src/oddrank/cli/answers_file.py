"""Answers in a file beside the table: rows are recognised by their cells, then by their line."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oddrank._files import write_text
from oddrank._text import counted
from oddrank.errors import InvalidDataError
from oddrank.ranking import ANSWER_WORDS, parsed_answer

if TYPE_CHECKING:
    from oddrank.io import UserTable

__all__ = [
    "HEAD",
    "KeptAnswers",
    "answers_cells",
    "answers_path",
    "check_keeps_answers_alone",
    "read_answers",
    "write_answers",
]

HEAD = ("line", "answer", "row")
# Sentences about answers that were set aside, before the others are counted.
MOST_SENTENCES = 3


def answers_path(tables: tuple[str, ...]) -> str:
    """Return where the answers about a table are kept: beside it."""
    path = Path(tables[0])
    return str(path.with_name(f"{path.name.partition('.')[0]}.answers.csv"))


def marks(table: UserTable) -> list[str]:
    """Return a mark of the cells of every row that is used; it begins with a letter."""
    wanted = set(table.row_numbers.tolist())
    found = {}
    for number, cells in enumerate(table.cells()):
        if number in wanted:
            text = "\x1f".join(map(str, cells)).encode("utf-8", "backslashreplace")
            found[number] = f"r{hashlib.sha256(text).hexdigest()[:15]}"
    return [found[number] for number in table.row_numbers.tolist()]


def answers_cells(table: UserTable) -> list[tuple[str, str]]:
    """Return line and mark of every row, the cells beside its answer.

    Of several files the line has the name of its file before it: "may.csv 17".
    """
    return [
        (" ".join(where), mark) for where, mark in zip(table.places(), marks(table), strict=True)
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
            f"The answer about line {line} is set aside: no row that is used has these cells."
            for line, _, _ in self.set_aside
        ]
        n_more = len(told) - MOST_SENTENCES
        more = [f"{counted(n_more, 'more answer')} set aside."] if n_more > 0 else []
        return told[:MOST_SENTENCES] + more


def write_answers(
    path: str,
    cells: Sequence[tuple[str, str]],
    answers: Mapping[int, bool | None],
    kept: KeptAnswers,
) -> None:
    """Write all answers, and those that were set aside before; the whole file or nothing.

    `cells` are `answers_cells` of the table: marks of all rows take longer than an answer.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    for place, answer in answers.items():
        line, mark = cells[place]
        writer.writerow((line, ANSWER_WORDS[answer], mark))
    writer.writerows(kept.set_aside)
    write_text(path, text.getvalue())


def check_keeps_answers_alone(path: str) -> None:
    """Refuse to keep answers in a file that has more columns: they would be lost."""
    head = _content(path)[0]
    if not set(head) <= set(HEAD):
        more = ", ".join(name for name in head if name not in HEAD)
        raise InvalidDataError(
            f"{path} also has the columns {more}, which would be lost. Keep answers in another "
            f"file (--answers FILE); oddrank rank --answers {path} follows those in this one."
        )


def read_answers(path: str, table: UserTable) -> KeptAnswers:
    """Return the answers in a file; a row without one is not answered.

    A row that was moved keeps its answer. Of rows with the same cells it is the one on the same
    line, else the nearest. Without a column `row` lines alone count, as in a file by hand. Of two
    answers about one row the later one counts.
    """
    head, read = _content(path)
    twice = {name for name in head if head.count(name) > 1} & set(HEAD)
    if not {"line", "answer"} <= set(head) or twice:
        raise InvalidDataError(
            f"{path} must have the columns 'line' and 'answer', each once. Got {', '.join(head)}."
        )
    cells = answers_cells(table)
    by_line = {line: place for place, (line, _) in enumerate(cells)}
    by_mark: dict[str, list[int]] = {}
    for place, (_, mark) in enumerate(cells):
        by_mark.setdefault(mark, []).append(place)
    found: dict[int, bool | None] = {}
    aside: list[tuple[str, str, str]] = []
    for each in read:
        line, mark = _line(each["line"], path), each.get("row", "")
        if not each["answer"]:
            continue
        answer = parsed_answer(each["answer"], f"line {line} in {path}")
        alike = by_mark.get(mark, [])
        free = [place for place in alike if place not in found]
        if not mark or by_line.get(line) in alike:
            chosen = by_line.get(line)
        else:
            chosen = min(free, key=lambda p: _distance(cells[p][0], line), default=None)
        if chosen is None:
            aside.append((line, ANSWER_WORDS[answer], mark))
        else:
            found[chosen] = answer
    return KeptAnswers(answers=found, set_aside=tuple(aside))


def _content(path: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the head and the rows of a file that may have been saved by a spreadsheet."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        separator = max(",;\t", key=first.count)
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidDataError(f"{path} cannot be read as a file of answers: {error}.") from error
    lines = [[cell.strip() for cell in cells] for cells in lines if any(map(str.strip, cells))]
    head = [name.lower() if name.lower() in HEAD else name for name in lines[0]] if lines else []
    return head, [dict(zip(head, cells + [""] * len(head), strict=False)) for cells in lines[1:]]


def _line(text: str, path: str) -> str:
    """Return the name of a line: its number, after the name of its file if there are several."""
    *file, number = text.split(" ") if text else [""]
    whole = number.removesuffix(".0")
    if not whole.isdecimal():
        raise InvalidDataError(f"{path} has the line {text!r}, which is no whole number.")
    return " ".join((*file, whole))


def _distance(line: str, other: str) -> tuple[bool, int]:
    *file, number = line.split(" ")
    *other_file, other_number = other.split(" ")
    return file != other_file, abs(int(number) - int(other_number))
