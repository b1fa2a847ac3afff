"""`rank_detectors`, the ranking it returns, its table, and the verdict in words."""

from oddrank.ranking.changes import changes_since, read_ranking
from oddrank.ranking.rank import rank_detectors
from oddrank.ranking.result import Ranking
from oddrank.ranking.screen import details_text, screen
from oddrank.ranking.table import Column, RankingTable
from oddrank.ranking.verdict import Check, Verdict

__all__ = [
    "Check",
    "Column",
    "Ranking",
    "RankingTable",
    "Verdict",
    "changes_since",
    "details_text",
    "rank_detectors",
    "read_ranking",
    "screen",
]
