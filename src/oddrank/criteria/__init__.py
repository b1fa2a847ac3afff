"""Areas with their resamples: estimates with errors, paired ratios, draws, ROC areas, Holm."""

from oddrank.criteria.calibration import (
    GAUSSIAN,
    ScoreTail,
    calibrated_threshold,
    choice_of_rows,
    conformal_p_values,
    marks_of_rows,
    middle_and_spread,
    spreads_below,
)
from oddrank.criteria.counted import ScoreCounts, counted_areas, counted_criteria
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
    interval_reach,
)
from oddrank.criteria.folded import (
    AREA_PRIOR,
    VOLUME_PRIOR,
    FitPrior,
    FoldedCriteria,
    FoldedCriterion,
    combine_fits,
)
from oddrank.criteria.odd_counts import OddCounts
from oddrank.criteria.roc import MeasuredAreas, RocArea, roc_area
from oddrank.criteria.sampled import (
    CriteriaOptions,
    SampledCriteria,
    innermost_threshold,
    sample_criteria,
)
from oddrank.criteria.tail_model import TailModel, model_tail

__all__ = [
    "AREA_PRIOR",
    "CRITERIA",
    "EXCESS_MASS",
    "GAUSSIAN",
    "MASS_VOLUME",
    "SCORE",
    "UNRESOLVED",
    "UNRESOLVED_RATIO",
    "VOLUME_PRIOR",
    "CriteriaOptions",
    "Criterion",
    "DrawAreas",
    "DrawnArea",
    "DrawnCriteria",
    "DrawnCriterion",
    "Estimate",
    "FitPrior",
    "FoldedCriteria",
    "FoldedCriterion",
    "MeasuredAreas",
    "OddCounts",
    "PairedRatio",
    "RocArea",
    "SampledCriteria",
    "SampledCriterion",
    "ScoreCounts",
    "ScoreTail",
    "TailModel",
    "calibrated_threshold",
    "choice_of_rows",
    "combine_fits",
    "conformal_p_values",
    "counted_areas",
    "counted_criteria",
    "criterion_named",
    "holm",
    "innermost_threshold",
    "interval_reach",
    "marks_of_rows",
    "middle_and_spread",
    "model_tail",
    "roc_area",
    "sample_criteria",
    "spreads_below",
]
