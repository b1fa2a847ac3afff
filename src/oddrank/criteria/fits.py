"""Figures of several fits: their mean, and an error that counts what another fit would change.

Rows and reference points give the error of one fit. Another training sample, and another seed of
the detector, move a figure too, and only the spread over fits shows by how much. Two fits have a
single degree of freedom, so a prior that ships with the package moderates them, as in empirical
Bayes tests of many genes (Smyth, "Linear models and empirical Bayes methods for assessing
differential expression in microarray experiments", Statistical Applications in Genetics and
Molecular Biology 3, 2004). The prior comes from datasets, never from the detectors at hand: a lead
does not change when a third detector joins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray

__all__ = ["AREA_PRIOR", "DRAWN_PRIOR", "VOLUME_PRIOR", "FitPrior", "combine_fits"]


@dataclass(frozen=True, kw_only=True)
class FitPrior:
    """How much fits differ, before any fit is made.

    Attributes
    ----------
    freedom : float
        Degrees of freedom that the prior is worth.
    scale : float
        Variance of one fit's figure, in units of what its rows and points explain.
    floor : float
        Added to that, because a forest's seed moves its figures however many rows there are.
    """

    freedom: float
    scale: float
    floor: float


# Chosen on pairs and twins of datasets with labels, with families of datasets left out.
# docs/judging.md has the rates at which twins are told apart, and the power.
AREA_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2e-5)
# For logarithms of excess mass and mass volume.
VOLUME_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2.5e-3)
# For averages over draws of features. Every draw is a separate fit, so the spread of draws already
# contains much of the difference between fits.
DRAWN_PRIOR = FitPrior(freedom=5.0, scale=1.0, floor=0.0)


def combine_fits(
    values: FloatArray, variances: FloatArray, prior: FitPrior = AREA_PRIOR
) -> tuple[float, float, float]:
    """Return the mean over fits, its standard error, and the degrees of freedom of that.

    The variance `s²` of one fit's value is `(d₀ (c V + τ²) + (K - 1) B) / (d₀ + K - 1)`: `V` is
    what rows and points explain, `B` the variance seen over `K` fits, and the prior says
    `c V + τ²` with `d₀` degrees of freedom. It is never below `V`. Rows and points average out over
    folds, `V / K`. The differences between fits average out over two independent halves, and no
    further: with more folds training rows overlap (Nadeau and Bengio, 2003).

    Parameters
    ----------
    values, variances : arrays of shape (n_folds,)
        Each fit's value, and its variance as rows and points explain it.
    prior : FitPrior

    Examples
    --------
    >>> value, error, freedom = combine_fits(np.array([1.0, 3.0]), np.array([0.1, 0.1]))
    >>> value, round(error, 3), freedom
    (2.0, 0.577, 6.0)
    """
    n_folds = len(values)
    if n_folds == 1:  # one fit says nothing about others
        return float(values[0]), float(np.sqrt(variances[0])), np.inf
    explained = float(np.mean(variances))
    seen = float(np.var(values, ddof=1))
    freedom = prior.freedom + n_folds - 1.0
    expected = prior.scale * explained + prior.floor
    moderated = (prior.freedom * expected + (n_folds - 1.0) * seen) / freedom
    variance = explained / n_folds + max(moderated - explained, 0.0) / 2.0
    return float(np.mean(values)), float(np.sqrt(variance)), freedom
