"""Criteria that are averages over draws of features (Algorithm 1 of Goix, 2016).

Their error has two sources. Draws: another set of draws would give another average. Leaving out one
draw at a time shows this error. Rows: all draws see the same test rows, so draws do not show what
another sample would change. Random halves of the rows, the same in every draw, show it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria.criterion import CRITERIA, Criterion
from oddrank.criteria.estimate import SampledCriterion
from oddrank.criteria.fits import DRAWN_PRIOR, FitPrior

__all__ = ["DrawCriteria", "average_draws", "criteria_in_draws"]

Draw = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawCriteria:
    """The criteria of one detector over the draws of one fold.

    Attributes
    ----------
    criteria : mapping of Criterion to SampledCriterion
        Averages over the draws in which every detector of the comparison is resolved.
    single : mapping of Criterion to tuple of SampledCriterion
        Every draw by itself.
    shared : mapping of Criterion to array of bool
        Which draws are averaged.
    draws : tuple of tuples of int
        The features of each draw.
    aggregation : "mean" or "geometric"
    """

    prior: ClassVar[FitPrior] = DRAWN_PRIOR

    criteria: Mapping[Criterion, SampledCriterion]
    single: Mapping[Criterion, tuple[SampledCriterion, ...]]
    shared: Mapping[Criterion, BoolArray]
    draws: tuple[Draw, ...]
    aggregation: str


def criteria_in_draws(
    found: Mapping[str, Sequence[Mapping[Criterion, SampledCriterion]]],
    draws: Sequence[Draw],
    aggregation: str,
) -> dict[str, DrawCriteria]:
    """Average the draws of one fold, for every detector.

    A draw counts if all detectors are resolved in it: averages over different draws would compare
    different spaces.

    Parameters
    ----------
    found : mapping of name to sequence of criteria, one per draw
    draws : sequence of tuples of int
    aggregation : "mean" or "geometric"
    """
    single = {
        name: {criterion: tuple(draw[criterion] for draw in of_draws) for criterion in CRITERIA}
        for name, of_draws in found.items()
    }
    shared = {
        criterion: np.all(
            [[draw.resolved for draw in of_name[criterion]] for of_name in single.values()],
            axis=0,
        )
        for criterion in CRITERIA
    }
    return {
        name: DrawCriteria(
            criteria={
                criterion: average_draws(of_name[criterion], shared[criterion], aggregation)
                for criterion in CRITERIA
            },
            single=of_name,
            shared=shared,
            draws=tuple(draws),
            aggregation=aggregation,
        )
        for name, of_name in single.items()
    }


def average_draws(
    draws: Sequence[SampledCriterion],
    shared: BoolArray,
    aggregation: str,
    chosen: BoolArray | None = None,
) -> SampledCriterion:
    """Average one criterion over draws of features; the parts left out are these draws.

    Parameters
    ----------
    draws : sequence of SampledCriterion
    shared : array of bool
        Draws that count. Fewer than two, or than half of all, leave the average unresolved.
    aggregation : "mean" or "geometric"
    chosen : array of bool, optional
        Average these only; every shared draw is still left out once, so that averages over several
        choices can be compared.
    """
    criterion, n_shared = draws[0].criterion, int(np.count_nonzero(shared))
    counted = [draw for draw, counts in zip(draws, shared, strict=True) if counts]
    weights = np.ones(n_shared) if chosen is None else chosen[shared].astype(np.float64)
    if n_shared < 2 or 2 * n_shared < len(draws) or weights.sum() < 2:
        nothing = np.array([np.nan])
        return SampledCriterion(
            value=np.nan,
            leave_one_out=nothing,
            fewer_points_value=np.nan,
            points_share=0.5,
            half_values=nothing,
            criterion=criterion,
        )
    average = _Average(weights=weights, geometric=aggregation == "geometric")
    units = np.exp([draw.log_unit for draw in counted])
    values = np.array([draw.value for draw in counted]) * units
    fewer = np.array([draw.fewer_points_value for draw in counted]) * units
    return SampledCriterion(
        value=float(average(values)),
        leave_one_out=average.without_each(values),
        fewer_points_value=float(average(fewer)),
        points_share=float(np.mean([draw.points_share for draw in counted])),
        half_values=average(np.array([draw.half_values for draw in counted]) * units[:, None]),
        criterion=criterion,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Average:
    """A weighted mean over draws, of the values or of their logarithms."""

    weights: FloatArray
    geometric: bool

    def __call__(self, values: FloatArray) -> FloatArray:
        terms = np.log(values) if self.geometric else values
        mean = np.average(terms, axis=0, weights=self.weights)
        return np.asarray(np.exp(mean) if self.geometric else mean)

    def without_each(self, values: FloatArray) -> FloatArray:
        terms = self.weights * (np.log(values) if self.geometric else values)
        mean = (terms.sum() - terms) / (self.weights.sum() - self.weights)
        return np.asarray(np.exp(mean) if self.geometric else mean)
