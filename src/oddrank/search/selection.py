"""Which candidate a search chooses, and which others tie with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from oddrank._typing import FloatArray
from oddrank.criteria import holm

__all__ = ["Selection", "paired_deficits", "select", "shared_means"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """Candidates compared with the best of them, split by split.

    Attributes
    ----------
    means, deviations : arrays of shape (n_candidates,)
        Over the splits in which all candidates are resolved; NaN for those that are not.
    ranks : array of int of shape (n_candidates,)
        1 for the best; candidates that halving dropped earlier come later.
    deficits, errors : arrays of shape (n_candidates,)
        How far the best is ahead on average, and the standard error of that; NaN for candidates
        that were not in the last round.
    top : int
        The candidate with the highest mean.
    inseparable : tuple of int
        Candidates that tie with it at the confidence level, and itself.
    simplest, cheapest : int
        The simplest, and the fastest candidate within one standard error of it.
    """

    means: FloatArray
    deviations: FloatArray
    ranks: npt.NDArray[np.intp]
    deficits: FloatArray
    errors: FloatArray
    top: int
    inseparable: tuple[int, ...]
    simplest: int
    cheapest: int


def select(
    scores: FloatArray,
    rounds: npt.NDArray[np.intp],
    simplicity: list[int],
    seconds: FloatArray,
    *,
    test_per_train: float,
    confidence_level: float,
) -> Selection:
    """Compare every finalist with the best one; there must be a resolved finalist.

    Parameters
    ----------
    scores : array of shape (n_candidates, n_splits)
    rounds : array of int of shape (n_candidates,)
        The last round of each candidate.
    simplicity : list of int
        Candidates from the simplest to the least simple.
    seconds : array of shape (n_candidates,)
        What each costs.
    test_per_train : float
    confidence_level : float
    """
    means, deviations = np.full((2, len(scores)), np.nan)
    for each in np.unique(rounds):
        inside = rounds == each
        means[inside], shared = shared_means(scores[inside])
        deviations[inside] = np.where(
            np.isnan(means[inside]), np.nan, scores[inside][:, shared].std(axis=1)
        )
    finalists = (rounds == rounds.max()) & np.isfinite(means)
    top = int(np.argmax(np.where(finalists, means, -np.inf)))
    deficits, errors = np.full((2, len(scores)), np.nan)
    deficits[finalists], errors[finalists] = paired_deficits(
        scores[finalists][:, np.isfinite(scores[finalists]).all(axis=0)],
        int(np.count_nonzero(finalists[:top])),
        test_per_train,
    )
    n_shared = int(np.isfinite(scores[finalists]).all(axis=0).sum())
    separated = _separated(deficits, errors, n_shared - 1, confidence_level)
    close = np.flatnonzero(finalists & (deficits <= errors))
    return Selection(
        means=means,
        deviations=deviations,
        ranks=_ranks(means, rounds),
        deficits=deficits,
        errors=errors,
        top=top,
        inseparable=tuple(np.flatnonzero(finalists & ~separated).tolist()),
        simplest=next(index for index in simplicity if index in close),
        cheapest=int(close[np.argmin(np.nan_to_num(seconds[close], nan=np.inf))]),
    )


def shared_means(scores: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return means over the splits in which all are resolved, and which splits these are.

    If fewer than half of the splits (or fewer than two) are left, the candidate that is unresolved
    most often is set aside, and its mean is NaN.
    """
    means = np.full(len(scores), np.nan)
    resolved = np.isfinite(scores)
    counted = np.array([row.any() for row in resolved])
    shared = np.asarray(resolved[counted].all(axis=0))
    needed = max(2, -(-scores.shape[1] // 2))
    while counted.any() and np.count_nonzero(shared) < needed:
        worst = np.argmin(np.where(counted, resolved.sum(axis=1), np.iinfo(np.int64).max))
        counted[worst] = False
        shared = np.asarray(resolved[counted].all(axis=0))
    means[counted] = scores[counted][:, shared].mean(axis=1)
    return means, shared


def paired_deficits(
    scores: FloatArray, top: int, test_per_train: float
) -> tuple[FloatArray, FloatArray]:
    """Return how far each candidate is behind, and the standard error of that.

    Splits share rows, so their scores are not independent: the variance of a mean over `m`
    splits is `(1/m + n_test/n_train)` times that of one split, not `1/m` (Nadeau and Bengio,
    "Inference for the generalization error", Machine Learning 52, 2003).

    Examples
    --------
    >>> deficits, errors = paired_deficits(np.array([[2.0, 4.0], [1.0, 1.0]]), 0, 0.5)
    >>> deficits.tolist(), errors.round(4).tolist()
    ([0.0, 2.0], [0.0, 1.4142])
    """
    differences = scores[top] - scores
    n_splits = scores.shape[1]
    variance = differences.var(axis=1, ddof=1) * (1.0 / n_splits + test_per_train)
    return differences.mean(axis=1), np.sqrt(variance)


def _separated(
    deficits: FloatArray, errors: FloatArray, freedom: int, confidence_level: float
) -> npt.NDArray[np.bool_]:
    lead = np.zeros(len(deficits))
    ahead = deficits > 0.0
    with np.errstate(divide="ignore"):
        lead[ahead] = deficits[ahead] / errors[ahead]
    separated = np.zeros(len(deficits), dtype=bool)
    p_values = holm(2.0 * student.sf(lead[ahead], freedom))
    separated[ahead] = p_values < 1.0 - confidence_level
    return separated


def _ranks(means: FloatArray, rounds: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    places = [
        (-int(each), -mean if np.isfinite(mean) else np.inf)
        for each, mean in zip(rounds, means, strict=True)
    ]
    return np.array([1 + sum(other < place for other in places) for place in places])
