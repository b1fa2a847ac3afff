"""Which features help: the criterion with and without each feature."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from oddrank._random import root_of
from oddrank._typing import BoolArray
from oddrank._validation import check_fraction, check_option, refuse_former
from oddrank.criteria import (
    CRITERIA,
    MASS_VOLUME,
    UNRESOLVED_RATIO,
    Criterion,
    DrawnCriteria,
    criterion_named,
)
from oddrank.detectors import name_candidates, prepare_candidates
from oddrank.errors import DetectorFailedError, InvalidDataError, InvalidParameterError
from oddrank.evaluation import (
    Evaluation,
    MeasuringGround,
    check_sampler,
    criteria_options,
    evaluate_jointly,
    importance_sampler,
    warn_of_few_rows,
)
from oddrank.execution import Workers
from oddrank.inspection.importance_result import FeatureImportance
from oddrank.ranking import Ranking
from oddrank.reference import ReferenceSampler
from oddrank.rows import (
    Draw,
    FeatureSubsampling,
    Table,
    balanced_draws,
    choose_subsampling,
    few_valued_features,
    folds_of,
)

__all__ = ["feature_importance", "importance_from_draws"]


FEWEST_DRAWS = 2


def feature_importance(
    detector: Any,
    X_train: Any,
    X_test: Any = None,
    *,
    criterion: str = "excess_mass",
    subsampling: FeatureSubsampling | str = "auto",
    preprocess: Any = None,
    scale: bool = True,
    n_folds: int = 2,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    random_state: Any = None,
    **former: Any,
) -> FeatureImportance:
    """Compare the criterion with and without each feature.

    See the remark "Feature importances" in Goix (2016). Draws without a feature are exactly draws
    from the other features. So one pool of draws, in which each feature is drawn equally often,
    serves all features.

    Parameters
    ----------
    detector, X_train, X_test
        As in `evaluate_detector`; at least two features.
    criterion : "excess_mass" or "mass_volume"
    subsampling : "auto" or FeatureSubsampling
        "auto" makes 200 draws of 5 features (of half of the features if there are fewer than 10)
        with geometric averages, which give every draw the same weight whatever its box.
    preprocess : transformer or "auto", optional
        As in `rank_detectors`; it must take any choice of the columns. If these are not all
        numbers, the criterion is measured against reference measures.
    n_folds, scale, orientation, reference, mass_range, excess_mass_floor, confidence_level
        As in `evaluate_detector`.
    n_jobs, client, checkpoint, progress, random_state
        As in `rank_detectors`.
    **former
        Options that have moved are refused; the message says where they are now.

    Returns
    -------
    FeatureImportance

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from oddrank import FeatureSubsampling, feature_importance
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> importance = feature_importance(
    ...     EllipticEnvelope(), X, subsampling=FeatureSubsampling(2, n_draws=8),
    ...     mass_range=(0.9, 0.95), random_state=0,
    ... )
    >>> sorted(importance.feature_names)
    ['x0', 'x1', 'x2', 'x3']
    """
    owner = "feature_importance"
    refuse_former(former, {"test_size": "n_folds="}, owner)
    chosen_criterion = criterion_named(criterion, owner)
    options = criteria_options(mass_range, excess_mass_floor, owner)
    check_fraction(confidence_level, "confidence_level", owner)
    check_option(scale, "scale", owner, (True, False))
    candidates = name_candidates([detector], orientation)
    workers = Workers(n_jobs=n_jobs, client=client, checkpoint=checkpoint, progress=progress)
    root = root_of(workers.remembered_root if random_state is None else random_state, owner)
    folds = folds_of(X_train, X_test, n_folds, root, owner)
    candidates = prepare_candidates(candidates, preprocess, folds.train_rows, owner)
    sampler = check_sampler(reference, importance_sampler, owner, table=folds.train_rows)
    chosen = _choose(subsampling, folds.test_rows, owner)
    ground = MeasuringGround(
        subsampling=chosen,
        draws=balanced_draws(
            chosen,
            folds.test_rows,
            root,
            n_folds=len(folds),
            varying=folds.varying_features,
        ),
        sampler=sampler,
        box=None,
        options=options,
        confidence_level=confidence_level,
    )
    warn_of_few_rows(folds.n_tested(), options)
    joint = evaluate_jointly(candidates, folds, ground, scale=scale, root=root, workers=workers)
    (name,) = (each.name for each in candidates)
    if joint.failures:
        raise DetectorFailedError(joint.failures[name])
    return _from_draws(
        joint.evaluations[name],
        chosen_criterion,
        folds.test_rows.feature_names,
        confidence_level,
        few_valued=tuple(few_valued_features(folds.test_rows)),
    )


def importance_from_draws(ranking: Ranking) -> FeatureImportance | None:
    """Compare the winner's draws with those without each feature; None if there are no draws.

    A ranking has fewer draws than `feature_importance`, and they are not balanced, so intervals are
    wider.
    """
    if not ranking.order:
        return None
    winner = ranking.evaluations[ranking.best]
    if not winner.criteria.drawn:
        return None
    names = ranking.refit.rows.feature_names
    decides = ranking.judgement.criterion
    # reference measures judge in all features at once; importances need volumes in draws
    criterion = decides if decides in CRITERIA else MASS_VOLUME
    few_valued = tuple(few_valued_features(ranking.refit.rows))
    return _from_draws(winner, criterion, names, ranking.confidence_level, few_valued=few_valued)


def _choose(subsampling: Any, test: Table, owner: str) -> FeatureSubsampling:
    if test.n_features < 2:
        raise InvalidDataError(
            "One feature cannot be compared with others. Give a table of at least two features."
        )
    if isinstance(subsampling, str) and subsampling == "auto":
        n_features = min(5, test.n_features // 2)
        return FeatureSubsampling(n_features, n_draws=200, aggregation="geometric")
    chosen = choose_subsampling(subsampling, test, owner)
    if chosen is None or chosen.n_features == test.n_features:
        raise InvalidParameterError(
            f"The 'subsampling' parameter of {owner} must draw fewer features than there are "
            f"({test.n_features}), because a feature must sometimes be absent."
        )
    return chosen


def _from_draws(
    evaluation: Evaluation,
    criterion: Criterion,
    names: Sequence[str],
    confidence_level: float,
    *,
    few_valued: tuple[str, ...],
) -> FeatureImportance:
    """Compare the average over all draws with that over the draws without each feature.

    A feature that was hardly ever drawn, or almost always, has no importance.
    """
    criteria = evaluation.criteria
    folds = [fold for fold in criteria.folds if isinstance(fold, DrawnCriteria)]
    held = [_held(fold.draws, len(names)) for fold in folds]
    gains = [
        criteria[criterion].gain_from([each[:, j] for each in held], confidence_level)
        if min(each[:, j].sum() for each in held) >= FEWEST_DRAWS
        else UNRESOLVED_RATIO
        for j in range(len(names))
    ]
    if not criterion.higher_is_better:
        gains = [gain.reversed() for gain in gains]
    order = sorted(
        range(len(names)), key=lambda j: -gains[j].value if gains[j].resolved else np.inf
    )
    return FeatureImportance(
        feature_names=tuple(names[j] for j in order),
        importances=tuple(gains[j] for j in order),
        criterion=criterion.name,
        detector=evaluation.name,
        n_draws=len(criteria.draws),
        few_valued=few_valued,
    )


def _held(draws: Sequence[Draw], n_features: int) -> BoolArray:
    held = np.zeros((len(draws), n_features), dtype=bool)
    for position, draw in enumerate(draws):
        held[position, list(draw)] = True
    return held
