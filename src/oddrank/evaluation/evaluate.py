"""Evaluate a scoring function, or fit a copy of a detector and evaluate that."""

from __future__ import annotations

import warnings
from typing import Any

from oddrank._random import root_of
from oddrank._validation import check_fraction, check_option, refuse_former
from oddrank.criteria import FoldedCriteria
from oddrank.detectors import (
    Candidate,
    FittedDetector,
    detector_name,
    normality_function,
    prepare_candidates,
)
from oddrank.errors import DetectorFailedError, UnresolvedWarning
from oddrank.evaluation.counting import CountedRows
from oddrank.evaluation.evaluation import Evaluation
from oddrank.evaluation.ground import (
    MeasuringGround,
    check_box,
    check_direct_sampler,
    criteria_options,
    lay_ground,
    warn_of_few_rows,
)
from oddrank.evaluation.joint import conclude, evaluate_jointly
from oddrank.evaluation.measurement import measure
from oddrank.execution import Workers, single_threaded
from oddrank.reference import ReferenceSampler
from oddrank.rows import (
    BoundingBox,
    FeatureSubsampling,
    Folds,
    as_table,
    check_continuous,
    folds_of,
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
    mass_range: tuple[float, float] = (0.9, 0.999),
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
        Or a table that is not in memory, as in `rank_detectors`.
    orientation : None, "normality" or "abnormality"
        What high scores mean; None takes each library's convention.
    reference : sampler or "auto", optional
        Where volumes come from. By default "auto": as many points as an error of 2 % needs, up to
        8 features (see `oddrank.reference.AutoReference`), and `MultilevelSplitting()` above.
    box : BoundingBox, optional
        Where volumes are measured; the range of `X` by default. Evaluations are comparable only in
        the same box.
    mass_range : (float, float)
        Masses between which the area below the mass-volume curve is taken.
    excess_mass_floor : float
        The area below the excess-mass curve ends where the curve falls to this mass.
    confidence_level : float
    sample : int, optional
        Place the reference points by a random sample of this many rows, and score all rows chunk
        by chunk. By default 200,000 for a table that is not in memory, and all rows otherwise.
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
    options = criteria_options(mass_range, excess_mass_floor, owner)
    root = root_of(random_state, owner)
    X, _, sampled = rows_at_hand(X, None, sample, root=root, owner=owner)
    table = as_table(X)
    if not isinstance(reference, ReferenceSampler) or reference.of_volume:
        check_continuous(table, owner)
    order = natural_order(table.values, root)
    folds = Folds(train_rows=table, test_rows=table, train=(order,), test=(order,))
    folds = folds.sampled_from(sampled)
    ground = MeasuringGround(
        subsampling=None,
        draws=None,
        sampler=check_direct_sampler(reference, table, owner),
        box=check_box(box, *folds.extent, owner=owner),
        options=options,
        confidence_level=check_fraction(confidence_level, "confidence_level", owner),
    )
    normality_function(detector, orientation=orientation)  # refuses what cannot score
    warn_of_few_rows(folds.n_tested(), options)
    name = detector_name(detector)
    fitted = FittedDetector(name=name, detector=detector, orientation=orientation)
    assert ground.box is not None
    with single_threaded():  # as in rankings
        measured = measure(
            fitted,
            folds.test_table(0),
            ground.box,
            ground.sampler,
            options=options,
            root=root,
        )
        criteria = measured.criteria
        if sampled is not None:
            beyond = CountedRows.of(sampled, folds, root)
            criteria = beyond.criteria_of(fitted, folds.test_table(0), measured, options)
    evaluation = conclude(name, FoldedCriteria(folds=(criteria,)), folds, ground)
    warn_if_unresolved(evaluation)
    return evaluation


def evaluate_detector(
    detector: Any,
    X_train: Any,
    X_test: Any = None,
    *,
    subsampling: FeatureSubsampling | str | None = "auto",
    preprocess: Any = None,
    scale: bool = True,
    n_folds: int = 2,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    sample: int | None = None,
    random_state: Any = None,
    **former: Any,
) -> Evaluation:
    """Fit a copy of a detector on some rows and evaluate it on others.

    Parameters
    ----------
    detector : detector with a `fit` method
        It is cloned, never changed.
    X_train : array or frame
    X_test : array or frame, optional
        By default every row of `X_train` is tested by a fit that has not seen it.
    subsampling : "auto", None or FeatureSubsampling
        Algorithm 1 of Goix (2016) in many dimensions; "auto" uses it above 8 features.
    preprocess : transformer or "auto", optional
        As in `rank_detectors`: fitted on the training rows before the detector.
    scale : bool
        Standardise every feature on the training rows first, as `rank_detectors` does: volumes are
        then in standardised units.
    n_folds : int
        Number of fits. Each is tested on rows that it has not seen, and their spread is part of the
        error. With 1 the figures hold for one fitted model.
    box : BoundingBox, optional
        By default the range of training and test rows or, in draws of features, of the test rows.
    n_jobs : int, optional
        Processes for the draws; None leaves it to `joblib.parallel_config`.
    sample : int, optional
        As in `rank_detectors`: fit on a sample, and score all rows chunk by chunk.
    orientation, reference, mass_range, excess_mass_floor, confidence_level, random_state
        As in `evaluate_scores`. A detector whose own `random_state` is None gets one.
    **former
        Options that have moved are refused; the message says where they are now.

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
    refuse_former(former, {"test_size": "n_folds="}, owner)
    check_option(scale, "scale", owner, (True, False))
    options = criteria_options(mass_range, excess_mass_floor, owner)
    root = root_of(random_state, owner)
    X_train, X_test, sampled = rows_at_hand(X_train, X_test, sample, root=root, owner=owner)
    folds = folds_of(X_train, X_test, n_folds, root, owner).sampled_from(sampled)
    ground = lay_ground(
        folds,
        subsampling=subsampling,
        reference=reference,
        box=box,
        options=options,
        confidence_level=confidence_level,
        root=root,
        owner=owner,
    )
    name = detector_name(detector)
    candidate = Candidate(name=name, detector=detector, orientation=orientation)
    candidate.check()
    (candidate,) = prepare_candidates([candidate], preprocess, folds.train_rows, owner)
    warn_of_few_rows(folds.n_tested(), options)
    joint = evaluate_jointly(
        [candidate],
        folds,
        ground,
        scale=scale,
        root=root,
        workers=Workers(n_jobs=n_jobs),
        beyond=None if sampled is None else CountedRows.of(sampled, folds, root),
    )
    if joint.failures:
        raise DetectorFailedError(joint.failures[name])
    evaluation = joint.evaluations[name]
    warn_if_unresolved(evaluation)
    return evaluation


def warn_if_unresolved(evaluation: Evaluation, *, stacklevel: int = 3) -> None:
    """Warn if a criterion has no value."""
    check = evaluation.diagnostics["resolved"]
    if not check.ok:
        message = f"{evaluation.name}: {check.says()}"
        warnings.warn(message, UnresolvedWarning, stacklevel=stacklevel)
