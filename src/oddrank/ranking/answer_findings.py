"""What answers say beyond the order: which detector agrees with them, and how many rows are odd.

Both follow the probability that each row is odd. Its constants, and those of the chances, were
fitted on the tables of `benchmarks/answers`, and are checked there on tables left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from oddrank._typing import FloatArray
from oddrank.ranking.answer_model import AnswerModel, RowDescription, moderated

__all__ = [
    "Agreement",
    "OddRowCount",
    "agreement_with_answers",
    "estimate_odd_rows",
    "odd_probability",
]

# The log-odds of the labels are a bent line of the model's: intercept, slope, where it bends, and
# what the bend adds to the slope.
INTERCEPT, SLOPE, BEND, FURTHER_SLOPE = -2.42, 1.29, -0.2, 3.57
# How sure a lead x of one detector is: expit((a + b log(1 + yes)) x / (x + half)).
SURE, SURE_PER_YES, HALF_LEAD = 1.2, 0.55, 0.042
# Chances are a softmax of areas, times this factor and what the logarithm of 1 + yes adds.
SHARP, SHARP_PER_YES = 9.7, 5.0
# 90 % of the tables have a number of further odd rows between these multiples of the expected one.
LOW_FACTOR, HIGH_FACTOR = float(np.exp(-2.6)), float(np.exp(1.2))

# Longer tables have the spread of so many rows computed, half of them those with high log-odds.
MOST_EXACT = 4000


def odd_probability(model: AnswerModel, rows: RowDescription) -> FloatArray:
    """Return the probability that each row is odd, as labels of many tables had it.

    Rows that were answered have it too: an answer may be wrong. It is calibrated for rows like
    those of the table, with the same share of odd ones.
    """
    return _calibrated(*model.log_odds_and_spread(rows))


def _calibrated(mean: FloatArray, spread: FloatArray) -> FloatArray:
    middle = moderated(mean, spread)
    bent = np.maximum(middle - BEND, 0.0)
    return np.asarray(expit(INTERCEPT + SLOPE * middle + FURTHER_SLOPE * bent))


def _of_table(model: AnswerModel, rows: RowDescription) -> FloatArray:
    """Return the probabilities of all rows of a table; of a long one in little time.

    Rows with low log-odds share the spread that some of them have.
    """
    if len(rows) <= MOST_EXACT:
        return odd_probability(model, rows)
    mean = model.log_odds(rows)
    order = np.argsort(-mean, kind="stable")
    likely, others = order[: MOST_EXACT // 2], order[MOST_EXACT // 2 :]
    some = others[:: -(-len(others) // (MOST_EXACT // 2))]
    spread = np.full(len(rows), np.median(model.log_odds_and_spread(rows.rows(some))[1]))
    mean[likely], spread[likely] = model.log_odds_and_spread(rows.rows(likely))
    return _calibrated(mean, spread)


def _known(model: AnswerModel, rows: RowDescription, positions: npt.NDArray[np.intp]) -> FloatArray:
    """Return the probabilities of rows, with 0 and 1 for answered ones."""
    chances = _of_table(model, rows)
    chances[positions] = model.answers[: len(positions)]
    return chances


@dataclass(frozen=True, kw_only=True, eq=False)
class Agreement:
    """How well every detector agrees with the answers.

    Attributes
    ----------
    areas : array of shape (n_detectors,)
        The expected ROC area of each detector, by the probability that rows are odd.
    n_yes : int
        Answers "odd"; with none, nothing is known about detectors.
    trust : float
        The probability that answers follow the rows.
    """

    areas: FloatArray
    n_yes: int
    trust: float

    @property
    def chances(self) -> FloatArray:
        """The probability that each detector agrees best with the labels; their sum is 1."""
        if not self.n_yes:
            return np.full(len(self.areas), 1.0 / len(self.areas))
        sharpness = self.trust * (SHARP + SHARP_PER_YES * np.log1p(self.n_yes))
        return np.asarray(softmax(sharpness * self.areas))

    def how_sure(self, first: int, second: int) -> float:
        """Return the probability that the first detector agrees better with labels than the second.

        Examples
        --------
        >>> found = Agreement(areas=np.array([0.9, 0.8]), n_yes=5, trust=1.0)
        >>> round(found.how_sure(0, 1), 2), round(found.how_sure(1, 0), 2)
        (0.82, 0.18)
        """
        lead = float(self.areas[first] - self.areas[second])
        if not self.n_yes or lead == 0.0:
            return 0.5
        factor = self.trust * (SURE + SURE_PER_YES * np.log1p(self.n_yes))
        return float(expit(factor * lead / (abs(lead) + HALF_LEAD)))


def agreement_with_answers(
    model: AnswerModel, rows: RowDescription, *, positions: npt.NDArray[np.intp]
) -> Agreement:
    """Compare every detector with the answers.

    Answered rows are few, and were chosen because they look odd. So detectors are held against all
    rows: an answered row counts by its answer, another by its probability.

    Parameters
    ----------
    model : AnswerModel
    rows : RowDescription
        Of all rows of the table; `rows.votes` has a column for every detector.
    positions : array of int
        The row numbers of `model.answered`, in its order. Rows at its end that are not in the
        table have none.
    """
    chances = _known(model, rows, positions)
    areas = np.array([_expected_area(votes, chances) for votes in rows.votes.T])
    return Agreement(areas=areas, n_yes=model.n_yes, trust=model.trust)


def _expected_area(votes: FloatArray, chances: FloatArray) -> float:
    """Return the ROC area of votes where a row is odd with some probability; ties count half."""
    _, groups = np.unique(votes, return_inverse=True)
    ordinary = np.bincount(groups, 1.0 - chances)
    odd = np.bincount(groups, chances)
    below = np.cumsum(ordinary) - 0.5 * ordinary
    total = ordinary.sum() * odd.sum()
    return float(odd @ below / total) if total > 0.0 else 0.5


@dataclass(frozen=True, kw_only=True)
class OddRowCount:
    """How many rows of the table are odd.

    Attributes
    ----------
    estimate : float
    low, high : int
        An interval that held the truth in nine of ten tables.
    """

    estimate: float
    low: int
    high: int


def estimate_odd_rows(
    model: AnswerModel,
    rows: RowDescription,
    *,
    positions: npt.NDArray[np.intp],
    known: npt.NDArray[np.intp] | None = None,
) -> OddRowCount:
    """Estimate the number of odd rows: those found, and as many others as the model expects.

    Parameters
    ----------
    model, rows, positions
        As in `agreement_with_answers`, of a model that was learnt from answers to questions alone:
        labels that were known before are no guide to the number of others.
    known : array of int, optional
        The numbers of rows whose label was known before. They are left out.
    """
    left = np.ones(len(rows), dtype=np.bool_)
    left[positions] = False
    if known is not None:
        left[known] = False
    found = int(model.n_yes)
    further = float(_of_table(model, rows)[left].sum())
    most = int(left.sum())
    low = max(np.floor((further + 1.0) * LOW_FACTOR - 1.0), 0.0)
    high = min(np.ceil((further + 1.0) * HIGH_FACTOR - 1.0), most)
    return OddRowCount(estimate=found + further, low=found + int(low), high=found + int(high))
