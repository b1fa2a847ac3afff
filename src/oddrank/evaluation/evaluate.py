"""Evaluate a scoring function, or fit a copy of a detector and evaluate that."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank._validation import check_option
from oddrank.criteria import FoldedCriteria, counted_criteria, share_tied
from oddrank.detectors import (
    Candidate,
    FittedDetector,
    detector_name,
    normality_function,
    prepare_candidates,
)
from oddrank.errors import DetectorFailedError, UnresolvedWarning
from oddrank.evaluation.evaluation import Evaluation
from oddrank.evaluation.fold_task import place_of, score_fold
from oddrank.evaluation.measuring_plan import plan_volumes
from oddrank.evaluation.scored_detectors import criteria_of, evaluation_of, score_detectors
from oddrank.execution import Workers, single_threaded
from oddrank.reference import ReferenceSampler
from oddrank.rows import (
    BoundingBox,
    FeatureSubsampling,
    Folds,
    Table,
    as_table,
    check_columns,
    check_continuous,
    folds_of,
    large_table,
    natural_order,
    rows_at_hand,
)

__all__ = ["evaluate_detector", "evaluate_scores"]


def evaluate_scores(
    detector: Any,
    X: Any,
    *,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] | str = "auto",
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    sample: int | None = None,
    random_state: Any = None,
) -> Evaluation:
    """Evaluate a scoring function or a fitted detector on data it was not fitted on.

    Parameters
    ----------
    detector : function of rows, or fitted detector
        See `oddrank.normality_function` for what is understood.
    X : array or frame of shape (n_rows, n_features)
        Or a table that is not in memory: a Dask collection, a pyarrow dataset, the path of Parquet
        files.
    orientation : None, "normality" or "abnormality"
        What high scores mean; None takes each library's convention.
    reference : sampler or "auto", optional
        Where volumes come from. By default "auto": as many points as an error of 2 % needs, up to
        8 features (see `oddrank.reference.AutoReference`), and `MultilevelSplitting()` above.
    box : BoundingBox, optional
        Where volumes are measured; the range of `X` by default. Evaluations are comparable only in
        the same box.
    mass_range : (float, float) or "auto"
        Masses between which the area below the mass-volume curve is taken; "auto" goes from 0.9 as
        far towards 0.999 as the rows reach.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.
    confidence_level : float
    sample : int, optional
        Place the reference points by a random sample of this many rows, and count all rows chunk
        by chunk against them. By default 200,000 for a table that is not in memory.
    random_state : None, int or numpy random state
        The same seed gives the same result.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> evaluation = evaluate_scores(density, X, random_state=0)
    >>> low, high = evaluation.mass_volume.interval
    >>> low < 2.0254 < high  # the truth for a standard Gaussian in two dimensions
    True
    """
    owner = "evaluate_scores"
    root = root_of(random_state, owner)
    rows, sampled = rows_at_hand(X, sample, root, owner)
    table = as_table(rows)
    if not isinstance(reference, ReferenceSampler) or reference.of_volume:
        check_continuous(table, owner)
    order = natural_order(table.values, root)
    folds = Folds(train_rows=table, test_rows=table, train=(order,), test=(order,))
    plan = plan_volumes(
        folds,
        subsampling=None,
        reference=reference,
        box=box,
        mass_range=mass_range,
        excess_mass_floor=excess_mass_floor,
        confidence_level=confidence_level,
        root=root,
        owner=owner,
    )
    normality_function(detector, orientation=orientation)  # refuses what cannot score
    name = detector_name(detector)
    fitted = FittedDetector(name=name, detector=detector, orientation=orientation)
    assert plan.box is not None
    with single_threaded():  # as in rankings
        test = folds.test_table(0)
        place = place_of(test, plan.box, root, raw=False)
        fold = score_fold(fitted, test, place, plan.sampler, plan.options)
        criteria = criteria_of(fold, plan.options, root)
        if sampled is not None:
            criteria = counted_criteria(
                _chunk_scores(fitted, X, table),
                fold.pooled_points,
                log_volume=fold.log_volume,
                options=plan.options,
                share_tied=share_tied(fold.row_scores),
                random=stream(root, "sample", 1),
            )
    folded = FoldedCriteria(folds=(criteria,))
    evaluation = evaluation_of(name, [fold], folded, folds, plan)
    _warn_if_unresolved(evaluation)
    return evaluation


def _chunk_scores(fitted: FittedDetector, X: Any, like: Table) -> Iterator[FloatArray]:
    """Score all rows of a table, chunk by chunk."""
    for chunk in large_table(X).chunks():
        rows = as_table(chunk, minimum_rows=1)
        if like.container != "numpy":
            rows = check_columns(rows, list(like.feature_names))
        yield fitted.score(rows)


def evaluate_detector(
    detector: Any,
    X: Any,
    X_test: Any = None,
    *,
    subsampling: FeatureSubsampling | str | None = "auto",
    preprocess: Any = None,
    scale: bool = True,
    cv: Any = 2,
    groups: Any = None,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] | str = "auto",
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Evaluation:
    """Fit a copy of a detector on some rows and evaluate it on others.

    Parameters
    ----------
    detector : detector with a `fit` method
        It is cloned, never changed.
    X : array or frame
        Or a table that is not in memory, of which a sample is used, as in `rank_detectors`.
    X_test : array or frame, optional
        By default every row of `X` is tested by a fit that has not seen it.
    subsampling : "auto", None or FeatureSubsampling
        Algorithm 1 of Goix (2016) in many dimensions; "auto" uses it above 8 features.
    preprocess : transformer or "auto", optional
        As in `rank_detectors`: fitted on the training rows before the detector.
    scale : bool
        Standardise every feature on the training rows first, as `rank_detectors` does: volumes are
        then in standardised units.
    cv : int or splitter
        Number of fits. Each is tested on rows that it has not seen, and their spread is part of the
        error. With 1 the figures hold for one fitted model. Or a splitter of scikit-learn.
    groups : array, optional
        Rows of one group are never divided between training and test rows.
    box : BoundingBox, optional
        By default the range of training and test rows or, in draws of features, of the test rows.
    n_jobs : int, optional
        Processes for the draws; None leaves it to `joblib.parallel_config`.
    orientation, reference, mass_range, excess_mass_floor, confidence_level, random_state
        As in `evaluate_scores`. A detector whose own `random_state` is None gets one.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> evaluation = evaluate_detector(IsolationForest(), X, random_state=0)
    >>> low, high = evaluation.mass_volume.interval
    >>> bool(high > 2.0)  # no detector is better than the density itself
    True
    """
    owner = "evaluate_detector"
    check_option(scale, "scale", owner, (True, False))
    root = root_of(random_state, owner)
    X, sampled = rows_at_hand(X, None, root, owner)
    if sampled is not None and groups is not None:
        groups = np.asarray(groups)[sampled.numbers]
    folds = folds_of(X, X_test, cv, root, owner, groups=groups)
    plan = plan_volumes(
        folds,
        subsampling=subsampling,
        reference=reference,
        box=box,
        mass_range=mass_range,
        excess_mass_floor=excess_mass_floor,
        confidence_level=confidence_level,
        root=root,
        owner=owner,
    )
    name = detector_name(detector)
    candidate = Candidate(name=name, detector=detector, orientation=orientation)
    candidate.check()
    candidates = prepare_candidates([candidate], preprocess, folds.train_rows, owner)
    workers = Workers(n_jobs=n_jobs)
    scored = score_detectors(candidates, folds, plan, scale=scale, root=root, workers=workers)
    if scored.failures:
        raise DetectorFailedError(scored.failures[name])
    evaluation = scored.evaluations[name]
    _warn_if_unresolved(evaluation)
    return evaluation


def _warn_if_unresolved(evaluation: Evaluation, *, stacklevel: int = 3) -> None:
    """Warn if a criterion has no value."""
    check = evaluation.diagnostics["resolved"]
    if not check.ok:
        message = f"{evaluation.name}: {check.says()}"
        warnings.warn(message, UnresolvedWarning, stacklevel=stacklevel)
