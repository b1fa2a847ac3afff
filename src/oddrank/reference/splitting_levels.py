"""A first, small run that chooses the levels of multilevel splitting and its moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.reference.differential_moves import Chains, DifferentialMoves
from oddrank.rows import BoundingBox

__all__ = ["Level", "SplittingLevels", "choose_levels", "spread_starts"]

# With this share surviving from level to level, the variance of a volume per scored point is
# smallest: (1 - p) / (p log²p) has its minimum there.
SURVIVORS = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Level:
    """One level set of the nested ones.

    Attributes
    ----------
    score : float
        The level set is where scores are at least this.
    moves : DifferentialMoves
        How chains move inside it.
    """

    score: float
    moves: DifferentialMoves


@dataclass(frozen=True, kw_only=True, eq=False)
class SplittingLevels:
    """Nested level sets from the box inwards.

    Attributes
    ----------
    levels : tuple of Level
        The last one is the target, unless the run got stuck before.
    n_scored : int
        Points that were scored to choose them.
    scored_share : float
        Share of the proposals that were in the box, and so had to be scored.
    """

    levels: tuple[Level, ...]
    n_scored: int
    scored_share: float


def choose_levels(
    score: Callable[[FloatArray], FloatArray],
    box: BoundingBox,
    target: float,
    *,
    n_points: int,
    chain_length: int,
    budget: int,
    random: np.random.Generator,
) -> SplittingLevels:
    """Go inwards from the box, a fifth of the points surviving each time, until the target.

    Levels are chosen here, and only here: with levels and moves that do not depend on the points of
    the main run, the product of its shares is unbiased for the volume. The run ends before the
    target if no point is above the last level, or if the budget is used up.
    """
    points = box.scale_up(random.random((n_points, box.n_features)))
    states = Chains(points=points, scores=score(points))
    levels: list[Level] = []
    n_scored, n_proposed = n_points, 0
    last = float(states.scores.min())
    while (not levels or last < target) and n_scored < budget:
        level = _next_level(states.scores, last, target)
        survivors = np.flatnonzero(states.scores >= level)
        distinct = np.unique(states.points[survivors], axis=0)
        if len(distinct) < 2:
            break
        starts = states.at(
            spread_starts(survivors, states.scores, n_points // chain_length, random)
        )
        moves = DifferentialMoves(population=distinct, box=box)
        moved = moves.run(starts, level, chain_length, score, random)
        states = moved.states
        n_scored += moved.n_scored
        n_proposed += chain_length * len(starts)
        population = np.unique(np.concatenate((states.points, distinct)), axis=0)
        levels.append(Level(score=level, moves=DifferentialMoves(population=population, box=box)))
        last = level
    share = (n_scored - n_points) / n_proposed if n_proposed else 1.0
    return SplittingLevels(levels=tuple(levels), n_scored=n_scored, scored_share=share)


def _next_level(scores: FloatArray, last: float, target: float) -> float:
    level = float(np.quantile(scores, 1.0 - SURVIVORS, method="higher"))
    if level <= last:
        # A plateau: most points share one score. The next level is the next score above it; if
        # there is none, nothing survives, and the run ends.
        level = float(scores[scores > last].min(initial=np.inf))
    return min(level, target)


def spread_starts(
    survivors: npt.NDArray[np.intp],
    scores: FloatArray,
    n_starts: int,
    random: np.random.Generator,
) -> npt.NDArray[np.intp]:
    """Choose survivors, each equally often on average, evenly along their scores."""
    # Ties are broken at random, so that no place is favoured on a plateau.
    order = random.permutation(survivors)
    order = order[np.argsort(scores[order], kind="stable")]
    position = (np.arange(n_starts) + random.random()) / n_starts
    return np.asarray(order[(position * len(order)).astype(np.intp)])
