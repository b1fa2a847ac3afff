"""Detectors scored on the same rows and points, evaluated, and when to trust the figures."""

from oddrank.evaluation.curve_bands import (
    CurveBand,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
)
from oddrank.evaluation.diagnostics import check_ties
from oddrank.evaluation.evaluate import evaluate_detector, evaluate_scores
from oddrank.evaluation.evaluation import WORST_FIRST, Diagnostic, Evaluation
from oddrank.evaluation.fold_task import score_fold
from oddrank.evaluation.measuring_plan import (
    MeasuringPlan,
    check_box,
    check_sampler,
    criteria_options,
    plan_measures,
    plan_volumes,
    warn_of_few_rows,
)
from oddrank.evaluation.scored_detectors import (
    ScoredDetectors,
    ScoredFits,
    criteria_of,
    score_detectors,
)

__all__ = [
    "WORST_FIRST",
    "CurveBand",
    "Diagnostic",
    "Evaluation",
    "MeasuringPlan",
    "ScoredDetectors",
    "ScoredFits",
    "check_box",
    "check_sampler",
    "check_ties",
    "criteria_of",
    "criteria_options",
    "evaluate_detector",
    "evaluate_scores",
    "excess_mass_band",
    "levels_to_show",
    "mass_volume_band",
    "plan_measures",
    "plan_volumes",
    "score_detectors",
    "score_fold",
    "warn_of_few_rows",
]
