"""What answers say beyond the order: which detector agrees with them, and how many rows are odd.

Both follow the probability that each row is odd. Its constants, and those of the chances, were
fitted on the tables of `benchmarks/answers`, and are checked there on tables left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from oddrank._text import counted
from oddrank._typing import FloatArray
from oddrank.ranking.answer_model import AnswerModel, RowDescription, moderated

__all__ = [
    "Agreement",
    "OddRowCount",
    "agreement_with_answers",
    "chances_of_table",
    "estimate_odd_rows",
    "odd_probability",
]

# The log-odds of the labels, by those of the sober model: a bent line, and what the share of yes
# among the answers takes away: rows are asked because they look odd, so that the model expects too
# many odd ones where many were found.
INTERCEPT, SLOPE, YES_SHARE = -1.808, 1.345, -4.61
BENDS: Mapping[float, float] = {-2.0: 1.138, 0.0: 1.556}
# How sure a lead x of one detector is: expit((a + b log(1 + yes)) x / (x + half)).
SURE, SURE_PER_YES, HALF_LEAD = 2.36, 0.42, 0.061
# Chances are a softmax of areas, times this factor and what the logarithm of 1 + yes adds.
SHARP, SHARP_PER_YES = 12.1, 10.0
# The share of odd rows among those that were not asked, as a logarithm: intercept, slope of the
# logarithm of the expected share, and slope of log(1 + yes). For the middle and both ends of an
# interval that held the truth in nine of ten tables; without a yes there may be none at all.
MIDDLE, LOW, HIGH = (-0.14, 0.943, -0.099), (-1.254, 0.916, -0.264), (-1.037, 0.326, -0.05)
MIDDLE_WITHOUT_YES, HIGH_WITHOUT_YES = (0.0, 1.0, 0.0), (0.086, 0.836, 0.0)
# Longer tables have the spread of so many rows computed, half of them those with high log-odds.
MOST_EXACT = 4000


def odd_probability(model: AnswerModel, rows: RowDescription) -> FloatArray:
    """Return the probability that each row is odd, as labels of many tables had it.

    Rows that were answered have it too: an answer may be wrong. It is calibrated for rows like
    those of the table, with the same share of odd ones.
    """
    return _calibrated(model, *model.sober.log_odds_and_spread(rows))


def _calibrated(model: AnswerModel, mean: FloatArray, spread: FloatArray) -> FloatArray:
    middle = moderated(mean, spread)
    found = INTERCEPT + SLOPE * middle + YES_SHARE * model.n_yes / (len(model.answers) + 2.0)
    for start, slope in BENDS.items():
        found += slope * np.maximum(middle - start, 0.0)
    return np.asarray(expit(found))


def chances_of_table(model: AnswerModel, rows: RowDescription) -> FloatArray:
    """Return the probabilities of all rows of a table; of a long one in little time.

    Rows with low log-odds share the spread that some of them have.
    """
    if len(rows) <= MOST_EXACT:
        return odd_probability(model, rows)
    sober = model.sober
    mean = sober.log_odds(rows)
    order = np.argsort(-mean, kind="stable")
    likely, others = order[: MOST_EXACT // 2], order[MOST_EXACT // 2 :]
    some = others[:: -(-len(others) // (MOST_EXACT // 2))]
    spread = np.full(len(rows), np.median(sober.log_odds_and_spread(rows.rows(some))[1]))
    mean[likely], spread[likely] = sober.log_odds_and_spread(rows.rows(likely))
    return _calibrated(model, mean, spread)


def _known(model: AnswerModel, rows: RowDescription, positions: npt.NDArray[np.intp]) -> FloatArray:
    """Return the probabilities of rows, with 0 and 1 for answered ones."""
    chances = chances_of_table(model, rows)
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
        (0.87, 0.13)
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

    @property
    def sentence(self) -> str:
        """The same in words."""
        if self.low == self.high:
            return f"As you say, {counted(self.low, 'row')} {'is' if self.low == 1 else 'are'} odd."
        if not self.low:
            return f"Up to about {self.high:,} rows may be odd."
        about = round(self.estimate)
        are = "row is" if about == 1 else "rows are"
        return f"About {about:,} {are} odd, between {self.low:,} and {self.high:,}."


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
    found, n_left = int(model.n_yes), int(left.sum())
    expected = float(chances_of_table(model, rows)[left].sum())

    def further(line: tuple[float, float, float]) -> float:
        intercept, slope, per_yes = line
        logarithm = np.log((expected + 1.0) / (n_left + 1.0))
        share = np.exp(intercept + slope * logarithm + per_yes * np.log1p(found))
        return float(np.clip(share * (n_left + 1.0) - 1.0, 0.0, n_left))

    middle, high = (MIDDLE, HIGH) if found else (MIDDLE_WITHOUT_YES, HIGH_WITHOUT_YES)
    low = int(further(LOW)) if found else 0
    most = max(int(np.ceil(further(high))), low)
    return OddRowCount(
        estimate=found + float(np.clip(further(middle), low, most)),
        low=found + low,
        high=found + most,
    )
