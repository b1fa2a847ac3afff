"""`LabelFreeSearchCV`: a grid is a pool of detectors, which is ranked; the winner is handed out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, OutlierMixin
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils.validation import check_is_fitted

from oddrank._random import integer_seed, root_of
from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_integer
from oddrank.detectors import copy_detector, detector_name, read_for_fit
from oddrank.errors import (
    DetectorError,
    DetectorFailedError,
    InvalidParameterError,
    OddrankWarning,
)
from oddrank.evaluation import ScoredFits
from oddrank.execution import Workers
from oddrank.ranking import CalibratedDetector, Judge, Ranking, rank_detectors

__all__ = ["LabelFreeSearchCV"]

_OWNER = "LabelFreeSearchCV"


@dataclass(frozen=True, kw_only=True, eq=False)
class _Setting:
    """A detector with its parameters set, and what it is called in the ranking."""

    name: str
    detector: Any
    params: Mapping[str, Any]
    orientation: str | None


class LabelFreeSearchCV(MetaEstimatorMixin, OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Choose a detector and its settings without labels.

    Every candidate of the grid is a detector of a pool, and `rank_detectors` ranks the pool. The
    search then scores, flags and has p-values as the committee of all candidates does: on rows that
    hold anomalies the first of the order may be worse than the detector's defaults, and nobody can
    see in the rows whether they do. `best_params_` are those of the first.

    Parameters
    ----------
    estimator : detector, or mapping of names to (detector, grid)
        One detector with `param_grid`, or several, each with its own grid.
    param_grid : mapping or list of mappings
        Parameter names with lists of values or with distributions (anything with `rvs`).
    n_iter : int, optional
        Candidates drawn at random for each detector; needed for distributions. None takes the
        whole grid.
    judge, preprocess, scale, cv, n_jobs, random_state, workers
        As in `rank_detectors`. There are five folds by default, because good settings depend on how
        many rows a detector is fitted on.
    orientation : None, "normality", "abnormality" or mapping of names to these
        What high scores mean, for detectors that follow no known convention: for all detectors, or
        by name if there are several.
    mass : float
        Share of rows like the training rows that `predict` calls normal.

    Attributes
    ----------
    ranking_ : Ranking
        All candidates: the order, leads, ties, verdict.
    best_index_, best_params_, best_score_
        The candidate that comes first.
    committee_ : Committee
        All candidates as one: what scores, flags and has p-values.
    best_estimator_ : CalibratedDetector
        The first of the order; it is fitted when it is read.
    inseparable_ : tuple of int
        Candidates that cannot be told apart from the first.
    cv_results_ : dict
        One entry per candidate in every column, as in scikit-learn's searches.
    failures_ : dict of int to str
        Candidates that could not be fitted or scored, and why.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.neighbors import KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> X[:250] += 9.0
    >>> search = LabelFreeSearchCV(
    ...     KernelDensity(), {"bandwidth": [0.01, 0.2, 5.0]}, random_state=0
    ... ).fit(X)
    >>> search.best_params_
    {'bandwidth': 0.2}
    >>> search.predict([[0.0, 0.0], [4.5, 4.5]])
    array([ 1, -1])
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any = None,
        *,
        n_iter: int | None = None,
        judge: Judge | str = "auto",
        preprocess: Any = None,
        scale: bool = True,
        cv: Any = 5,
        orientation: str | Mapping[str, str] | None = None,
        mass: float = 0.95,
        n_jobs: int | None = None,
        random_state: Any = None,
        workers: Workers | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.judge = judge
        self.preprocess = preprocess
        self.scale = scale
        self.cv = cv
        self.orientation = orientation
        self.mass = mass
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.workers = workers

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> LabelFreeSearchCV:  # noqa: ARG002
        """Rank all candidates, and fit their committee.

        Parameters
        ----------
        X : array or frame
        y : ignored
            Labels are not used.
        groups : array, optional
            Rows of one group are never divided between training and test rows.
        """
        check_fraction(self.mass, "mass", _OWNER)
        workers = Workers.of(self.workers, self.n_jobs)
        seed = workers.remembered_root if self.random_state is None else self.random_state
        root = root_of(seed, _OWNER)
        settings = self._settings(root)
        detectors = [each.detector for each in settings]
        read_for_fit(self, X, detectors, self.preprocess, minimum_rows=4)
        self.ranking_: Ranking = rank_detectors(
            [(each.name, each.detector) for each in settings],
            X,
            judge=self.judge,
            preprocess=self.preprocess,
            scale=self.scale,
            cv=self.cv,
            groups=groups,
            orientation={each.name: each.orientation for each in settings if each.orientation}
            or None,
            random_state=root,
            workers=workers,
        )
        self._keep(settings)
        self.committee_ = self.ranking_.committee
        self.committee_.mass = self.mass
        return self

    @property
    def best_estimator_(self) -> CalibratedDetector:
        """The first of the order, as an `oddrank.CalibratedDetector`; fitted when it is read."""
        check_is_fitted(self)
        best = self.ranking_.best_detector
        best.mass = self.mass
        return best

    def _keep(self, settings: list[_Setting]) -> None:
        ranking, names = self.ranking_, [each.name for each in settings]
        self.failures_ = {names.index(name): why for name, why in ranking.failures.items()}
        if not ranking.order:
            reasons = list(self.failures_.values()) or ["No criterion has a value."]
            raise DetectorFailedError(
                f"None of {len(names)} candidates could be ranked. The first: {reasons[0]}"
            )
        if self.failures_:
            failed = [names[place] for place in sorted(self.failures_)]
            warnings.warn(
                f"{len(failed)} of {len(names)} candidates failed and cannot be chosen "
                f"({', '.join(failed[:3])}). The first: {self.failures_[min(self.failures_)]}",
                OddrankWarning,
                stacklevel=3,
            )
        self.best_index_ = names.index(ranking.best)
        self.best_params_ = dict(settings[self.best_index_].params)
        tied = [n for n in ranking.order[1:] if not ranking.compare(ranking.best, n).separated]
        self.inseparable_ = tuple(sorted(names.index(name) for name in (ranking.best, *tied)))
        self.cv_results_ = _results(ranking, names, settings)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _settings(self, root: np.random.SeedSequence) -> list[_Setting]:
        """List every candidate, in the order of the detectors and of their grids."""
        if self.n_iter is not None:
            check_integer(self.n_iter, "n_iter", _OWNER)
        detectors = _detectors(self.estimator, self.param_grid)
        given = self.orientation
        if isinstance(given, Mapping) and not set(given) <= {name for name, _, _ in detectors}:
            raise InvalidParameterError(
                f"The 'orientation' parameter of {_OWNER} must name detectors of 'estimator'. "
                f"Got {dict(given)!r} instead."
            )
        found: list[_Setting] = []
        for place, (name, detector, grid) in enumerate(detectors):
            orientation = given.get(name or "") if isinstance(given, Mapping) else given
            for params in _drawn(grid, self.n_iter, integer_seed(root, "search", 1, place)):
                shown = ", ".join(f"{key}={value}" for key, value in params.items())
                called = (shown or "default") if name is None else f"{name}({shown})"
                # settings may look alike: 64 and "64"
                alike = sum(each.name.partition(" #")[0] == called for each in found)
                found.append(
                    _Setting(
                        name=f"{called} #{alike + 1}" if alike else called,
                        detector=_with(detector, params),
                        params=params if name is None else {"detector": name, **params},
                        orientation=orientation,
                    )
                )
        return found

    def score_samples(self, X: Any) -> FloatArray:
        """Return scores by the committee; higher is more normal."""
        check_is_fitted(self)
        return self.committee_.score_samples(X)

    def p_values(self, X: Any) -> FloatArray:
        """Return conformal p-values of new rows."""
        check_is_fitted(self)
        return self.committee_.p_values(X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the p-value less `1 - mass`: negative for flagged rows."""
        check_is_fitted(self)
        return self.committee_.decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return -1 for rows whose p-value is at most `1 - mass`, and 1 for the others."""
        check_is_fitted(self)
        return self.committee_.predict(X)


def _detectors(estimator: Any, param_grid: Any) -> list[tuple[str | None, Any, Any]]:
    if not isinstance(estimator, Mapping):
        return [(None, estimator, param_grid)]
    if param_grid is not None:
        raise InvalidParameterError(
            f"The 'param_grid' parameter of {_OWNER} must be None if 'estimator' is a mapping, "
            f"because each detector then has its own grid. Got {param_grid!r} instead."
        )
    is_pair = [isinstance(each, tuple) and len(each) == 2 for each in estimator.values()]
    if not is_pair or not all(is_pair):
        raise InvalidParameterError(
            f"The 'estimator' parameter of {_OWNER} must be a detector, or a mapping of names to "
            f"pairs (detector, grid). Got {dict(estimator)!r} instead."
        )
    return [(str(name), detector, grid) for name, (detector, grid) in estimator.items()]


def _drawn(grid: Any, n_iter: int | None, seed: int) -> list[dict[str, Any]]:
    grids = [grid] if isinstance(grid, Mapping) else grid
    is_list = isinstance(grids, list) and len(grids) > 0
    sentence = (
        f"The 'param_grid' parameter of {_OWNER} must be a mapping of parameter names to lists of "
        "values or distributions, or a list of at least one such mapping. "
        f"Got {grid!r} instead."
    )
    if not is_list or not all(isinstance(each, Mapping) for each in grids):
        raise InvalidParameterError(sentence)
    drawn = any(hasattr(values, "rvs") for each in grids for values in each.values())
    if drawn and n_iter is None:
        raise InvalidParameterError(
            f"The 'n_iter' parameter of {_OWNER} must be an int in the range [1, inf) if a "
            "parameter has a distribution. Got None instead."
        )
    try:
        if drawn or (n_iter is not None and n_iter < len(ParameterGrid(grids))):
            return list(ParameterSampler(grids, n_iter, random_state=seed))
        return list(ParameterGrid(grids))
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(sentence) from error


def _with(detector: Any, params: Mapping[str, Any]) -> Any:
    copied = copy_detector(detector)
    if not params:
        return copied
    try:
        return copied.set_params(**params)
    except (AttributeError, TypeError, ValueError) as error:
        raise DetectorError(
            f"{detector_name(detector)} cannot be given the parameters {dict(params)!r}: {error}"
        ) from error


def _results(ranking: Ranking, names: list[str], settings: list[_Setting]) -> dict[str, Any]:
    """Return `cv_results_`: NaN for candidates without a score."""
    scores = [ranking.judgement.scores.get(name) for name in names]
    sign = ranking.judgement.criterion.sign
    means = np.array([np.nan if each is None else sign * each.value for each in scores])
    results: dict[str, Any] = {"params": [dict(each.params) for each in settings]}
    for parameter in sorted({key for each in settings for key in each.params}):
        # masked where another detector has no such parameter
        column = np.ma.MaskedArray(np.empty(len(settings), dtype=object), mask=True)
        for place, each in enumerate(settings):
            if parameter in each.params:
                column[place] = each.params[parameter]
        results[f"param_{parameter}"] = column
    results["mean_test_score"] = means
    results["error_of_score"] = np.array(
        [np.nan if each is None else each.standard_error for each in scores]
    )
    last = len(ranking.order) + 1
    places = {name: place + 1 for place, name in enumerate(ranking.order)}
    results["rank_test_score"] = np.array([places.get(name, last) for name in names], np.int32)
    fits = ranking.scored.fits if isinstance(ranking.scored, ScoredFits) else {}
    results["mean_fit_time"] = np.array(
        [np.mean([f.fit_seconds for f in fits[n]]) if n in fits else np.nan for n in names]
    )
    return results
