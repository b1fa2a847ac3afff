"""Streams of random numbers that belong to a purpose and an index, never to a detector.

One root is made from `random_state`. `stream(root, "reference", 3)` is then always the same, in any
order of calls and in any process. So results do not depend on the number of jobs, on the backend,
or on the order of the detectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank._validation import check_integer
from oddrank.errors import InvalidParameterError

__all__ = ["integer_seed", "root_of", "stream"]

# The position of a purpose is part of every stream: append, never reorder.
_PURPOSES = (
    "reference",
    "rows",
    "split",
    "features",
    "detector",
    "check",
    "prepare",
    "generator",
    "search",
    "judge",
    "seeds",
    "fold",
    "committee",
    "reasons",
    "neighbours",
    "sample",
    "calibration",
    "questions",
)


def root_of(random_state: Any, owner: str) -> np.random.SeedSequence:
    """Turn `random_state` (None, int, SeedSequence, Generator or RandomState) into one root."""
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31 - 1)))
    try:
        return np.random.SeedSequence(check_integer(random_state, "random_state", owner, minimum=0))
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"The 'random_state' parameter of {owner} must be None, an int in the range [0, inf), "
            f"or a numpy Generator, RandomState or SeedSequence. Got {random_state!r} instead."
        ) from error


def child(root: np.random.SeedSequence, purpose: str, *index: int) -> np.random.SeedSequence:
    """Return the root of one purpose (and, if given, one index within it)."""
    key = (*root.spawn_key, _PURPOSES.index(purpose), *index)
    return np.random.SeedSequence(root.entropy, spawn_key=key)


def stream(root: np.random.SeedSequence, purpose: str, *index: int) -> np.random.Generator:
    """Return the random numbers of one purpose and index."""
    return np.random.default_rng(child(root, purpose, *index))


def integer_seed(root: np.random.SeedSequence, purpose: str, *index: int) -> int:
    """Return an int for libraries that take nothing else, such as scikit-learn's estimators."""
    return int(child(root, purpose, *index).generate_state(1)[0] >> 1)
