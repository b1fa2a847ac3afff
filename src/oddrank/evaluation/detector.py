"""Fit a copy of one detector on some rows and evaluate it on others."""

from __future__ import annotations

from typing import Any

from oddrank._random import root_of
from oddrank._validation import check_option, refuse_former
from oddrank.detectors import Candidate, detector_name
from oddrank.errors import DetectorFailedError
from oddrank.evaluation.evaluation import Evaluation, warn_if_unresolved
from oddrank.evaluation.ground import criteria_options, lay_ground, warn_of_few_rows
from oddrank.evaluation.joint import evaluate_jointly
from oddrank.execution import Workers
from oddrank.reference import ReferenceSampler
from oddrank.rows import BoundingBox, FeatureSubsampling, folds_of

__all__ = ["evaluate_detector"]


def evaluate_detector(
    detector: Any,
    X_train: Any,
    X_test: Any = None,
    *,
    subsampling: FeatureSubsampling | str | None = "auto",
    scale: bool = True,
    n_folds: int = 2,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
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
        Without it every row of `X_train` is tested by a fit that has not seen it.
    subsampling : "auto", None or FeatureSubsampling
        Algorithm 1 of Goix (2016) in many dimensions; "auto" uses it above 8 features.
    scale : bool
        Standardise every feature on the training rows first, as `rank_detectors` does: volumes are
        then in standardised units.
    n_folds : int
        Fits, each tested on rows that it has not seen: their spread is part of the error. With 1
        the figures speak of one fitted model.
    box : BoundingBox, optional
        By default the range of training and test rows or, in draws of features, of the test rows.
    n_jobs : int, optional
        Processes for the draws; None leaves it to `joblib.parallel_config`.
    orientation, reference, mass_range, excess_mass_floor, confidence_level, random_state
        As in `evaluate_scores`. A detector whose own `random_state` is None is given one.
    **former
        Options that have moved are refused with a sentence that says where they are now.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> evaluation = evaluate_detector(IsolationForest(), X, random_state=0)
    >>> bool(evaluation.mass_volume.value > 2.0)  # no detector is better than the density itself
    True
    """
    owner = "evaluate_detector"
    refuse_former(former, {"test_size": "n_folds="}, owner)
    check_option(scale, "scale", owner, (True, False))
    options = criteria_options(mass_range, excess_mass_floor, owner)
    root = root_of(random_state, owner)
    folds = folds_of(X_train, X_test, n_folds, root, owner)
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
    warn_of_few_rows(folds.test_table(0), options)
    joint = evaluate_jointly(
        [candidate], folds, ground, scale=scale, root=root, workers=Workers(n_jobs=n_jobs)
    )
    if joint.failures:
        raise DetectorFailedError(joint.failures[name])
    evaluation = joint.evaluations[name]
    warn_if_unresolved(evaluation)
    return evaluation
