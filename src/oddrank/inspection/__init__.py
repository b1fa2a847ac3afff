"""Questions to a finished result: which features help, which rows are odd, what labels say."""

from oddrank.inspection.importance import feature_importance
from oddrank.inspection.importance_result import FeatureImportance
from oddrank.inspection.label_values import anomaly_labels
from oddrank.inspection.labels import LabelCheck, LabelledPlace, check_against_labels
from oddrank.inspection.large_scores import LargeScores, collect_scores, score_large_table
from oddrank.inspection.oddness import OddRows, odd_rows
from oddrank.inspection.ordinary_rows import OrdinaryRows
from oddrank.inspection.questions import OWN_COLUMNS, Questions, ask_rows, beside
from oddrank.inspection.reasons import Reason, explain_rows
from oddrank.inspection.spreads import ColumnSpreads

__all__ = [
    "OWN_COLUMNS",
    "ColumnSpreads",
    "FeatureImportance",
    "LabelCheck",
    "LabelledPlace",
    "LargeScores",
    "OddRows",
    "OrdinaryRows",
    "Questions",
    "Reason",
    "anomaly_labels",
    "ask_rows",
    "beside",
    "check_against_labels",
    "collect_scores",
    "explain_rows",
    "feature_importance",
    "odd_rows",
    "score_large_table",
]
