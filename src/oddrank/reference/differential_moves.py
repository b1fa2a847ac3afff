"""Markov moves that leave the uniform law of a level set unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.rows import BoundingBox

__all__ = ["Chains", "DifferentialMoves", "Moved"]

# Some moves change all features, others a few. A level set in many features is often close to a
# product, and then small groups of features may move far at once.
WHOLE_MOVES = 0.3
# Steps as long as the distance between two points of the population lead from cluster to cluster.
LONG_MOVES = 0.1
# The best step of random-walk moves in many dimensions, in units of the spread (ter Braak 2006).
_STEP = 2.38 / np.sqrt(2.0)
# Steps shorter and longer than the best one reach small clusters and cross large ones.
_SPREAD_OF_STEPS = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Chains:
    """Where chains are, and how normal these places are.

    Attributes
    ----------
    points : array of shape (n_chains, n_features)
    scores : array of shape (n_chains,)
    """

    points: FloatArray
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.scores)

    def at(self, index: npt.NDArray[np.intp]) -> Chains:
        """Return these chains only; a repeated index repeats a chain."""
        return Chains(points=self.points[index], scores=self.scores[index])


@dataclass(frozen=True, kw_only=True, eq=False)
class Moved:
    """All states of chains after some steps, the first steps first.

    Attributes
    ----------
    states : Chains
    n_scored, n_accepted : int
        Proposals that were scored (those in the box), and those that were accepted.
    """

    states: Chains
    n_scored: int
    n_accepted: int


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferentialMoves:
    """Steps along the difference of two points of a population that does not move itself.

    A proposal adds `g (a - b)` to a point, or to some of its features, where `a` and `b` are two
    different points of the population (ter Braak 2006): steps are as long and as inclined as the
    level set, however thin it is, and some lead from one cluster to another. It is accepted if it
    is in the box and in the level set; otherwise the chain stays. Neither the step nor its length
    depends on the point that moves, and a step is as likely as its reverse: the uniform law on the
    level set is exactly invariant.

    Attributes
    ----------
    population : array of shape (n_points, n_features)
        Distinct points, at least 2.
    box : BoundingBox

    References
    ----------
    C. ter Braak, "A Markov chain Monte Carlo version of the genetic algorithm differential
    evolution", Statistics and Computing 16, 2006.
    """

    population: FloatArray
    box: BoundingBox

    def propose(self, points: FloatArray, random: np.random.Generator) -> FloatArray:
        """Return one proposal per point."""
        n_points, n_features = points.shape
        n_population = len(self.population)
        first = random.integers(n_population, size=n_points)
        second = (first + random.integers(1, n_population, size=n_points)) % n_population
        share = np.exp(random.random(n_points) * np.log(max(2.0, n_features / 2.0) + 1.0))
        share = np.minimum(share / n_features, 1.0)
        share[random.random(n_points) < WHOLE_MOVES] = 1.0
        lengths = np.minimum(_STEP / np.sqrt(share * n_features), 1.0)
        lengths *= np.exp(_SPREAD_OF_STEPS * random.normal(size=n_points))
        lengths[random.random(n_points) < LONG_MOVES] = 1.0
        steps = self.population[first] - self.population[second]
        steps *= lengths[:, np.newaxis]
        steps *= random.random(points.shape, dtype=np.float32) < share[:, np.newaxis]
        return np.asarray(points + steps)

    def run(
        self,
        chains: Chains,
        level: float,
        n_steps: int,
        score: Callable[[FloatArray], FloatArray],
        random: np.random.Generator,
    ) -> Moved:
        """Take steps inside `{score >= level}`; all chains are scored in one call per step."""
        points, scores = [chains.points], [chains.scores]
        n_scored = n_accepted = 0
        for _ in range(n_steps):
            proposed = self.propose(points[-1], random)
            # A step may be 0, if it is in no feature or in one where points agree.
            moving = (proposed != points[-1]).any(axis=1)
            inside = np.flatnonzero(moving & self.box.contains(proposed))
            found = score(proposed[inside]) if len(inside) else np.empty(0)
            accepted = inside[found >= level]
            points.append(points[-1].copy())
            scores.append(scores[-1].copy())
            points[-1][accepted] = proposed[accepted]
            scores[-1][accepted] = found[found >= level]
            n_scored += len(inside)
            n_accepted += len(accepted)
        states = Chains(points=np.concatenate(points), scores=np.concatenate(scores))
        return Moved(states=states, n_scored=n_scored, n_accepted=n_accepted)
