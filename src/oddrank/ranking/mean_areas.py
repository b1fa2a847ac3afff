"""Leads of one detector over another: differences of mean areas, and their errors.

The score of a detector is its mean area: the area under the ROC curve of held-out rows against the
points of a reference measure, averaged over measures and folds. Score, order, lead, error and
p-value of a pair come from the areas of these two alone: no third detector can change them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import (
    AREA_PRIOR,
    COMPARED_PRIOR,
    SCORE,
    Estimate,
    MeasuredAreas,
    combine_fits,
    holm,
    interval_reach,
    variance_between_fits,
)
from oddrank.ranking.comparison import MARGIN, conclude_pairs, p_value_of_lead
from oddrank.ranking.judgement import Judgement, KindOfAnomaly

__all__ = ["judge_by_areas", "kinds_of_anomaly"]


def judge_by_areas(
    areas: Mapping[str, Sequence[MeasuredAreas]],
    measures: tuple[str, ...],
    *,
    judge: str,
    polluted: bool | None,
    confidence_level: float,
) -> Judgement:
    """Order detectors by their mean areas.

    Parameters
    ----------
    areas : mapping of name to sequence of MeasuredAreas
        Of every fold.
    measures : tuple of str
    judge : str
        What the judge is called.
    polluted : bool or None
    confidence_level : float
    """
    scores = {
        name: _estimate(*_mean_over_folds(folds), confidence_level) for name, folds in areas.items()
    }
    order = sorted(scores, key=lambda name: (-scores[name].value, name))
    pairs = []
    for first, second in combinations(sorted(areas), 2):
        value, error, freedom = _mean_over_folds(areas[first], areas[second])
        better, worse = (first, second) if value >= 0.0 else (second, first)
        lead = _estimate(abs(value), error, freedom, confidence_level)
        pairs.append((better, worse, lead, p_value_of_lead(value, error, freedom)))
    comparisons = conclude_pairs(
        SCORE, pairs, judge=judge, polluted=polluted, confidence_level=confidence_level
    )
    return Judgement(
        judge=judge,
        criterion=SCORE,
        polluted=polluted,
        scores={name: scores[name] for name in order},
        comparisons=comparisons,
        confidence_level=confidence_level,
        measures=measures,
        areas={
            name: tuple(
                _estimate(*_mean_over_folds(areas[name], measure=place), confidence_level)
                for place in range(len(measures))
            )
            for name in order
        },
        fit_spreads={
            name: float(np.sqrt(_between([_of_fold(fold, None, None) for fold in areas[name]])))
            for name in order
            if _were_asked(areas[name])
        },
        n_fits=max((len(folds) for folds in areas.values()), default=1),
    )


def kinds_of_anomaly(
    judgement: Judgement,
    areas: Mapping[str, Sequence[MeasuredAreas]],
    expected: Sequence[str],
    confidence_level: float,
) -> tuple[KindOfAnomaly, ...]:
    """Tell for each measure who sees its anomalies best, and whether the winner clearly does not.

    Parameters
    ----------
    judgement : Judgement
    areas : mapping of name to sequence of MeasuredAreas
        Of every fold.
    expected : sequence of str
        The kind of anomaly that each measure stands for.
    confidence_level : float
    """
    if not judgement.order:
        return ()
    winner, found = judgement.order[0], []
    for place in range(len(judgement.measures)):
        values = {name: judgement.areas[name][place].value for name in judgement.order}
        favourite = max(values, key=lambda name: values[name])
        lead = _mean_over_folds(areas[favourite], areas[winner], place)
        found.append((favourite, lead[0], p_value_of_lead(*lead)))
    corrected = holm(np.array([p_value for *_, p_value in found]))
    return tuple(
        KindOfAnomaly(
            measure=judgement.measures[place],
            expected=expected[place],
            favourite=favourite,
            is_clear=bool(corrected[place] < 1.0 - confidence_level) and lead >= MARGIN,
        )
        for place, (favourite, lead, _) in enumerate(found)
    )


def _estimate(value: float, error: float, freedom: float, confidence_level: float) -> Estimate:
    reach = interval_reach(error, freedom, confidence_level)
    return Estimate(value=value, standard_error=error, interval=(value - reach, value + reach))


def _mean_over_folds(
    first: Sequence[MeasuredAreas],
    second: Sequence[MeasuredAreas] | None = None,
    measure: int | None = None,
) -> tuple[float, float, float]:
    """Return a mean area, or a difference of two, with its error and degrees of freedom."""
    fits = [
        _of_fold(fold, None if second is None else second[place], measure)
        for place, fold in enumerate(first)
    ]
    values, variances = np.array([(each.value, each.variance) for each in fits]).T
    if not _were_asked(first):
        return combine_fits(values, variances, AREA_PRIOR)
    return combine_fits(values, variances, COMPARED_PRIOR, _between(fits))


def _were_asked(folds: Sequence[MeasuredAreas]) -> bool:
    """Return whether several fits were asked about the same points."""
    return len(folds) > 1 and folds[0].common_places.size > 0


def _between(fits: Sequence[_Fit]) -> float:
    return variance_between_fits(
        np.array([each.places for each in fits]), np.array([each.chances for each in fits])
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fit:
    """What one fit says of a detector, or of a lead.

    Attributes
    ----------
    value, variance : float
        Of the mean area, as rows and points explain it.
    places : array of shape (n_measures, n_common)
        Of the points that all fits score.
    chances : array of shape (n_measures,)
        The variance of their mean that rows explain.
    """

    value: float
    variance: float
    places: FloatArray
    chances: FloatArray


def _of_fold(first: MeasuredAreas, second: MeasuredAreas | None, measure: int | None) -> _Fit:
    """Compare one fit of two detectors, or look at one.

    An area is a mean over rows of shares of points, and over points of shares of rows (DeLong,
    DeLong and Clarke-Pearson 1988). All measures share the rows; each has its own points.
    """
    chosen = slice(None) if measure is None else slice(measure, measure + 1)
    areas, row_shares, point_shares, places = (
        part[chosen].astype(np.float64)
        for part in (first.areas, first.row_shares, first.point_shares, first.common_places)
    )
    if second is not None:
        areas = areas - second.areas[chosen]
        row_shares = row_shares - second.row_shares[chosen]
        point_shares = point_shares - second.point_shares[chosen]
        places = places - second.common_places[chosen]
    rows = row_shares.mean(axis=0)
    n_measures, n_points = point_shares.shape
    variance = rows.var(ddof=1) / first.n_rows
    variance += point_shares.var(axis=1, ddof=1).sum() / (n_points * n_measures**2)
    return _Fit(
        value=float(areas.mean()),
        variance=float(variance),
        places=places,
        chances=row_shares.var(axis=1, ddof=1) / first.n_rows,
    )
