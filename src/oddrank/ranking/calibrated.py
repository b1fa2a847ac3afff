"""Detectors with a calibrated threshold: p-values and flags from folds.

Scores come from a fit on all rows. P-values and flags come from fits on folds, each with the scores
of rows that it has not seen. A new row is compared with the rows of one fold. Its own values choose
the fold, as a throw of dice would. So it is treated exactly as those rows were, and its p-value is
right whatever the detector. A mean over folds would not be right: fits of an unstable detector
differ, their mean varies less than the score of one fit, and too few rows would be flagged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from oddrank._random import child, root_of
from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_option
from oddrank.criteria import (
    choice_of_rows,
    conformal_p_values,
    marks_of_rows,
    spreads_below,
)
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
from oddrank.rows import Table, as_table, check_columns, comparable_values, folds_of

__all__ = ["CalibratedDetector", "FoldCalibrated"]


class FoldCalibrated(OutlierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What detectors with p-values from folds share; members are one detector or several.

    Attributes
    ----------
    names_ : list of str
    members_ : list of fitted detectors
        On all rows, each behind its preprocessing and scaling.
    fold_members_ : list of lists of fitted detectors
        Of every fold.
    held_out_ : list of arrays
        Scores of the rows of every fold by its members, which have not seen them; sorted.
    row_scores_, row_folds_ : arrays of shape (n_rows,)
        The same scores in the order of the rows, and the fold of each row.
    medians_ : array of shape (n_features,)
        Of the features, if all of them are plain numbers: for new rows with gaps.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    preprocess: Any
    scale: bool
    cv: Any
    mass: float
    random_state: Any

    @abstractmethod
    def _candidates(self) -> list[Candidate]:
        """Return the members, not fitted yet."""

    @abstractmethod
    def _combined(self, scores: Sequence[FloatArray], fold: int | None) -> FloatArray:
        """Return one score per row from those of all members, on all rows or in a fold."""

    @property
    def _refits(self) -> bool:
        """Whether members are fitted on all rows too, and score new rows."""
        return True

    def _learn(self, of_folds: list[list[FloatArray]]) -> None:
        """Learn from the held-out scores of every fold and member."""

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        groups: Any = None,
    ) -> Self:
        """Fit every member on folds and on all rows.

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
        fitted = self._fit_members(candidates, table, root) if self._refits else []
        self.members_ = [member.detector for member in fitted]
        # plain values: a stored model then needs few classes of oddrank
        self._form: dict[str, Any] | None = None
        if table.is_plain:
            self.medians_ = np.median(table.values, axis=0)
            self._form = {
                "feature_names": table.feature_names,
                "container": table.container,
                "labels": table.labels,
            }
        with single_threaded():  # as in rankings
            # folds of its own: those of a ranking may have chosen this detector
            self._fit_folds(candidates, table, child(root, "calibration"), groups)
        self._marks = np.unique(marks_of_rows(comparable_values(table)))
        return self

    @property
    def takes_gaps(self) -> bool:
        """Whether rows may have gaps: those that it was fitted on were not all plain numbers."""
        check_is_fitted(self)
        return self._form is None

    def share_known(self, X: Any) -> float:
        """Return the share of rows that this was fitted on."""
        table = self._table(X) if not isinstance(X, Table) else X
        return float(np.isin(marks_of_rows(comparable_values(table)), self._marks).mean())

    def _fit_members(
        self,
        candidates: list[Candidate],
        rows: Table,
        root: np.random.SeedSequence,
        fold: int | None = None,
    ) -> list[FittedDetector]:
        refit = Refit(
            candidates={each.name: each for each in candidates},
            rows=rows,
            scale=self.scale,
            root=root,
        )
        return [refit.fitted(each.name, fold=fold) for each in candidates]

    def _fit_folds(
        self,
        candidates: list[Candidate],
        table: Table,
        root: np.random.SeedSequence,
        groups: Any,
    ) -> None:
        folds = folds_of(table, None, self.cv, root, type(self).__name__, groups=groups)
        self.fold_members_: list[list[Any]] = []
        of_folds: list[list[FloatArray]] = []
        for fold in range(len(folds)):
            train = table.rows(folds.train[fold])
            members = self._fit_members(candidates, train, child(root, "fold", fold), fold)
            self.names_ = [member.name for member in members]
            self._orientations = [member.orientation for member in members]
            self.fold_members_.append([member.detector for member in members])
            of_folds.append([member.score(folds.test_table(fold)) for member in members])
        self._learn(of_folds)
        self.row_scores_, self.row_folds_ = np.empty(table.n_rows), folds.of_test_rows
        self.held_out_: list[FloatArray] = []
        for fold, scores in enumerate(of_folds):
            combined = self._combined(scores, fold)
            self.row_scores_[folds.test[fold]] = combined
            self.held_out_.append(np.sort(combined))

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

    def _scores_of(self, members: Sequence[Any], table: Table) -> list[FloatArray]:
        together = zip(self.names_, members, self._orientations, strict=True)
        return [
            FittedDetector(name=name, detector=member, orientation=orientation).score(table)
            for name, member, orientation in together
        ]

    def score_samples(self, X: Any) -> FloatArray:
        """Return scores by the fit on all rows; higher is more normal."""
        table = self._table(X)
        return self._combined(self._scores_of(self.members_, table), None)

    def p_values(self, X: Any) -> FloatArray:
        """Return the probability that an ordinary row is at least as odd as each new row.

        Conformal p-values: uniform for new rows like the training rows, whatever the detector, and
        conservative where the training rows hold anomalies themselves (Bashari, Sesia and Romano,
        "Robust conformal outlier detection under contaminated reference data", ICML 2025). They are
        for new rows; for rows of the fit use `Ranking.odd_rows`.
        """
        return self.compare(X)[1]

    def compare(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return oddness and p-values of new rows.

        Oddness is how many spreads a row's score lies below the median of the held-out rows that it
        is compared with.
        """
        table = self._table(X)
        chosen = choice_of_rows(comparable_values(table), len(self.held_out_))
        oddness, p_values = np.empty((2, table.n_rows))
        for fold, held_out in enumerate(self.held_out_):
            places = np.flatnonzero(chosen == fold)
            if len(places):
                members = self._scores_of(self.fold_members_[fold], table.rows(places))
                scores = self._combined(members, fold)
                oddness[places] = spreads_below(scores, held_out)
                p_values[places] = conformal_p_values(held_out, scores)
        return oddness, p_values

    def of_fold(self, fold: int) -> FittedDetector:
        """Return the members of a fold as one detector: it has not seen the rows of the fold."""
        return FittedDetector(
            name=f"fold {fold}",
            detector=lambda X: self._combined(
                self._scores_of(self.fold_members_[fold], self._table(X)), fold
            ),
        )

    def decision_function(self, X: Any) -> FloatArray:
        """Return the p-value less `1 - mass`: negative for flagged rows."""
        # a p-value of exactly 1 - mass is flagged
        return self.p_values(X) - (1.0 - self.mass) - 1e-9

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return -1 for rows whose p-value is at most `1 - mass`, and 1 for the others."""
        return np.where(self.decision_function(X) < 0.0, -1, 1)


class CalibratedDetector(FoldCalibrated):
    """One detector with p-values, and flags at a calibrated mass; the winner of a ranking is one.

    Parameters
    ----------
    detector : detector
    preprocess : transformer or "auto", optional
        As in `oddrank.rank_detectors`.
    scale : bool
        Standardise every feature on the training rows first.
    cv : int or splitter
        Folds of the held-out scores, at least 2.
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
    >>> detector.p_values([[8.0, 8.0]]).round(4)  # as small as 200 held-out rows allow
    array([0.005])
    """

    def __init__(
        self,
        detector: Any,
        *,
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 2,
        mass: float = 0.95,
        orientation: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.detector = detector
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.mass = mass
        self.orientation = orientation
        self.random_state = random_state

    def _candidates(self) -> list[Candidate]:
        return name_candidates([self.detector], self.orientation)

    def _combined(self, scores: Sequence[FloatArray], fold: int | None) -> FloatArray:  # noqa: ARG002
        return scores[0]

    @property
    def fitted_(self) -> Any:
        """The library's own detector, fitted on all rows."""
        return self.members_[0]
