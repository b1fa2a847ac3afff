"""Detectors measured on the same rows, and when to trust the figures."""

from oddrank.evaluation.counted_model import RowsBeyond
from oddrank.evaluation.counting import CountedRows
from oddrank.evaluation.curve_bands import (
    CurveBand,
    best_pair,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
    pair_at,
)
from oddrank.evaluation.evaluate import evaluate_detector, evaluate_scores
from oddrank.evaluation.evaluation import WORST_FIRST, Diagnostic, Diagnostics, Evaluation
from oddrank.evaluation.ground import (
    MeasuringGround,
    check_box,
    check_is_box,
    check_sampler,
    criteria_options,
    importance_sampler,
    lay_ground,
    shown_sampler,
    warn_of_constants,
    warn_of_few_rows,
)
from oddrank.evaluation.joint import JointEvaluation, evaluate_jointly
from oddrank.evaluation.measurement import measure
from oddrank.evaluation.task import EvaluationPlan, EvaluationTask
from oddrank.evaluation.task_result import TaskResult

__all__ = [
    "WORST_FIRST",
    "CountedRows",
    "CurveBand",
    "Diagnostic",
    "Diagnostics",
    "Evaluation",
    "EvaluationPlan",
    "EvaluationTask",
    "JointEvaluation",
    "MeasuringGround",
    "RowsBeyond",
    "TaskResult",
    "best_pair",
    "check_box",
    "check_is_box",
    "check_sampler",
    "criteria_options",
    "evaluate_detector",
    "evaluate_jointly",
    "evaluate_scores",
    "excess_mass_band",
    "importance_sampler",
    "lay_ground",
    "levels_to_show",
    "mass_volume_band",
    "measure",
    "pair_at",
    "shown_sampler",
    "warn_of_constants",
    "warn_of_few_rows",
]
