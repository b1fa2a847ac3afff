"""How the votes of several detectors on a row become one figure: the mean of the highest."""

from __future__ import annotations

import numpy as np

from oddrank._typing import FloatArray

__all__ = ["highest_votes", "share_of"]

# How many votes count for a row, its highest: two and a half, but a third of all at least, and half
# at most.
COUNTED_VOTES = 2.5
LEAST_SHARE, LARGEST_SHARE = 1.0 / 3.0, 0.5


def share_of(copies: FloatArray) -> float:
    """Return the share of the votes that counts, from how many near-duplicates each member has.

    Examples
    --------
    >>> share_of(np.ones(5)), round(share_of(np.ones(13)), 3)
    (0.5, 0.333)
    """
    n_votes = float(np.sum(1.0 / copies))
    return float(np.clip(COUNTED_VOTES / n_votes, LEAST_SHARE, LARGEST_SHARE))


def highest_votes(cast: FloatArray, weights: FloatArray, share: float) -> FloatArray:
    """Return the mean of the highest votes of each row, up to a share of the weight of all.

    Parameters
    ----------
    cast : array of shape (n_members, n_rows)
    weights : array of shape (n_members,)
    share : float
        1 is the weighted mean; a small share is the maximum.

    Examples
    --------
    >>> cast = np.array([[1.0, 5.0], [2.0, 0.0], [9.0, 1.0]])
    >>> highest_votes(cast, np.ones(3), share=1 / 3).round(9)
    array([9., 5.])
    >>> highest_votes(cast, np.ones(3), share=1.0)
    array([4., 2.])
    """
    order = np.argsort(-cast, axis=0, kind="stable")
    weight = (weights / weights.sum())[order]
    before = np.cumsum(weight, axis=0) - weight
    counted = np.clip(share - before, 0.0, weight)
    return np.asarray((counted * np.take_along_axis(cast, order, axis=0)).sum(axis=0) / share)
