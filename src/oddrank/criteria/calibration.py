"""Scores turned into tail probabilities and thresholds, by rows that a model has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray

__all__ = [
    "GAUSSIAN",
    "ScoreTail",
    "conformal_p_values",
    "marks_of_rows",
    "middle_and_spread",
    "spreads_below",
    "spreads_from",
]

# Below this quantile of the held-out scores an exponential tail takes over from counting.
TAIL_SHARE = 0.5
# What a score beyond all held-out ones can add to minus the logarithm of its probability.
MOST_BEYOND = 3.0
# With fewer scores below it there is too little to learn a tail from.
FEWEST_BEYOND = 3
# The median absolute deviation of a Gaussian times this is its standard deviation.
GAUSSIAN = 1.4826
# Differences of scores must be numbers.
LARGEST = 1e300


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTail:
    """How unlikely a score, or a lower one, is for rows like the held-out ones.

    Above the median of the held-out scores rows are counted; below it the tail is
    exponential. Scores beyond all held-out scores keep their order, but add at most 3 to the
    negative logarithm: no member may outvote all others by one far row.

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
        below = np.searchsorted(self.scores, scores, side="right")
        border, beyond = self._beyond()
        return _log_tail(
            np.asarray((1.0 + below) / (n_rows + 1.0)),
            distance=border - scores,
            spread=beyond.mean() if len(beyond) >= FEWEST_BEYOND else 0.0,
            share=len(beyond) / n_rows,
            n_rows=n_rows,
        )

    def log_probability_of_own(self, most_beyond: float = MOST_BEYOND) -> FloatArray:
        """Return the same for the held-out scores themselves, each by the tail of the others.

        A row that counted among its own comparisons would look more ordinary than a new row with
        the same score, and p-values of new rows would be too small.

        Examples
        --------
        >>> tail = ScoreTail.of(np.arange(99.0))
        >>> np.exp(tail.log_probability_of_own()[49]).round(4)
        np.float64(0.5051)
        """
        n_others = len(self.scores) - 1
        if n_others < 1:
            return np.zeros(len(self.scores))
        below = np.searchsorted(self.scores, self.scores, side="right")
        border, beyond = self._beyond()
        n_beyond = len(beyond) - 1
        own = np.maximum(border - self.scores, 0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            spread = (beyond.sum() - own) / max(n_beyond, 1)
        return _log_tail(
            below / (n_others + 1.0),
            distance=border - self.scores,
            spread=spread if n_beyond >= FEWEST_BEYOND else 0.0,
            share=n_beyond / n_others,
            n_rows=n_others,
            most_beyond=most_beyond,
        )

    def _beyond(self) -> tuple[float, FloatArray]:
        """Return where the exponential tail begins, and how far scores lie beyond it."""
        border = float(np.quantile(self.scores, TAIL_SHARE))
        return border, border - self.scores[self.scores < border]


def _log_tail(
    counted: FloatArray,
    *,
    distance: FloatArray,
    spread: FloatArray | float,
    share: float,
    n_rows: int,
    most_beyond: float = MOST_BEYOND,
) -> FloatArray:
    """Count rows, or follow the exponential tail where a score is beyond its border."""
    log_probability = np.log(counted)
    spread = np.broadcast_to(np.asarray(spread, dtype=np.float64), counted.shape)
    known = (distance > 0.0) & (spread > 0.0) & np.isfinite(spread)
    if share > 0.0:
        log_probability[known] = np.log(share) - distance[known] / spread[known]
    least = -np.log(n_rows + 1.0)
    excess = np.maximum(least - log_probability, 0.0)
    with np.errstate(invalid="ignore"):
        part = np.where(np.isinf(excess), 1.0, excess / (most_beyond + excess))
    return np.asarray(np.maximum(log_probability, least) - most_beyond * part)


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
