"""Figures of several fits: their mean, and an error that counts what another fit would change.

Rows and reference points give the error of one fit. Another training sample, and another seed of
the detector, move a figure too, and only the spread over fits shows by how much. Two fits have a
single degree of freedom, so a prior moderates their spread, as in empirical Bayes tests of many
genes (Smyth, "Linear models and empirical Bayes methods for assessing differential expression in
microarray experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004).

Some detectors hardly change from fit to fit, others do not find their own results again. So all
fits score the same few points, and `variance_between_fits` compares where they place them. Hundreds
of places say more about this than the single difference of two figures. The prior takes its scale
from there, and from datasets where fits were not asked. It never depends on other detectors: a lead
does not change when a third detector joins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray

__all__ = [
    "AREA_PRIOR",
    "COMPARED_PRIOR",
    "DRAWN_PRIOR",
    "VOLUME_PRIOR",
    "FitPrior",
    "combine_fits",
    "variance_between_fits",
]

# Twins of twelve detectors on ten datasets gave these numbers, and six other datasets tried them.
# docs/judging.md has the rates at which twins are told apart, and the power.
# An area is a mean over points. Fits disagree about whole regions of points, and single regions
# average out over this many of them.
REGIONS = 25.0
# All points of a measure may move together. This counts beyond so many times what the held-out rows
# explain: below it stable detectors would pay for chance.
BEYOND_CHANCE = 6.0
# How areas of different measures are correlated from fit to fit.
BETWEEN_MEASURES = 0.4
# The prior counts in full as long as the spread over fits is at most this many times what it says.
CONTRADICTION = 2.0


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


# For areas whose fits were not asked about common points: a guess, chosen on pairs and twins of
# datasets with labels, with families of datasets left out.
AREA_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2e-5)
# For areas whose fits were asked: their disagreement is known, and worth more than a guess.
COMPARED_PRIOR = FitPrior(freedom=8.0, scale=1.0, floor=2e-5)
# For logarithms of excess mass and mass volume.
VOLUME_PRIOR = FitPrior(freedom=5.0, scale=4.0, floor=2.5e-3)
# For averages over draws of features. Every draw is a separate fit, so the spread of draws already
# contains much of the difference between fits.
DRAWN_PRIOR = FitPrior(freedom=5.0, scale=1.0, floor=0.0)


def combine_fits(
    values: FloatArray,
    variances: FloatArray,
    prior: FitPrior = AREA_PRIOR,
    between_fits: float = 0.0,
) -> tuple[float, float, float]:
    """Return the mean over fits, its standard error, and the degrees of freedom of that.

    The prior expects that one fit's value has the variance `E = c V + τ² + F`: `V` is what rows and
    points explain, `F` what the disagreement of the fits brings. The variance `B` that is seen over
    `K` fits moderates it: `s² = (d E + (K - 1) B) / (d + K - 1)`, never below `V`. The prior is
    worth `d = d₀` degrees of freedom, and fewer where the spread contradicts it:
    `d = d₀ · 2 E / B` if `B` exceeds `2 E`. In the end only the spread is left, with its `K - 1`
    degrees of freedom: a plain Student t.

    Rows and points average out over folds, `V / K`. The differences between fits average out over
    two independent halves, and no further: with more folds training rows overlap (Nadeau and
    Bengio, 2003).

    Parameters
    ----------
    values, variances : arrays of shape (n_folds,)
        Each fit's value, and its variance as rows and points explain it.
    prior : FitPrior
    between_fits : float
        The variance that another fit brings, as `variance_between_fits` has it; 0 where the prior's
        `scale` stands for it.

    Examples
    --------
    >>> value, error, freedom = combine_fits(np.array([1.0, 1.5]), np.array([0.1, 0.1]))
    >>> value, round(error, 3), freedom
    (1.25, 0.421, 6.0)
    >>> value, error, freedom = combine_fits(np.array([1.0, 9.0]), np.array([0.1, 0.1]))
    >>> value, round(error, 3), round(freedom, 2)
    (5.0, 3.774, 1.13)
    """
    n_folds = len(values)
    if n_folds == 1:  # one fit says nothing about others
        return float(values[0]), float(np.sqrt(variances[0])), np.inf
    explained = float(np.mean(variances))
    seen = float(np.var(values, ddof=1))
    expected = prior.scale * explained + prior.floor + between_fits
    believed = prior.freedom
    if seen > CONTRADICTION * expected:
        believed *= CONTRADICTION * expected / seen
    freedom = believed + n_folds - 1.0
    moderated = (believed * expected + (n_folds - 1.0) * seen) / freedom
    variance = explained / n_folds + max(moderated - explained, 0.0) / 2.0
    return float(np.mean(values)), float(np.sqrt(variance)), freedom


def variance_between_fits(places: FloatArray, chances: FloatArray) -> float:
    """Return the variance that another fit brings to a mean area, or to the lead of two.

    A fit places a point by the share of its held-out rows that score below it: the area of a
    measure is 1 less the mean place of its points. Over fits, the places have the mean variance
    `S`, and their mean has the variance `M`, of which other rows explain `N`. Then another fit
    brings `S / 25 + max(M - 6 N, 0)` to the area of a measure: single regions average out, and what
    moves all points together does not. To the mean of `m` areas it brings
    `(1 + 0.4 (m - 1)) / m` of that.

    What changes both detectors of a lead alike, as training rows often do, cancels in the
    difference of their places.

    Parameters
    ----------
    places : array of shape (n_folds, n_measures, n_points)
        Of points that the fits of all folds score: those of one detector, or the differences of
        two.
    chances : array of shape (n_folds, n_measures)
        The variance of the mean place, or of the mean difference, that rows explain.

    Examples
    --------
    >>> agree = np.full((2, 6, 32), 0.3)
    >>> variance_between_fits(agree, np.zeros((2, 6)))
    0.0
    >>> shifted = agree + np.array([0.0, 0.1]).reshape(2, 1, 1)
    >>> round(variance_between_fits(shifted, np.zeros((2, 6))), 6)
    0.0026
    """
    n_measures = places.shape[1]
    scattered = float(places.var(axis=0, ddof=1).mean())
    shifted = float(places.mean(axis=2).var(axis=0, ddof=1).mean())
    beyond = max(shifted - BEYOND_CHANCE * float(chances.mean()), 0.0)
    alike = (1.0 + BETWEEN_MEASURES * (n_measures - 1.0)) / n_measures
    return float(alike * (scattered / REGIONS + beyond))
