"""How unlikely the oddest rows of a table are, by a model of the tail of its other rows.

Ranks of a table's rows among themselves can never be small enough for a list with few false
discoveries (the i-th oddest of n has i/n). So a generalised Pareto distribution is fitted between
the 70 % and the 88 % quantile of oddness, and says how odd ordinary rows can be. The oddest rows do
not take part in the fit, because they may be anomalies.

Two things keep the model honest in large tables. No distribution is a Pareto distribution to the
last digit, and enough rows would show it: so the fit is tested on 600 rows of the tail at most. And
a fit to the bulk may say that the tail has an end, where a larger table has ordinary rows: so a
tail that gets thinner goes on as an exponential one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.stats import false_discovery_control, kstest

from oddrank._text import percent
from oddrank._typing import BoolArray, FloatArray

__all__ = ["TailModel", "model_tail"]

# Chosen on simulated tables (docs/rows.md): where the tail begins, and what is left out of the
# first fit, as shares of the rows.
TAIL_SHARE, TOP_SHARE = 0.3, 0.12
# A part of the tail hardly shows its shape. Most tails of scores are a little heavier than
# exponential (shape 0).
SHAPE, SHAPE_SPREAD = 0.1, 0.1
FEWEST_ROWS = 100
# Different values that the first fit must rest on.
FEWEST_IN_FIT = 3
# A larger table is fitted by as many of its rows, at evenly spaced ranks. A larger tail is tested
# by as many as a table of 2,000 rows has in it.
MOST_ROWS, MOST_TESTED = 10_000, 600
# Where this share of the tail is left, its rate stops growing.
LAST_SHARE = 0.03
MOST_ROUNDS = 8
# The fitted tail is rejected below this p-value of its Kolmogorov-Smirnov test.
POOR_FIT = 0.01
_LEAST = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class TailModel:
    """P-values of a table's own rows, by a model.

    Attributes
    ----------
    p_values, adjusted_p_values : arrays
        NaN if the model does not hold; adjusted after Benjamini and Hochberg.
    flagged : array of bool
        Rows whose adjusted p-value is at most the false-discovery rate.
    shape, scale : float
        Of the generalised Pareto distribution.
    start, share : float
        The oddness where the tail begins, and the share of ordinary rows beyond it.
    fit : float
        P-value of the test of the fit.
    problem : str
        Why the model does not hold; empty if it does.
    """

    p_values: FloatArray
    adjusted_p_values: FloatArray
    flagged: BoolArray
    shape: float
    scale: float
    start: float
    share: float
    fit: float
    problem: str


def model_tail(oddness: FloatArray, fdr: float) -> TailModel:
    """Fit the tail, flag rows, and fit again to all rows that are not flagged until none changes.

    Parameters
    ----------
    oddness : array
        Higher = odder, comparable over all rows.
    fdr : float
        False-discovery rate of the flags, as far as the model is right.

    Examples
    --------
    >>> ordinary = np.random.default_rng(0).exponential(size=1000)
    >>> tail = model_tail(np.r_[ordinary, [30.0, 40.0]], 0.1)
    >>> np.flatnonzero(tail.flagged)
    array([1000, 1001])
    """
    if len(oddness) < FEWEST_ROWS:
        return _nothing(
            len(oddness),
            f"{len(oddness)} rows are too few to model ordinary scores; {FEWEST_ROWS} are needed",
        )
    tail = _Tail.of(_evenly_spaced(oddness, MOST_ROWS))
    end, seen = tail.end_of(TOP_SHARE), set[float]()
    if tail.n_different() < FEWEST_ROWS // 10 or tail.n_different(end) < FEWEST_IN_FIT:
        return _nothing(
            len(oddness), "too many rows share the same score to model the tail of the scores"
        )
    for _ in range(MOST_ROUNDS):
        scale, shape = tail.fit(end)
        p_values = tail.p_values(oddness, scale, shape, end)
        adjusted = false_discovery_control(p_values)
        flagged = adjusted <= fdr
        smallest = float(oddness[flagged].min()) if flagged.any() else np.inf
        next_end = float(np.nextafter(smallest - tail.start, -np.inf))
        if next_end == end or next_end in seen:
            break
        seen.add(next_end)
        end = next_end
    if flagged.mean() > TOP_SHARE:
        return _nothing(
            len(oddness),
            f"{percent(float(flagged.mean()), 0)} of the rows would stand out, which is too many "
            "to be exceptions",
        )
    fit = tail.test(scale, shape, end)
    if fit < POOR_FIT:
        return _nothing(
            len(oddness),
            f"the model of the tail does not fit these scores (p = {fit:.2g})",
            fit=fit,
        )
    return TailModel(
        p_values=p_values,
        adjusted_p_values=adjusted,
        flagged=flagged,
        shape=shape,
        scale=scale,
        start=tail.start,
        share=tail.share(scale, shape, end),
        fit=fit,
        problem="",
    )


def _nothing(n_rows: int, problem: str, *, fit: float = np.nan) -> TailModel:
    nan = np.full(n_rows, np.nan)
    return TailModel(
        p_values=nan,
        adjusted_p_values=nan,
        flagged=np.zeros(n_rows, dtype=bool),
        shape=np.nan,
        scale=np.nan,
        start=np.nan,
        share=np.nan,
        fit=fit,
        problem=problem,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Tail:
    """Rows beyond the start of the tail, by how far they are beyond it."""

    oddness: FloatArray
    start: float
    beyond: FloatArray

    @classmethod
    def of(cls, oddness: FloatArray) -> _Tail:
        start = float(np.quantile(oddness, 1.0 - TAIL_SHARE))
        return cls(oddness=oddness, start=start, beyond=oddness[oddness > start] - start)

    def n_different(self, end: float = np.inf) -> int:
        """Return how many different values there are before the end."""
        return len(np.unique(self.beyond[self.beyond <= end]))

    def end_of(self, top_share: float) -> float:
        return float(np.quantile(self.oddness, 1.0 - top_share) - self.start)

    def fit(self, end: float) -> tuple[float, float]:
        """Return scale and shape, by the likelihood of what lies before the end."""
        inside = self.beyond[self.beyond <= end]
        unit = max(float(inside.mean()), np.finfo(float).tiny)

        def cost(parameters: FloatArray) -> float:
            scale, shape = unit * np.exp(parameters[0]), parameters[1]
            with np.errstate(over="ignore"):
                reach = 1.0 + shape * inside / scale
            if not ((reach > 0.0) & np.isfinite(reach)).all():
                return np.inf
            log_density = _log_pareto(inside, scale, shape) - np.log(reach) - np.log(scale)
            share = -np.expm1(_log_pareto(np.array([end]), scale, shape)[0])
            if share <= 0.0:
                return np.inf
            likelihood = log_density.sum() - len(inside) * np.log(share)
            return float(((shape - SHAPE) / SHAPE_SPREAD) ** 2 / 2.0 - likelihood)

        starts = (np.array([0.0, SHAPE]), np.array([np.log(2.0), SHAPE]))
        found = [minimize(cost, each, method="Nelder-Mead") for each in starts]
        best = min(found, key=lambda each: float(each.fun))
        return float(unit * np.exp(best.x[0])), float(best.x[1])

    def p_values(self, oddness: FloatArray, scale: float, shape: float, end: float) -> FloatArray:
        """Return the share of ordinary rows that would be at least as odd as each row."""
        n_rows = len(oddness)
        at_least = n_rows - np.searchsorted(np.sort(oddness), oddness, side="left")
        p_values = at_least / (n_rows + 1.0)
        inside = oddness > self.start
        p_values[inside] = self.share(scale, shape, end) * np.exp(
            _log_survival(oddness[inside] - self.start, scale, shape)
        )
        return np.clip(p_values, _LEAST, 1.0)

    def share(self, scale: float, shape: float, end: float) -> float:
        """Return the share of ordinary rows in the tail; beyond its end the model counts them."""
        inside = float((self.beyond <= end).sum())
        n_tail = inside / -np.expm1(_log_survival(np.array([end]), scale, shape)[0])
        return float(n_tail / (len(self.oddness) - len(self.beyond) + n_tail))

    def test(self, scale: float, shape: float, end: float) -> float:
        """Return the p-value of the fit of what lies before the end."""
        inside = _evenly_spaced(self.beyond[self.beyond <= end], MOST_TESTED)
        share = -np.expm1(_log_pareto(np.array([end]), scale, shape)[0])
        return float(
            kstest(inside, lambda x: -np.expm1(_log_pareto(x, scale, shape)) / share).pvalue
        )


def evenly_spaced_ranks(n_values: int, most: int) -> FloatArray:
    """Return the middles of evenly spaced ranks: one for each value, or so many."""
    n_ranks = min(n_values, most)
    return np.asarray((np.arange(n_ranks) + 0.5) * (n_values / n_ranks))


def _evenly_spaced(values: FloatArray, most: int) -> FloatArray:
    """Return all values, or so many at evenly spaced ranks."""
    if len(values) <= most:
        return values
    return np.sort(values)[evenly_spaced_ranks(len(values), most).astype(np.intp)]


def _log_survival(beyond: FloatArray, scale: float, shape: float) -> FloatArray:
    """Return the logarithm of the share of the tail beyond each point."""
    log_share = _log_pareto(beyond, scale, shape)
    if shape >= 0.0:
        return log_share
    last = scale * np.expm1(-shape * np.log(LAST_SHARE)) / shape
    with np.errstate(over="ignore"):
        onwards = np.log(LAST_SHARE) - (beyond - last) / (scale + shape * last)
    return np.where(beyond > last, onwards, log_share)


def _log_pareto(beyond: FloatArray, scale: float, shape: float) -> FloatArray:
    # oddness has no upper end: what overflows is as far as can be
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if abs(shape) < 1e-9:
            return np.asarray(-beyond / scale)
        reach = np.maximum(1.0 + shape * beyond / scale, 0.0)
        return np.asarray(np.where(np.isinf(beyond), -np.inf, -np.log(reach) / shape))
