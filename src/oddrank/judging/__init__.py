"""Orders by measures and peers, leads between two detectors, and how often leads were right."""

from oddrank.judging.comparison import (
    Comparison,
    compare_volumes,
    inseparable_groups,
    letters,
)
from oddrank.judging.judgement import Judgement
from oddrank.judging.judges import (
    JUDGES,
    Combined,
    Consensus,
    Heard,
    Judge,
    References,
    Volume,
    as_judge,
)
from oddrank.judging.peers import CONSENSUS_KINDS, consensus
from oddrank.judging.sureness import Sureness, bounded_lead, chance_right, sureness_of
from oddrank.judging.votes import Votes, shares_beaten

__all__ = [
    "CONSENSUS_KINDS",
    "JUDGES",
    "Combined",
    "Comparison",
    "Consensus",
    "Heard",
    "Judge",
    "Judgement",
    "References",
    "Sureness",
    "Volume",
    "Votes",
    "as_judge",
    "bounded_lead",
    "chance_right",
    "compare_volumes",
    "consensus",
    "inseparable_groups",
    "letters",
    "shares_beaten",
    "sureness_of",
]
