"""What a few answers say of all rows: the committee is the prior, answers are the data.

The log-odds that a row is odd are `f(x) = a + b c(x) + g(x)`: `c` is the committee's oddness, `g` a
Gaussian process over the row, over what the detectors say of it, and over the leaves of isolation
trees. Yes and no enter by the logistic likelihood, in Laplace's approximation (Rasmussen and
Williams, "Gaussian Processes for Machine Learning", 2006, algorithms 3.1 and 3.2). Only answered
rows enter, so that learning costs nothing, whatever the number of rows.

`a` and `b` are learnt as well. Ten noes then lower `a`, "odd rows are rare here", and hardly sink
the region where they were asked.

The same is done with two priors. A bold one, whose `g` varies much, orders rows and chooses
questions: one answer moves the rows like it far. A sober one, whose `g` varies little, predicts
answers best, so probabilities come from it, and whether answers follow the rows at all.
`benchmarks/answers` has how the constants were chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import expit, log_expit, ndtri
from sklearn.ensemble import IsolationForest

from oddrank._typing import BoolArray, FloatArray

__all__ = [
    "BOLD",
    "SOBER",
    "AnswerModel",
    "AnswerPrior",
    "Describer",
    "NearestAnswers",
    "RowDescription",
    "learn",
    "moderated",
]

IntegerArray = npt.NDArray[np.integer[Any]]

# Normal scores of a feature are kept at no more values than this; others are interpolated.
MOST_KNOTS = 1000
# Small trees have large leaves: an answer reaches further than in trees of 256 rows.
N_TREES, ROWS_OF_A_TREE = 100, 64
# Covariances are computed for so many rows at a time: they then stay in the cache.
CHUNK = 1024
# The grid on which the effect of a single feature is tabulated, in normal scores.
GRID = np.linspace(-6.0, 6.0, 601)
# Two answers about the same row may differ; the matrix of covariances must have an inverse.
JITTER = 1e-6
MOST_STEPS, TOLERANCE = 50, 1e-8
# How much more likely than not it is that answers have nothing to do with the rows, a logarithm.
DOUBT = 0.25


@dataclass(frozen=True, kw_only=True, eq=False)
class RowDescription:
    """What the model knows of rows.

    Attributes
    ----------
    features : array of shape (n_rows, n_features)
        Normal scores.
    votes : array of shape (n_rows, n_detectors)
        Minus the log tail probability of the row's score, by every detector.
    leaves : array of int, shape (n_rows, n_trees)
        The leaf of every isolation tree that the row falls into.
    oddness : array of shape (n_rows,)
        The committee's score; higher is odder.
    """

    features: FloatArray
    votes: FloatArray
    leaves: IntegerArray
    oddness: FloatArray

    def __len__(self) -> int:
        return len(self.oddness)

    def rows(self, which: Any) -> RowDescription:
        """Return the description of some rows: numbers, a mask or a slice."""
        return RowDescription(
            features=self.features[which],
            votes=self.votes[which],
            leaves=self.leaves[which],
            oddness=self.oddness[which],
        )

    def joined(self, others: RowDescription) -> RowDescription:
        """Return these rows and others, one below the other."""
        return RowDescription(
            features=np.concatenate([self.features, others.features]),
            votes=np.concatenate([self.votes, others.votes]),
            leaves=np.concatenate([self.leaves, others.leaves]),
            oddness=np.concatenate([self.oddness, others.oddness]),
        )

    def in_single_precision(self) -> RowDescription:
        """Return features and votes with half as many digits: distances take half the time."""
        return RowDescription(
            features=self.features.astype(np.float32),
            votes=self.votes.astype(np.float32),
            leaves=self.leaves,
            oddness=self.oddness,
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name, to be stored; `RowDescription(**arrays)` is the same again."""
        return {
            "features": self.features,
            "votes": self.votes,
            "leaves": self.leaves,
            "oddness": self.oddness,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Describer:
    """Turns encoded rows into normal scores and leaves, as the rows of a table have them.

    Attributes
    ----------
    knots : tuple of arrays, one for each feature
        Values of the table, sorted upwards, each once.
    normal_scores : tuple of arrays
        Of these values: the normal quantiles of their mean ranks.
    spreads : array of shape (n_features,)
        Standard deviations of the table, which values beyond its range are measured by.
    forest : IsolationForest
        Of the normal scores.
    """

    knots: tuple[FloatArray, ...]
    normal_scores: tuple[FloatArray, ...]
    spreads: FloatArray
    forest: IsolationForest

    @classmethod
    def fit(cls, features: FloatArray, *, seed: int, n_trees: int = N_TREES) -> Describer:
        """Learn from the rows of a table; their order does not matter.

        Parameters
        ----------
        features : array of shape (n_rows, n_features)
            Numbers on any scale; no missing values.
        seed : int
            Of the isolation trees.

        Examples
        --------
        >>> table = np.random.default_rng(0).lognormal(size=(99, 1))
        >>> describer = Describer.fit(table, seed=0)
        >>> describer.describe(np.median(table, axis=0)[None]).features
        array([[0.]])
        """
        table = np.asarray(features, dtype=np.float64)
        ranked = [_normal_scores(column) for column in table.T]
        knots, scores = tuple(each[0] for each in ranked), tuple(each[1] for each in ranked)
        spreads = np.asarray(table.std(axis=0))
        normal = _transformed(table, knots, scores, spreads)
        forest = IsolationForest(
            n_estimators=n_trees, max_samples=min(ROWS_OF_A_TREE, len(table)), random_state=seed
        )
        # Trees draw rows by number: sorted rows make the draw independent of their order.
        forest.fit(normal[np.lexsort(normal.T)])
        return cls(knots=knots, normal_scores=scores, spreads=spreads, forest=forest)

    def describe(
        self,
        features: FloatArray,
        *,
        votes: FloatArray | None = None,
        oddness: FloatArray | None = None,
    ) -> RowDescription:
        """Describe rows, of the table or new ones.

        Parameters
        ----------
        features : array of shape (n_rows, n_features)
        votes : array of shape (n_rows, n_detectors), optional
        oddness : array of shape (n_rows,), optional
            Zero where they are not given.
        """
        given = np.asarray(features, dtype=np.float64)
        normal = _transformed(given, self.knots, self.normal_scores, self.spreads)
        single = np.ascontiguousarray(normal, dtype=np.float32)
        leaves = np.empty((len(given), len(self.forest.estimators_)), dtype=np.int16)
        for number, tree in enumerate(self.forest.estimators_):
            leaves[:, number] = tree.tree_.apply(single)
        return RowDescription(
            features=normal,
            votes=np.zeros((len(given), 0)) if votes is None else np.asarray(votes, dtype=float),
            leaves=leaves,
            oddness=np.zeros(len(given)) if oddness is None else np.asarray(oddness, dtype=float),
        )


def _normal_scores(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the values of a column and the normal quantiles of their mean ranks."""
    values, counts = np.unique(column, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * counts
    scores = ndtri((ranks + 0.5) / (len(column) + 1.0))
    if len(values) > MOST_KNOTS:
        kept = np.linspace(0, len(values) - 1, MOST_KNOTS).round().astype(np.intp)
        values, scores = values[kept], scores[kept]
    return values, np.asarray(scores)


def _transformed(
    table: FloatArray,
    knots: tuple[FloatArray, ...],
    scores: tuple[FloatArray, ...],
    spreads: FloatArray,
) -> FloatArray:
    """Interpolate normal scores; values beyond the range add at most 1 to those of its ends."""
    found = np.empty(table.shape)
    for j, (values, normal) in enumerate(zip(knots, scores, strict=True)):
        column = table[:, j]
        beyond = column - np.clip(column, values[0], values[-1])
        scale = np.abs(beyond) + spreads[j]
        excess = np.divide(beyond, scale, out=np.zeros_like(beyond), where=beyond != 0.0)
        found[:, j] = np.interp(column, values, normal) + excess
    return found


@dataclass(frozen=True, kw_only=True)
class AnswerPrior:
    """What is assumed before the first answer.

    Attributes
    ----------
    intercept, intercept_spread : float
        Mean and standard deviation of `a`, the log-odds of a row with oddness 0.
    slope, slope_spread : float
        Of `b`, what one more unit of oddness adds.
    middle : float
        The oddness of rows that are usually asked; `a` and `b` are independent there.
    features, single_features, votes, leaves : float
        Variances of `g`: rows alike in all features, in some features, in what detectors say of
        them, and in the leaves that they fall into.
    feature_length, single_length, vote_length : float
        How far an answer reaches, in normal scores and in votes, per square root of a dimension.
    """

    intercept: float
    intercept_spread: float = 1.5
    slope: float
    slope_spread: float
    middle: float = 4.0
    features: float
    single_features: float
    votes: float
    leaves: float
    feature_length: float = 1.0
    single_length: float = 0.7
    vote_length: float = 2.0

    def mean(self, oddness: FloatArray) -> FloatArray:
        """Return the log-odds of rows before the first answer."""
        return self.intercept + self.slope * oddness

    def variance(self, oddness: FloatArray) -> FloatArray:
        """Return the variance of these log-odds."""
        own = self.features + self.single_features + self.votes + self.leaves
        shifted = oddness - self.middle
        return np.asarray(own + self.intercept_spread**2 + (self.slope_spread * shifted) ** 2)

    def likeness(self, rows: RowDescription, others: RowDescription) -> FloatArray:
        """Return the covariance of `g` between rows and others."""
        single = np.zeros((len(rows), len(others)))
        n_features = rows.features.shape[1]
        for j in range(n_features):
            distance = rows.features[:, j, None] - others.features[None, :, j]
            single += np.exp(-(distance**2) / (2.0 * self.single_length**2))
        shared = np.zeros((len(rows), len(others)))
        for t in range(rows.leaves.shape[1]):
            shared += rows.leaves[:, t, None] == others.leaves[None, :, t]
        return np.asarray(
            self._near(rows, others)
            + self.single_features * single / max(n_features, 1)
            + self.leaves * shared / max(rows.leaves.shape[1], 1)
        )

    def covariance(self, rows: RowDescription, others: RowDescription) -> FloatArray:
        """Return the covariance of the log-odds between rows and others."""
        return self.likeness(rows, others) + self._lines(rows.oddness, others.oddness)

    def _lines(self, oddness: FloatArray, other: FloatArray) -> FloatArray:
        """Return the share of `a` and `b` in the covariance."""
        product = np.multiply.outer(oddness - self.middle, other - self.middle)
        return np.asarray(self.intercept_spread**2 + self.slope_spread**2 * product)

    def _near(self, rows: RowDescription, others: RowDescription) -> FloatArray:
        """Return the share of all features, and of all votes, in the covariance."""
        by_features = _squared_distances(rows.features, others.features)
        by_votes = _squared_distances(rows.votes, others.votes)
        return np.asarray(
            self.features * np.exp(by_features / (-2.0 * self.feature_length**2))
            + self.votes * np.exp(by_votes / (-2.0 * self.vote_length**2))
        )

    def pull(
        self, rows: RowDescription, answered: RowDescription, weights: FloatArray
    ) -> FloatArray:
        """Return `likeness(rows, answered) @ weights`, for many rows in little time."""
        found = np.zeros(len(rows))
        if not len(answered):
            return found
        single = answered.in_single_precision()
        for part in _chunks(len(rows)):
            found[part] = self._near(rows.rows(part).in_single_precision(), single) @ weights
        n_features, n_trees = rows.features.shape[1], rows.leaves.shape[1]
        for j in range(n_features):
            distance = GRID[:, None] - answered.features[None, :, j]
            effect = np.exp(-(distance**2) / (2.0 * self.single_length**2)) @ weights
            found += (
                self.single_features / n_features * np.interp(rows.features[:, j], GRID, effect)
            )
        for t in range(n_trees):
            own, theirs = rows.leaves[:, t], answered.leaves[:, t]
            size = 1 + max(int(own.max(initial=0)), int(theirs.max()))
            found += self.leaves / n_trees * np.bincount(theirs, weights, minlength=size)[own]
        return found


BOLD = AnswerPrior(
    intercept=-2.0,
    slope=0.3,
    slope_spread=0.15,
    features=12.0,
    single_features=6.0,
    votes=6.0,
    leaves=18.0,
)
SOBER = AnswerPrior(
    intercept=-2.5,
    slope=0.2,
    slope_spread=0.3,
    features=2.9,
    single_features=1.4,
    votes=1.4,
    leaves=4.3,
)


def _chunks(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, CHUNK):
        yield slice(start, start + CHUNK)


def _squared_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return mean squared differences, over the columns."""
    width = max(rows.shape[1], 1)
    own, theirs = (rows**2).sum(axis=1), (others**2).sum(axis=1)
    found = own[:, None] + theirs[None, :] - 2.0 * (rows @ others.T)
    return np.asarray(np.maximum(found, 0.0) / width)


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestAnswers:
    """Which answer drives the score of each row.

    Attributes
    ----------
    positions : array of int, shape (n_rows,)
        Of the answered row whose answer moves the row most, among the answered ones; -1 where there
        are none.
    shares : array of shape (n_rows,)
        The share of this answer among all that move the row, from 0 to 1.
    likeness : array of shape (n_rows,)
        How alike the two rows are, from 0 to 1.
    """

    positions: npt.NDArray[np.intp]
    shares: FloatArray
    likeness: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class AnswerModel:
    """The log-odds that a row is odd, after answers.

    Attributes
    ----------
    answered : RowDescription
        Of the answered rows.
    answers : array of bool
        True for odd.
    prior : AnswerPrior
    weights : array of shape (n_answers,)
        How much each answer pulls at the log-odds of rows like its own; yes is positive.
    roots : array of shape (n_answers,)
        Square roots of the likelihood's curvature at each answer.
    factor : array of shape (n_answers, n_answers)
        Cholesky factor of `1 + roots K roots`.
    log_evidence : float
        Log marginal likelihood of the answers.
    """

    answered: RowDescription
    answers: BoolArray
    prior: AnswerPrior
    weights: FloatArray = field(repr=False)
    roots: FloatArray = field(repr=False)
    factor: FloatArray = field(repr=False)
    log_evidence: float

    @property
    def n_yes(self) -> int:
        """How many answered rows are odd."""
        return int(self.answers.sum())

    @cached_property
    def sober(self) -> AnswerModel:
        """The same answers with the sober prior: what probabilities come from."""
        return self if self.prior is SOBER else learn(self.answered, self.answers, prior=SOBER)

    @cached_property
    def trust(self) -> float:
        """The probability that answers follow the rows, and were not given by tossing a coin.

        Answers that fit the rows no better than tosses of a coin then move little.
        """
        if not len(self.answers):
            return 1.0
        tossed = -np.log(2.0) * len(self.answers) + DOUBT
        return float(expit(self.sober.log_evidence - tossed))

    def log_odds(self, rows: RowDescription) -> FloatArray:
        """Return the mean log-odds of rows, which the next question is chosen by."""
        return self._moved(rows, self.weights)

    def log_odds_and_spread(self, rows: RowDescription) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the log-odds of rows."""
        mean, spread = np.empty(len(rows)), np.empty(len(rows))
        for part in _chunks(len(rows)):
            some = rows.rows(part)
            covariance = self.prior.covariance(self.answered, some)
            mean[part] = self.prior.mean(some.oddness) + self.weights @ covariance
            explained = self._explained(covariance)
            variance = self.prior.variance(some.oddness) - (explained**2).sum(axis=0)
            spread[part] = np.sqrt(np.maximum(variance, JITTER))
        return mean, spread

    def explained(self, rows: RowDescription) -> FloatArray:
        """Return what answers explain of the prior's covariance, `explained.T @ explained`.

        Returns
        -------
        explained : array of shape (n_answers, n_rows)
        """
        return self._explained(self.prior.covariance(self.answered, rows))

    def oddness(self, rows: RowDescription) -> FloatArray:
        """Return the oddness of rows after the answers; that of the committee where there are none.

        This orders rows. Its unit is that of the committee's oddness. While nobody has said yes,
        the order stays: noes say how rare odd rows are, and little about where they are. A single
        yes may be a mistake, so that it counts half, and noes beside it a quarter. With every
        further yes all answers count more.
        """
        prior, n_yes = self.prior, self.n_yes
        sure = n_yes / (n_yes + 1.0)
        weights = self.trust * sure * np.where(self.answers, 1.0, sure) * self.weights
        if not weights.any():
            return rows.oddness.copy()
        shift = prior.intercept + prior.intercept_spread**2 * weights.sum()
        return np.asarray((self._moved(rows, weights) - shift) / prior.slope)

    def nearest_answer(self, rows: RowDescription) -> NearestAnswers:
        """Return the answer that moves each row most."""
        n_rows = len(rows)
        if not len(self.answered):
            nothing = np.zeros(n_rows)
            return NearestAnswers(positions=np.full(n_rows, -1), shares=nothing, likeness=nothing)
        likeness = self.prior.likeness(rows, self.answered)
        moved = np.abs(likeness * self.weights)
        positions = np.argmax(moved, axis=1)
        here = np.arange(n_rows), positions
        total = np.maximum(moved.sum(axis=1), np.finfo(float).tiny)
        own = self.prior.variance(np.array([self.prior.middle])) - self.prior.intercept_spread**2
        return NearestAnswers(
            positions=positions, shares=moved[here] / total, likeness=likeness[here] / own[0]
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return plain arrays that `from_arrays` makes the same model of."""
        return {**self.answered.arrays(), "answers": self.answers}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], prior: AnswerPrior = BOLD
    ) -> AnswerModel:
        """Learn again from stored arrays."""
        names = ("features", "votes", "leaves", "oddness")
        answered = RowDescription(**{name: arrays[name] for name in names})
        return learn(answered, arrays["answers"], prior=prior)

    def _moved(self, rows: RowDescription, weights: FloatArray) -> FloatArray:
        prior, own = self.prior, rows.oddness
        line = prior.intercept_spread**2 * weights.sum()
        turn = weights @ (self.answered.oddness - prior.middle)
        return np.asarray(
            prior.mean(own)
            + prior.pull(rows, self.answered, weights)
            + line
            + prior.slope_spread**2 * turn * (own - prior.middle)
        )

    def _explained(self, covariance: FloatArray) -> FloatArray:
        scaled = self.roots[:, None] * covariance
        if not len(scaled):
            return np.asarray(scaled)
        return np.asarray(solve_triangular(self.factor, scaled, lower=True))


def learn(
    answered: RowDescription, answers: npt.ArrayLike, *, prior: AnswerPrior = BOLD
) -> AnswerModel:
    """Learn from answers; with none, the model is the prior.

    Parameters
    ----------
    answered : RowDescription
        Of the answered rows.
    answers : array of bool, shape (n_answers,)
        True for odd. Answers about the same row may contradict each other.
    prior : AnswerPrior

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> rows[:5] += 6.0
    >>> described = Describer.fit(rows, seed=0).describe(rows)
    >>> model = learn(described.rows([0, 50]), [True, False])
    >>> bool(model.oddness(described)[1:5].min() > model.oddness(described)[5:].max())
    True
    """
    given = np.asarray(answers, dtype=np.bool_)
    n_answers, start = len(given), prior.mean(answered.oddness)
    covariance = prior.covariance(answered, answered) + JITTER * np.eye(n_answers)
    target = given.astype(np.float64)
    weights, found = np.zeros(n_answers), start.copy()
    objective = -np.inf
    for _ in range(MOST_STEPS):
        roots, factor = _curvature(covariance, found)
        aim = roots**2 * (found - start) + target - expit(found)
        solved = cho_solve((factor, True), roots * (covariance @ aim)) if n_answers else aim
        step, direction = 1.0, aim - roots * solved - weights
        while True:
            tried = weights + step * direction
            moved = covariance @ tried
            value = float(-0.5 * tried @ moved + _log_likelihood(start + moved, given))
            if value >= objective - TOLERANCE or step < TOLERANCE:
                break
            step /= 2.0
        gained = value - objective
        weights, found, objective = tried, start + moved, value
        if gained < TOLERANCE:
            break
    roots, factor = _curvature(covariance, found)
    return AnswerModel(
        answered=answered,
        answers=given,
        prior=prior,
        weights=weights,
        roots=roots,
        factor=factor,
        log_evidence=objective - float(np.log(np.diag(factor)).sum()),
    )


def _curvature(covariance: FloatArray, log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
    chance = expit(log_odds)
    roots = np.sqrt(np.maximum(chance * (1.0 - chance), 1e-12))
    inner = np.eye(len(roots)) + roots[:, None] * covariance * roots[None, :]
    return roots, np.linalg.cholesky(inner)


def _log_likelihood(log_odds: FloatArray, answers: BoolArray) -> float:
    return float(log_expit(np.where(answers, log_odds, -log_odds)).sum())


def moderated(mean: Any, spread: Any) -> Any:
    """Return the log-odds of the mean probability, for log-odds with this mean and spread.

    MacKay, "The evidence framework applied to classification networks" (1992).
    """
    return mean / np.sqrt(1.0 + np.pi * np.square(spread) / 8.0)
