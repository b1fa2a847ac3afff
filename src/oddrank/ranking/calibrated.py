"""Detectors with calibrated p-values: fits on repeated folds, and what they say of unseen rows.

The rows are split into halves several times. A row of the table is scored by the fits that have not
seen it, one in each split; a new row by all fits. What a fit says of a row is its vote: minus the
logarithm of the tail probability of the score, among the rows that this fit has not seen. The mean
over fits is the row's oddness. It decides everything: the order of the rows, scores, p-values and
flags, so that no two of them contradict each other.

The p-value of a new row is its rank among the oddness of the table's own rows. A new row has a
mean over twice as many fits, which varies a little less, so p-values are slightly too large: with
200 rows 0.036 to 0.05 of ordinary new rows get a p-value of at most 0.05 (docs/rows.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from oddrank._random import child, root_of
from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_integer, check_option
from oddrank.criteria import ScoreTail, conformal_p_values, marks_of_rows
from oddrank.detectors import (
    Candidate,
    FittedDetector,
    Refit,
    name_candidates,
    prepare_candidates,
    read_for_fit,
)
from oddrank.errors import InvalidParameterError
from oddrank.execution import single_threaded
from oddrank.ranking.votes import highest_votes, share_of
from oddrank.rows import Table, as_table, check_columns, comparable_values, folds_of

__all__ = ["CalibratedDetector", "FoldCalibrated"]

# Splits of the rows by default, and from how many rows on one is enough: fits then hardly differ.
N_REPEATS, MANY_ROWS = 3, 20_000
# What a score beyond all others can add where it is asked how far a row lies apart.
FAR_BEYOND = 1000.0


class FoldCalibrated(OutlierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What one calibrated detector and a committee of several share.

    Attributes
    ----------
    names_ : list of str
        Of the members.
    fits_ : list of lists of fitted detectors
        The members of every fit: all folds of the first split, then those of the next.
    tails_ : list of lists of arrays
        Scores by each of them of the rows that it has not seen, sorted.
    weights_ : array
        Of the members; their sum is 1.
    share_ : float
        The share of this weight that counts for a row, that of its highest votes.
    row_oddness_ : array of shape (n_repeats, n_rows)
        The oddness of every row in each split, by the fit that has not seen it.
    row_reach_ : array of shape (n_rows,)
        The same with votes that hardly have an upper end, averaged over the splits: how far a row
        lies beyond all others.
    row_votes_ : array of shape (n_members, n_rows)
        The votes of the members on every row, averaged over the splits.
    row_fits_ : array of shape (n_repeats, n_rows)
        Which of the fits has not seen a row, in each split.
    held_out_ : array
        The mean oddness of every row, sorted: what new rows are compared with.
    medians_ : array of shape (n_features,)
        Of the features, if all of them are plain numbers: for new rows with gaps.
    """

    preprocess: Any
    scale: bool
    cv: Any
    n_repeats: int | None
    mass: float
    random_state: Any

    @abstractmethod
    def _candidates(self) -> list[Candidate]:
        """Return the members, not fitted yet."""

    def _weights(self, scores: FloatArray) -> tuple[FloatArray, float]:
        """Return the weights of the members, and the share of them that counts for a row.

        Parameters
        ----------
        scores : array of shape (n_members, n_rows)
            By fits that have not seen the rows.
        """
        alone = np.ones(len(scores))
        return alone / alone.sum(), share_of(alone)

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        groups: Any = None,
    ) -> Self:
        """Fit every member on the folds of every split.

        Parameters
        ----------
        X : array or frame
        y : ignored
        groups : array, optional
            Rows of one group are never divided between training and held-out rows.
        """
        owner = type(self).__name__
        check_fraction(self.mass, "mass", owner)
        check_option(self.scale, "scale", owner, (True, False))
        if self.n_repeats is not None:
            check_integer(self.n_repeats, "n_repeats", owner)
        if self.cv == 1:
            raise InvalidParameterError(
                f"The 'cv' parameter of {owner} must be at least 2, because tail "
                "probabilities need rows that a member has not seen. Got 1 instead."
            )
        root = root_of(self.random_state, owner)
        candidates = self._candidates()
        detectors = [each.detector for each in candidates]
        table = read_for_fit(self, X, detectors, self.preprocess, minimum_rows=4)
        candidates = prepare_candidates(candidates, self.preprocess, table, owner)
        # plain values: a stored model then needs few classes of oddrank
        self._form: dict[str, Any] | None = None
        if table.is_plain:
            self.medians_ = np.median(table.values, axis=0)
            self._form = {
                "feature_names": table.feature_names,
                "container": table.container,
                "labels": table.labels,
            }
        self.names_ = [each.name for each in candidates]
        with single_threaded():  # as in rankings
            # folds of its own: those of a ranking may have chosen this detector
            self._fit_folds(candidates, table, child(root, "calibration"), groups)
        self._marks = np.unique(marks_of_rows(comparable_values(table)))
        return self

    def _fit_folds(
        self,
        candidates: list[Candidate],
        table: Table,
        root: np.random.SeedSequence,
        groups: Any,
    ) -> None:
        n_repeats = self.n_repeats or (N_REPEATS if table.n_rows <= MANY_ROWS else 1)
        self.fits_: list[list[Any]] = []
        self.tails_: list[list[FloatArray]] = []
        self.row_oddness_ = np.empty((n_repeats, table.n_rows))
        self.row_votes_ = np.zeros((len(candidates), table.n_rows))
        self.row_reach_ = np.zeros(table.n_rows)
        self.row_fits_ = np.empty((n_repeats, table.n_rows), dtype=np.intp)
        for repeat in range(n_repeats):
            start = child(root, "split", repeat)
            folds = folds_of(table, None, self.cv, start, type(self).__name__, groups=groups)
            scores = np.empty((len(candidates), table.n_rows))
            for fold, tested in enumerate(folds.test):
                train = table.rows(folds.train[fold])
                members = _fitted(candidates, train, child(start, "fold", fold), fold, self.scale)
                self._orientations = [member.orientation for member in members]
                self.row_fits_[repeat, tested] = len(self.fits_)
                self.fits_.append([member.detector for member in members])
                scores[:, tested] = [member.score(folds.test_table(fold)) for member in members]
                self.tails_.append([np.sort(each) for each in scores[:, tested]])
            if not repeat:
                self.weights_, self.share_ = self._weights(scores)
            votes, unbounded = np.empty_like(scores), np.empty_like(scores)
            for tested in folds.test:
                own = [_votes_on_own(each) for each in scores[:, tested]]
                votes[:, tested], unbounded[:, tested] = map(np.array, zip(*own, strict=True))
            self.row_oddness_[repeat] = highest_votes(votes, self.weights_, self.share_)
            reach = highest_votes(unbounded, self.weights_, self.share_)
            self.row_reach_ += reach / n_repeats
            self.row_votes_ += votes / n_repeats
        self.held_out_ = np.sort(self.row_oddness_.mean(axis=0))

    @property
    def takes_gaps(self) -> bool:
        """Whether rows may have gaps: those that it was fitted on were not all plain numbers."""
        check_is_fitted(self)
        return self._form is None

    def share_known(self, X: Any) -> float:
        """Return the share of rows that this was fitted on."""
        table = self._table(X) if not isinstance(X, Table) else X
        return float(np.isin(marks_of_rows(comparable_values(table)), self._marks).mean())

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        if self._form is None and hasattr(self, "feature_names_in_"):
            return check_columns(as_table(X, minimum_rows=1), list(self.feature_names_in_))
        if self._form is None:  # it was an array with gaps
            found = validate_data(
                self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan"
            )
            return as_table(found, minimum_rows=1)
        return Table(values=validate_data(self, X, dtype=np.float64, reset=False), **self._form)

    def votes(self, X: Any) -> FloatArray:
        """Return the votes of the members on new rows, averaged over fits: (n_members, n_rows)."""
        table = self._table(X)
        cast = [self._votes(place, table) for place in range(len(self.fits_))]
        return np.asarray(np.mean(cast, axis=0))

    def oddness(self, X: Any) -> FloatArray:
        """Return how odd new rows are: the mean over all fits. Higher is odder."""
        table = self._table(X)
        return self._oddness(range(len(self.fits_)), table)

    def score_samples(self, X: Any) -> FloatArray:
        """Return minus the oddness of new rows; higher is more normal."""
        return -self.oddness(X)

    def p_values(self, X: Any) -> FloatArray:
        """Return the probability that an ordinary row is at least as odd as each new row.

        Conformal p-values: uniform or slightly too large for new rows like the training rows,
        whatever the detector, and larger where the training rows hold anomalies themselves
        (Bashari, Sesia and Romano, "Robust conformal outlier detection under contaminated reference
        data", ICML 2025). They never rise with the oddness. They are for new rows; for rows of the
        fit use `Ranking.odd_rows`.
        """
        return self.compare(X)[1]

    def compare(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return oddness and p-values of new rows."""
        oddness = self.oddness(X)
        return oddness, conformal_p_values(-self.held_out_[::-1], -oddness)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the p-value less `1 - mass`: negative for flagged rows."""
        # a p-value of exactly 1 - mass is flagged
        return self.p_values(X) - (1.0 - self.mass) - 1e-9

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return -1 for rows whose p-value is at most `1 - mass`, and 1 for the others."""
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def unseen(
        self, places: npt.NDArray[np.intp]
    ) -> Iterator[tuple[npt.NDArray[np.intp], FittedDetector]]:
        """Yield positions in `places` with a detector whose fit has not seen these rows."""
        fits = self.row_fits_[0, places]
        for fit in np.unique(fits).tolist():
            yield np.flatnonzero(fits == fit), self._of_fit(fit)

    def _of_fit(self, fit: int) -> FittedDetector:
        return FittedDetector(
            name=f"fit {fit}", detector=lambda X: -self._oddness([fit], self._table(X))
        )

    def _oddness(self, fits: Sequence[int], table: Table) -> FloatArray:
        found = [highest_votes(self._votes(fit, table), self.weights_, self.share_) for fit in fits]
        return np.asarray(np.mean(found, axis=0))

    def _votes(self, fit: int, table: Table) -> FloatArray:
        together = zip(
            self.names_, self.fits_[fit], self._orientations, self.tails_[fit], strict=True
        )
        return np.array([
            -ScoreTail(scores=tail).log_probability(
                FittedDetector(name=name, detector=member, orientation=orientation).score(table)
            )
            for name, member, orientation, tail in together
        ])  # fmt: skip


def _fitted(
    candidates: list[Candidate],
    rows: Table,
    root: np.random.SeedSequence,
    fold: int,
    scale: bool,
) -> list[FittedDetector]:
    named = {each.name: each for each in candidates}
    refit = Refit(candidates=named, rows=rows, scale=scale, root=root)
    return [refit.fitted(name, fold=fold) for name in named]


def _votes_on_own(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the votes on held-out rows, each by the tail of the others; and almost without end."""
    order = np.argsort(scores, kind="stable")
    tail = ScoreTail(scores=scores[order])
    found, unbounded = np.empty(len(scores)), np.empty(len(scores))
    found[order] = -tail.log_probability_of_own()
    unbounded[order] = -tail.log_probability_of_own(most_beyond=FAR_BEYOND)
    return found, unbounded


class CalibratedDetector(FoldCalibrated):
    """One detector with p-values, and flags at a calibrated mass.

    Parameters
    ----------
    detector : detector
    preprocess : transformer or "auto", optional
        As in `oddrank.rank_detectors`.
    scale : bool
        Standardise every feature on the training rows first.
    cv : int or splitter
        Folds of every split, at least 2.
    n_repeats : int, optional
        How often the rows are split; 3 times by default, and once above 20,000 rows.
    mass : float
        Share of rows like the training rows that `predict` calls normal.
    orientation : None, "normality" or "abnormality"
    random_state : None, int or numpy random state

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> detector = CalibratedDetector(GaussianMixture(2), random_state=0).fit(X)
    >>> detector.predict([[0.0, 0.0], [8.0, 8.0]])
    array([ 1, -1])
    >>> detector.p_values([[8.0, 8.0]]).round(4)  # as small as 400 held-out rows allow
    array([0.0025])
    """

    def __init__(
        self,
        detector: Any,
        *,
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 2,
        n_repeats: int | None = None,
        mass: float = 0.95,
        orientation: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.detector = detector
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.n_repeats = n_repeats
        self.mass = mass
        self.orientation = orientation
        self.random_state = random_state

    def _candidates(self) -> list[Candidate]:
        return name_candidates([self.detector], self.orientation)
