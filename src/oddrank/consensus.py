"""What detectors say about each other: agreement of their orders of the same rows.

A detector that orders the rows as the others do is less likely to be wrong by itself. It says
nothing about an error that all share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from oddrank._validation import check_option
from oddrank.errors import InvalidDataError
from oddrank.table import FloatArray

__all__ = ["CONSENSUS_KINDS", "consensus", "standard_ranks"]

CONSENSUS_KINDS = ("centrality", "authority", "mean_rank")


def consensus(scores: Any, *, kind: str = "centrality") -> FloatArray:
    """Return how well each detector agrees with the others; higher is better.

    Parameters
    ----------
    scores : array of shape (n_detectors, n_rows)
        Scores of the same rows, higher = more normal for every detector.
    kind : "centrality", "authority" or "mean_rank"
        The mean rank correlation with the other detectors; the weight of each detector in the
        leading eigenvector of these correlations, in which agreeing with detectors that agree
        counts more (hubs and authorities); or the rank correlation with the mean rank of the
        others.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.random.default_rng(0).normal(size=500)
    >>> noise = np.random.default_rng(1).normal(size=(4, 500))
    >>> scores = truth + np.array([[0.1], [0.5], [1.0], [9.0]]) * noise
    >>> np.argsort(-consensus(scores)).tolist()
    [0, 1, 2, 3]
    """
    check_option(kind, "kind", "consensus", CONSENSUS_KINDS)
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or np.isnan(table).any():
        raise InvalidDataError(
            "consensus needs scores of at least two detectors on the same rows, none NaN: an "
            f"array of shape (n_detectors, n_rows). Got shape {table.shape}."
        )
    ranks = standard_ranks(table)
    if kind == "mean_rank":
        others = ranks.sum(axis=0) - ranks
        return np.array([_correlation(own, rest) for own, rest in zip(ranks, others, strict=True)])
    correlations = ranks @ ranks.T / ranks.shape[1]
    np.fill_diagonal(correlations, 0.0)
    if kind == "centrality":
        return np.asarray(correlations.sum(axis=1) / (len(ranks) - 1))
    vector = np.linalg.eigh(np.maximum(correlations, 0.0))[1][:, -1]
    return np.asarray(np.abs(vector))


def standard_ranks(scores: FloatArray) -> FloatArray:
    """Return the ranks of the rows under each detector, with mean 0 and variance 1.

    A detector that cannot tell any two rows apart has ranks of 0, and agrees with nobody.
    """
    ranks = np.asarray(rankdata(scores, axis=1), dtype=np.float64)
    ranks -= ranks.mean(axis=1, keepdims=True)
    spread = ranks.std(axis=1, keepdims=True)
    return np.asarray(np.divide(ranks, spread, out=np.zeros_like(ranks), where=spread > 0.0))


def _correlation(first: FloatArray, second: FloatArray) -> float:
    second = standard_ranks(second[None])[0]
    return float(first @ second / len(first))
