"""Pure functions of what a fit says: EM, MV, areas, their errors, tails and p-values."""

from oddrank.criteria.calibration import (
    GAUSSIAN,
    ScoreTail,
    conformal_p_values,
    marks_of_rows,
    middle_and_spread,
    spreads_below,
)
from oddrank.criteria.counted import counted_criteria
from oddrank.criteria.criterion import (
    CRITERIA,
    EXCESS_MASS,
    MASS_VOLUME,
    SCORE,
    Criterion,
    criterion_named,
)
from oddrank.criteria.draws import DrawCriteria, average_draws, criteria_in_draws
from oddrank.criteria.estimate import (
    UNRESOLVED_RATIO,
    Estimate,
    PairedRatio,
    SampledCriterion,
    holm,
    interval_reach,
)
from oddrank.criteria.fits import (
    AREA_PRIOR,
    COMPARED_PRIOR,
    FitPrior,
    combine_fits,
    variance_between_fits,
)
from oddrank.criteria.folded import FoldedCriteria, combine_ratios
from oddrank.criteria.masses import check_masses, masses_for, rows_needed
from oddrank.criteria.roc import MeasuredAreas, RocArea, roc_area
from oddrank.criteria.sampled import (
    CriteriaOptions,
    FitCriteria,
    fit_criteria,
    innermost_threshold,
    share_tied,
)
from oddrank.criteria.scored_fold import FailedFold, ScoredFold

__all__ = [
    "AREA_PRIOR",
    "COMPARED_PRIOR",
    "CRITERIA",
    "EXCESS_MASS",
    "GAUSSIAN",
    "MASS_VOLUME",
    "SCORE",
    "UNRESOLVED_RATIO",
    "CriteriaOptions",
    "Criterion",
    "DrawCriteria",
    "Estimate",
    "FailedFold",
    "FitCriteria",
    "FitPrior",
    "FoldedCriteria",
    "MeasuredAreas",
    "PairedRatio",
    "RocArea",
    "SampledCriterion",
    "ScoreTail",
    "ScoredFold",
    "average_draws",
    "check_masses",
    "combine_fits",
    "combine_ratios",
    "conformal_p_values",
    "counted_criteria",
    "criteria_in_draws",
    "criterion_named",
    "fit_criteria",
    "holm",
    "innermost_threshold",
    "interval_reach",
    "marks_of_rows",
    "masses_for",
    "middle_and_spread",
    "roc_area",
    "rows_needed",
    "share_tied",
    "spreads_below",
    "variance_between_fits",
]
