"""`rank_detectors`, the ranking it returns, its table, and the verdict in words."""

from oddrank.ranking.rank import rank_detectors
from oddrank.ranking.result import Ranking
from oddrank.ranking.table import Column, RankingTable, concerns_of
from oddrank.ranking.text import verdict_sentences

__all__ = [
    "Column",
    "Ranking",
    "RankingTable",
    "concerns_of",
    "rank_detectors",
    "verdict_sentences",
]
