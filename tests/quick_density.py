"""A kernel density that tests need not wait for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KernelDensity

BLOCK_ROWS = 256


class QuickDensity(KernelDensity):
    """scikit-learn's Gaussian kernel density by a matrix product: the same, several times faster.

    `tests/test_quick_density.py` compares the two.
    """

    def fit(self, X: Any, y: Any = None) -> QuickDensity:
        self.rows_ = np.asarray(X, dtype=float) / self.bandwidth
        self.n_features_in_ = self.rows_.shape[1]
        return self

    def score_samples(self, X: Any) -> Any:
        points, rows = np.asarray(X, dtype=float) / self.bandwidth, self.rows_
        middle = rows.mean(axis=0)
        points, rows = points - middle, rows - middle
        halves = 0.5 * (rows**2).sum(axis=1)
        found = []
        for block in np.split(points, range(BLOCK_ROWS, len(points), BLOCK_ROWS)):
            exponents = block @ rows.T - halves
            largest = exponents.max(axis=1)
            exponents -= largest[:, np.newaxis]
            # exponentials of 32 bits are right to 1e-7, and take a quarter of the time
            sums = np.exp(exponents.astype(np.float32)).sum(axis=1, dtype=float)
            found.append(np.log(sums) + largest - 0.5 * (block**2).sum(axis=1))
        unit = self.n_features_in_ * np.log(np.sqrt(2.0 * np.pi) * self.bandwidth)
        return np.concatenate(found) - np.log(len(rows)) - unit
