"""Areas with their resamples: estimates with errors, paired ratios, draws, ROC areas, Holm."""

from oddrank.criteria.criterion import (
    CRITERIA,
    EXCESS_MASS,
    MASS_VOLUME,
    SCORE,
    Criterion,
    criterion_named,
)
from oddrank.criteria.drawn import DrawAreas, DrawnArea, DrawnCriteria, DrawnCriterion
from oddrank.criteria.estimate import (
    UNRESOLVED,
    UNRESOLVED_RATIO,
    Estimate,
    PairedRatio,
    SampledCriterion,
    holm,
)
from oddrank.criteria.roc import MeasuredAreas, RocArea, roc_area
from oddrank.criteria.sampled import (
    CriteriaOptions,
    SampledCriteria,
    innermost_threshold,
    sample_criteria,
)

__all__ = [
    "CRITERIA",
    "EXCESS_MASS",
    "MASS_VOLUME",
    "SCORE",
    "UNRESOLVED",
    "UNRESOLVED_RATIO",
    "CriteriaOptions",
    "Criterion",
    "DrawAreas",
    "DrawnArea",
    "DrawnCriteria",
    "DrawnCriterion",
    "Estimate",
    "MeasuredAreas",
    "PairedRatio",
    "RocArea",
    "SampledCriteria",
    "SampledCriterion",
    "criterion_named",
    "holm",
    "innermost_threshold",
    "roc_area",
    "sample_criteria",
]
