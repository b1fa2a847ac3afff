"""Which features help: the criterion with and without each feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddrank._random import root_of
from oddrank._typing import BoolArray
from oddrank._validation import check_fraction, check_option
from oddrank.criteria import (
    UNRESOLVED_RATIO,
    Criterion,
    DrawCriteria,
    FoldedCriteria,
    PairedRatio,
    average_draws,
    combine_ratios,
    criterion_named,
)
from oddrank.detectors import name_candidates, prepare_candidates
from oddrank.errors import DetectorFailedError, InvalidDataError, InvalidParameterError
from oddrank.evaluation import (
    Evaluation,
    MeasuringPlan,
    check_sampler,
    criteria_options,
    score_detectors,
    warn_of_few_rows,
)
from oddrank.execution import Workers
from oddrank.inspection.importance_result import FeatureImportance
from oddrank.reference import AutoReference, ReferenceSampler
from oddrank.rows import (
    Draw,
    FeatureSubsampling,
    Table,
    balanced_draws,
    choose_subsampling,
    few_valued_features,
    folds_of,
    rows_at_hand,
    sampled_groups,
)

__all__ = ["feature_importance"]


FEWEST_DRAWS = 2


def importance_sampler() -> AutoReference:
    """Return the sampler for importances: averages over draws, whose spread is most of the error.

    More points per draw hardly lower the errors of importances.
    """
    return AutoReference(relative_error=0.2, max_points=2**15, n_points=2**8)


def feature_importance(
    detector: Any,
    X: Any,
    X_test: Any = None,
    *,
    criterion: str = "excess_mass",
    subsampling: FeatureSubsampling | str = "auto",
    preprocess: Any = None,
    scale: bool = True,
    cv: Any = 2,
    groups: Any = None,
    orientation: str | None = None,
    reference: ReferenceSampler | str | None = None,
    mass_range: tuple[float, float] | str = "auto",
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = None,
    workers: Workers | None = None,
) -> FeatureImportance:
    """Compare the criterion with and without each feature.

    See the remark "Feature importances" in Goix (2016). Draws without a feature are exactly draws
    from the other features. So one pool of draws, in which each feature is drawn equally often,
    serves all features.

    Parameters
    ----------
    detector, X, X_test
        As in `evaluate_detector`; at least two features.
    criterion : "excess_mass" or "mass_volume"
    subsampling : "auto" or FeatureSubsampling
        "auto" makes 200 draws of 5 features (of half of the features if there are fewer than 10)
        with geometric averages, which give every draw the same weight whatever its box.
    preprocess : transformer or "auto", optional
        As in `rank_detectors`; it must take any choice of the columns. If these are not all
        numbers, the criterion is measured against reference measures.
    cv, groups, scale, orientation, reference, mass_range, excess_mass_floor, confidence_level
        As in `evaluate_detector`.
    n_jobs, random_state, workers
        As in `rank_detectors`.

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
    ...     random_state=0,
    ... )
    >>> sorted(importance.feature_names)
    ['x0', 'x1', 'x2', 'x3']
    """
    owner = "feature_importance"
    chosen_criterion = criterion_named(criterion, owner)
    check_fraction(confidence_level, "confidence_level", owner)
    check_option(scale, "scale", owner, (True, False))
    candidates = name_candidates([detector], orientation)
    workers = Workers.of(workers, n_jobs)
    root = root_of(workers.remembered_root if random_state is None else random_state, owner)
    X, sampled = rows_at_hand(X, None, root, owner)
    if X_test is not None:
        X_test, _ = rows_at_hand(X_test, None, root, owner, "X_test")
    groups = sampled_groups(groups, sampled, owner)
    folds = folds_of(X, X_test, cv, root, owner, groups=groups)
    candidates = prepare_candidates(candidates, preprocess, folds.train_rows, owner)
    chosen, test = _choose(subsampling, folds.test_rows, owner), folds.test_rows
    options = criteria_options(mass_range, excess_mass_floor, len(folds.test[0]), owner)
    plan = MeasuringPlan(
        subsampling=chosen,
        draws=balanced_draws(
            chosen, test, root, n_folds=len(folds), varying=folds.varying_features
        ),
        sampler=check_sampler(reference, importance_sampler, owner, table=folds.train_rows),
        box=None,
        options=options,
        confidence_level=confidence_level,
    )
    warn_of_few_rows(len(folds.test[0]), options, stacklevel=3)
    scored = score_detectors(candidates, folds, plan, scale=scale, root=root, workers=workers)
    (name,) = (each.name for each in candidates)
    if scored.failures:
        raise DetectorFailedError(scored.failures[name])
    return _from_draws(
        scored.evaluations[name],
        chosen_criterion,
        test.feature_names,
        confidence_level,
        few_valued=tuple(few_valued_features(test)),
    )


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
    gains = [_gain(criteria, criterion, j, confidence_level) for j in range(len(names))]
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
        n_draws=sum(len(fold.draws) for fold in _drawn(criteria)),
        few_valued=few_valued,
    )


def _gain(
    criteria: FoldedCriteria, criterion: Criterion, feature: int, confidence_level: float
) -> PairedRatio:
    """Return the log average over all draws less that over the draws without a feature."""
    ratios, folds = [], _drawn(criteria)
    for fold in folds:
        without = _without(fold.draws, feature)
        if np.count_nonzero(~without) < FEWEST_DRAWS:
            return UNRESOLVED_RATIO
        draws, shared = fold.single[criterion], fold.shared[criterion]
        others = average_draws(draws, shared, fold.aggregation, without)
        if without[shared].all():
            return UNRESOLVED_RATIO
        whole = fold.criteria[criterion]
        ratios.append(whole.log_ratio(others, confidence_level, corrected=False))
    return combine_ratios(ratios, confidence_level, folds[0].prior)


def _drawn(criteria: FoldedCriteria) -> list[DrawCriteria]:
    return [fold for fold in criteria.folds if isinstance(fold, DrawCriteria)]


def _without(draws: Sequence[Draw], feature: int) -> BoolArray:
    return np.array([feature not in draw for draw in draws])
