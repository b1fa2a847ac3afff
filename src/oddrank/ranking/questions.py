"""Which rows to ask about, and whether more answers would change what is listed first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from oddrank._text import number_word
from oddrank._typing import BoolArray, FloatArray
from oddrank.ranking.answer_findings import odd_probability
from oddrank.ranking.answer_model import AnswerModel, RowDescription, learn, moderated

__all__ = ["ExpectedChange", "expected_change", "first_of_list", "next_questions"]

# A question is worth its log-odds, plus so many standard deviations of them: a row that is unlike
# all answered ones teaches more.
CURIOSITY = 2.0
# Spreads are computed for so many rows with the highest log-odds.
MOST_CANDIDATES = 2000
# Rows that people look at first.
LOOKED_AT = 20
# So few new rows are hardly a change.
HARDLY = 1
# The least that an answer is expected to tell of its own row.
LEAST_CURVATURE = 0.02


def next_questions(
    model: AnswerModel,
    rows: RowDescription,
    *,
    asked: BoolArray,
    n_questions: int = 1,
    random: np.random.Generator,
) -> npt.NDArray[np.intp]:
    """Return the numbers of the rows to ask about next, the best question first.

    Several questions at once are chosen to differ from each other: after each one the spread of the
    log-odds is what it would be after its answer (Desautels, Krause and Burdick, "Parallelizing
    exploration-exploitation tradeoffs in Gaussian process bandit optimization", 2014).

    Parameters
    ----------
    model : AnswerModel
        `learn` with no answers is the model before the first question.
    rows : RowDescription
        Of all rows of the table.
    asked : array of bool, shape (n_rows,)
        Rows that were asked before, with or without an answer; they are not asked again.
    n_questions : int
        Fewer are returned where fewer rows are left.
    random : numpy Generator
        Decides between rows that are equally worth a question.
    """
    left = np.asarray(np.flatnonzero(~np.asarray(asked, dtype=np.bool_)), dtype=np.intp)
    if len(left) > MOST_CANDIDATES:
        likely = np.argpartition(-model.log_odds(rows.rows(left)), MOST_CANDIDATES)
        left = np.sort(left[likely[:MOST_CANDIDATES]])
    left = random.permutation(left)
    some = rows.rows(left)
    mean, spread = model.log_odds_and_spread(some)
    variance, open_ = spread**2, np.ones(len(left), dtype=np.bool_)
    explained = model.explained(some)
    chosen: list[int] = []
    for _ in range(min(n_questions, len(left))):
        worth = mean + CURIOSITY * np.sqrt(np.maximum(variance, 0.0))
        # equal rows must have equal worth, whatever the last digits
        best = int(np.argmax(np.where(open_, worth.round(9), -np.inf)))
        chosen.append(best)
        open_[best] = False
        if len(chosen) == n_questions:
            break
        own = some.rows([best])
        shared = model.prior.covariance(own, some)[0] - explained[:, best] @ explained
        chance = expit(moderated(mean[best], spread[best]))
        curvature = max(chance * (1.0 - chance), LEAST_CURVATURE)
        step = shared / np.sqrt(max(variance[best], 0.0) + 1.0 / curvature)
        explained = np.vstack([explained, step])
        variance = variance - step**2
    return np.asarray(left[chosen], dtype=np.intp)


@dataclass(frozen=True, kw_only=True)
class ExpectedChange:
    """How many of the rows that are listed first more answers would probably replace.

    Attributes
    ----------
    n_answers : int
        Further answers that this is about; fewer than were asked for where fewer rows are left.
    n_first : int
        Rows that are listed first.
    n_replaced : float
        How many of them would be others; the mean over simulated answers.
    """

    n_answers: int
    n_first: int
    n_replaced: float

    @property
    def sentence(self) -> str:
        """The same in words."""
        if not self.n_answers:
            return "Every row was asked."
        answers = f"{number_word(self.n_answers)} more answer{'s' * (self.n_answers > 1)}"
        n_new = round(self.n_replaced)
        if n_new <= HARDLY:
            return f"{answers.capitalize()} would hardly change the first {self.n_first} rows."
        return (
            f"{answers.capitalize()} would probably replace about {n_new} of the first "
            f"{self.n_first} rows."
        )


def expected_change(
    model: AnswerModel,
    rows: RowDescription,
    *,
    asked: BoolArray,
    random: np.random.Generator,
    n_answers: int = 5,
    n_first: int = 20,
    n_simulated: int = 8,
) -> ExpectedChange:
    """Simulate further answers, as probabilities say, and count what they replace.

    Parameters
    ----------
    model, rows, asked, random
        As in `next_questions`.
    n_answers, n_first : int
        How many further answers; how many rows are listed first.
    n_simulated : int
        How often answers are drawn.
    """
    before = model.oddness(rows)
    kept = np.arange(len(rows))
    if len(kept) > MOST_CANDIDATES:
        kept = np.argpartition(-before, MOST_CANDIDATES)[:MOST_CANDIDATES]
    some, first = rows.rows(kept), first_rows(before[kept], n_first)
    questions = next_questions(model, rows, asked=asked, n_questions=n_answers, random=random)
    of_questions = rows.rows(questions)
    joined = model.answered.joined(of_questions)
    chances = odd_probability(model, of_questions)
    replaced = []
    for _ in range(n_simulated):
        answers = np.concatenate([model.answers, random.random(len(chances)) < chances])
        after = first_rows(learn(joined, answers, prior=model.prior).oddness(some), n_first)
        replaced.append(len(np.setdiff1d(first, after)))
    return ExpectedChange(
        n_answers=len(questions),
        n_first=len(first),
        n_replaced=float(np.mean(replaced)),
    )


def first_of_list(n_rows: int) -> int:
    """Return how many rows people look at first: twenty, of a short table a tenth."""
    return max(1, min(LOOKED_AT, n_rows // 10))


def first_rows(oddness: FloatArray, n_first: int) -> npt.NDArray[np.intp]:
    """Return the numbers of the oddest rows."""
    return np.asarray(np.argsort(-oddness, kind="stable")[:n_first])
