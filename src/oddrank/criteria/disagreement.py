"""How much the fits of one detector disagree about the same points.

Some detectors hardly change from fit to fit, others do not find their own results again. Two fits
show this only once in a figure such as a mean area: there is a single difference. So all fits of a
detector score the same few points. A fit places a point by the share of its held-out rows that
score below it, and hundreds of places tell two fits apart far better than two figures do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria.roc import shares_below

__all__ = ["Disagreement"]

# Twins of twelve detectors on ten datasets gave these numbers. Other detectors on other datasets
# tried them: docs/judging.md has the rates at which they are told apart.
# An area is a mean over points. Fits disagree about whole regions of points, and single regions
# average out over this many of them.
REGIONS = 25.0
# Single regions matter to several measures: the correlation of their areas from fit to fit.
BETWEEN_MEASURES = 0.3
# All points of a measure may move together. That counts beyond this many times what the held-out
# rows explain: below it stable detectors would pay for chance.
BEYOND_CHANCE = 6.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Disagreement:
    """How differently the fits of one detector place the same points, measure by measure.

    Both are variances over fits, less what chance explains. They may be negative.

    Attributes
    ----------
    scattered : array of shape (n_measures,)
        Of the place of a point, averaged over points: at most 1/2.
    shifted : array of shape (n_measures,)
        Of the mean place of all points.
    """

    scattered: FloatArray
    shifted: FloatArray

    @classmethod
    def of_fits(
        cls, row_scores: Sequence[FloatArray], common_scores: Sequence[FloatArray]
    ) -> Disagreement:
        """Compare the fits of one detector.

        Parameters
        ----------
        row_scores : sequence of arrays of shape (n_rows,)
            Of the held-out rows of every fit.
        common_scores : sequence of arrays of shape (n_measures, n_points)
            Of the same points, by every fit.

        Examples
        --------
        >>> rows, points = np.arange(100.0), np.array([[-1.0, 200.0]])
        >>> Disagreement.of_fits([rows, rows], [points, points]).scattered
        array([0.])
        >>> Disagreement.of_fits([rows, rows], [points, points[:, ::-1]]).scattered
        array([0.5])
        """
        places, of_place, of_mean = [], [], []
        for rows, points in zip(row_scores, common_scores, strict=True):
            place = shares_below(np.sort(rows), points)
            places.append(place)
            of_place.append((place * (1.0 - place)).mean(axis=1) / len(rows))
            shares = [shares_below(np.sort(of_measure), rows) for of_measure in points]
            of_mean.append(np.var(shares, axis=1, ddof=1) / len(rows))
        means = np.mean(places, axis=2)
        return cls(
            scattered=np.var(places, axis=0, ddof=1).mean(axis=1) - np.mean(of_place, axis=0),
            shifted=np.var(means, axis=0, ddof=1) - BEYOND_CHANCE * np.mean(of_mean, axis=0),
        )

    def variance(self, measure: int | None = None) -> float:
        """Return the variance that another fit brings to the area of one measure.

        Without a measure, to the mean area of all. Regions average out, also over measures as far
        as these differ. A shift does not.

        Examples
        --------
        >>> zero = np.zeros(6)
        >>> Disagreement(scattered=zero + 0.06, shifted=zero).variance()
        0.001
        >>> Disagreement(scattered=zero, shifted=zero + 0.001).variance(0)
        0.001
        """
        chosen = slice(None) if measure is None else slice(measure, measure + 1)
        scattered, shifted = self.scattered[chosen], self.shifted[chosen]
        n_measures = len(scattered)
        alike = (1.0 + BETWEEN_MEASURES * (n_measures - 1.0)) / n_measures
        regions = max(float(scattered.mean()), 0.0) * alike / REGIONS
        return regions + max(float(shifted.mean()), 0.0)
