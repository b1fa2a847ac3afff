"""`LabelFreeSearchCV`: detectors and settings chosen without labels; the choice is a detector."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from oddrank._random import root_of
from oddrank._typing import FloatArray
from oddrank.criteria import calibrated_threshold
from oddrank.detectors import prepare_candidates, read_for_fit
from oddrank.execution import remembered_root
from oddrank.reference import ReferenceSampler
from oddrank.rows import BoundingBox, FeatureSubsampling, as_table, check_columns
from oddrank.search.candidates import SearchCandidate, make_candidates
from oddrank.search.minimum_volume_set import averaged_level_sets, warn_of_few_calibration_rows
from oddrank.search.options import check_search_options, plan_search, simplicity_order
from oddrank.search.outcome import results_table, tell_outcome
from oddrank.search.rounds import SearchPlan, SearchScores, score_in_rounds
from oddrank.search.selection import Selection, select

__all__ = ["LabelFreeSearchCV"]


class LabelFreeSearchCV(MetaEstimatorMixin, OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Choose a detector and its settings by excess mass or mass volume, without labels.

    Every candidate is fitted and scored on the same random splits, in one box and with the same
    reference points, and compared with the best one split by split. Afterwards the search is a
    detector itself: its score is the height above the level set of the target mass, averaged over
    the splits (Thomas et al., 2016), and `predict` flags the share `1 - mass` of rows that are like
    the training rows.

    Parameters
    ----------
    estimator : detector, or mapping of names to (detector, grid)
        One detector with `param_grid`, or several, each with its own grid.
    param_grid : mapping or list of mappings
        Parameter names with lists of values or with distributions (anything with `rvs`).
    n_iter : int, optional
        Candidates drawn at random for each detector; needed for distributions. None takes the
        whole grid.
    criterion : "excess_mass" or "mass_volume"
        It decides. Scores are logarithms of the excess mass, or minus those of the mass volume.
    n_splits : int
        Random splits, at least 2.
    test_size : float
        Share of the rows that a split keeps for scoring.
    mass : float
        Target mass of `predict`: the share of normal rows that it calls normal.
    calibration_size : float, optional
        Share of the rows that takes no part in the splits and sets the threshold: new rows are then
        flagged with exactly the probability `1 - mass`. By default the splits that tested a row
        score it, and all rows set the threshold: no row is wasted, and the error is half as large.
    refit : "best", "simplest" or "cheapest"
        "best" takes the candidate with the highest mean score. "simplest" takes the simplest within
        one standard error of it, and "cheapest" the one of these that took the least time to fit
        and score. Times are measured, so "cheapest" alone may differ from run to run.
    simplicity : function of a mapping of parameters, optional
        Smaller values are simpler. By default an earlier candidate counts as simpler: put simple
        detectors, and simple values, first.
    halving : bool
        Whether poor candidates are dropped after rounds with fewer reference points and rows.
    reference : sampler, optional
        By default an `ImportanceMixture` of 4 × 1,024 points around the test rows of each split.
    box : BoundingBox, optional
        Where volumes are measured; by default the range of all rows, fixed once.
    subsampling : "auto", None or FeatureSubsampling
        Whether each split is scored in its own draw of features; "auto" does so above 8
        features. There are as many draws as splits; `n_draws` and `aggregation` are not used.
    orientation : None, "normality", "abnormality" or mapping of names to these
        What high scores mean, for detectors that follow no known convention: for all detectors, or
        by name if there are several.
    mass_range : (float, float), optional
        Masses between which the area below the mass-volume curve is taken. By default it extends to
        either side of the target mass by half of what that leaves out (0.925 to 0.975 for 0.95). So
        the volumes of the sets that `predict` uses are compared.
    excess_mass_floor : float, optional
        The area below the excess-mass curve ends where it falls to this. By default that is where
        the curve of a Gaussian in as many features reaches the target mass (for 0.95, 0.80 in the
        plane).
    confidence_level : float
        Of the comparisons behind `inseparable_`.
    n_jobs : int, optional
        Processes; None leaves it to `joblib.parallel_config`.
    checkpoint : path, optional
        A folder for finished work. A search that was stopped continues there.
    progress : bool
        Show a bar on stderr for each round, if that is a terminal.
    random_state : None, int or numpy random state
    preprocess : transformer or "auto", optional
        Any scikit-learn transformer, fitted on the training rows of every split. "auto" is
        `oddrank.TableEncoder` where the rows are not all numbers.
    timeout : float, optional
        Seconds that one fit, with its scores, may take; candidates that take longer fail.

    Attributes
    ----------
    best_index_, best_params_, best_score_
        The candidate that `refit` chooses.
    best_estimator_ : detector
        That candidate, fitted on all rows.
    top_index_, simplest_index_, cheapest_index_ : int
        The candidate with the highest mean score, and the simplest and the fastest within one
        standard error of it.
    inseparable_ : tuple of int
        Candidates that tie with the top one, by paired differences over the splits. The overlap of
        splits counts (Nadeau and Bengio, 2003), and so does their number (Holm).
    cv_results_ : dict
        As in scikit-learn's searches, with the mean deficit to the top candidate, its standard
        error, the last round and the number of scored points.
    n_scored_ : int
        Rows and reference points that all candidates scored in choosing.
    failures_ : dict of int to str
        Candidates that could not be fitted or scored, and why.
    box_ : BoundingBox
    level_sets_ : AveragedLevelSets
        The chosen candidate fitted on every split, with its level sets.
    calibration_scores_ : array
        `score_samples` of the calibration rows, or of all tested rows by the splits that were not
        fitted on them.
    offset_ : float
        `score_samples` below which rows are flagged.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.neighbors import KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> X[:250] += 9.0
    >>> search = LabelFreeSearchCV(
    ...     KernelDensity(), {"bandwidth": [0.01, 0.4, 5.0]}, n_splits=5, random_state=0
    ... ).fit(X)
    >>> search.best_params_
    {'bandwidth': 0.4}
    >>> search.predict([[0.0, 0.0], [4.5, 4.5]])
    array([ 1, -1])
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any = None,
        *,
        n_iter: int | None = None,
        criterion: str = "excess_mass",
        n_splits: int = 10,
        test_size: float = 0.2,
        mass: float = 0.95,
        calibration_size: float | None = None,
        refit: str = "best",
        simplicity: Callable[[Mapping[str, Any]], Any] | None = None,
        halving: bool = False,
        reference: ReferenceSampler | None = None,
        box: BoundingBox | None = None,
        subsampling: FeatureSubsampling | str | None = "auto",
        orientation: str | Mapping[str, str] | None = None,
        mass_range: tuple[float, float] | None = None,
        excess_mass_floor: float | None = None,
        confidence_level: float = 0.95,
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool = False,
        random_state: Any = None,
        preprocess: Any = None,
        timeout: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.criterion = criterion
        self.n_splits = n_splits
        self.test_size = test_size
        self.mass = mass
        self.calibration_size = calibration_size
        self.refit = refit
        self.simplicity = simplicity
        self.halving = halving
        self.reference = reference
        self.box = box
        self.subsampling = subsampling
        self.orientation = orientation
        self.mass_range = mass_range
        self.excess_mass_floor = excess_mass_floor
        self.confidence_level = confidence_level
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.progress = progress
        self.random_state = random_state
        self.preprocess = preprocess
        self.timeout = timeout

    def fit(self, X: Any, y: Any = None, *, client: Any = None) -> LabelFreeSearchCV:  # noqa: ARG002
        """Score every candidate, choose one, and calibrate its threshold.

        Parameters
        ----------
        X : array or frame
        y : ignored
            Labels are not used.
        client : dask.distributed.Client, optional
            Candidates are scored on this cluster, with the same results.
        """
        check_search_options(self)
        root = root_of(self._seed(), "LabelFreeSearchCV")
        candidates = make_candidates(
            self.estimator, self.param_grid, self.n_iter, self.orientation, root
        )
        detectors = [each.detector for each in candidates]
        table = read_for_fit(self, X, detectors, self.preprocess, minimum_rows=2)
        named = prepare_candidates(
            [each.named for each in candidates], self.preprocess, table, "LabelFreeSearchCV"
        )
        candidates = [replace(each, preprocess=named[0].preprocess) for each in candidates]
        plan = plan_search(self, table, root, client)
        seen = score_in_rounds(candidates, plan, halving=self.halving)
        tell_outcome(candidates, seen, self.criterion)
        selection = select(
            seen.scores,
            seen.rounds,
            simplicity_order(candidates, self.simplicity),
            (seen.fit_seconds + seen.score_seconds).mean(axis=1),
            test_per_train=plan.splits.test_per_train,
            confidence_level=self.confidence_level,
        )
        self._keep_choice(candidates, seen, selection)
        self.box_ = plan.box
        self._form = table.without_rows()
        self._fit_choice(candidates[self.best_index_], plan)
        return self

    def _keep_choice(
        self, candidates: list[SearchCandidate], seen: SearchScores, selection: Selection
    ) -> None:
        self.top_index_, self.simplest_index_ = selection.top, selection.simplest
        self.cheapest_index_ = selection.cheapest
        self.inseparable_ = selection.inseparable
        self.cv_results_ = results_table(candidates, seen, selection)
        self.n_scored_, self.failures_ = int(seen.n_scored.sum()), dict(seen.failures)
        self.best_index_ = {
            "best": self.top_index_,
            "simplest": self.simplest_index_,
            "cheapest": self.cheapest_index_,
        }[self.refit]
        self.best_params_ = dict(candidates[self.best_index_].params)
        self.best_score_ = float(selection.means[self.best_index_])

    def _fit_choice(self, chosen: SearchCandidate, plan: SearchPlan) -> None:
        table, splits, root = plan.table, plan.splits, plan.root
        self.best_estimator_ = chosen.named.fit(table, root).detector
        self.level_sets_ = averaged_level_sets(
            chosen.named, table, splits, mass=self.mass, root=root
        )
        self.calibration_scores_ = self.level_sets_.held_out
        if self.calibration_size is not None:
            self.calibration_scores_ = self.level_sets_.heights(table.rows(splits.calibration))
        warn_of_few_calibration_rows(len(self.calibration_scores_), self.mass)
        self.offset_ = calibrated_threshold(self.calibration_scores_, self.mass)

    def score_samples(self, X: Any) -> FloatArray:
        """Return heights above the level sets, averaged over splits; higher = more normal.

        With calibration rows the average is over all splits. Without them, it is over as many
        splits as have tested a row of the table: new rows are then treated like the rows that set
        the threshold.
        """
        check_is_fitted(self)
        if self._form.is_plain:
            values = validate_data(self, X, dtype=np.float64, reset=False)
            table = self._form.with_values(values)
        else:
            table = check_columns(as_table(X, minimum_rows=1), list(self._form.feature_names))
        if self.calibration_size is None:
            return self.level_sets_.heights_like_held_out(table)
        return self.level_sets_.heights(table)

    def decision_function(self, X: Any) -> FloatArray:
        """Return `score_samples` less the calibrated threshold: negative for flagged rows."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return -1 for flagged rows and 1 for the others."""
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def _seed(self) -> Any:
        if self.random_state is not None or self.checkpoint is None:
            return self.random_state
        folders = sorted(each.parent for each in Path(self.checkpoint).glob("rows-*/*.json"))
        remembered = remembered_root(folders[0] if folders else self.checkpoint)
        # the root of the search, of which every split has a child
        return None if remembered is None else np.random.SeedSequence(remembered.entropy)
