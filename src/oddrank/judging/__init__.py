"""Leads by reference measures, volumes and peers, how often they were right; the committee."""

from oddrank.judging.calibrated import CalibratedDetector, FoldCalibrated
from oddrank.judging.committee import Committee, committee_size, mean_log_tails
from oddrank.judging.groups import inseparable_groups, letters
from oddrank.judging.judgement import MARGIN, Comparison, Judgement, compare_volumes
from oddrank.judging.judges import (
    JUDGES,
    Consensus,
    Heard,
    Judge,
    References,
    Volume,
    as_judge,
)
from oddrank.judging.leads import judge_by_areas
from oddrank.judging.peers import CONSENSUS_KINDS, consensus, oddest_together
from oddrank.judging.sureness import Sureness, chance_right, lost_by_labels, sureness_of

__all__ = [
    "CONSENSUS_KINDS",
    "JUDGES",
    "MARGIN",
    "CalibratedDetector",
    "Committee",
    "Comparison",
    "Consensus",
    "FoldCalibrated",
    "Heard",
    "Judge",
    "Judgement",
    "References",
    "Sureness",
    "Volume",
    "as_judge",
    "chance_right",
    "committee_size",
    "compare_volumes",
    "consensus",
    "inseparable_groups",
    "judge_by_areas",
    "letters",
    "lost_by_labels",
    "mean_log_tails",
    "oddest_together",
    "sureness_of",
]
