"""The rows of a table, oddest first: how odd each is, how steady that is, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._frames import data_frame
from oddrank._random import child
from oddrank._text import counted, figure, number_word, percent, shortened, wrapped
from oddrank._typing import FloatArray
from oddrank._validation import check_integer
from oddrank.detectors import FittedDetector
from oddrank.errors import InvalidParameterError
from oddrank.inspection.ordinary_rows import OrdinaryRows
from oddrank.inspection.reasons import Reason, explain_rows
from oddrank.ranking import FoldCalibrated, Ranking, Teaching, first_of_list
from oddrank.rows import Table

__all__ = ["OddRows", "odd_rows", "rows_apart"]

# Shown by `print` and in notebooks.
SHOWN_ROWS, SHOWN_COLUMNS = 10, 8
# Ranks that are the bulk of the rows, as shares of all, and fewer rows than say anything.
BULK, FEWEST_IN_BULK = (0.1, 0.5), 20
# How many rows beyond the bulk are expected where all rows are ordinary.
BEYOND_BULK = 0.2
LONGEST_VALUE = 24


@dataclass(frozen=True, kw_only=True, eq=False)
class OddRows:
    """The rows of a table, and how odd they are.

    Attributes
    ----------
    rows : sequence
        What each row is called: its label in the index of a pandas frame, else its number.
    oddness : array
        The mean over splits of the votes that find the row oddest; a vote is minus the logarithm of
        the probability that an ordinary row scores so low. Higher = odder.
    reach : array
        The same with votes that hardly have an upper end: it says where the list can end.
    steady : array of int
        In how many of the splits the row is among the oddest `looked_at`. It sorts nothing.
    n_splits, looked_at : int
    table : Table
        The rows themselves.
    ordinary : Table
        The rows that they are compared with when they are explained: those that were ranked on.
    of : str
        Who finds these rows odd.
    model : FoldCalibrated
        The same as a detector.
    is_unseen : bool
        Whether no fit has seen any of the rows.
    root : SeedSequence
        Of random choices in explanations.
    n_explained : int
        How many of the oddest rows have reasons in `frame()`.
    taught : Teaching or None
        Answers about the rows, if there are any.
    names : sequence of str, optional
        What the rows are called in texts, such as "line 17".

    Examples
    --------
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> X[7, 1] = 12.0
    >>> odd = rank_detectors("fast", X, random_state=0).odd_rows()
    >>> int(odd.order[0]), odd.reasons(7).split(":")[0]
    (7, 'x1 12')
    """

    rows: Any
    oddness: FloatArray
    reach: FloatArray = field(repr=False)
    steady: npt.NDArray[np.intp]
    n_splits: int
    looked_at: int
    table: Table
    ordinary: Table = field(repr=False)
    of: str
    model: FoldCalibrated = field(repr=False)
    is_unseen: bool
    root: np.random.SeedSequence = field(repr=False)
    n_explained: int
    taught: Teaching | None = field(default=None, repr=False)
    names: Sequence[str] | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """Places of the rows, oddest first; equal ones in their own order."""
        return np.argsort(-self.oddness, kind="stable")

    @cached_property
    def n_apart(self) -> int:
        """After how many rows the oddness falls back to that of the bulk; 0 where it never does."""
        return rows_apart(self.reach)

    @cached_property
    def _explainer(self) -> OrdinaryRows:
        return OrdinaryRows(self.ordinary, self.root)

    @cached_property
    def _told(self) -> dict[int, tuple[Reason, ...]]:
        return {}

    def reasons_at(self, places: Iterable[int]) -> dict[int, tuple[Reason, ...]]:
        """Return the reasons of the rows in these places, by fits that have not seen them."""
        wanted = list(dict.fromkeys(int(place) for place in places))
        missing = np.array([place for place in wanted if place not in self._told], dtype=np.intp)
        whole = [(np.arange(len(missing)), FittedDetector(name=self.of, detector=self.model))]
        groups = whole if self.is_unseen else self.model.unseen(missing)
        for here, fitted in groups if len(missing) else ():
            rows = self.table.rows(missing[here])
            found = explain_rows(fitted, rows, self._explainer, root=self.root)
            self._told.update(zip(missing[here].tolist(), found, strict=True))
        return {place: self._told[place] for place in wanted}

    def reasons(self, rows: Any) -> Any:
        """Return the reasons of any rows, in words.

        Parameters
        ----------
        rows : label or sequence of labels
            As in `rows`: labels of the index of a pandas frame, else row numbers.

        Returns
        -------
        str, or dict of label to str
            Empty for a row that is odd in no single value or pair of values.
        """
        single = isinstance(rows, str | bytes) or not isinstance(rows, Iterable)
        wanted = [rows] if single else list(rows)
        known = {label: place for place, label in enumerate(self.labels)}
        unknown = [label for label in wanted if label not in known]
        if unknown:
            raise InvalidParameterError(
                f"There is no row {unknown[0]!r}. Rows are called as in the index of the frame, or "
                f"by their numbers: the first is {self.labels[0]!r}."
            )
        self.reasons_at(known[label] for label in wanted)  # all at once
        told = {label: self.why(known[label]) for label in wanted}
        return told[rows] if single else told

    @cached_property
    def labels(self) -> list[Any]:
        """The same as a list."""
        return self.rows.tolist() if hasattr(self.rows, "tolist") else list(self.rows)

    @property
    def has_row_numbers(self) -> bool:
        """Whether rows are called by their numbers."""
        return self.labels == list(range(self.n_rows))

    def why(self, place: int) -> str:
        """Return the reasons of the row in this place, empty if it has none."""
        told = in_words(self.reasons_at([place])[place])
        return "; ".join(filter(None, (self._answered(place), told)))

    def _answered(self, place: int) -> str:
        """Say what answers have to do with a row."""
        if self.taught is None:
            return ""
        answer = self.taught.answers.get(place)
        if answer is not None:
            return f"you called it {'odd' if answer else 'ordinary'}"
        alike = self.taught.likeness(place)
        if alike is None or not alike[1]:
            return ""
        return f"like {self._called(alike[0])}, which you called odd"

    def _called(self, place: int | None) -> str:
        if place is None:
            return "a known case"
        return f"row {self.labels[place]}" if self.names is None else self.names[place]

    @cached_property
    def chances(self) -> FloatArray | None:
        """The probability that each row is odd in the sense of the answers; None without any."""
        if self.of != "committee" or self.taught is None or not len(self.taught.asked_places):
            return None
        return self.taught.row_chances

    @property
    def beside(self) -> str:
        """What is shown beside the oddness: "chance" after answers, "steady" before, or nothing."""
        if self.chances is not None:
            return "chance"
        return "steady" if self.n_splits > 1 else ""

    def beside_at(self, place: int) -> str:
        """Return the same of one row."""
        if self.chances is not None and self.taught is not None:
            is_told = self.taught.answers.get(place) is not None
            return "answered" if is_told else percent(self.chances[place], 0)
        return f"{self.steady[place]} of {self.n_splits}" if self.n_splits > 1 else ""

    def frame(self) -> Any:
        """Return a pandas frame of every row, oddest first, with the table's index and columns.

        The `n_explained` oddest rows have reasons; `reasons` explains others. After answers there
        is a column `chance`.
        """
        order = self.order.tolist()
        explained = self.reasons_at(order[: self.n_explained])
        frame = data_frame(self._own_columns(order, explained))
        taken = [name for name in frame if name in self.table.feature_names]
        frame = frame.rename(columns={name: f"{name}_" for name in taken})
        for j, name in enumerate(self.table.feature_names):
            column = self.table.values[self.order, j]
            decoded = column if self.table.is_plain else self.table.columns[j].decode_list(column)
            frame[name] = decoded
        labels = self.rows[self.order] if hasattr(self.rows, "take") else [
            self.labels[place] for place in order
        ]  # fmt: skip
        frame.index = labels
        frame.index.name = getattr(self.rows, "name", None) or "row"
        return frame

    def to_dict(self) -> dict[str, object]:
        """Return plain values, oddest row first."""
        order = self.order.tolist()
        explained = self.reasons_at(order[: self.n_explained])
        own = self._own_columns(order, explained)
        rows = [
            {"row": _plain(self.labels[place]), **cells}
            for place, cells in zip(order, own, strict=True)
        ]
        return {"of": self.of, "n_splits": self.n_splits, "n_apart": self.n_apart, "rows": rows}

    def _own_columns(self, places: list[int], explained: Iterable[int]) -> list[dict[str, object]]:
        """Return what is said of rows, beside their own values."""
        told = set(explained)
        return [
            {
                "oddness": float(self.oddness[place]),
                **({} if self.chances is None else {"chance": float(self.chances[place])}),
                "steady": int(self.steady[place]),
                "reasons": self.why(place) if place in told else "",
            }
            for place in places
        ]

    @property
    def verdict(self) -> str:
        """Where to stop looking; after answers, how many rows are odd."""
        if self.chances is not None and self.taught is not None:
            n_likely = int((self.chances[self.order[: self.looked_at]] > 0.5).sum())
            count = self.taught.odd_row_count.sentence
            if self.taught.known:
                count += " Rows with a known label are not counted."
            return (
                f"{count} Of the first {self.looked_at} here, "
                f"{number_word(n_likely) if n_likely else 'none'} "
                f"{'is' if n_likely <= 1 else 'are'} more likely odd than not."
            )
        if not self.n_apart:
            return "No row is clearly apart from the others."
        if self.n_apart == 1:
            return "After the first row nothing is clearly apart."
        return f"After row {self.n_apart} of this list nothing is clearly apart."

    @property
    def note(self) -> str:
        """What the column beside the oddness says."""
        if self.chances is not None:
            return "Chance: how probable it is that the row is odd in the sense of your answers."
        if self.n_splits < 2:
            return ""
        return (
            f"Steady: in how many of {self.n_splits} splits of the rows it is among the oddest "
            f"{self.looked_at}."
        )

    def lines(self, n_shown: int = SHOWN_ROWS) -> list[tuple[str, ...]]:
        """Return row, oddness, what is `beside` it and reasons of the oddest rows, as texts."""
        shown = self.order[:n_shown].tolist()
        self.reasons_at(shown)  # all at once
        called = [str(each) for each in (self.labels if self.names is None else self.names)]
        return [
            (
                called[place],
                f"{self.oddness[place]:.1f}",
                self.beside_at(place),
                self.why(place) or "no single value or pair of values is to blame",
            )
            for place in shown
        ]

    def values_at(self, place: int) -> dict[str, str]:
        """Return the row's own values as texts, by column."""
        row = self.table.values[place]
        return {
            name: _shown(
                row[j] if self.table.is_plain
                else self.table.columns[j].decode_list(row[j : j + 1])[0]
            )
            for j, name in enumerate(self.table.feature_names)
        }  # fmt: skip

    def _columns_that_matter(self, places: list[int]) -> list[str]:
        """Return all columns of a narrow table, else those that reasons name first."""
        names = list(self.table.feature_names)
        if len(names) <= SHOWN_COLUMNS:
            return names
        told = [each for found in self.reasons_at(places).values() for each in found]
        named = [name for each in told for name in (each.column, each.partner) if name is not None]
        return list(dict.fromkeys([*named, *names]))[:SHOWN_COLUMNS]

    def __str__(self) -> str:
        lines = [
            wrapped(f"{row}  oddness {oddness}{f', {self.beside} {cell}' if cell else ''}  {why}")
            for row, oddness, cell, why in self.lines()
        ]
        return "\n".join([*lines, wrapped(" ".join(filter(None, (self.verdict, self.note))))])

    def __repr__(self) -> str:
        return f"<OddRows: {counted(self.n_rows, 'row')}, by {shortened(self.of, 60)}>"

    def _repr_html_(self) -> str:
        """Return the oddest rows with their values; everything from the user is escaped."""
        shown = self.order[:SHOWN_ROWS].tolist()
        columns = self._columns_that_matter(shown)
        head = [name for name in ("row", "oddness", self.beside, "why") if name] + columns
        why = head.index("why")
        body = []
        for place, cells in zip(shown, self.lines(), strict=True):
            values = self.values_at(place)
            own = [cell for cell in cells if cell]
            body.append([*own, *(values[name] for name in columns)])
        header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        wide = ' style="text-align: left; min-width: 22em"'
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td{wide if place == why else ''}>{escape(cell)}</td>"
                for place, cell in enumerate(row)
            )
            + "</tr>"
            for row in body
        )
        notes = [self.verdict, self.note, f"frame() has all {self.n_rows:,} rows."]
        return (
            f"<div><table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
            + "".join(f"<p>{escape(note)}</p>" for note in notes if note)
            + "</div>"
        )


def in_words(reasons: tuple[Reason, ...]) -> str:
    """Return reasons as one text."""
    return "; ".join(each.sentence for each in reasons)


def rows_apart(oddness: FloatArray) -> int:
    """Return how many rows are odder than the bulk explains: a place to stop looking.

    The oddness of ordinary rows thins out like the logarithm of their rank. A line through the bulk
    (ranks between a tenth and half of the rows) says how far the oddest of so many ordinary rows
    reaches; four tables in five without odd rows have none beyond it. It is a place in the list,
    and no estimate of a number of odd rows.

    Examples
    --------
    >>> ordinary = -np.log(np.arange(1, 501) / 501)
    >>> rows_apart(ordinary), rows_apart(np.r_[ordinary, 9.0, 9.1, 9.3])
    (0, 3)
    """
    n_rows = len(oddness)
    first, last = (int(share * n_rows) for share in BULK)
    if last - first < FEWEST_IN_BULK:
        return 0
    ranks = np.arange(first, last)
    slope, start = np.polyfit(np.log(n_rows / (ranks + 0.5)), np.sort(oddness)[::-1][ranks], 1)
    return int((oddness > start + slope * np.log(n_rows / BEYOND_BULK)).sum())


def odd_rows(ranking: Ranking, *, of: str = "committee", n_explained: int = 10) -> OddRows:
    """Tell how odd every row of the ranking's table is, by fits that have not seen it.

    Parameters
    ----------
    ranking : Ranking
    of : str
        "committee", or the name of a detector.
    n_explained : int
        How many of the oddest rows get reasons in `OddRows.frame`.
    """
    check_integer(n_explained, "n_explained", "odd_rows", minimum=0)
    rows, model = ranking.tested_rows, ranking.model(of)
    looked_at = first_of_list(rows.n_rows)
    if ranking.has_test_rows:
        oddness = reach = model.oddness(rows.wrap(rows.values))
        splits = oddness[None]
    else:
        splits = model.row_oddness_
        oddness, reach = splits.mean(axis=0), model.row_reach_
    return OddRows(
        rows=ranking.row_labels,
        oddness=oddness,
        reach=reach,
        steady=_steady(splits, looked_at),
        n_splits=len(splits),
        looked_at=looked_at,
        table=rows,
        ordinary=ranking.scored.folds.train_rows,
        of=of,
        model=model,
        is_unseen=ranking.has_test_rows,
        root=child(ranking.refit.root, "reasons"),
        n_explained=n_explained,
        taught=ranking.taught,
    )


def _steady(splits: FloatArray, looked_at: int) -> npt.NDArray[np.intp]:
    """Return in how many splits each row is among the oddest; equal ones all are."""
    border = np.sort(splits, axis=1)[:, -looked_at]
    return np.asarray((splits >= border[:, None]).sum(axis=0))


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "missing"
    return figure(float(value)) if isinstance(value, int | float) else shortened(
        str(value), LONGEST_VALUE
    )  # fmt: skip


def _plain(label: Any) -> Any:
    return label if isinstance(label, int | float | str | bool) or label is None else str(label)
