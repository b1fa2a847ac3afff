"""A committee that has learnt from answers, and the questions that are worth one.

`Teaching` is what a ranking keeps: the description of its rows, the answers, and the model of them.
`TaughtCommittee` is the committee with a memory of the answered rows. Nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddrank._random import integer_seed, stream
from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError
from oddrank.ranking.answer_findings import Agreement, agreement_with_answers
from oddrank.ranking.answer_model import AnswerModel, Describer, RowDescription, learn
from oddrank.ranking.committee import Committee
from oddrank.ranking.questions import next_questions
from oddrank.ranking.votes import highest_votes
from oddrank.rows import Table, TableEncoder

if TYPE_CHECKING:
    from sklearn.ensemble import IsolationForest

__all__ = ["ANSWER_WORDS", "TaughtCommittee", "Teaching", "answers_by_place", "parsed_answer"]

Answer = bool | None
# How answers are written in files, and what else people write.
ANSWER_WORDS: Mapping[Answer, str] = {True: "yes", False: "no", None: "cannot say"}
_WORDS: Mapping[str, Answer] = {
    "yes": True, "y": True, "true": True, "1": True, "odd": True,
    "no": False, "n": False, "false": False, "0": False, "ordinary": False,
    "": None, "?": None, "skip": None, "cannot say": None, "nan": None, "none": None, "<na>": None,
}  # fmt: skip
# Rows below this likeness to an answered one are not said to be like it.
ALIKE = 0.4


class TaughtCommittee(Committee):
    """The committee of a ranking, with answers as its memory; `Ranking.tell` makes it.

    Attributes
    ----------
    memory_ : dict of arrays
        Description and answers of the answered rows.
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
    """

    committee: Committee
    encoder: TableEncoder | None
    describer: Describer
    rows: RowDescription
    answers: Mapping[int, Answer]

    @classmethod
    def start(cls, committee: Committee, table: Table, root: np.random.SeedSequence) -> Teaching:
        """Describe the rows that a committee was fitted on; nothing is answered yet."""
        encoder = None if table.is_plain else TableEncoder().fit(table)
        features = encoded(table, encoder)
        describer = Describer.fit(features, seed=integer_seed(root, "questions"))
        rows = describer.describe(
            features, votes=committee.row_votes_.T, oddness=committee.row_oddness_.mean(axis=0)
        )
        return cls(committee=committee, encoder=encoder, describer=describer, rows=rows, answers={})

    @property
    def places(self) -> npt.NDArray[np.intp]:
        """Places of the rows with a yes or a no, upwards: their order changes no last digit."""
        known = sorted(place for place, each in self.answers.items() if each is not None)
        return np.array(known, dtype=np.intp)

    @cached_property
    def model(self) -> AnswerModel:
        """What the answers say of all rows."""
        given = [self.answers[place] is True for place in self.places.tolist()]
        return learn(self.rows.rows(self.places), given)

    @cached_property
    def taught(self) -> TaughtCommittee:
        """The committee after the answers."""
        return TaughtCommittee.of(
            self.committee, self.encoder, self.describer, self.rows, self.model
        )

    @cached_property
    def agreement(self) -> Agreement:
        """How well every member agrees with the answers."""
        return agreement_with_answers(self.model, self.rows, positions=self.places)

    def questions(self, n_questions: int, root: np.random.SeedSequence) -> npt.NDArray[np.intp]:
        """Return places of the rows to ask about next, the best question first."""
        asked = np.zeros(len(self.rows), dtype=np.bool_)
        asked[list(self.answers)] = True
        return next_questions(
            self.model,
            self.rows,
            asked=asked,
            n_questions=n_questions,
            random=stream(root, "questions", len(self.answers)),
        )

    def likeness(self, place: int) -> tuple[int, bool] | None:
        """Return the answered row that moves a row most, and its answer; None where none does."""
        if not self.model.n_yes or place in self.answers:
            return None
        found = self.model.nearest_answer(self.rows.rows([place]))
        position = int(found.positions[0])
        if found.likeness[0] < ALIKE:
            return None
        return int(self.places[position]), bool(self.model.answers[position])


def answers_by_place(answers: Any, labels: Any, by: str | None) -> dict[int, Answer]:
    """Return answers by the places of their rows, or refuse what may mean another row.

    Parameters
    ----------
    answers : mapping, Series, or frame with a column "answer"
        Of row number or index label to True, False or None.
    labels : sequence
        What the rows are called.
    by : None, "row" or "index"
        Whether whole numbers are row numbers or labels of the index.
    """
    if by not in (None, "row", "index"):
        raise InvalidParameterError(
            f"The 'by' parameter of tell must be None, 'row' or 'index'. Got {by!r} instead."
        )
    called = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    plain = called == list(range(len(called)))
    found: dict[int, Answer] = {}
    places: dict[Any, list[int]] = {}
    for place, label in enumerate(called):
        places.setdefault(label, []).append(place)
    for key, answer in _pairs(answers):
        whole = isinstance(key, int | np.integer) and not isinstance(key, bool)
        if whole and not plain and by is None and any(isinstance(each, int) for each in called):
            raise InvalidParameterError(
                f"{key!r} may be a row number or a label of the index. Say which: "
                "tell(…, by='row') or by='index'."
            )
        if whole and by != "index" and 0 <= int(key) < len(called):
            place = int(key)
        elif not (whole and by == "row") and len(places.get(key, ())) == 1:
            place = places[key][0]
        else:
            several = len(places.get(key, ())) > 1
            raise InvalidParameterError(
                f"Several rows are called {key!r}: give their row numbers, with by='row'."
                if several
                else f"There is no row {key!r}. Rows have numbers from 0 to {len(called) - 1}"
                f"{'' if plain else ', or the labels of the index'}."
            )
        found[place] = parsed_answer(answer, f"row {key!r}")
    return found


def _pairs(answers: Any) -> Iterator[tuple[Any, Any]]:
    if hasattr(answers, "columns"):
        if "answer" not in answers:
            raise InvalidParameterError(
                "The 'answers' parameter of tell must be a mapping, a Series, or a frame with a "
                f"column 'answer'. Got a frame with the columns {list(answers.columns)}."
            )
        answers = answers["answer"]
    if not hasattr(answers, "items"):
        raise InvalidParameterError(
            "The 'answers' parameter of tell must be a mapping of rows to True, False or None, a "
            f"Series, or a frame with a column 'answer'. Got {type(answers).__name__} instead."
        )
    yield from answers.items()


def parsed_answer(answer: Any, about: str) -> Answer:
    """Return what an answer means: True or False, or a word for them; None is "cannot say".

    Examples
    --------
    >>> parsed_answer("Yes", "row 3"), parsed_answer(0.0, "row 3"), parsed_answer("", "row 3")
    (True, False, None)
    """
    word = str(answer).strip().lower()
    if isinstance(answer, float) and answer in (0.0, 1.0):
        word = str(int(answer))  # a column of whole numbers with gaps
    if word not in _WORDS:
        raise InvalidParameterError(
            f"The answer about {about} must be yes or no (True or False), or nothing where nobody "
            f"can say. Got {answer!r}."
        )
    return _WORDS[word]
