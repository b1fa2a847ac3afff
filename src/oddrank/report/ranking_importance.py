"""Feature importances that a ranking in draws of features gives for nothing."""

from __future__ import annotations

import numpy as np

from oddrank.drawn_criteria import DrawnCriteria
from oddrank.feature_importance import FeatureImportance
from oddrank.ranking_result import Ranking
from oddrank.uncertainty import UNRESOLVED_RATIO

__all__ = ["importance_from_draws"]

FEWEST_DRAWS = 2


def importance_from_draws(ranking: Ranking) -> FeatureImportance | None:
    """Compare the winner's draws with those without each feature; None if there are no draws.

    The ranking's draws are fewer than those of `feature_importance`, and not balanced, so that
    intervals are wider. A feature that was hardly ever drawn, or hardly ever left out, has no
    importance.
    """
    if not ranking.order(ranking.criterion):
        return None
    criteria = ranking.evaluations[ranking.best].criteria
    if not isinstance(criteria, DrawnCriteria):
        return None
    names = ranking.refit.rows.feature_names
    held = np.zeros((len(criteria.draws), len(names)), dtype=bool)
    for position, draw in enumerate(criteria.draws):
        held[position, list(draw)] = True
    drawn = getattr(criteria, ranking.criterion)
    gains = [
        drawn.gain_from(held[:, j], ranking.confidence_level)
        if held[:, j].sum() >= FEWEST_DRAWS
        else UNRESOLVED_RATIO
        for j in range(len(names))
    ]
    if ranking.criterion == "mass_volume":
        gains = [gain.reversed() for gain in gains]
    order = sorted(
        range(len(names)), key=lambda j: -gains[j].value if gains[j].resolved else np.inf
    )
    return FeatureImportance(
        feature_names=tuple(names[j] for j in order),
        importances=tuple(gains[j] for j in order),
        criterion=ranking.criterion,
        detector=ranking.best,
        n_draws=len(criteria.draws),
    )
