"""Volumes in many features: nested level sets, each measured inside the next larger one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oddrank._typing import FloatArray
from oddrank._validation import check_integer
from oddrank.errors import InvalidParameterError
from oddrank.reference.differential_moves import Chains
from oddrank.reference.samplers_by_scores import FollowingSampler
from oddrank.reference.scored_rows import ScoredPoints
from oddrank.reference.splitting_levels import Level, SplittingLevels, choose_levels, spread_starts
from oddrank.rows import BoundingBox

__all__ = ["MultilevelSplitting"]

# The run that chooses the levels has this share of the points at each level, and at most so many.
PILOT_SHARE = 1.0 / 64.0
PILOT_BUDGET = 1.0 / 3.0
PILOT_CHAIN_LENGTH = 32
# A plan: the number of proposals outside the box, which are not scored, is roughly known.
PLANNED_SHARE = 0.97
# A replicate with fewer chains than this has too few starting points for several clusters.
FEWEST_CHAINS = 16


@dataclass(frozen=True)
class MultilevelSplitting(FollowingSampler):
    """Points that go inwards from level set to level set, for 10 to 50 features.

    In 30 features a level set that holds 90 % of the rows fills `exp(-10)` of their box or less,
    and no fixed set of points resolves it. Here uniform points in the box are scored. Those above a
    level are uniform in that level set, Markov chains that start from them spread inside it, and so
    on inwards. The volume is a product of shares, none of them small (Kahn and Harris 1951; Au and
    Beck 2001). All states of the chains count (Dau and Chopin 2022). Levels and moves come from a
    first small run, so the volumes of the main run are unbiased for every scoring function, also
    for piecewise constant ones.

    Points follow the scores. Each detector has its own points, and two detectors have none in
    common. So the error of a comparison is that of two independent measurements.

    Parameters
    ----------
    n_points : int
        Approximate limit of the points that one detector scores, with the first run.
    n_replicates : int
        Independent runs, at least 2; their spread gives the error.
    chain_length : int
        Steps of each chain, including the first state.

    References
    ----------
    S.-K. Au and J. Beck, "Estimation of small failure probabilities in high dimensions by subset
    simulation", Probabilistic Engineering Mechanics 16, 2001. H.-D. Dau and N. Chopin, "Waste-free
    sequential Monte Carlo", Journal of the Royal Statistical Society B 84, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 12))
    >>> density = lambda X: -(X**2).sum(axis=1)
    >>> splitting = MultilevelSplitting(n_points=2**16)
    >>> evaluation = evaluate_scores(density, X, reference=splitting, random_state=0)
    >>> bool(evaluation.mass_volume.relative_error < 0.2)
    True
    """

    n_points: int = 2**18
    n_replicates: int = 16
    chain_length: int = 32

    def __post_init__(self) -> None:
        owner = "MultilevelSplitting"
        check_integer(self.n_points, "n_points", owner)
        check_integer(self.n_replicates, "n_replicates", owner, minimum=2)
        check_integer(self.chain_length, "chain_length", owner, minimum=2)
        least = 4 * self.n_replicates * FEWEST_CHAINS * 2
        if self.n_points < least:
            raise InvalidParameterError(
                f"The 'n_points' parameter of {owner} must be at least {least} for "
                f"{self.n_replicates} replicates. Got {self.n_points} instead."
            )

    @property
    def points_per_replicate(self) -> int:
        """Approximate limit of the points that one replicate scores."""
        return self.n_points // self.n_replicates

    def follow(
        self,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        target: float,
        random: np.random.Generator,
    ) -> ScoredPoints:
        """Return scores and weights of all replicates, as `FollowingSampler` says."""
        size = max(2 * PILOT_CHAIN_LENGTH, int(self.n_points * PILOT_SHARE))
        chosen = choose_levels(
            score,
            box,
            target,
            n_points=size,
            chain_length=PILOT_CHAIN_LENGTH,
            budget=int(self.n_points * PILOT_BUDGET),
            random=random,
        )
        n_chains, length = self._shape(chosen)
        runs = _Runs(self.n_replicates, n_chains * length, score, box, random)
        for level in chosen.levels:
            runs.descend(level, n_chains, length)
        return runs.results()

    def _shape(self, chosen: SplittingLevels) -> tuple[int, int]:
        # Chains per replicate and their length, so that all levels together use up the budget.
        left = PLANNED_SHARE * (self.n_points - chosen.n_scored) / self.n_replicates
        n_states = left / (1.0 + len(chosen.levels) * chosen.scored_share)
        length = int(np.clip(n_states / FEWEST_CHAINS, 2, self.chain_length))
        return max(FEWEST_CHAINS, int(n_states / length)), length


class _Runs:
    """Replicates that move together: at each step one call scores all their points."""

    def __init__(
        self,
        n_replicates: int,
        n_points: int,
        score: Callable[[FloatArray], FloatArray],
        box: BoundingBox,
        random: np.random.Generator,
    ) -> None:
        self._score, self._random = score, random
        points = box.scale_up(random.random((n_replicates * n_points, box.n_features)))
        scores = score(points)
        self._states = [
            Chains(points=part, scores=of_part)
            for part, of_part in zip(
                np.split(points, n_replicates), np.split(scores, n_replicates), strict=True
            )
        ]
        self._log_volumes = np.zeros(n_replicates)
        self._scores: list[list[FloatArray]] = [[] for _ in range(n_replicates)]
        self._log_weights: list[list[FloatArray]] = [[] for _ in range(n_replicates)]
        self._movement = 1.0

    def descend(self, level: Level, n_chains: int, length: int) -> None:
        """Set the points below the level aside, and spread the others inside it."""
        starts = []
        for index, states in enumerate(self._states):
            inside = states.scores >= level.score
            self._keep(index, states.scores[~inside], len(states))
            survivors = np.flatnonzero(inside)
            if len(survivors) == 0:
                # This replicate has found no volume here, so it counts as 0.
                self._log_volumes[index] = -np.inf
                starts.append(states.at(survivors))
                continue
            self._log_volumes[index] += np.log(len(survivors) / len(states))
            chosen = spread_starts(survivors, states.scores, n_chains, self._random)
            starts.append(states.at(chosen))
        together = Chains(
            points=np.concatenate([part.points for part in starts]),
            scores=np.concatenate([part.scores for part in starts]),
        )
        if len(together) == 0:
            self._states = starts
            return
        moved = level.moves.run(together, level.score, length - 1, self._score, self._random)
        n_proposed = (length - 1) * len(together)
        self._movement = min(self._movement, moved.n_accepted / n_proposed)
        self._states = _apart(moved.states, [len(part) for part in starts], length)

    def results(self) -> ScoredPoints:
        """Return the points set aside at every level, and all points in the last one."""
        for index, states in enumerate(self._states):
            self._keep(index, states.scores, len(states))
        return ScoredPoints(
            scores=tuple(map(np.concatenate, self._scores)),
            log_weights=tuple(map(np.concatenate, self._log_weights)),
            movement=self._movement,
        )

    def _keep(self, index: int, scores: FloatArray, n_states: int) -> None:
        # Points between two levels share the volume between them: each has the volume of the outer
        # level set, divided by the number of points in it.
        if len(scores):
            log_weight = self._log_volumes[index] - np.log(n_states)
            self._scores[index].append(scores)
            self._log_weights[index].append(np.full(len(scores), log_weight))


def _apart(states: Chains, sizes: list[int], length: int) -> list[Chains]:
    # States are in the order of steps, chains within each step, replicate after replicate.
    owner = np.tile(np.repeat(np.arange(len(sizes)), sizes), length)
    return [states.at(np.flatnonzero(owner == index)) for index in range(len(sizes))]
