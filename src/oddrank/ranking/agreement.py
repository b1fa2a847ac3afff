"""How detectors agree with each other, from their scores of the same rows.

A detector that agrees with the others is less likely to be wrong alone. Agreement does not show an
error that all share, and it ranks a detector low that is better than all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from oddrank._typing import FloatArray
from oddrank.criteria import MeasuredAreas, RocArea, roc_area

__all__ = [
    "near_duplicates",
    "peer_areas",
    "peer_review",
    "peer_reviews",
    "standard_ranks",
]

# The share of the rows that counts as odd to the peers.
ODD_SHARE = 0.1
# Detectors whose ranks correlate by more than this count as one. Forests that differ in their seed
# have 0.92 to 0.99 on hundreds of tables.
NEAR_DUPLICATES = 0.9
# Peers that correlate by more than this are copies of a detector, and do not review it.
COPIES = 0.95


def peer_review(scores: FloatArray, others: FloatArray) -> tuple[RocArea, FloatArray]:
    """Compare one detector's scores with the rows that the others find odd.

    Parameters
    ----------
    scores : array of shape (n_rows,)
    others : array of shape (n_rows,)
        The others' verdict on each row, higher = more normal.

    Returns
    -------
    area : RocArea
    row_shares : array of shape (n_rows,)
        What each row adds; the mean is the area.
    """
    n_rows = len(scores)
    n_odd = max(1, round(ODD_SHARE * n_rows))
    odd = np.zeros(n_rows, dtype=bool)
    odd[np.argsort(others, kind="stable")[:n_odd]] = True
    area = roc_area(scores[~odd], scores[odd])
    row_shares = np.empty(n_rows)
    row_shares[~odd] = area.value + (area.row_shares - area.value) * (n_rows / (n_rows - n_odd))
    row_shares[odd] = area.value + (area.point_shares - area.value) * (n_rows / n_odd)
    return area, row_shares


def standard_ranks(scores: FloatArray) -> FloatArray:
    """Return the ranks of the rows under each detector, with mean 0 and variance 1.

    A detector that cannot tell any two rows apart has ranks of 0, and agrees with no other.
    """
    ranks = np.asarray(rankdata(scores, axis=1), dtype=np.float64)
    ranks -= ranks.mean(axis=1, keepdims=True)
    spread = ranks.std(axis=1, keepdims=True)
    return np.asarray(np.divide(ranks, spread, out=np.zeros_like(ranks), where=spread > 0.0))


def near_duplicates(
    scores: FloatArray, correlation: float = NEAR_DUPLICATES
) -> npt.NDArray[np.bool_]:
    """Tell which detectors order the rows alike: a matrix with itself among them.

    Parameters
    ----------
    scores : array of shape (n_detectors, n_rows)
        Of rows that the models have not seen.
    correlation : float
        Of ranks, above which two detectors are alike.
    """
    ranks = standard_ranks(scores)
    alike = np.asarray(ranks @ ranks.T / ranks.shape[1] > correlation)
    np.fill_diagonal(alike, True)
    return alike


def others_verdicts(scores: FloatArray) -> FloatArray:
    """Return the mean verdict of the others on each row, for every detector; higher = more normal.

    Near-duplicates count once: copies of the detector itself do not count, and several copies of
    another one have a single vote.
    """
    ranks, alike = standard_ranks(scores), near_duplicates(scores, COPIES)
    weights = ~alike / alike.sum(axis=1)
    # if all are alike, all others vote
    alone = ~weights.any(axis=1)
    weights[alone] = 1.0 - np.eye(len(ranks))[alone]
    return np.asarray(weights @ ranks)


def peer_reviews(
    scores: Mapping[str, Sequence[FloatArray]],
) -> dict[str, tuple[MeasuredAreas, ...]]:
    """Compare every detector with the rows that the others find odd, fold by fold."""
    names = sorted(scores)
    found: dict[str, list[MeasuredAreas]] = {name: [] for name in names}
    for fold in range(len(scores[names[0]])):
        table = np.array([scores[name][fold] for name in names])
        for name, own, others in zip(names, table, others_verdicts(table), strict=True):
            area, row_shares = peer_review(own, others)
            found[name].append(
                MeasuredAreas(
                    areas=np.array([area.value]),
                    row_shares=row_shares[None].astype(np.float32),
                    # the odd rows are rows as well: there are no reference points
                    point_shares=np.zeros((1, 2), dtype=np.float32),
                    n_rows=len(own),
                )
            )
    return {name: tuple(parts) for name, parts in found.items()}


def peer_areas(scores: Mapping[str, Sequence[FloatArray]]) -> dict[str, float]:
    """Return the mean of each detector's reviews over folds; NaN for a detector alone."""
    if len(scores) < 2:
        return dict.fromkeys(scores, float("nan"))
    return {
        name: float(np.mean([fold.areas[0] for fold in folds]))
        for name, folds in peer_reviews(scores).items()
    }
