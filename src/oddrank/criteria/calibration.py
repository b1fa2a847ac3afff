"""Scores turned into tail probabilities and thresholds, by rows that a model has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray

__all__ = [
    "GAUSSIAN",
    "ScoreTail",
    "choice_of_rows",
    "conformal_p_values",
    "marks_of_rows",
    "middle_and_spread",
    "spreads_below",
    "spreads_from",
]

# Below this quantile of the held-out scores an exponential tail takes over from counting.
TAIL_SHARE = 0.05
# With fewer scores below it there is too little to learn a tail from.
FEWEST_BEYOND = 3
# The median absolute deviation of a Gaussian times this is its standard deviation.
GAUSSIAN = 1.4826
# Differences of scores must be numbers.
LARGEST = 1e300


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTail:
    """How unlikely a score, or a lower one, is for rows like the held-out ones.

    Above the 5 % quantile of the held-out scores rows are counted; below it the tail is
    exponential. Scores beyond all held-out scores keep their order, but add at most 1 to the
    negative logarithm. A refitted detector may be far off its own scale on repeated rows, and must
    not outvote all others.

    Attributes
    ----------
    scores : array, sorted upwards
        Held-out scores, higher = more normal.
    """

    scores: FloatArray

    @classmethod
    def of(cls, held_out: FloatArray) -> ScoreTail:
        """Learn the tail of held-out scores."""
        return cls(scores=np.sort(held_out))

    def log_probability(self, scores: FloatArray) -> FloatArray:
        """Return the logarithm of the tail probability of each score.

        Examples
        --------
        >>> tail = ScoreTail.of(np.arange(99.0))
        >>> np.exp(tail.log_probability(np.array([49.0]))).round(2)
        array([0.51])
        """
        n_rows = len(self.scores)
        counted = (1.0 + np.searchsorted(self.scores, scores, side="right")) / (n_rows + 1.0)
        log_probability = np.log(counted)
        border = float(np.quantile(self.scores, TAIL_SHARE))
        beyond = border - self.scores[self.scores < border]
        spread = float(beyond.mean()) if len(beyond) >= FEWEST_BEYOND else 0.0
        if spread > 0.0 and np.isfinite(spread):
            below = scores < border
            share = len(beyond) / n_rows
            log_probability[below] = np.log(share) - (border - scores[below]) / spread
        least = -np.log(n_rows + 1.0)
        excess = np.maximum(least - log_probability, 0.0)
        with np.errstate(invalid="ignore"):
            saturated = np.where(np.isinf(excess), 1.0, excess / (1.0 + excess))
        return np.asarray(np.maximum(log_probability, least) - saturated)


def conformal_p_values(held_out: FloatArray, scores: FloatArray) -> FloatArray:
    """Return `(1 + number of held-out scores at most as high) / (n + 1)` for each score.

    The rank of a new row among held-out rows like it is uniform, whatever the scoring function, so
    that a p-value is at most `a` with probability at most `a`. Bates, Candès, Lei, Romano and
    Sesia, "Testing for outliers with conformal p-values" (Annals of Statistics, 2023).

    Parameters
    ----------
    held_out : array, sorted upwards
        Scores of rows that the model has not seen, higher = more normal.
    scores : array
        Of new rows, by the same model.

    Examples
    --------
    >>> conformal_p_values(np.arange(1.0, 10.0), np.array([0.0, 3.0, 20.0]))
    array([0.1, 0.4, 1. ])
    """
    below = np.searchsorted(held_out, scores, side="right")
    return np.asarray((1.0 + below) / (len(held_out) + 1.0))


def choice_of_rows(values: FloatArray, n_choices: int) -> npt.NDArray[np.intp]:
    """Return a choice for each row that depends on the row alone, and works like a throw of dice.

    The choice is the same whatever other rows are given.

    Examples
    --------
    >>> choice_of_rows(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]]), 5)
    array([4, 1, 4])
    """
    return np.asarray(marks_of_rows(values) % np.uint64(n_choices), dtype=np.intp)


def marks_of_rows(values: FloatArray) -> npt.NDArray[np.uint64]:
    """Return a number for each row that another row is unlikely to have."""
    # 0.0 and -0.0 are the same row
    bits = np.ascontiguousarray(values + 0.0, dtype=np.float64).view(np.uint64)
    mixed = np.zeros(len(values), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in bits.T:
            mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def spreads_below(scores: FloatArray, ordinary: FloatArray) -> FloatArray:
    """Return how many robust spreads each score lies below the median of ordinary ones.

    Examples
    --------
    >>> spreads_below(np.array([-5.0, 0.0]), np.arange(-2.0, 3.0)).round(2)
    array([3.37, 0.  ])
    """
    return spreads_from(scores, *middle_and_spread(ordinary))


def spreads_from(scores: FloatArray, middle: float, spread: float) -> FloatArray:
    """Return how many spreads each score lies below the middle."""
    # log densities may be -inf: as odd as a number can be
    return np.asarray((middle - np.clip(scores, -LARGEST, LARGEST)) / spread)


def middle_and_spread(ordinary: FloatArray) -> tuple[float, float]:
    """Return the median of scores and their robust spread, which oddness is measured with."""
    known = np.clip(ordinary, -LARGEST, LARGEST)
    middle = float(np.median(known))
    spread = GAUSSIAN * float(np.median(np.abs(known - middle)))
    return middle, spread or float(known.std()) or 1.0
