"""Parts of a model that compiled code follows without looking: checked before they are used.

A file names types, and a reader can refuse those. What is inside is numbers: a tree whose node
points at a child that is not there makes the interpreter read beyond its memory, and crash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from oddrank.errors import InvalidDataError

__all__ = ["check_parts"]

LEAF = -1


class _DamagedError(Exception):
    """A part of a model does not hold together."""


def check_parts(model: Any, path: str) -> None:
    """Refuse a model whose trees, neighbour trees or support vectors point beyond themselves."""
    try:
        for part in _parts(model):
            _check(part)
    except Exception as error:
        raise InvalidDataError(
            f"{path} holds a model that is damaged, or made to do harm: {error}. Do not use it."
        ) from error


def _parts(model: Any) -> Iterator[Any]:
    """Yield everything that a model is made of, once."""
    waiting, seen = [model], set()
    kept = []  # an object's number is its own only as long as it is there
    while waiting:
        part = waiting.pop()
        if id(part) in seen or part is None or isinstance(part, str | bytes | int | float | type):
            continue
        seen.add(id(part))
        kept.append(part)
        yield part
        if isinstance(part, dict):
            waiting += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            waiting += part
        elif isinstance(part, np.ndarray):
            waiting += part.ravel().tolist() if part.dtype == object else []
        else:
            waiting += vars(part).values() if hasattr(part, "__dict__") else []


def _check(part: Any) -> None:
    names = {each.__name__ for each in type(part).__mro__}
    if _is_tree(part):
        _check_tree(part, n_features=part.n_features)
    if "BinaryTree64" in names or "BinaryTree" in names:
        _check_neighbours(part)
    if _is_tree(getattr(part, "tree_", None)) and hasattr(part, "n_features_in_"):
        _check_tree(part.tree_, n_features=part.n_features_in_)
    if hasattr(part, "estimators_features_"):
        for estimator, features in zip(part.estimators_, part.estimators_features_, strict=True):
            if _is_tree(getattr(estimator, "tree_", None)):
                _check_tree(estimator.tree_, n_features=min(len(features), part.n_features_in_))
    if hasattr(part, "support_vectors_") and hasattr(part, "dual_coef_"):
        _check_support(part)


def _is_tree(part: Any) -> bool:
    return type(part).__module__ == "sklearn.tree._tree" and hasattr(part, "node_count")


def _check_tree(tree: Any, n_features: int) -> None:
    count = tree.node_count
    _demand(0 < count <= tree.capacity, "a tree has more nodes than it holds")
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    inner = left != LEAF
    _demand(bool((right[~inner] == LEAF).all()), "a leaf of a tree has a child")
    place = np.arange(count)
    for child in (left, right):
        # after its parent, so that no path is endless
        inside = (child[inner] > place[inner]) & (child[inner] < count)
        _demand(bool(inside.all()), "a tree points at a node that it does not hold")
    asked = feature[inner]
    _demand(
        bool(((asked >= 0) & (asked < n_features)).all()),
        "a tree asks for a feature that rows do not have",
    )


def _check_neighbours(tree: Any) -> None:
    data, index, nodes, bounds = (np.asarray(each) for each in tree.get_arrays())
    n_rows, n_nodes = len(data), len(nodes)
    state = tree.__getstate__()
    n_levels, stated = int(state[5]), int(state[6])
    _demand(
        stated == n_nodes == 2**n_levels - 1 and bounds.shape[1] == n_nodes,
        "a tree of neighbours has other nodes than it says",
    )
    _demand(
        index.shape == (n_rows,) and bool(((index >= 0) & (index < n_rows)).all()),
        "a tree of neighbours points at a row that it does not hold",
    )
    _demand(bounds.shape[2] == data.shape[1], "a tree of neighbours has bounds of other features")
    start, end = nodes["idx_start"], nodes["idx_end"]
    _demand(
        bool(((start >= 0) & (start <= end) & (end <= n_rows)).all()),
        "a tree of neighbours points at rows that it does not hold",
    )
    last = 2 * np.flatnonzero(nodes["is_leaf"] == 0) + 2
    _demand(bool((last < n_nodes).all()), "a tree of neighbours points at a node it does not hold")


def _check_support(machine: Any) -> None:
    n_vectors = machine.support_vectors_.shape[0]
    coefficients = [machine.dual_coef_, getattr(machine, "_dual_coef_", machine.dual_coef_)]
    _demand(
        all(each.shape[-1] == n_vectors for each in coefficients)
        and int(np.sum(machine.n_support_)) == n_vectors,
        "a support-vector machine has other vectors than it says",
    )


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _DamagedError(otherwise)
