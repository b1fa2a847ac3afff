"""The oddest rows of a table that is not in memory: how many stand out, from merged counts.

Rows are counted by their oddness, and the oddest few are kept with their numbers. Both add up over
chunks. A model of the tail, fitted to the counts, then gives p-values to the levels of oddness, and
the procedure of Benjamini and Hochberg needs no more than how many rows reach each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria.calibration import spreads_from
from oddrank.criteria.tail_model import MOST_ROWS, TailModel, evenly_spaced_ranks, model_tail

__all__ = ["OddCounts"]

# Rows are counted at these numbers of spreads below the median, each 1 % above the last.
LEVELS = np.geomspace(0.01, 1e6, 1852)
# The oddest rows are kept with their numbers; none is odd within one spread.
LISTED_ROWS, LISTED_FROM = 1000, 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class OddCounts:
    """Rows by their oddness; parts add up with `+`.

    Attributes
    ----------
    counts : array of int
        How many rows lie between consecutive levels of oddness; none are counted below the first.
    numbers, oddness : arrays
        Of the oddest rows, oddest first.
    n_rows : int
    """

    counts: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    oddness: FloatArray
    n_rows: int

    @classmethod
    def nothing(cls) -> OddCounts:
        """Return the counts of no rows."""
        none = np.empty(0, dtype=np.int64)
        zeros = np.zeros(len(LEVELS), dtype=np.int64)
        return cls(counts=zeros, numbers=none, oddness=np.empty(0), n_rows=0)

    @classmethod
    def of(
        cls, scores: FloatArray, numbers: npt.NDArray[np.int64], middle: float, spread: float
    ) -> OddCounts:
        """Count some rows.

        Parameters
        ----------
        scores, numbers : arrays of shape (n_rows,)
        middle, spread : float
            What oddness is measured with.
        """
        oddness = spreads_from(scores, middle, spread)
        odd = np.flatnonzero(oddness >= LEVELS[0])
        place = np.searchsorted(LEVELS, oddness[odd], side="right") - 1
        far = odd[oddness[odd] >= LISTED_FROM]
        numbers, oddness = _oddest(numbers[far], oddness[far])
        counts = np.bincount(place, minlength=len(LEVELS))
        return cls(counts=counts, numbers=numbers, oddness=oddness, n_rows=len(scores))

    def __add__(self, other: OddCounts) -> OddCounts:
        numbers, oddness = _oddest(
            np.concatenate((self.numbers, other.numbers)),
            np.concatenate((self.oddness, other.oddness)),
        )
        return OddCounts(
            counts=self.counts + other.counts,
            numbers=numbers,
            oddness=oddness,
            n_rows=self.n_rows + other.n_rows,
        )

    def tail(self, fdr: float) -> TailModel:
        """Fit the model of the tail to all rows, or to many of them at evenly spaced ranks."""
        ranks = evenly_spaced_ranks(self.n_rows, MOST_ROWS)
        at_least = np.cumsum(self.counts[::-1])
        oddness = np.interp(ranks, at_least, LEVELS[::-1], right=0.0)
        listed = ranks < len(self.oddness)
        oddness[listed] = self.oddness[ranks[listed].astype(np.intp)]
        return model_tail(oddness, fdr)

    def adjusted(self, tail: TailModel, fdr: float) -> tuple[FloatArray, FloatArray, int]:
        """Return p-values and adjusted p-values of the listed rows, and how many rows stand out.

        The list is exact. Beyond it rows are known by their level of oddness only, whose p-value is
        the largest of theirs. Where the model of the tail cannot be believed, nothing is flagged.
        """
        if tail.problem:
            unknown = np.full(len(self.oddness), np.nan)
            return unknown, unknown, 0
        p_values = tail.p_value_of(self.oddness)
        ranks = np.arange(1, len(p_values) + 1)
        at_least = np.cumsum(self.counts[::-1])[::-1]
        of_levels = np.full(len(LEVELS), np.inf)
        reached = at_least > len(p_values)  # the list knows the others better
        of_levels[reached] = tail.p_value_of(LEVELS[reached]) * self.n_rows / at_least[reached]
        of_list = p_values * self.n_rows / ranks
        beyond = float(of_levels.min())
        adjusted = np.minimum(np.minimum.accumulate(of_list[::-1])[::-1], min(beyond, 1.0))
        flagged = [*ranks[of_list <= fdr].tolist(), *at_least[of_levels <= fdr].tolist()]
        return p_values, adjusted, max(flagged, default=0)


def _oddest(
    numbers: npt.NDArray[np.int64], oddness: FloatArray
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    if len(oddness) > 8 * LISTED_ROWS:  # the sort below is for few rows
        least = np.partition(oddness, -LISTED_ROWS)[-LISTED_ROWS]
        numbers, oddness = numbers[oddness >= least], oddness[oddness >= least]
    order = np.lexsort((numbers, -oddness))[:LISTED_ROWS]
    return numbers[order], oddness[order]
