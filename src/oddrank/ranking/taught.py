"""A committee that has learnt from answers, and the questions that are worth one.

`Teaching` is what a ranking keeps: the description of its rows, the answers, and the model of them.
Labels that were known before teach as answers do. They may be about rows of the table, or about
`KnownCases`, which are not in it. `TaughtCommittee` is the committee with a memory of all of these
rows. Nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from oddrank._random import integer_seed, stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria import marks_of_rows
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.execution import single_threaded
from oddrank.ranking.answer_findings import (
    Agreement,
    OddRowCount,
    agreement_with_answers,
    chances_of_table,
    estimate_odd_rows,
)
from oddrank.ranking.answer_model import AnswerModel, Describer, RowDescription, learn
from oddrank.ranking.committee import Committee
from oddrank.ranking.questions import (
    ExpectedChange,
    expected_change,
    first_of_list,
    next_questions,
)
from oddrank.ranking.votes import highest_votes
from oddrank.rows import Table, TableEncoder, as_table, comparable_values

if TYPE_CHECKING:
    from sklearn.ensemble import IsolationForest

__all__ = [
    "ANSWER_WORDS",
    "KnownCases",
    "TaughtCommittee",
    "Teaching",
    "answers_by_place",
    "check_same_order",
    "labels_in_order",
    "parsed_answer",
]

Answer = bool | None
# How answers are written in files, and what else people write.
ANSWER_WORDS: Mapping[Answer, str] = {True: "yes", False: "no", None: "cannot say"}
_WORDS: Mapping[str, Answer] = {
    "yes": True, "y": True, "true": True, "1": True, "odd": True,
    "no": False, "n": False, "false": False, "0": False, "ordinary": False,
    "": None, "?": None, "skip": None, "cannot say": None, "nan": None, "none": None, "<na>": None,
    "na": None, "n/a": None, "null": None, "nat": None, "1.0": True, "0.0": False,
}  # fmt: skip
# Rows below this likeness to an answered one are not said to be like it.
ALIKE = 0.4
# Time grows with the cube of this number: learning takes seconds at this limit.
MOST_LABELS = 1000


class TaughtCommittee(Committee):
    """The committee of a ranking, with answers as its memory; `Ranking.tell` makes it.

    Attributes
    ----------
    memory_ : dict of arrays
        Description and answers of the answered rows, known labels and known cases among them.
    encoder_ : TableEncoder or None
        Turns rows that are not all numbers into numbers.
    knots_, normal_scores_, spreads_, forest_
        What rows are described by.
    """

    memory_: dict[str, Any]
    encoder_: TableEncoder | None
    knots_: list[FloatArray]
    normal_scores_: list[FloatArray]
    spreads_: FloatArray
    forest_: IsolationForest

    @classmethod
    def of(
        cls,
        committee: Committee,
        encoder: TableEncoder | None,
        describer: Describer,
        rows: RowDescription,
        model: AnswerModel,
    ) -> TaughtCommittee:
        """Return the committee with these answers in mind."""
        taught = cls.__new__(cls)
        taught.__dict__.update(vars(committee))
        taught.memory_ = dict(model.arrays())
        taught.encoder_ = encoder
        taught.knots_ = list(describer.knots)
        taught.normal_scores_ = list(describer.normal_scores)
        taught.spreads_, taught.forest_ = describer.spreads, describer.forest
        # every split moves by as much: what answers change, they change in all of them
        taught.row_oddness_ = committee.row_oddness_ + (model.oddness(rows) - rows.oddness)
        taught.held_out_ = np.sort(taught.row_oddness_.mean(axis=0))
        return taught

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ARG002
        """Refuse: the answers are about the rows of a ranking."""
        raise InvalidParameterError(
            "A taught committee cannot be fitted: its answers are about the rows of one table. "
            "Rank the new table, and tell its answers."
        )

    def oddness(self, X: Any) -> FloatArray:
        """Return how odd new rows are, after the answers. Higher is odder."""
        table = self._table(X)
        cast = [self._votes(fit, table) for fit in range(len(self.fits_))]
        before = np.mean([highest_votes(each, self.weights_, self.share_) for each in cast], axis=0)
        describer = Describer(
            knots=tuple(self.knots_),
            normal_scores=tuple(self.normal_scores_),
            spreads=self.spreads_,
            forest=self.forest_,
        )
        described = describer.describe(
            encoded(table, self.encoder_), votes=np.mean(cast, axis=0).T, oddness=before
        )
        return AnswerModel.from_arrays(self.memory_).oddness(described)


def encoded(table: Table, encoder: TableEncoder | None) -> FloatArray:
    """Return rows as numbers without gaps."""
    return table.values if encoder is None else np.asarray(encoder.transform(table), dtype=float)


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownCases:
    """Rows with known labels that are not in the ranked table, in an order of their contents.

    Attributes
    ----------
    rows : RowDescription
    answers : array of bool
        True for odd.
    marks : array of int
        By which their contents are recognised.
    """

    rows: RowDescription
    answers: BoolArray
    marks: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.answers)

    def joined(self, others: KnownCases) -> KnownCases:
        """Return these cases and others; who came first does not matter."""
        marks = np.concatenate([self.marks, others.marks])
        answers = np.concatenate([self.answers, others.answers])
        order = np.lexsort((answers, marks))
        rows = self.rows.joined(others.rows).rows(order)
        return KnownCases(rows=rows, answers=answers[order], marks=marks[order])


@dataclass(frozen=True, kw_only=True, eq=False)
class Teaching:
    """The answers about rows of a ranking, and what they say.

    Attributes
    ----------
    committee : Committee
        Before the answers.
    encoder : TableEncoder or None
    describer : Describer
    rows : RowDescription
        Of all rows.
    answers : mapping of place to True, False or None
        None is "cannot say": such a row is not asked again.
    known : frozenset of int
        Those of these places whose label was known before, and not asked for.
    cases : KnownCases
    """

    committee: Committee
    encoder: TableEncoder | None
    describer: Describer
    rows: RowDescription
    answers: Mapping[int, Answer] = field(default_factory=dict)
    known: frozenset[int] = frozenset()
    cases: KnownCases

    @classmethod
    def start(cls, committee: Committee, table: Table, root: np.random.SeedSequence) -> Teaching:
        """Describe the rows that a committee was fitted on; nothing is answered yet."""
        encoder = None if table.is_plain else TableEncoder().fit(table)
        features = encoded(table, encoder)
        describer = Describer.fit(features, seed=integer_seed(root, "questions"))
        rows = describer.describe(
            features, votes=committee.row_votes_.T, oddness=committee.row_oddness_.mean(axis=0)
        )
        nothing = KnownCases(
            rows=rows.rows(slice(0)),
            answers=np.empty(0, dtype=np.bool_),
            marks=np.empty(0, dtype=np.uint64),
        )
        return cls(
            committee=committee, encoder=encoder, describer=describer, rows=rows, cases=nothing
        )

    def told(self, answers: Mapping[int, Answer], *, asked: bool) -> Teaching:
        """Return the same with further answers, or known labels, by the places of their rows."""
        known = self.known - answers.keys() if asked else self.known | answers.keys()
        told = replace(self, answers={**self.answers, **answers}, known=frozenset(known))
        return told._of_a_size_to_learn()

    def told_cases(self, X: Any, answers: BoolArray) -> Teaching:
        """Return the same with further known cases: rows like those of the table, and labels."""
        table = as_table(X, minimum_rows=1)
        rows = self.describer.describe(
            encoded(table, self.encoder),
            votes=self.committee.votes(X).T,
            oddness=self.committee.oddness(X),
        )
        marks = marks_of_rows(comparable_values(table))
        cases = self.cases.joined(KnownCases(rows=rows, answers=answers, marks=marks))
        return replace(self, cases=cases)._of_a_size_to_learn()

    def _of_a_size_to_learn(self) -> Teaching:
        n_labels = len(self.places) + len(self.cases)
        if n_labels > MOST_LABELS:
            raise InvalidDataError(
                f"{n_labels:,} answers and labels are too many: a committee learns from "
                f"{MOST_LABELS:,} at most, and with so many labels a supervised classifier is the "
                "better tool."
            )
        return self

    @property
    def asked(self) -> Mapping[int, Answer]:
        """The answers to questions: those about rows whose label was not known before."""
        return {row: answer for row, answer in self.answers.items() if row not in self.known}

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """Places of the rows with a yes or a no, upwards: their order changes no last digit."""
        return _places_of(self.answers)

    @property
    def asked_places(self) -> npt.NDArray[np.intp]:
        """Those of these places that were asked."""
        return _places_of(self.asked)

    @property
    def n_called_odd(self) -> int:
        """How many of the asked rows are odd."""
        return sum(answer is True for answer in self.asked.values())

    @property
    def n_known_odd(self) -> int:
        """How many of the rows of the table with a known label are odd."""
        return sum(self.answers[place] is True for place in self.known)

    @cached_property
    def model(self) -> AnswerModel:
        """What answers, known labels and known cases say of all rows."""
        with single_threaded():
            answers = np.concatenate([self._answers_at(self.places), self.cases.answers])
            return learn(self.rows.rows(self.places).joined(self.cases.rows), answers)

    @cached_property
    def asked_model(self) -> AnswerModel:
        """What answers to questions alone say: known labels are no guide to how many rows are odd.

        People know labels of rows that they looked for, and these are odd more often.
        """
        with single_threaded():
            if not self.known and not len(self.cases):
                return self.model
            places = self.asked_places
            return learn(self.rows.rows(places), self._answers_at(places))

    def _answers_at(self, places: npt.NDArray[np.intp]) -> BoolArray:
        return np.array([self.answers[place] is True for place in places.tolist()], dtype=np.bool_)

    @cached_property
    def taught(self) -> TaughtCommittee:
        """The committee after the answers."""
        with single_threaded():
            return TaughtCommittee.of(
                self.committee, self.encoder, self.describer, self.rows, self.model
            )

    @cached_property
    def agreement(self) -> Agreement:
        """How well every member agrees with the answers."""
        with single_threaded():
            return agreement_with_answers(self.model, self.rows, positions=self.places)

    @cached_property
    def row_chances(self) -> FloatArray:
        """The probability that each row is odd; 1 or 0 where the answer or label is known."""
        with single_threaded():
            chances = chances_of_table(self.asked_model, self.rows)
            chances[self.places] = self._answers_at(self.places)
            return chances

    def expected_change(self, n_answers: int, root: np.random.SeedSequence) -> ExpectedChange:
        """Return how many of the rows that are listed first further answers probably replace."""
        with single_threaded():
            return expected_change(
                self.model,
                self.rows,
                asked=self._is_told,
                random=stream(root, "questions", len(self.answers), 1),
                n_answers=n_answers,
                n_first=first_of_list(len(self.rows)),
            )

    @cached_property
    def odd_row_count(self) -> OddRowCount:
        """How many rows are odd, of those whose label was not known before."""
        with single_threaded():
            return estimate_odd_rows(
                self.asked_model,
                self.rows,
                positions=self.asked_places,
                known=np.array(sorted(self.known), dtype=np.intp),
            )

    def questions(self, n_questions: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
        """Return places of the rows to ask about next, the best question first."""
        with single_threaded():
            return next_questions(
                self.model,
                self.rows,
                asked=self._is_told,
                n_questions=n_questions,
                random=stream(root, "questions", len(self.answers)),
            )

    @property
    def _is_told(self) -> BoolArray:
        told = np.zeros(len(self.rows), dtype=np.bool_)
        told[list(self.answers)] = True
        return told

    def likeness(self, place: int) -> tuple[int | None, bool] | None:
        """Return the answered row that moves a row most, and its answer; None where none does.

        The row is None where it is a known case, which has no place in the table.
        """
        if not self.model.n_yes or place in self.answers:
            return None
        found = self.model.nearest_answer(self.rows.rows([place]))
        position = int(found.positions[0])
        if found.likeness[0] < ALIKE:
            return None
        own = int(self.places[position]) if position < len(self.places) else None
        return own, bool(self.model.answers[position])


def _places_of(answers: Mapping[int, Answer]) -> npt.NDArray[np.intp]:
    known = sorted(place for place, answer in answers.items() if answer is not None)
    return np.array(known, dtype=np.intp)


def answers_by_place(
    answers: Any, labels: Any, by: str | None, *, asked: bool = True
) -> dict[int, Answer]:
    """Return answers by the places of their rows, or refuse what may mean another row.

    Parameters
    ----------
    answers : mapping, Series, or frame with a column "answer"
        Of row number or index label to True, False or None. With `asked=False` also a sequence,
        with one label for each row.
    labels : sequence
        What the rows are called.
    by : None, "row" or "index"
        Whether whole numbers are row numbers or labels of the index.
    asked : bool
        Whether None is an answer, "cannot say". Otherwise there is no label, and no entry.
    """
    if by not in (None, "row", "index"):
        raise InvalidParameterError(
            f"The 'by' parameter of tell must be None, 'row' or 'index'. Got {by!r} instead."
        )
    called = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if not asked and not _has_keys(answers):
        told = labels_in_order(answers, len(called), "the ranking")
        return {place: label for place, label in enumerate(told) if label is not None}
    names = _RowNames(called, by)
    if not asked and by is None and names.plain:
        _check_in_place(answers, called)
    found: dict[int, Answer] = {}
    for key, answer in _pairs(answers):
        parsed = parsed_answer(answer, f"row {key!r}")
        if asked or parsed is not None:
            found[names.place(key)] = parsed
    return found


class _RowNames:
    """Finds rows by their numbers or labels."""

    def __init__(self, called: list[Any], by: str | None) -> None:
        self.called, self.by = called, by
        self.plain = called == list(range(len(called)))
        self.with_numbers = not self.plain and any(isinstance(each, Real) for each in called)
        self.places: dict[Any, list[int]] = {}
        for place, label in enumerate(called):
            self.places.setdefault(label, []).append(place)

    def place(self, key: Any) -> int:
        """Return the place of the row that a key means."""
        if isinstance(key, bool | np.bool_):
            raise InvalidParameterError(
                f"{key!r} is no row. Give a mapping of rows to answers: {{12: True, 40: False}}."
            )
        whole = isinstance(key, int | np.integer)
        if whole and self.by is None and self.with_numbers:
            raise InvalidParameterError(
                f"{key!r} may be a row number or a label of the index. Say which: "
                "tell(…, by='row') or by='index'."
            )
        if whole and self.by != "index" and 0 <= int(key) < len(self.called):
            return int(key)
        found = self.places.get(key, [])
        if not (whole and self.by == "row") and len(found) == 1:
            return found[0]
        raise InvalidParameterError(
            f"Several rows are called {key!r}: give their row numbers, with by='row'."
            if len(found) > 1
            else f"There is no row {key!r}. Rows have numbers from 0 to {len(self.called) - 1}"
            f"{'' if self.plain else ', or the labels of the index'}."
        )


def _check_in_place(labels: Any, called: list[int]) -> None:
    """Refuse a column of labels whose index has the row numbers in another order."""
    own = getattr(labels, "index", None)
    if own is None or len(own) != len(called) or not hasattr(own, "tolist"):
        return
    if own.tolist() != called and sorted(own.tolist(), key=str) == sorted(called, key=str):
        raise InvalidParameterError(
            "The index of these labels has the row numbers in another order. Give "
            "labels.to_numpy() if they are in the order of the rows, or by='row' if the index says "
            "which row each belongs to."
        )


def _has_keys(answers: Any) -> bool:
    return hasattr(answers, "columns") or hasattr(answers, "items")


def _pairs(answers: Any) -> Iterator[tuple[Any, Any]]:
    if hasattr(answers, "columns"):
        if not len(answers):
            return
        if "answer" not in answers:
            raise InvalidParameterError(
                "The 'answers' parameter of tell must be a mapping, a Series, or a frame with a "
                f"column 'answer'. Got a frame with the columns {list(answers.columns)}."
            )
        answers = answers["answer"]
    if not hasattr(answers, "items"):
        raise InvalidParameterError(
            "The 'answers' parameter of tell must be a mapping of rows to True, False or None, a "
            f"Series, or a frame with a column 'answer'. Got {type(answers).__name__} instead. "
            "Labels that you have already, one for each row, go with asked=False."
        )
    yield from answers.items()


def labels_in_order(labels: Any, n_rows: int, whose: str) -> list[Answer]:
    """Return one label for each row, None where there is none.

    Parameters
    ----------
    labels : sequence, array or Series
    n_rows : int
    whose : str
        What messages call the rows.

    Examples
    --------
    >>> labels_in_order([1, float("nan"), "no"], 3, "the ranking")
    [True, None, False]
    """
    given = labels
    if np.ma.isMaskedArray(labels):
        given = np.where(np.ma.getmaskarray(labels), np.nan, np.asarray(labels, dtype=object))
    in_order = hasattr(given, "__len__") and hasattr(given, "__getitem__")
    flat = getattr(given, "ndim", 1) == 1 and not isinstance(given, str | bytes | Mapping)
    if not in_order or not flat:
        raise InvalidParameterError(
            f"Known labels must be a sequence with one label for each row of {whose}: True, False, "
            f"or None where there is none. Got {type(labels).__name__} instead."
        )
    if len(given) != n_rows:
        raise InvalidParameterError(
            f"There are {len(given):,} labels for the {n_rows:,} rows of {whose}. Give one for "
            "each row, None where there is none."
        )
    return [parsed_answer(label, f"row {row} of {whose}") for row, label in enumerate(given)]


def check_same_order(labels: Any, index: Any) -> None:
    """Refuse a Series of labels whose index is that of the rows in another order."""
    own: Any = getattr(labels, "index", None)
    if index is None or not hasattr(own, "equals") or own.equals(index):
        return
    if len(own) == len(index) and set(own) == set(index):
        raise InvalidParameterError(
            "The labels have the index of 'rows', but in another order. Give "
            "labels.loc[rows.index], or labels.to_numpy() if their order is right."
        )


def parsed_answer(answer: Any, about: str) -> Answer:
    """Return what an answer means: True or False, or a word for them; None is "cannot say".

    Examples
    --------
    >>> parsed_answer("Yes", "row 3"), parsed_answer(0.0, "row 3"), parsed_answer("", "row 3")
    (True, False, None)
    """
    word = str(answer).strip().lower()
    if isinstance(answer, float | np.floating) and answer in (0.0, 1.0):
        word = str(int(answer))  # a column of whole numbers with gaps
    if word not in _WORDS:
        raise InvalidParameterError(
            f"The answer about {about} must be yes or no (True or False), or nothing where nobody "
            f"can say. Got {answer!r}."
        )
    return _WORDS[word]
