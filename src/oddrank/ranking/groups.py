"""Detectors that cannot be told apart, as groups and as letters."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from oddrank.ranking.comparison import Comparison

__all__ = ["inseparable_groups", "letters"]


def inseparable_groups(
    ordered: Sequence[str], comparisons: Sequence[Comparison]
) -> tuple[tuple[str, ...], ...]:
    """Return groups, in the order given: two detectors share one exactly if they tie.

    A detector may be in several groups: A ~ B and B ~ C do not make A ~ C. Insert and absorb: all
    are one group; every separated pair splits the groups that hold both; a group inside another
    one is dropped (Piepho, "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13, 2004).

    Examples
    --------
    >>> inseparable_groups(["a", "b"], [])
    (('a', 'b'),)
    """
    place = {name: position for position, name in enumerate(ordered)}
    groups = [frozenset(ordered)] if ordered else []
    for each in comparisons:
        if not each.separated or not {each.better, each.worse} <= set(ordered):
            continue
        split = [
            part
            for group in groups
            for part in (
                (group - {each.better}, group - {each.worse})
                if {each.better, each.worse} <= group
                else (group,)
            )
        ]
        distinct = list(dict.fromkeys(split))
        groups = [part for part in distinct if not any(part < other for other in distinct)]
    listed = [tuple(sorted(group, key=place.__getitem__)) for group in groups]
    return tuple(sorted(listed, key=lambda group: [place[name] for name in group]))


def letters(groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the letters of each detector: two that share one cannot be told apart.

    Examples
    --------
    >>> letters([("lof", "svm"), ("svm", "forest")])
    {'lof': 'a', 'svm': 'ab', 'forest': 'b'}
    """
    found: dict[str, str] = {}
    for position, group in enumerate(groups):
        repeats, letter = divmod(position, len(ascii_lowercase))
        for name in group:
            found[name] = found.get(name, "") + ascii_lowercase[letter] * (repeats + 1)
    return found
