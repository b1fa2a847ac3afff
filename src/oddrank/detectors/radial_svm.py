"""One-class SVMs with the radial kernel, scored faster than libsvm does."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.svm import OneClassSVM
from sklearn.utils.validation import validate_data

from oddrank._typing import FloatArray

__all__ = ["RadialKernelSum"]

# 64 rows of 5,000 kernel values are 2.5 MB: they stay in the cache between the three steps.
_BLOCK_ROWS = 64


class RadialKernelSum:
    """`Σ αₖ exp(-γ ‖x - xₖ‖²)` over the support vectors of a fitted `OneClassSVM`.

    libsvm sums the kernel over the support vectors point by point. The same sum in blocks that fit
    into a processor's cache, with vectorised exponentials, is several times as fast (`make bench`).
    A ranking waits for one-class SVMs most. Distances are summed as libsvm sums them,
    feature by feature: a row's score does not depend on the rows beside it.

    The result equals `score_samples` up to rounding. `score_samples` subtracts the offset and adds
    it again, so far points tie there; here they keep their order.

    Parameters
    ----------
    detector : OneClassSVM
    """

    def __init__(self, detector: OneClassSVM) -> None:
        self.detector = detector

    def __call__(self, rows: Any) -> FloatArray:
        """Score rows; scikit-learn's own checks refuse bad input."""
        values = validate_data(self.detector, rows, dtype=np.float64, reset=False)
        vectors, weights = self.detector.support_vectors_, self.detector.dual_coef_[0]
        scores = np.empty(len(values))
        for start in range(0, len(values), _BLOCK_ROWS):
            kernel = cdist(values[start : start + _BLOCK_ROWS], vectors, "sqeuclidean")
            kernel *= -self.detector._gamma
            np.exp(kernel, out=kernel)
            # a product by BLAS may round a row by its place in the block; this does not
            scores[start : start + _BLOCK_ROWS] = np.einsum("ij,j->i", kernel, weights)
        return scores
