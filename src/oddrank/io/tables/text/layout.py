"""Where the table is in a sheet or a text file: separator, names, first and last row.

The first megabyte and the last lines decide, unless the user does.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oddrank.io.tables.text.dates import is_date
from oddrank.io.tables.text.interpret import is_missing
from oddrank.io.tables.text.numbers import NumberTexts, is_plain_number

BLANKS = "blanks"
MOST_TITLES = 10
_SEPARATORS = ("\t", ";", "|", ",")
_TOTAL = re.compile(
    r"(grand |sub-?|overall |end)?total(e|s|en|summe)?|sum|summe|gesamt(summe)?|insgesamt|"
    r"somme|suma|totaal|zusammen|total général|итого",
    re.I,
)
_RULE = re.compile(r"[+:| ]*[-=]{2}[-=+:| ]*[-=]{2}[-=+:| ]*")
_YEAR = re.compile("(19|20)[0-9]{2}")
# So many numbers 0, 1, 2, 3 are names, even above whole numbers.
_SURELY_COUNTED = 4
_ROW_COUNT = re.compile(r"\(?\s*[\d,.]+ (rows?|records?|lines?|zeilen?|datensätze)\b.*\)?", re.I)


@dataclass(frozen=True, kw_only=True)
class TableArea:
    """Where a table is among rows of cells.

    Attributes
    ----------
    names : list of str
        The column names, `x0`, `x1`, … where there are none.
    first : int
        The first row of data.
    has_names : bool
        Whether the row above it holds the names.
    n_titles : int
        Rows above the names.
    """

    names: list[str]
    first: int
    has_names: bool
    n_titles: int


def table_area(
    rows: Sequence[Sequence[str]], header: bool | None, lines: Sequence[int]
) -> TableArea:
    """Find the column names and the first row of data among the first rows of a source.

    `lines` has the place of each row: names often come after a title and a blank line.
    """
    width = Counter(len(row) for row in rows).most_common(1)[0][0]
    start = _first_of_width(rows, width)
    if start > 0 and header is not False:
        names = _names_of_other_width(rows, start, width)
        complete = not any(is_missing(cell) for cell in rows[start][1:])
        if names and not (complete and _are_names_above_data(rows, start)):
            return TableArea(names=names, first=start, has_names=True, n_titles=start - 1)
        if not looks_like_names(rows[start]) and any(len(row) > 1 for row in rows[:start]):
            start = 0  # names that do not fit the rows: a ragged table, which is refused later
    start = _names_after_blank_line(rows, start, lines)
    while start < len(rows) - 2 and _is_title(rows[start], rows[start + 1 : start + 10]):
        start += 1
    has_names = header
    if has_names is None:
        below = rows[start + 1 :]
        has_names = looks_like_names(rows[start]) or _are_counted_names(rows[start], below)
    cells = rows[start] if has_names else [""] * len(rows[start])
    names = [cell.strip() or f"x{j}" for j, cell in enumerate(cells)]
    return TableArea(names=names, first=start + has_names, has_names=has_names, n_titles=start)


def _names_after_blank_line(rows: Sequence[Sequence[str]], start: int, lines: Sequence[int]) -> int:
    if _are_names_above_data(rows, start):
        return start
    for position in range(start + 1, min(start + MOST_TITLES, len(rows) - 1)):
        blank_before = lines[position] - lines[position - 1] > 1
        full = len({cell.strip() for cell in rows[position]} - {""}) == len(rows[position])
        if blank_before and full and _are_names_above_data(rows, position):
            return position
    return start


def _are_names_above_data(rows: Sequence[Sequence[str]], position: int) -> bool:
    following = rows[min(position + 1, len(rows) - 1)]
    return looks_like_names(rows[position]) and not looks_like_names(following)


def _first_of_width(rows: Sequence[Sequence[str]], width: int) -> int:
    for position, row in enumerate(rows):
        following = rows[position + 1] if position + 1 < len(rows) else row
        if len(row) == width and len(following) == width:
            return position
    return 0


def _names_of_other_width(
    rows: Sequence[Sequence[str]], start: int, width: int
) -> list[str] | None:
    """Return names that are one fewer than the values: of R, or with separators at line ends."""
    above = [cell.strip() for cell in rows[start - 1]]
    if len(above) != width - 1 or width < 3 or not looks_like_names(above) or not all(above):
        return None
    data = [row for row in rows[start:] if len(row) == width]
    if all(not row[-1].strip() for row in data):
        return [*above, f"x{width - 1}"]
    if len(data) > 1 and len({row[0] for row in data}) == len(data):
        return ["x0", *above]
    return None


def _is_title(row: Sequence[str], following: Sequence[Sequence[str]]) -> bool:
    filled = _n_filled(row)
    if len(row) >= 3 and filled < len(row) / 2:
        return any(_n_filled(other) > filled for other in following)
    names, data = following[0], following[1]
    names_follow = len(names) == len(row) == _n_filled(names) and looks_like_names(names)
    return len(row) > 1 and filled < len(row) and names_follow and not looks_like_names(data)


def _n_filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def looks_like_names(row: Sequence[str]) -> bool:
    """Whether a row holds column names: no numbers and no dates, except years beside names."""
    cells = [cell.strip() for cell in row]
    if all(is_missing(cell) for cell in cells) or any(is_date(cell) for cell in cells):
        return False
    numbers = [cell for cell in cells if _is_number(cell)]
    return not numbers or (len(numbers) < len(cells) and _are_years_in_a_row(numbers))


def _are_counted_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row of numbers holds names, as pandas writes them: 0, 1, 2, … or years in a row.

    A first row of data may look the same. So something has to differ from the rows below it.
    """
    cells = [cell.strip() for cell in row]
    below = [[cell.strip() for cell in other] for other in below if len(other) == len(cells)]
    if not below:
        return False
    first = [other[0] for other in below]
    # an index has no name, and no value twice; a gap may begin a row of data
    is_index = len(cells) > 1 and not cells[0] and all(first) and len(set(first)) == len(first)
    rows_counted = any(first == [str(i + k) for i in range(len(first))] for k in (0, 1))
    surely = is_index and (rows_counted or not any(map(_is_number, first)))
    counted = cells[is_index:]
    columns = (column for j, column in enumerate(zip(*below, strict=True)) if j or not is_index)
    if counted == [str(j) for j in range(len(counted))]:
        return surely or len(counted) >= _SURELY_COUNTED or any(map(_has_no_integer, columns))
    if _are_years_in_a_row(counted):
        return not any(map(_are_mostly_years, columns))
    whole = all(re.fullmatch("[0-9]+", cell) for cell in counted)
    return is_index and len(below) > 1 and rows_counted and whole


def _has_no_integer(cells: Sequence[str]) -> bool:
    return not any(re.fullmatch("[+-]?[0-9]+", cell) for cell in cells)


def _are_mostly_years(cells: Sequence[str]) -> bool:
    return sum(_YEAR.fullmatch(cell) is not None for cell in cells) > len(cells) / 2


def _is_number(cell: str) -> bool:
    return is_plain_number(cell) or is_plain_number(cell, ",")


def _are_years_in_a_row(numbers: Sequence[str]) -> bool:
    if len(numbers) < 2 or not all(_YEAR.fullmatch(cell) for cell in numbers):
        return False
    return all(int(b) - int(a) == 1 for a, b in pairwise(numbers))


def is_below_the_table(row: Sequence[str], width: int, texts: Counter[str]) -> bool:
    """Whether a row among the last is a total or a remark.

    `texts` counts the texts of the first rows: a text that occurs there is not a total. A row of
    another width that holds only numbers is a broken row, which is refused.
    """
    filled = [cell.strip() for cell in row if cell.strip()]
    if not filled:
        return True
    if all(_is_number(cell) for cell in filled):
        return False
    # Between blanks, "(40 rows affected)" is a row of three values.
    count = " ".join(filled) if filled[0].startswith("(") else filled[0]
    if len(row) != width or _ROW_COUNT.fullmatch(count):
        return True
    if len(filled) == 1 and width >= 3:
        return True
    first = filled[0].rstrip(": ")
    return _TOTAL.fullmatch(first) is not None and texts[filled[0]] <= 1


def is_rule(row: Sequence[str]) -> bool:
    """Whether a row is a line drawn below the names, such as `-----+------`."""
    drawn = _RULE.fullmatch("".join(row)) is not None
    return drawn and not all(is_missing(cell) for cell in row)


def split_rows(lines: Iterable[str], separator: str) -> list[tuple[int, list[str]]]:
    """Split lines into rows of values, each with the position of its first line."""
    if separator == BLANKS:
        lines, separator = (" ".join(line.split()) for line in lines), " "
    reader = csv.reader(lines, delimiter=separator)
    rows, before = [], 0
    for row in reader:
        rows.append((before, row))
        before = reader.line_num
    return rows


def detect_separator(lines: Sequence[str]) -> str:
    """Return the separator that gives the longest stretch of rows of one width.

    Of separators that fit equally well the first wins: commas may be decimal signs, and blanks may
    stand inside values.
    """
    if _is_one_column_of_decimal_commas(lines):
        return ";"
    best, longest = ",", 0
    for separator in (*_SEPARATORS, BLANKS):
        try:
            widths = [len(row) for _, row in split_rows(lines, separator) if row]
        except csv.Error:
            continue
        stretch = _longest_stretch(widths)
        if separator == BLANKS and (stretch < 0.9 * len(widths) or not widths or widths[0] < 2):
            continue
        if stretch > longest:
            best, longest = separator, stretch
    return best


def _is_one_column_of_decimal_commas(lines: Sequence[str]) -> bool:
    """Whether a name without commas is above numbers such as `1 234,50`."""
    texts = [line.strip() for line in lines if line.strip()]
    if len(texts) < 3 or "," in texts[0] or not looks_like_names([texts[0]]):
        return False
    numbers = NumberTexts(texts[1:], np.ones(len(texts) - 1, dtype=np.intp))
    return numbers.decisive_sign() == "," and not any(character in texts[0] for character in ";\t|")


def _longest_stretch(widths: Sequence[int]) -> int:
    longest = current = previous = 0
    for width in widths:
        current = current + 1 if width == previous and width > 1 else int(width > 1)
        previous = width
        longest = max(longest, current)
    return longest
