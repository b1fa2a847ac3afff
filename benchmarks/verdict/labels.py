"""What labels say of an order: the share of pairs it gets right, and how good one can be."""

from __future__ import annotations

import numpy as np

from benchmarks.prepare import FloatArray

# Pairs whose ROC areas differ by more than this are clear.
CLEAR = 0.05


def pairs_right(scores: FloatArray, roc: FloatArray) -> tuple[float, float]:
    """Return the share of pairs ordered as ROC orders them, and of the clear ones; ties half."""
    first, second = np.triu_indices(len(scores), 1)
    apart = roc[first] != roc[second]
    first, second = first[apart], second[apart]
    # compared, not subtracted: both may be infinite
    said = np.greater(scores[first], scores[second]) - np.less(scores[first], scores[second]) * 1.0
    by_roc = roc[first] - roc[second]
    right = 0.5 + 0.5 * said * np.sign(by_roc)
    of_clear = right[np.abs(by_roc) > CLEAR]
    return float(np.mean(right)), float(np.mean(of_clear)) if len(of_clear) else np.nan


def ceiling(halves: FloatArray) -> list[float | None] | None:
    """Order detectors by the labels of one half of the test rows, and measure on the other half.

    Parameters
    ----------
    halves : array of shape (n_detectors, 2, 2)
        ROC and PR areas of every detector on both halves.

    Returns
    -------
    pairs right, clear pairs right, ROC lost, PR lost; None where a half has no anomaly
    """
    if np.isnan(halves).any():
        return None
    found = []
    for half in (0, 1):
        seen, unseen = halves[:, half], halves[:, 1 - half]
        picked = seen[:, 0] == seen[:, 0].max()
        lost = [unseen[:, kind].max() - unseen[picked, kind].mean() for kind in (0, 1)]
        found.append([*pairs_right(seen[:, 0], unseen[:, 0]), *lost])
    return [None if np.isnan(each) else float(each) for each in np.mean(found, axis=0)]
