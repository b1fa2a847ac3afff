"""`rank_detectors`, the judges, the ranking with its table and verdict, the committee."""

from oddrank.ranking.calibrated import CalibratedDetector, FoldCalibrated
from oddrank.ranking.committee import Committee
from oddrank.ranking.comparison import MARGIN, Comparison, compare_volumes
from oddrank.ranking.groups import inseparable_groups, letters
from oddrank.ranking.judgement import Judgement
from oddrank.ranking.judges import JUDGES, Consensus, Judge, References, Volume, as_judge
from oddrank.ranking.mean_areas import judge_by_areas
from oddrank.ranking.questions import first_of_list
from oddrank.ranking.rank import rank_detectors
from oddrank.ranking.result import Ranking
from oddrank.ranking.screen import details_text, screen
from oddrank.ranking.sureness import Sureness, chance_right, sureness_of
from oddrank.ranking.table import TableColumn, ranking_table
from oddrank.ranking.taught import ANSWER_WORDS, TaughtCommittee, Teaching, parsed_answer
from oddrank.ranking.verdict import Verdict

__all__ = [
    "ANSWER_WORDS",
    "JUDGES",
    "MARGIN",
    "CalibratedDetector",
    "Committee",
    "Comparison",
    "Consensus",
    "FoldCalibrated",
    "Judge",
    "Judgement",
    "Ranking",
    "References",
    "Sureness",
    "TableColumn",
    "TaughtCommittee",
    "Teaching",
    "Verdict",
    "Volume",
    "as_judge",
    "chance_right",
    "compare_volumes",
    "details_text",
    "first_of_list",
    "inseparable_groups",
    "judge_by_areas",
    "letters",
    "parsed_answer",
    "rank_detectors",
    "ranking_table",
    "screen",
    "sureness_of",
]
